"""Tickets validated by a host: the records of printed tickets, and the newest inserted ticket.

The host's decision and the order to stack the ticket are one transaction. The result follows what the bill validator
reports (`notes`) and stays until the host has read it.
"""

from typing import Final, TypeVar

import msgspec

from controller.journal import money
from controller.journal.number_seal import StoredNumber
from controller.journal.open_items import TICKET, Resolution
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction

POSITIONS: Final = 31
"""The most records of printed tickets for one host (sas.md, section 2.3)."""


class Record(msgspec.Struct, frozen=True):
    """The record of a printed ticket; `read` is set once the host has it."""

    id: int
    position: int
    ticket: int
    number: str
    cents: int
    at_ms: int
    expires_ms: int | None
    read: bool


class Redemption(msgspec.Struct, frozen=True):
    """The newest ticket inserted for a host: `escrow`, `stacking` or `ended`; `status` is the protocol's code."""

    id: int
    number: str
    state: str
    cents: int
    status: int | None
    note: int | None
    item: int | None
    at_ms: int
    closed: bool


T = TypeVar("T", bound=msgspec.Struct)

_RECORD = ", ".join(Record.__struct_fields__)
_REDEMPTION = ", ".join(Redemption.__struct_fields__)


def record(tx: Transaction, port: str, ticket: Ticket) -> None:
    """Record a printed ticket in place of the oldest record, which must have been read."""
    row = tx.execute("SELECT position FROM host_records WHERE port = ? ORDER BY id DESC LIMIT 1", (port,)).fetchone()
    position = 1 if row is None else row[0] % POSITIONS + 1
    tx.execute("DELETE FROM host_records WHERE port = ? AND position = ?", (port, position))
    tx.execute(
        "INSERT INTO host_records (port, position, ticket, number, cents, at_ms, expires_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (port, position, ticket.id, tx.numbers.sealed(ticket.number), ticket.cents, tx.at_ms, ticket.expires_ms),
    )


def records(tx: Transaction, port: str) -> tuple[Record, ...]:
    """Return the records for the host at `port`, oldest first."""
    rows = tx.execute(f"SELECT {_RECORD} FROM host_records WHERE port = ? ORDER BY id", (port,))  # noqa: S608 - columns
    return tuple(_made(tx, row, Record) for row in rows)


def mark_read(tx: Transaction, number: int) -> None:
    """Mark the record with this id as read by its host."""
    tx.execute("UPDATE host_records SET read = 1 WHERE id = ?", (number,))


def redemption(tx: Transaction, port: str) -> Redemption | None:
    """Return the newest ticket inserted for the host at `port`, or None before the first."""
    sql = f"SELECT {_REDEMPTION} FROM host_redemptions WHERE port = ?"  # noqa: S608 - columns
    row = tx.execute(sql, (port,)).fetchone()
    return None if row is None else _made(tx, row, Redemption)


def begin(tx: Transaction, port: str, number: str) -> bool:
    """Record a ticket in escrow; return False if the host has not read the previous result."""
    before = redemption(tx, port)
    if before is not None and not before.closed:
        return False
    tx.execute("DELETE FROM host_redemptions WHERE port = ?", (port,))
    tx.execute(
        "INSERT INTO host_redemptions (port, number, state, at_ms) VALUES (?, ?, 'escrow', ?)",
        (port, tx.numbers.sealed(number), tx.at_ms),
    )
    return True


def stack(tx: Transaction, port: str, cents: int) -> bool:
    """Record the order to stack the ticket in escrow with this value; return False if none is in escrow."""
    waiting = redemption(tx, port)
    if waiting is None or waiting.state != "escrow":
        return False
    money.note_stacking(tx, cents, tx.numbers.sealed(waiting.number))
    note = money.note_in_hand(tx)
    tx.execute(
        "UPDATE host_redemptions SET state = 'stacking', cents = ?, note = ? WHERE id = ?",
        (cents, None if note is None else note.id, waiting.id),
    )
    return True


def give_up(tx: Transaction, port: str, status: int) -> bool:
    """End a ticket in escrow that will not be stacked; return False if none is in escrow."""
    waiting = redemption(tx, port)
    if waiting is None or waiting.state != "escrow":
        return False
    _end(tx, waiting, status)
    return True


def settle(tx: Transaction, port: str, *, redeemed: int, returned: int) -> bool:
    """End a ticket whose outcome the bill validator or a technician has reported; return whether it ended.

    A missing ticket waits for its open item; if that was paid by hand, the ticket counts as redeemed.
    """
    waiting = redemption(tx, port)
    if waiting is None or waiting.state != "stacking":
        return False
    state = _state_of(tx, waiting)
    if state == "stacking":
        return False
    _end(tx, waiting, redeemed if state == "redeemed" else returned)
    return True


def close(tx: Transaction, number: int) -> None:
    """Mark the result of the ticket with this id as read by its host."""
    tx.execute("UPDATE host_redemptions SET closed = 1 WHERE id = ? AND state = 'ended'", (number,))


def _state_of(tx: Transaction, waiting: Redemption) -> str:
    """Return the state of a ticket that was to be stacked: `stacking` if unknown, `redeemed` or `returned`."""
    row = tx.execute("SELECT state FROM notes WHERE id = ?", (waiting.note,)).fetchone()
    state = "returned" if row is None else str(row[0])
    if state in ("credited", "acknowledged"):
        return "redeemed"
    if state != "unknown":
        return state
    item = waiting.item
    if item is None:
        (item,) = tx.execute("SELECT max(id) FROM open_items WHERE kind = ?", (TICKET,)).fetchone()
        tx.execute("UPDATE host_redemptions SET item = ? WHERE id = ?", (item, waiting.id))
    (way,) = tx.execute("SELECT resolution FROM open_items WHERE id = ?", (item,)).fetchone()
    if way is None:
        return "stacking"
    return "redeemed" if way == Resolution.PAID else "returned"


def _end(tx: Transaction, waiting: Redemption, status: int) -> None:
    tx.execute("UPDATE host_redemptions SET state = 'ended', status = ? WHERE id = ?", (status, waiting.id))


def _made(tx: Transaction, row: tuple[object, ...], kind: type[T]) -> T:
    values = dict(zip(kind.__struct_fields__, row, strict=True))
    values["number"] = tx.numbers.opened(StoredNumber(str(values["number"])))
    return msgspec.convert(values, kind, strict=False)
