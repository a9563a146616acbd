"""What waits for the attendant's key: one turn of it is one answer, and opens no menu."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from controller.journal.actor import Role
from controller.journal.fault_states import may_clear
from controller.machine.states import State

if TYPE_CHECKING:
    from controller.machine.machine import Machine

HAND_PAY, HOPPER, LOCK_UP = (
    "Your PIN confirms that {amount_cents} are paid by hand",
    "Your PIN ends the payment of the hopper",
    "Your PIN clears the lock-up",
)
"""What a PIN does while something waits for it."""


class AttendantCall(NamedTuple):
    """What a turn is the answer to: a payout that waits, or the lock-ups that were `seen` as the key was turned.

    `template` says so to whoever is asked for a PIN first, with its `figures`. A payout waits in a `state`.
    """

    template: str
    figures: Mapping[str, str | int] = {}
    state: State | None = None
    seen: frozenset[tuple[str, str]] = frozenset()


def waiting_call(machine: "Machine") -> AttendantCall | None:
    """Return what waits for the attendant's key now: a payout comes first, then what may be cleared as it stands."""
    if machine.overlay is None and machine.state is State.HANDPAY:
        return AttendantCall(HAND_PAY, _figures(machine), State.HANDPAY)
    if machine.overlay is None and machine.payout_waits:
        return AttendantCall(HOPPER, state=State.COLLECTING)
    seen = frozenset((fault.code, fault.place) for fault in machine.faults if may_clear(fault, Role.ATTENDANT))
    return AttendantCall(LOCK_UP, seen=seen) if seen else None


def still_waits(machine: "Machine", call: AttendantCall) -> bool:
    """Return whether that payout still waits, with the amount that was shown: a PIN takes its time to type."""
    return machine.state is call.state and (call.state is not State.HANDPAY or _figures(machine) == call.figures)


def _figures(machine: "Machine") -> dict[str, str | int]:
    return {} if machine.payout is None else {"amount_cents": machine.payout.amount_cents}
