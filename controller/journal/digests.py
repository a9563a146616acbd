"""A digest of every table, updated with every write; it reveals rows that were changed in any other way.

The digest of a table is the sum of its rows' hashes, modulo 2^128. A row's hash is the first half of the SHA-256 of the
table's name and the row's values, so inserting, changing or deleting a row updates the sum without reading the other
rows. The writer's connection has temporary triggers on every table of the schema, including tables of later migrations.
The sums are written in the transaction that changed them, and every ledger row includes their hash in the chain.

A table that grows with play has two sums. One covers the live rows (an open round with all its rows, an unresolved
item), which a start compares; the other covers past rows, which only an audit compares.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from controller.journal.errors import CorruptJournalError

BYTES = 16
_SPAN = 1 << (8 * BYTES)
_COLUMN = "digests"
"""The column of `cabinet` that stores the sums; no sum covers it."""

SCHEMA = "sqlite_schema"
_SCHEMA_COLUMNS = ("type", "name", "tbl_name", "rootpage", "sql")
_PAST = " (past)"
_SUM = "digest_of_row"

_COUNT = "UPDATE cabinet SET commits = commits + 1"
_WRITE = "UPDATE cabinet SET digests = ?"

_encode = msgspec.msgpack.Encoder().encode


OF_A_ROUND: Final[Mapping[str, str]] = {
    "claims": "",
    "contributions": "",
    "ledger": "{row}kind = 'stake' AND ",
    "segments": "",
    "venue_shares": "",
}
"""The tables whose rows are live while their round is open, with the condition that selects those rows: a start replays
or voids that round. In the ledger it is the row of the stake, the only one with the gamble's cap, which may be older
than the last anchor."""

GROWING: Final[Mapping[str, str]] = {
    "anchor_signatures": "",
    "anchors": "",
    "bet_totals_folded": "",
    "day_totals_folded": "",
    "events": "",
    "notes": "{row}state IN ('stacking', 'credited')",
    "open_items": "{row}resolution IS NULL",
    "payouts": "{row}state IN ('open', 'undecided')",
    "periods": "",
    "rounds": "{row}state = 'open'",
    "setting_changes": "",
    "tickets": "{row}state IN ('printing', 'printed', 'held')",
    "venue_claims": "{row}state <> 'done'",
    "venue_events": "{row}sent = 0",
    "venue_readings": "{row}sent = 0",
    "venue_ticket_claims": "({row}sent = 0 OR {row}state IN ('asked', 'held'))",
    "venue_tickets": "{row}state <> 'known'",
    **{
        table: f"{which}{{row}}round_id IN (SELECT id FROM main.rounds WHERE state = 'open')"  # noqa: S608 - our own
        for table, which in OF_A_ROUND.items()
    },
}
"""The tables of which a start compares only the live rows, with the condition that selects them. The condition is
written as in the schema's partial indexes and is empty if no row is live. Of every other table a start compares all
rows."""


class _Table(NamedTuple):
    """A table and its columns; `live` is its condition in `GROWING`, or None if all its rows are live."""

    name: str
    columns: tuple[str, ...]
    live: str | None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its sums: of the live rows, and of past rows if the table has any."""
        if self.live is None:
            return (self.name,)
        return (self.name, f"{self.name}{_PAST}") if self.live else (f"{self.name}{_PAST}",)

    def counts(self, row: str = "") -> str:
        """Return the SQL condition for a live row; `row` is an optional prefix (`NEW.`, `OLD.`)."""
        return "1" if self.live is None else self.live.format(row=row) or "0"

    def values(self, row: str = "") -> str:
        """Return the columns as SQL; `row` is an optional prefix (`NEW.`, `OLD.`)."""
        if self.name == SCHEMA:  # VACUUM may move a table's root page
            return "type, name, tbl_name, iif(type IN ('table', 'index'), NULL, rootpage), sql"
        return ", ".join(f'{row}"{column}"' for column in self.columns)

    def rows_of(self, part: str) -> str:
        """Return the query that reads the rows that one of the sums covers."""
        query = f'SELECT {self.values()} FROM main."{self.name}"'  # noqa: S608 - names of the schema
        return f"{query} WHERE {self.counts()}" if part == self.name else f"{query} WHERE ({self.counts()}) IS NOT TRUE"

    def moves(self, sign: int, row: str = "", counts: str | None = None) -> str:
        """Return the call that adds a row to its sum (1) or subtracts it (-1); `counts` overrides the condition."""
        return f"{_SUM}('{self.name}', {sign}, {counts or self.counts(row)}, {self.values(row)})"


def _tables(connection: sqlite3.Connection) -> list[_Table]:
    names = connection.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        " ORDER BY name"
    ).fetchall()
    found = [_Table(SCHEMA, _SCHEMA_COLUMNS, None)]
    for (name,) in names:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
        summed = tuple(column for (column,) in columns if (name, column) != ("cabinet", _COLUMN))
        found.append(_Table(name, summed, GROWING.get(name)))
    return found


def _hash(table: str, row: Iterable[object]) -> int:
    return int.from_bytes(hashlib.sha256(_encode((table, *row))).digest()[:BYTES], "little")


def _part_sum(connection: sqlite3.Connection, table: _Table, part: str) -> int:
    return sum(_hash(table.name, row) for row in connection.execute(table.rows_of(part))) % _SPAN


def state(connection: sqlite3.Connection) -> bytes:
    """Return the hash of all digests as of the last transaction."""
    (packed,) = connection.execute("SELECT digests FROM cabinet").fetchone()
    return hashlib.sha256(packed).digest()[:BYTES]


def begin(connection: sqlite3.Connection) -> None:
    """Compute and write the digests of all tables, for new or migrated books."""
    connection.execute(_COUNT)
    sums = [_part_sum(connection, table, part) for table in _tables(connection) for part in table.parts]
    connection.execute(_WRITE, (_packed(sums),))


def differing(connection: sqlite3.Connection, *, whole: bool) -> list[str]:
    """Return the names of the sums that do not match; with `whole` past rows are compared too."""
    (packed,) = connection.execute("SELECT digests FROM cabinet").fetchone()
    tables = _tables(connection)
    parts = [(table, part) for table in tables for part in table.parts]
    if len(packed) != BYTES * len(parts):
        return ["the list of tables"]
    sums = _unpacked(packed)
    return [
        part
        for (table, part), expected in zip(parts, sums, strict=True)
        if (whole or not part.endswith(_PAST)) and _part_sum(connection, table, part) != expected
    ]


def prove(connection: sqlite3.Connection, *, whole: bool = False) -> None:
    """Compare the live rows, or with `whole` all rows, with their digests; raise `CorruptJournalError`."""
    if changed := differing(connection, whole=whole):
        raise CorruptJournalError(f"rows were changed by something else than this program: {', '.join(changed)}")


class Digests:
    """The digests of the books that `connection` writes, updated by each of its statements.

    `save` writes them in the transaction; after a rollback, call `restore`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        tables = _tables(connection)
        (packed,) = connection.execute("SELECT digests FROM cabinet").fetchone()
        parts = [part for table in tables for part in table.parts]
        self._sums = dict(zip(parts, _unpacked(packed), strict=True))
        self._saved = dict(self._sums)
        connection.create_function(_SUM, -1, self._move)
        triggers = [trigger for table in tables if table.name != SCHEMA for trigger in _triggers(table)]
        triggers += [_end_of_round([table for table in tables if table.name in OF_A_ROUND])]
        connection.executescript(f"BEGIN; {' '.join(triggers)} COMMIT;")

    def __repr__(self) -> str:
        return f"<Digests of {len(self._sums)} parts>"

    def save(self) -> bool:
        """Write the sums and count the transaction if it changed any sum; return whether it did."""
        if self._sums == self._saved:
            return False
        self._connection.execute(_COUNT)
        self._connection.execute(_WRITE, (_packed(self._sums.values()),))
        return True

    def settle(self) -> None:
        """Accept the sums of the committed transaction."""
        self._saved = dict(self._sums)

    def restore(self) -> None:
        """Return to the saved sums after a rollback."""
        self._sums = dict(self._saved)

    def _move(self, table: str, sign: int, counts: int | None, *row: object) -> None:
        part = table if counts else f"{table}{_PAST}"
        self._sums[part] = (self._sums[part] + sign * _hash(table, row)) % _SPAN


def _triggers(table: _Table) -> Iterator[str]:
    """Yield the triggers that update a table's digest with every write."""
    new, old = table.moves(1, "NEW."), table.moves(-1, "OLD.")
    for when, moves in (("INSERT", new), (f"UPDATE OF {table.values()}", f"{old}, {new}"), ("DELETE", old)):
        kind = when.partition(" ")[0].lower()
        name = f'"digest_{table.name}_{kind}"'
        yield f'CREATE TEMP TRIGGER {name} AFTER {when} ON main."{table.name}" BEGIN SELECT {moves}; END;'


def _end_of_round(tables: Iterable[_Table]) -> str:
    """Return the trigger that moves the rows of a round from the live sums to the past when it ends."""
    begun, ended = "OLD.state = 'open'", "NEW.state = 'open'"
    moves = [
        f"SELECT {table.moves(-1, counts=begun)}, {table.moves(1, counts=ended)}"  # noqa: S608 - names of the schema
        f' FROM main."{table.name}" WHERE {OF_A_ROUND[table.name].format(row="")}round_id = NEW.id;'
        for table in tables
    ]
    return (
        'CREATE TEMP TRIGGER "digest_of_a_round" AFTER UPDATE OF state ON main."rounds"'
        f" WHEN ({begun}) <> ({ended}) BEGIN {' '.join(moves)} END;"
    )


def _packed(sums: Iterable[int]) -> bytes:
    return b"".join(each.to_bytes(BYTES, "little") for each in sums)


def _unpacked(packed: bytes) -> list[int]:
    return [int.from_bytes(packed[at : at + BYTES], "little") for at in range(0, len(packed), BYTES)]
