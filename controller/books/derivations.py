"""Tables that repeat the ledger: an audit compares each of their rows with its ledger row."""

import sqlite3
from collections.abc import Mapping
from typing import Final

import msgspec

from controller.journal import ledger
from controller.journal.errors import CorruptJournalError
from controller.journal.explained import explained_by_features
from controller.journal.ledger import RARE
from controller.journal.people import EXPLAINED

REPEATED: Final[Mapping[str, str]] = {
    "an event": "SELECT seq FROM events WHERE NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.seq = events.seq"
    " AND kind = 'event' AND data ->> '$.code' = code AND data ->> '$.place' = place AND data ->> '$.text' = text)",
    "the event of a ledger row": f"SELECT seq FROM ledger WHERE kind = 'event' AND {RARE}"  # noqa: S608 - a literal
    " AND NOT EXISTS (SELECT 1 FROM events WHERE events.seq = ledger.seq)",
    "a change of a setting": "SELECT seq FROM setting_changes AS c WHERE NOT EXISTS"
    " (SELECT 1 FROM ledger WHERE ledger.seq = c.seq AND data ->> '$.key' = c.key AND data ->> '$.old' = c.old"
    " AND data ->> '$.new' = c.new AND data ->> '$.who' = c.who)",
    "the end of a period": "SELECT seq FROM periods WHERE NOT EXISTS"
    " (SELECT 1 FROM ledger WHERE ledger.seq = periods.seq AND ledger.at_ms = periods.closed_ms)",
    "a round": "SELECT id FROM rounds WHERE state = 'settled' AND win_cents <>"
    " (SELECT coalesce(sum(win_cents), 0) FROM segments WHERE round_id = rounds.id)",
}
"""For each kind of repeated row, the query for rows that differ from the ledger."""


def prove(connection: sqlite3.Connection) -> None:
    """Compare every row of these tables with its source; raise `CorruptJournalError` for the first difference."""
    explained = {table.what: table.differing() for table in (EXPLAINED, *explained_by_features())}
    for what, query in {**REPEATED, **explained}.items():
        row = connection.execute(f"{query} LIMIT 1").fetchone()
        if row is not None:
            raise CorruptJournalError(f"{what} ({row[0]}) is not what the ledger says of it")


def prove_at(connection: sqlite3.Connection, chain: ledger.Chain) -> None:
    """Prove what other tables record of the row that `chain` has reached: an anchor's values, a period's start.

    Raises `CorruptJournalError`.
    """
    anchor = connection.execute("SELECT credit_cents, meters FROM anchors WHERE seq = ?", (chain.seq,)).fetchone()
    if anchor is not None and (anchor[0], _figures(anchor[1])) != (chain.credit, chain.meters):
        raise CorruptJournalError(f"anchor {chain.seq} repeats other figures than the rows before it lead to")
    (newest,) = connection.execute("SELECT max(seq) FROM periods").fetchone()
    if newest == chain.seq:
        prove_collected(connection, chain.meters)


def prove_collected(connection: sqlite3.Connection, figures: Mapping[str, int]) -> None:
    """Prove that the meters since the last collection start at `figures`; raise `CorruptJournalError`."""
    for name, collected in connection.execute("SELECT name, collected FROM meters"):
        if collected != figures.get(name, 0):
            raise CorruptJournalError(
                f"meter {name} counts from {collected} since the last collection, its rows led to"
                f" {figures.get(name, 0)} then"
            )


def _figures(meters: str) -> dict[str, int]:
    return msgspec.json.decode(meters, type=dict[str, int])


def places(connection: sqlite3.Connection, after: int) -> set[int]:
    """Return the ledger rows after `after` at which `prove_at` has something to prove."""
    query = "SELECT seq FROM anchors WHERE seq > ?1 UNION SELECT max(seq) FROM periods WHERE seq > ?1"
    return {seq for (seq,) in connection.execute(query, (after,)) if seq is not None}
