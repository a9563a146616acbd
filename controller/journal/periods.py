"""Meters and accounting periods: each collection closes a period and begins the next one."""

import msgspec

from controller.journal.event_catalogue import Event, EventKind
from controller.journal.parts import journal_parts
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

COLLECTION, CLEARED = "collection", "period_cleared"
"""How a period was closed: with the money taken out, or without. Both are codes of events."""


class Period(msgspec.Struct, frozen=True):
    """A closed period: its number, when, by whom and how it was closed, and the value of each meter."""

    number: int
    closed_ms: int
    who: str
    meters: dict[str, int]
    kind: str = COLLECTION


def meter(books: Reader, name: str) -> int:
    """Return one meter since the cabinet's first start, 0 if it never counted."""
    (value,) = books.execute("SELECT value FROM meters WHERE name = ?", (name,)).fetchone() or (0,)
    return int(value)


def lifetime(books: Reader) -> dict[str, int]:
    """Return every meter since the cabinet's first start."""
    return dict(books.execute("SELECT name, value FROM meters ORDER BY name").fetchall())


def since_collection(books: Reader) -> dict[str, int]:
    """Return the count of every meter since the last collection."""
    return dict(books.execute("SELECT name, value - collected FROM meters ORDER BY name").fetchall())


def close_period(tx: Transaction, who: str) -> Period:
    """Close the period with a collection; lifetime meters are not changed."""
    return _close(tx, who, Event.COLLECTION, "collections", place="cash box")


def clear_period(tx: Transaction, who: str) -> Period:
    """Close the period without a collection, because no money was taken out; lifetime meters are not changed."""
    return _close(tx, who, Event.PERIOD_CLEARED, "period_clears")


def _close(tx: Transaction, who: str, event: EventKind, meter: str, *, place: str = "") -> Period:
    counted = since_collection(tx)
    seq = tx.event(event, place=place, meters={meter: 1}, who=who)
    tx.execute("UPDATE meters SET collected = value")
    tx.execute(
        "INSERT INTO periods (closed_ms, seq, who, meters) VALUES (?, ?, ?, ?)",
        (tx.at_ms, seq, who, msgspec.json.encode(counted).decode()),
    )
    if event is Event.COLLECTION:
        for part in journal_parts():
            if part.collected is not None:
                part.collected(tx)
    return periods(tx, 1)[0]


def open_period(books: Reader) -> int:
    """Return the number of the period that is open now."""
    (number,) = books.execute("SELECT coalesce(max(id), 0) + 1 FROM periods").fetchone()
    return int(number)


def periods(tx: Transaction, most: int) -> list[Period]:
    """Return at most `most` closed periods, newest first."""
    rows = tx.execute(
        "SELECT id, closed_ms, who, meters, events.code FROM periods JOIN events USING (seq) ORDER BY id DESC LIMIT ?",
        (most,),
    )
    return [
        Period(number, closed, who, msgspec.json.decode(meters), kind) for number, closed, who, meters, kind in rows
    ]
