"""The events in the journal, newest first and by their codes, without a look at those of other codes."""

import heapq
from collections.abc import Collection
from typing import NamedTuple

from controller.journal.transaction import Transaction


class LoggedEvent(NamedTuple):
    """One event: its ledger row, code, text, place, moment by the cabinet's clock, and the name of who did it."""

    seq: int
    code: str
    text: str
    place: str
    at_ms: int
    by: str = ""


_FIELDS = (
    "SELECT seq, code, text, place, (SELECT at_ms FROM ledger WHERE ledger.seq = events.seq),"
    " (SELECT coalesce(data ->> '$.by.name', '') FROM ledger WHERE ledger.seq = events.seq) FROM events"
)


def codes(tx: Transaction) -> list[str]:
    """Return every code that an event of this journal has, in order: a step of the index for each."""
    rows = tx.execute(
        "WITH RECURSIVE each (code) AS (SELECT min(code) FROM events UNION ALL"
        " SELECT (SELECT min(code) FROM events WHERE code > each.code) FROM each WHERE each.code IS NOT NULL)"
        " SELECT code FROM each WHERE code IS NOT NULL"
    )
    return [code for (code,) in rows]


def events(tx: Transaction, before: int, most: int) -> list[LoggedEvent]:
    """Return the newest events below a ledger row, newest first, `most` at the most."""
    rows = tx.execute(f"{_FIELDS} WHERE seq < ? ORDER BY seq DESC LIMIT ?", (before, most))
    return [LoggedEvent(*row) for row in rows]


def events_of(tx: Transaction, wanted: Collection[str], before: int, most: int) -> list[LoggedEvent]:
    """Return as `events` does those of the `wanted` codes, each of which is looked up by itself."""
    one = f"{_FIELDS} WHERE code = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
    found = [[LoggedEvent(*row) for row in tx.execute(one, (code, before, most))] for code in wanted]
    return list(heapq.merge(*found, key=lambda event: -event.seq))[:most]
