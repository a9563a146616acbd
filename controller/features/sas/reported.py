"""Maps the events and ledger rows of a transaction to exceptions for a host (table in docs/host-port.md)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.faults import POWER_RESET, explain, known_faults, sas_exception
from controller.features.sas import notes
from controller.features.sas.figures import Figures
from controller.journal.event_catalogue import Event, event_of
from controller.journal.ledger import Entry
from controller.journal.transaction import Transaction
from drivers.sas.exceptions import BILLS_BY_VALUE, PRIORITY, Code, bill_data, game_data, win_data
from drivers.sas.numbers import from_bcd
from gamekit.catalogue import number_of

_OPENED: Final = {"attendant": Code.ATTENDANT_MENU_ENTERED, "technician": Code.OPERATOR_MENU_ENTERED}
_CLOSED: Final = {"attendant": Code.ATTENDANT_MENU_LEFT, "technician": Code.OPERATOR_MENU_LEFT}
_OF_EVENT: Final = {
    Event.POWER_UP: Code.POWER_APPLIED,
    Event.ATTENDANT_CALLED: Code.LAMP_ON,
    Event.CALL_ENDED: Code.LAMP_OFF,
    Event.CLOSED_FOR_PLAYERS: Code.OUT_OF_SERVICE,
    Event.COLLECTION: Code.BILL_TOTALS_RESET,
    Event.HAND_PAY_CANCELLED: Code.HAND_PAY_RESET,
}
_COMPLETES = (
    "SELECT follows IS NOT NULL OR (SELECT (kind, state) = ('ticket', 'cancelled') FROM payouts AS before"
    " WHERE before.id < payouts.id ORDER BY id DESC LIMIT 1) FROM payouts ORDER BY id DESC LIMIT 1"
)


class Reported(NamedTuple):
    """An exception and its data for real-time reporting."""

    code: int
    data: bytes = b""

    @property
    def has_priority(self) -> bool:
        """Whether it is reported before exceptions without priority."""
        return self.code in PRIORITY


def reported(
    tx: Transaction, before: Figures, after: Figures, *, country: int, denomination_cents: int
) -> Iterator[Reported]:
    """Yield the exceptions for a transaction; `before` and `after` are the figures before and after it."""
    for entry in tx.entries:
        yield from _of_entry(tx, entry, after, country)
    ended = after.round != before.round and after.round.state != "open" and after.round.id > 0
    if ended:
        yield Reported(Code.GAME_ENDED, win_data(after.round.win_cents // denomination_cents))


def _of_entry(tx: Transaction, entry: Entry, after: Figures, country: int) -> Iterator[Reported]:
    if entry.kind == "stake":
        yield Reported(Code.GAME_STARTED)
    elif entry.kind == "note":
        value_cents = entry.credit_delta
        code = notes.code_of(value_cents)
        if code is not None:
            yield Reported(Code.BILL_ACCEPTED, bill_data(country, code, after[f"note_{value_cents}"]))
    elif entry.kind == "hand_pay":
        yield Reported(Code.HAND_PAY_RESET)
    elif entry.kind == "event":
        yield from _of_event(tx, entry)


def _of_event(tx: Transaction, entry: Entry) -> Iterator[Reported]:
    code, place = str(entry.data["code"]), str(entry.data["place"])
    # the fault of a restart is raised once for several restarts, but each restart is a power-up
    fault = sas_exception(code, place) if code in known_faults() and code != POWER_RESET else None
    if fault is not None:
        yield Reported(fault)
        return
    event = event_of(code, str(entry.data["text"]))
    if event in _OF_EVENT:
        yield Reported(_OF_EVENT[event])
    elif event in (Event.MENU_OPENED, Event.MENU_CLOSED):
        menus = _OPENED if event is Event.MENU_OPENED else _CLOSED
        if entry.data["who"] in menus:
            yield Reported(menus[entry.data["who"]])
    elif event is Event.FAULT_CLEARED:
        over = explain(str(entry.data["fault"])).sas_over
        if over is not None:
            yield Reported(over)
    elif event is Event.PAYOUT_BEGUN:
        yield from _of_payout(tx, str(entry.data["kind"]))
    elif code == "setting":
        yield Reported(Code.OPTIONS_CHANGED)


def _of_payout(tx: Transaction, kind: str) -> Iterator[Reported]:
    """Report the cash-out button, unless this completes a hopper payout or one whose ticket failed; and a hand-pay."""
    (completes,) = tx.execute(_COMPLETES).fetchone()
    if not completes:
        yield Reported(Code.CASH_OUT_PRESSED)
    if kind == "hand_pay":
        yield Reported(Code.HAND_PAY_PENDING)


def selected(game: str) -> Reported:
    """Return the exception for the game that the player has chosen or left."""
    return Reported(Code.GAME_SELECTED, game_data(number_of(game)))


def outside_real_time(code: int, data: bytes) -> int:
    """Return the code with which a general poll reports an exception; notes have one code per value."""
    if code != Code.BILL_ACCEPTED:
        return code
    return BILLS_BY_VALUE.get(notes.VALUES[from_bcd(data[1:2])], code)


def is_reported_in_real_time(code: int) -> bool:
    """Whether an exception has a known real-time form; the data of a game's start is not public."""
    return code != Code.GAME_STARTED
