"""What hosts have switched off, which outlasts a power cut, and how they are registered for transfers."""

from typing import Final

import msgspec

from controller.journal.actor import Actor, Role, acting
from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE, SETTINGS, Stored
from controller.journal.transaction import Transaction


class HostState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is switched off by a host; `bills` are the notes it takes, in cents, None for all that the cabinet takes."""

    machine_off: bool = False
    maintenance: bool = False
    notes_off: bool = False
    sound_off: bool = False
    games_off: tuple[str, ...] = ()
    bills: tuple[int, ...] | None = None


class Registration(msgspec.Struct, frozen=True, omit_defaults=True):
    """A host's registration for transfers: its key and point of sale; `status` is the protocol's."""

    status: int
    key: str = ""
    pos: int = 0


class Refused(msgspec.Struct, frozen=True, omit_defaults=True):
    """The newest request for a transfer, where it was refused: what was asked for, in hexadecimal, and the status."""

    status: int
    kind: int
    flags: int
    id: str
    expiration: str
    pool: str
    at_ms: int


class TicketTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the host that validates tickets has set: what is off, days until one expires, and what is printed on it.

    `days` is 0 for never, None for what is configured; an empty line is as configured.
    """

    no_printing: bool = False
    no_redemption: bool = False
    days: int | None = None
    lines: tuple[str, str, str] = ("", "", "")


class ResetMethod(msgspec.Struct, frozen=True):
    """The hand-pay that a host wants back on the credit when it is reset (A8), by its number and its time."""

    payout: int
    started_ms: int


_BEGINNINGS: Final = (Event.FULL_CLEAR, Event.RESTORED, Event.REBUILT)
"""The events with which the meters of other books begin."""
_KNOWN: Final = Stored(DEVICE_STATE, "host_port.books", int)
_TO_CREDIT: Final = Stored(DEVICE_STATE, "host_port.hand_pay_to_credit", ResetMethod)
_TERMS: Final = Stored(SETTINGS, "host_port.tickets", TicketTerms)
_STATE: Final = Stored(SETTINGS, "host_port.state", HostState)


def host_state(tx: Transaction) -> HostState:
    """Return what is switched off by hosts."""
    return _STATE.read(tx) or HostState()


def change_state(tx: Transaction, port: str, what: str, **changes: object) -> None:
    """Change what is switched off, and log that the host at `port` did it; nothing where it is so already."""
    before = host_state(tx)
    after = msgspec.structs.replace(before, **changes)
    if after != before:
        _STATE.write(tx, after)
        record_act(tx, port, what)


def take_for_known(tx: Transaction) -> bool:
    """Take these books for known to the hosts; return whether they have begun since the last call."""
    marks = ", ".join("?" * len(_BEGINNINGS))
    codes = tuple(event.code for event in _BEGINNINGS)
    (began,) = tx.execute(f"SELECT max(seq) FROM events WHERE code IN ({marks})", codes).fetchone()  # noqa: S608 - marks
    if began is None or began == _KNOWN.read(tx):
        return False
    _KNOWN.write(tx, began)
    return True


def choose_reset(tx: Transaction, *, to_credit: bool) -> bool:
    """Store how the hand-pay that waits is reset; False where none waits."""
    waiting = _hand_pay(tx)
    if waiting is None:
        return False
    if to_credit:
        _TO_CREDIT.write(tx, waiting)
    else:
        _TO_CREDIT.remove(tx)
    return True


def resets_to_credit(tx: Transaction) -> bool:
    """Whether the hand-pay that waits goes back to the credit when it is reset; what was chosen for others is void."""
    waiting = _hand_pay(tx)
    return waiting is not None and waiting == _TO_CREDIT.read(tx)


def _hand_pay(tx: Transaction) -> ResetMethod | None:
    row = tx.execute("SELECT id, started_ms FROM payouts WHERE state = 'open' AND kind = 'hand_pay'").fetchone()
    return None if row is None else ResetMethod(*row)


def ticket_terms(tx: Transaction) -> TicketTerms:
    """Return what the host that validates tickets has set."""
    return _TERMS.read(tx) or TicketTerms()


def change_ticket_terms(tx: Transaction, **changes: object) -> bool:
    """Change what the host has set for tickets; return whether it was otherwise before."""
    before = ticket_terms(tx)
    after = msgspec.structs.replace(before, **changes)
    if after != before:
        _TERMS.write(tx, after)
    return after != before


def switch_game(tx: Transaction, port: str, game: str, *, on: bool) -> None:
    """Switch a game on or off, and log it; nothing where it is so already."""
    before = host_state(tx)
    if on is (game not in before.games_off):
        return
    others = tuple(each for each in before.games_off if each != game)
    _STATE.write(tx, msgspec.structs.replace(before, games_off=others if on else (*others, game)))
    with acting(host_at(port)):
        tx.event(Event.HOST_GAME_ON if on else Event.HOST_GAME_OFF, place=port, game=game)


def record_act(tx: Transaction, port: str, what: str) -> None:
    """Log what the host at `port` did, with that host as the person."""
    with acting(host_at(port)):
        tx.event(Event.HOST_ACT, place=port, what=what)


def host_at(port: str) -> Actor:
    """Return who acts where a host does."""
    return Actor(Role.HOST, name=port)


def _refused(port: str) -> Stored[Refused]:
    return Stored(DEVICE_STATE, f"{port}.refused", Refused)


def refused(tx: Transaction, port: str) -> Refused | None:
    """Return the newest request of the host at `port`, None where it was not refused."""
    return _refused(port).read(tx)


def refuse(tx: Transaction, port: str, made: Refused) -> None:
    """Store a refused request; the same again keeps its first time, and is not written."""
    before = _refused(port).read(tx)
    if before is None or msgspec.structs.replace(made, at_ms=before.at_ms) != before:
        _refused(port).write(tx, made)


def forget_refused(tx: Transaction, port: str) -> None:
    """Have the newest transfer be the newest request again."""
    _refused(port).remove(tx)


def _registration(port: str) -> Stored[Registration]:
    return Stored(DEVICE_STATE, f"{port}.registration", Registration)


def registration(tx: Transaction, port: str) -> Registration | None:
    """Return how the host at `port` is registered, None where it never was."""
    return _registration(port).read(tx)


def register(tx: Transaction, port: str, made: Registration) -> None:
    """Store a registration."""
    _registration(port).write(tx, made)
