"""Slips for attendants: hand-pays, collections and meters from the books, and which slips were printed.

A slip's number is that of its ledger row, so its figures never change. Sending it to the printer is recorded first;
whatever the printer reports, the next slip with the same number is a copy.
"""

from enum import StrEnum

import msgspec

from controller.features.tickets.events import TicketEvent
from controller.journal import ledger, periods
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction, hard_figures


class SlipKind(StrEnum):
    """The subject of a slip."""

    HAND_PAY = "hand_pay"
    COLLECTION = "collection"
    METERS = "meters"


class AttendantSlip(msgspec.Struct, frozen=True):
    """A slip: number, time, person, amount and figures (cents by meter); `copy` is 0 for the first print."""

    kind: SlipKind
    number: int
    at_ms: int
    who: str
    cents: int
    figures: dict[str, int]
    period: int = 0
    copy: int = 0


def newest(tx: Transaction, kind: SlipKind, most: int) -> list[AttendantSlip]:
    """Return the newest hand-pays or collections, newest first."""
    if kind is SlipKind.HAND_PAY:
        sql = "SELECT seq FROM ledger WHERE kind = 'hand_pay' ORDER BY seq DESC LIMIT ?"
    else:
        sql = "SELECT seq FROM periods JOIN events USING (seq) WHERE code = 'collection' ORDER BY seq DESC LIMIT ?"
    return [_read(tx, kind, number) for (number,) in tx.execute(sql, (most,)).fetchall()]


def due_after(tx: Transaction, number: int) -> list[AttendantSlip]:
    """Return the hand-pays and collections after that ledger row, oldest first."""
    found = [each for kind in (SlipKind.HAND_PAY, SlipKind.COLLECTION) for each in newest(tx, kind, 20)]
    return sorted((each for each in found if each.number > number), key=lambda each: each.number)


def begin(tx: Transaction, kind: SlipKind, number: int) -> AttendantSlip:
    """Record that a slip is sent to the printer, and return it; all but the first are copies.

    Raise `RefusedError` if the books do not have such a row.
    """
    slip = msgspec.structs.replace(_read(tx, kind, number), copy=_sent(tx, number))
    _record(tx, slip)
    return slip


def begin_meters(tx: Transaction, who: str) -> AttendantSlip:
    """Record that the current meters since the last collection are sent to the printer; return that slip."""
    number = tx.head[0] + 1
    figures = _money(periods.since_collection(tx))
    slip = AttendantSlip(SlipKind.METERS, number, tx.at_ms, who, tx.credit_cents, figures, periods.open_period(tx))
    _record(tx, slip)
    return slip


def not_sent(tx: Transaction, slip: AttendantSlip) -> None:
    """Record that nothing reached the printer, so the next print is not a copy."""
    tx.event(TicketEvent.SLIP_LOST, slip=slip.number, what=slip.kind, reason="printer_unsent", copied=slip.copy)


def unknown(tx: Transaction, slip: AttendantSlip) -> None:
    """Record that the printer did not report it as printed."""
    tx.event(TicketEvent.SLIP_LOST, slip=slip.number, what=slip.kind, reason="printer_unknown", copied=slip.copy)


def _record(tx: Transaction, slip: AttendantSlip) -> None:
    if slip.copy:
        tx.event(TicketEvent.SLIP_COPIED, slip=slip.number, what=slip.kind, copy=slip.copy)
    else:
        tx.event(TicketEvent.SLIP_SENT, slip=slip.number, what=slip.kind, figures=slip.figures)


def _sent(tx: Transaction, number: int) -> int:
    """Return how often the slip with that number was sent to the printer."""
    (sent,) = tx.execute(
        "SELECT coalesce(sum(CASE data ->> '$.reason' WHEN 'printer_unsent' THEN -1 WHEN 'printer_unknown' THEN 0"
        " ELSE 1 END), 0) FROM events JOIN ledger USING (seq) WHERE code = 'slip' AND data ->> '$.slip' = ?",
        (number,),
    ).fetchone()
    return int(sent)


def _read(tx: Transaction, kind: SlipKind, number: int) -> AttendantSlip:
    row = tx.execute("SELECT at_ms, credit_delta, data FROM ledger WHERE seq = ?", (number,)).fetchone()
    if row is None:
        raise RefusedError("The books do not have this row any more")
    at_ms, delta, data = row
    by = msgspec.json.decode(data).get("by") or {}
    who = str(by.get("name") or by.get("role") or "")
    if kind is SlipKind.HAND_PAY:
        return AttendantSlip(kind, number, at_ms, who, -delta, {})
    period, role, meters = tx.execute("SELECT id, who, meters FROM periods WHERE seq = ?", (number,)).fetchone()
    figures = _money(msgspec.json.decode(meters, type=dict[str, int]))
    return AttendantSlip(kind, number, at_ms, who or str(role), figures["drop"], figures, period)


MAIN = ("stakes", "wins", "coins_in", "notes_in", "tickets_in", "hopper_out", "tickets_out", "hand_pay", "drop")
"""The figures on every slip, in order, in cents; the drop is that of the hard meter."""
RARE = tuple(name for name in (*ledger.ADDS, *ledger.TAKES) if name not in MAIN)
"""The other meters of money in the books' equation; a slip lists those that are not zero."""


def _money(meters: dict[str, int]) -> dict[str, int]:
    figures = {**meters, "drop": hard_figures(meters).get("drop", 0)}
    return {name: figures.get(name, 0) for name in (*MAIN, *(name for name in RARE if figures.get(name)))}
