"""What an export holds: the books as tables, each written as CSV and as JSON from one snapshot of the journal.

Amounts are in cents, times in milliseconds since 1970 by the cabinet's clock.
"""

import csv
import io
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from controller.exporting.signed_folder import Manifest, Writer
from controller.journal import ledger, schema
from controller.journal.errors import CorruptJournalError
from controller.journal.event_words import add_english
from controller.journal.generations import generation_of
from controller.journal.store import UNREADABLE, read_only, translated

_AMOUNTS = (*ledger.ADDS, *ledger.TAKES, "coins_to_hopper", "coins_way_unknown")
_CENTS = ", ".join(f"'{name}'" for name in _AMOUNTS)
_BATCH = 500

QUERIES: dict[str, str] = {
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
    " data ->> '$.by.role' AS role, data ->> '$.by.name' AS person FROM events JOIN ledger USING (seq) ORDER BY seq",
    "rounds": "SELECT id AS round, game, maths_version, stake_cents, win_cents, state, credit_before_cents,"
    " credit_after_cents, started_ms, ended_ms FROM rounds ORDER BY id",
    "payouts": "SELECT id AS payout, kind, amount_cents, paid_cents, state, started_ms, ended_ms, person FROM payouts"
    " LEFT JOIN (SELECT data ->> '$.payout' AS paid, data ->> '$.by.name' AS person FROM ledger"
    " WHERE kind = 'hand_pay') ON paid = id ORDER BY id",
    "people": "SELECT id AS person, name, role, barred FROM people ORDER BY id",
    "archives": "SELECT seq AS last_row, name, size, sha256, state FROM archives ORDER BY seq",
    "open_items": "SELECT id AS item, opened_ms, kind, least_cents, amount_cents, text, resolution, resolved_ms"
    " FROM open_items ORDER BY id",
}
"""What every export holds, a table each."""

_COLUMNS = "SELECT name FROM pragma_table_info('open_items')"
_OLDER = {
    "games": (
        "bet_totals",
        (
            "SELECT game, stake_cents AS bet_cents, count(*) AS games, sum(stake_cents) AS staked_cents,"
            " sum(win_cents) AS won_cents FROM rounds WHERE state = 'settled' GROUP BY 1, 2 ORDER BY 1, 2"
        ),
    ),
    "archives": ("archives", ""),
    "people": ("people", ""),
    "open_items": (
        "open_items.least_cents",
        ("SELECT id AS item, opened_ms, kind, amount_cents, text, resolution, resolved_ms FROM open_items ORDER BY id"),
    ),
}
"""Of what books sealed by an older program may lack: the table or column that they lack then, and what is in its place.
"""

TABLES = ("ledger", "meters", "rounds", "segments", "events", "faults", "open_items", "notes", "payouts", "hard_meters")
"""What an export of whole tables holds."""

FORMATS = ("csv", "json")


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal at `path` read-only, in one snapshot that a running cabinet does not disturb, and prove it.

    Raises `JournalError`.
    """
    try:
        with read_only(path) as connection:
            add_english(connection)
            connection.execute("BEGIN")
            if not schema.applied(connection):
                raise CorruptJournalError(f"{path} holds no journal")
            ledger.prove_from_anchor(connection)
            yield connection
    except UNREADABLE as error:
        raise translated(error, path) from error


def manifest_of(connection: sqlite3.Connection, kind: str, name: str, now_ms: int) -> Manifest:
    """Return the manifest of what is taken from this snapshot, but for its files and key."""
    cabinet_id, simulated, credit = connection.execute(
        "SELECT cabinet_id, simulated, credit_cents FROM cabinet"
    ).fetchone()
    row = connection.execute("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    seq, head = (0, ledger.GENESIS) if row is None else row
    return Manifest(
        kind=kind,
        cabinet_id=cabinet_id,
        name=name,
        simulated=bool(simulated),
        generation=generation_of(connection),
        public_key="",
        made=datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        program=version("cabinet"),
        seq=seq,
        head=head.hex(),
        credit_cents=credit,
    )


def folder_name(manifest: Manifest) -> str:
    """Return what a signed folder is called: kind, cabinet and moment."""
    moment = manifest.made.translate(str.maketrans("", "", "-:"))
    return f"cabinet-{manifest.kind}-{manifest.cabinet_id[:8]}-{moment}"


def files_of(
    connection: sqlite3.Connection, formats: tuple[str, ...] = FORMATS, *, tables: bool = False
) -> dict[str, Writer]:
    """Return the files of an export by name; with `tables` the journal's whole tables beside them."""
    queries: Mapping[str, str] = QUERIES
    known = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}
    known |= {f"open_items.{column}" for (column,) in connection.execute(_COLUMNS)}
    for name, (needed, instead) in _OLDER.items():
        if needed not in known:
            queries = {own: sql for own, sql in {**queries, name: instead}.items() if sql}
    if tables:
        queries = {**queries, **{f"table_{name}": _whole(connection, name) for name in TABLES}}
    writers = {"csv": _as_csv, "json": _as_json}
    return {
        f"{name}.{kind}": partial(writers[kind], connection, sql) for name, sql in queries.items() for kind in formats
    }


def _whole(connection: sqlite3.Connection, table: str) -> str:
    keys = [name for name, key in connection.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)) if key]
    return f"SELECT * FROM {table} ORDER BY {', '.join(keys)}"  # noqa: S608 - our own tables' names


def _rows(cursor: sqlite3.Cursor) -> Iterator[list[Any]]:
    while rows := cursor.fetchmany(_BATCH):
        for row in rows:
            yield [value.hex() if isinstance(value, bytes) else value for value in row]


def _as_csv(connection: sqlite3.Connection, sql: str, file: IO[bytes]) -> None:
    cursor = connection.execute(sql)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column[0] for column in cursor.description])
    for number, row in enumerate(_rows(cursor)):
        writer.writerow(row)
        if number % _BATCH == 0:
            _pour(text, file)
    _pour(text, file)


def _pour(text: io.StringIO, file: IO[bytes]) -> None:
    file.write(text.getvalue().encode("utf-8"))
    text.seek(0)
    text.truncate()


def _as_json(connection: sqlite3.Connection, sql: str, file: IO[bytes]) -> None:
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    file.write(b"[")
    for number, row in enumerate(_rows(cursor)):
        line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
        file.write((("\n" if number == 0 else ",\n") + line).encode("utf-8"))
    file.write(b"\n]\n")
