"""What waits for the attendant's key: one turn of it is one answer, and opens no menu."""

from controller.journal.actor import Role
from controller.journal.faults import may_clear
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.ports import AttendantCall
from controller.machine.states import State

HAND_PAY, HOPPER, LOCK_UP = (
    "Your PIN confirms that {amount_cents} are paid by hand",
    "Your PIN ends the payment of the hopper",
    "Your PIN clears the lock-up",
)
"""What a PIN does while something waits for it."""


def waiting_call(state: State, conditions: Conditions, play: GameState) -> AttendantCall | None:
    """Return what waits for the attendant's key now: a payout comes first, then what may be cleared as it stands."""
    if conditions.overlay is None and state is State.HANDPAY:
        return AttendantCall(HAND_PAY, _figures(play), State.HANDPAY)
    if conditions.overlay is None and play.payout_waits:
        return AttendantCall(HOPPER, state=State.COLLECTING)
    seen = frozenset((fault.code, fault.place) for fault in conditions.faults if may_clear(fault, Role.ATTENDANT))
    return AttendantCall(LOCK_UP, seen=seen) if seen else None


def still_waits(state: State, play: GameState, call: AttendantCall) -> bool:
    """Return whether that payout still waits, with the amount that was shown: a PIN takes its time to type."""
    return state is call.state and (call.state is not State.HANDPAY or _figures(play) == call.figures)


def _figures(play: GameState) -> dict[str, str | int]:
    return {} if play.payout is None else {"amount_cents": play.payout.amount_cents}
