"""Queries over the whole books for exports and diagnostics, and the rows that they return.

Amounts are in cents, times in milliseconds since 1970 by the cabinet's clock.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from controller.journal import ledger, stored_money
from controller.journal.number_seal import SHOWN
from controller.journal.reads import Reader

_AMOUNTS = (*ledger.ADDS, *ledger.TAKES, "coins_to_hopper", "coins_way_unknown", *stored_money.METERS)
_CENTS = ", ".join(f"'{name}'" for name in _AMOUNTS)
EXPORTED: dict[str, str] = {
    "meters": "SELECT name, value AS lifetime, value - collected AS since_collection,"  # noqa: S608 - our own names
    f" iif(name IN ({_CENTS}), 'cents', 'count') AS unit FROM meters ORDER BY name",
    "notes_and_coins": "SELECT substr(name, 1, 4) AS kind, CAST(substr(name, 6) AS INTEGER) AS value_cents,"
    " value AS lifetime, value - collected AS since_collection FROM meters"
    " WHERE name GLOB 'coin_[0-9]*' OR name GLOB 'note_[0-9]*' ORDER BY kind, value_cents",
    "games": "SELECT game, lines * coins_per_line * coin_value_cents * price AS bet_cents, sum(games) AS games,"
    " sum(stakes_cents) AS staked_cents, sum(wins_cents) AS won_cents FROM bet_totals"
    " GROUP BY 1, 2 ORDER BY 1, 2",
    "hard_meters": "SELECT name, given, given_units, owed, doubtful FROM hard_meters ORDER BY name",
    "pools": "SELECT game, coin_value_cents, growth_millicents FROM pools ORDER BY game, coin_value_cents",
    "periods": "SELECT id AS period, closed_ms, who, data ->> '$.by.name' AS person, periods.meters FROM periods"
    " JOIN ledger USING (seq) ORDER BY id",
    "events": "SELECT seq, at_ms, code, place, event_words(code, text, place, data) AS text,"
    " data ->> '$.by.role' AS role, data ->> '$.by.name' AS person, data"
    " FROM events JOIN ledger USING (seq) ORDER BY seq",
    "rounds": "SELECT id AS round, game, maths_version, stake_cents, win_cents, state, credit_before_cents,"
    " credit_after_cents, started_ms, ended_ms FROM rounds ORDER BY id",
    "payouts": "SELECT id AS payout, kind, amount_cents, paid_cents, state, started_ms, ended_ms, person FROM payouts"
    " LEFT JOIN (SELECT data ->> '$.payout' AS paid, data ->> '$.by.name' AS person FROM ledger"
    " WHERE kind = 'hand_pay') ON paid = id ORDER BY id",
    "people": "SELECT id AS person, name, role, barred FROM people ORDER BY id",
    "cards": "SELECT cards.id AS card, cards.name, people.name AS owner, role, blocked FROM cards"
    " JOIN people ON people.id = person ORDER BY cards.id",
    "archives": "SELECT seq AS last_row, name, size, sha256, state FROM archives ORDER BY seq",
    "anchors": "SELECT seq, hash, credit_cents FROM anchors ORDER BY seq",
    "open_items": "SELECT id AS item, opened_ms, kind, least_cents, amount_cents, text, resolution, resolved_ms"
    " FROM open_items ORDER BY id",
}
"""The queries of the tables that every export contains."""

TABLES = ("ledger", "meters", "rounds", "segments", "events", "faults", "open_items", "notes", "payouts", "hard_meters")
"""The tables that an export of whole tables contains."""

_SHOWN = f"'…' || substr(ticket, -{SHOWN}) AS ticket"
"""The visible part of a ticket's number in the row of a note."""

_SUMMARY: dict[str, str] = {
    "meters": "SELECT name, value, collected FROM meters ORDER BY name",
    "hard_meters": "SELECT * FROM hard_meters ORDER BY name",
    "faults": "SELECT * FROM faults ORDER BY code, place",
    "open_items": "SELECT * FROM open_items WHERE resolution IS NULL ORDER BY id",
    "payouts": "SELECT * FROM payouts ORDER BY id DESC LIMIT 50",
    "notes": f"SELECT id, value_cents, state, at_ms, {_SHOWN} FROM notes ORDER BY id DESC LIMIT 50",  # noqa: S608
    "rounds": "SELECT id, game, maths_version, stake_cents, win_cents, state, started_ms, ended_ms, void_reason"
    " FROM rounds ORDER BY id DESC LIMIT 50",
    "settings": "SELECT name, value FROM settings ORDER BY name",
    "device_state": "SELECT device, state FROM device_state ORDER BY device",
    "archives": "SELECT seq, name, folder, size, sha256, state FROM archives ORDER BY seq",
    "migrations": "SELECT name, applied_at FROM _sqlite_migrations ORDER BY id",
}
"""The journal in short, for diagnostics; an export contains all rows."""
_NEWEST_EVENTS = (
    "SELECT seq, at_ms, code, place, event_words(code, text, place, data) AS text, data ->> '$.by.name' AS person"
    " FROM events JOIN ledger USING (seq) ORDER BY seq DESC LIMIT 2000"
)

_ROWS_A_FETCH = 500


def queries(books: Reader, *, tables: bool = False) -> dict[str, str]:
    """Return the queries by the name of their export; with `tables` those of whole tables too.

    Raises `sqlite3.Error`.
    """
    return EXPORTED | ({f"table_{name}": _whole(books, name) for name in TABLES} if tables else {})


def _columns(books: Reader, table: str) -> dict[str, int]:
    """Return the columns of a table with their position in its primary key, 0 if they are not part of it."""
    return dict(books.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)).fetchall())


def _whole(books: Reader, table: str) -> str:
    columns = _columns(books, table)
    keys = [name for name, key in columns.items() if key]
    shown = [_SHOWN if (table, name) == ("notes", "ticket") else name for name in columns]
    return f"SELECT {', '.join(shown)} FROM {table} ORDER BY {', '.join(keys)}"  # noqa: S608 - our own tables' names


def answered(books: Reader, query: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """Return the column names of a query's result and an iterator over its rows."""
    cursor = books.execute(query)
    return [column[0] for column in cursor.description], _fetched(cursor)


def _fetched(cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(_ROWS_A_FETCH):
        yield from rows


def summary(books: Reader) -> dict[str, list[dict[str, Any]]]:
    """Return the journal in short: meters, faults, open items, and the newest payouts, notes and rounds."""
    return {name: _records(books, query) for name, query in _SUMMARY.items()}


def newest_events(books: Reader) -> list[dict[str, Any]]:
    """Return the newest 2,000 events, newest first."""
    return _records(books, _NEWEST_EVENTS)


def _records(books: Reader, query: str) -> list[dict[str, Any]]:
    names, rows = answered(books, query)
    return [dict(zip(names, row, strict=True)) for row in rows]
