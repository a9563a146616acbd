"""What hosts have switched off, which survives a power cut, and their registrations for transfers."""

from typing import Final

import msgspec

from controller.features.sas.events import HostEvent
from controller.journal.actor import Actor, Role, acting
from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE, SETTINGS, Stored
from controller.journal.transaction import Transaction


class HostState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What hosts have switched off; `bills` are the accepted notes in cents, None for all that the cabinet accepts."""

    machine_off: bool = False
    maintenance: bool = False
    notes_off: bool = False
    sound_off: bool = False
    games_off: tuple[str, ...] = ()
    bills: tuple[int, ...] | None = None


class Registration(msgspec.Struct, frozen=True, omit_defaults=True):
    """A host's registration for transfers: its key and point of sale; `status` is the protocol's code."""

    status: int
    key: str = ""
    pos: int = 0


class Refused(msgspec.Struct, frozen=True, omit_defaults=True):
    """The newest transfer request if it was refused: its fields, in hexadecimal, and the status."""

    status: int
    kind: int
    flags: int
    id: str
    expiration: str
    pool: str
    at_ms: int


class TicketTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The ticket terms set by the validating host: what is off, days until expiry, and the printed lines.

    `days` is 0 for no expiry and None for the configured value; an empty line means the configured line.
    """

    no_printing: bool = False
    no_redemption: bool = False
    days: int | None = None
    lines: tuple[str, str, str] = ("", "", "")


class ResetMethod(msgspec.Struct, frozen=True):
    """The hand-pay that a host wants returned to the credit at the reset (A8), by its number and time."""

    payout: int
    started_ms: int


_BEGINNINGS: Final = (Event.FULL_CLEAR, Event.RESTORED, Event.REBUILT)
"""The events that begin new books, with other meters."""
_KNOWN: Final = Stored(DEVICE_STATE, "host_port.books", int)
_TO_CREDIT: Final = Stored(DEVICE_STATE, "host_port.hand_pay_to_credit", ResetMethod)
_TERMS: Final = Stored(SETTINGS, "host_port.tickets", TicketTerms)
_STATE: Final = Stored(SETTINGS, "host_port.state", HostState)


def host_state(tx: Transaction) -> HostState:
    """Return what hosts have switched off."""
    return _STATE.read(tx) or HostState()


def change_state(tx: Transaction, port: str, what: str, **changes: object) -> None:
    """Change what hosts have switched off, and log the act of the host at `port`; do nothing if nothing changes."""
    before = host_state(tx)
    after = msgspec.structs.replace(before, **changes)
    if after != before:
        _STATE.write(tx, after)
        record_act(tx, port, what)


def take_for_known(tx: Transaction) -> bool:
    """Mark these books as known to the hosts; return whether new books began since the last call."""
    marks = ", ".join("?" * len(_BEGINNINGS))
    codes = tuple(event.code for event in _BEGINNINGS)
    (began,) = tx.execute(f"SELECT max(seq) FROM events WHERE code IN ({marks})", codes).fetchone()  # noqa: S608 - marks
    if began is None or began == _KNOWN.read(tx):
        return False
    _KNOWN.write(tx, began)
    return True


def choose_reset(tx: Transaction, *, to_credit: bool) -> bool:
    """Store how the pending hand-pay is reset; return False if none is pending."""
    waiting = _hand_pay(tx)
    if waiting is None:
        return False
    if to_credit:
        _TO_CREDIT.write(tx, waiting)
    else:
        _TO_CREDIT.remove(tx)
    return True


def resets_to_credit(tx: Transaction) -> bool:
    """Whether the pending hand-pay returns to the credit at its reset; a choice for another hand-pay does not count."""
    waiting = _hand_pay(tx)
    return waiting is not None and waiting == _TO_CREDIT.read(tx)


def _hand_pay(tx: Transaction) -> ResetMethod | None:
    row = tx.execute("SELECT id, started_ms FROM payouts WHERE state = 'open' AND kind = 'hand_pay'").fetchone()
    return None if row is None else ResetMethod(*row)


def ticket_terms(tx: Transaction) -> TicketTerms:
    """Return the ticket terms set by the validating host."""
    return _TERMS.read(tx) or TicketTerms()


def change_ticket_terms(tx: Transaction, **changes: object) -> bool:
    """Change the ticket terms; return whether anything changed."""
    before = ticket_terms(tx)
    after = msgspec.structs.replace(before, **changes)
    if after != before:
        _TERMS.write(tx, after)
    return after != before


def switch_game(tx: Transaction, port: str, game: str, *, on: bool) -> None:
    """Switch a game on or off and log it; do nothing if it already is."""
    before = host_state(tx)
    if on is (game not in before.games_off):
        return
    others = tuple(each for each in before.games_off if each != game)
    _STATE.write(tx, msgspec.structs.replace(before, games_off=others if on else (*others, game)))
    with acting(host_at(port)):
        tx.event(HostEvent.HOST_GAME_ON if on else HostEvent.HOST_GAME_OFF, place=port, game=game)


def record_act(tx: Transaction, port: str, what: str) -> None:
    """Log an act of the host at `port`, with that host as the actor."""
    with acting(host_at(port)):
        tx.event(HostEvent.HOST_ACT, place=port, what=what)


def host_at(port: str) -> Actor:
    """Return the actor for the host at `port`."""
    return Actor(Role.HOST, name=port)


def _refused(port: str) -> Stored[Refused]:
    return Stored(DEVICE_STATE, f"{port}.refused", Refused)


def refused(tx: Transaction, port: str) -> Refused | None:
    """Return the newest request of the host at `port` if it was refused, else None."""
    return _refused(port).read(tx)


def refuse(tx: Transaction, port: str, made: Refused) -> None:
    """Store a refused request; an identical repetition keeps its first time and writes nothing."""
    before = _refused(port).read(tx)
    if before is None or msgspec.structs.replace(made, at_ms=before.at_ms) != before:
        _refused(port).write(tx, made)


def forget_refused(tx: Transaction, port: str) -> None:
    """Remove the refused request, so that the newest transfer is the newest request again."""
    _refused(port).remove(tx)


def _registration(port: str) -> Stored[Registration]:
    return Stored(DEVICE_STATE, f"{port}.registration", Registration)


def registration(tx: Transaction, port: str) -> Registration | None:
    """Return the registration of the host at `port`, or None if it never registered."""
    return _registration(port).read(tx)


def register(tx: Transaction, port: str, made: Registration) -> None:
    """Store a registration."""
    _registration(port).write(tx, made)
