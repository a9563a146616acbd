"""The events in the journal, newest first and by their codes, without a look at those of other codes."""

import heapq
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import msgspec

from controller.journal.transaction import Transaction


class LoggedEvent(NamedTuple):
    """One event: its ledger row, code, key (words, where it has no figures), place, moment and the row's data."""

    seq: int
    code: str
    text: str
    place: str
    at_ms: int
    data: Mapping[str, Any] = {}

    @property
    def by(self) -> Mapping[str, str]:
        """The `role` and `name` of who did it, nothing where nobody is known."""
        by: Mapping[str, str] = self.data.get("by", {})
        return by


_FIELDS = (
    "SELECT seq, code, text, place, (SELECT at_ms FROM ledger WHERE ledger.seq = events.seq),"
    " (SELECT data FROM ledger WHERE ledger.seq = events.seq) FROM events"
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
    return [_logged(row) for row in rows]


def events_of(tx: Transaction, wanted: Collection[str], before: int, most: int) -> list[LoggedEvent]:
    """Return what `events` does, of the `wanted` codes only; each code is looked up by itself."""
    one = f"{_FIELDS} WHERE code = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
    found = [[_logged(row) for row in tx.execute(one, (code, before, most))] for code in wanted]
    return list(heapq.merge(*found, key=lambda event: -event.seq))[:most]


def _logged(row: tuple[int, str, str, str, int, str]) -> LoggedEvent:
    seq, code, text, place, at_ms, data = row
    return LoggedEvent(seq, code, text, place, at_ms, msgspec.json.decode(data))
