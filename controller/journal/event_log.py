"""Reads events from the journal, newest first; reads by code use an index and skip all other codes."""

import heapq
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import msgspec

from controller.journal.transaction import Transaction


class LoggedEvent(NamedTuple):
    """One event: its ledger row, code, key (or its words if it has no figures), place, time and the row's data."""

    seq: int
    code: str
    text: str
    place: str
    at_ms: int
    data: Mapping[str, Any] = {}

    @property
    def by(self) -> Mapping[str, str]:
        """The `role` and `name` of the person who caused it, empty if nobody is known."""
        by: Mapping[str, str] = self.data.get("by", {})
        return by


_FIELDS = (
    "SELECT seq, code, text, place, (SELECT at_ms FROM ledger WHERE ledger.seq = events.seq),"
    " (SELECT data FROM ledger WHERE ledger.seq = events.seq) FROM events"
)


def codes(tx: Transaction) -> list[str]:
    """Return all codes of events in this journal, sorted, with one index lookup per code."""
    rows = tx.execute(
        "WITH RECURSIVE each (code) AS (SELECT min(code) FROM events UNION ALL"
        " SELECT (SELECT min(code) FROM events WHERE code > each.code) FROM each WHERE each.code IS NOT NULL)"
        " SELECT code FROM each WHERE code IS NOT NULL"
    )
    return [code for (code,) in rows]


def events(tx: Transaction, before: int, most: int) -> list[LoggedEvent]:
    """Return at most `most` events below the ledger row `before`, newest first."""
    rows = tx.execute(f"{_FIELDS} WHERE seq < ? ORDER BY seq DESC LIMIT ?", (before, most))
    return [_logged(row) for row in rows]


def events_of(tx: Transaction, wanted: Collection[str], before: int, most: int) -> list[LoggedEvent]:
    """Return at most `most` events of the `wanted` codes below the row `before`, newest first."""
    one = f"{_FIELDS} WHERE code = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
    found = [[_logged(row) for row in tx.execute(one, (code, before, most))] for code in wanted]
    return list(heapq.merge(*found, key=lambda event: -event.seq))[:most]


def _logged(row: tuple[int, str, str, str, int, str]) -> LoggedEvent:
    seq, code, text, place, at_ms, data = row
    return LoggedEvent(seq, code, text, place, at_ms, msgspec.json.decode(data))
