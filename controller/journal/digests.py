"""A digest of every table, moved along with every write: a row that changed in any other way no longer fits it.

The digest of a table is the sum of its rows' hashes, modulo 2^128. A row's hash is the first half of the SHA-256 of the
table's name and the row's values, so inserting, changing and deleting a row each move the sum without a look at the
others. The writer's connection has temporary triggers on every table of the schema, those of a later migration
included; the sums are written with the transaction that moved them, and every ledger row carries their hash into the
chain.

A table that grows with play has two sums: of the rows that still count (an open round, an unresolved item), which a
start compares, and of its past, which only an audit compares.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from controller.journal.errors import CorruptJournalError

MIGRATION = "m008_digests"
"""The migration that brought them; its books have a mark beside them too."""

BYTES = 16
_SPAN = 1 << (8 * BYTES)
_COLUMN = "digests"
"""Where the sums are: a column of `cabinet`, which no sum covers itself."""

SCHEMA = "sqlite_schema"
_SCHEMA_COLUMNS = ("type", "name", "tbl_name", "rootpage", "sql")
_PAST = " (past)"
_SUM = "digest_of_row"

_COUNT = "UPDATE cabinet SET commits = commits + 1"
_KEEP = "UPDATE cabinet SET digests = ?"

_encode = msgspec.msgpack.Encoder().encode


class Live(NamedTuple):
    """Which rows of a growing table still count: those with one of these values in that column, None for NULL."""

    column: str
    values: tuple[str | None, ...]

    @property
    def sql(self) -> str:
        """The condition that finds them, word for word as in the schema's partial indexes."""
        if self.values == (None,):
            return f"{self.column} IS NULL"
        words = [f"'{value}'" for value in self.values]
        return f"{self.column} = {words[0]}" if len(words) == 1 else f"{self.column} IN ({', '.join(words)})"


_NONE = Live("NULL", ())
GROWING: Final[Mapping[str, Live]] = {
    "anchor_signatures": _NONE,
    "anchors": _NONE,
    "bet_totals_folded": _NONE,
    "claims": _NONE,
    "contributions": _NONE,
    "day_totals_folded": _NONE,
    "events": _NONE,
    "ledger": _NONE,
    "notes": Live("state", ("stacking", "credited")),
    "open_items": Live("resolution", (None,)),
    "payouts": Live("state", ("open", "undecided")),
    "periods": _NONE,
    "rounds": Live("state", ("open",)),
    "segments": _NONE,
    "setting_changes": _NONE,
}
"""The tables of which a start compares only the rows that count; of every other one it compares all."""


class _Table(NamedTuple):
    """A table as its sums see it."""

    name: str
    columns: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its sums: of what counts, and of its past where it has one."""
        live = GROWING.get(self.name)
        if live is None:
            return (self.name,)
        return (f"{self.name}{_PAST}",) if live is _NONE else (self.name, f"{self.name}{_PAST}")

    def values(self, row: str = "") -> str:
        """Return its columns as SQL, of `row` (`NEW`, `OLD`) where that is named."""
        if self.name == SCHEMA:  # where a table begins is its own structure's matter, which VACUUM may move
            return "type, name, tbl_name, iif(type IN ('table', 'index'), NULL, rootpage), sql"
        return ", ".join(f'{row}{"." if row else ""}"{column}"' for column in self.columns)

    def rows_of(self, part: str) -> str:
        """Return the query that reads the rows of one of its parts."""
        query = f'SELECT {self.values()} FROM main."{self.name}"'  # noqa: S608 - names of the schema
        live = GROWING.get(self.name)
        if live is None or live is _NONE:
            return query
        return f"{query} WHERE {live.sql}" if part == self.name else f"{query} WHERE NOT ({live.sql})"


def _tables(connection: sqlite3.Connection) -> list[_Table]:
    names = connection.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        " ORDER BY name"
    ).fetchall()
    found = [_Table(SCHEMA, _SCHEMA_COLUMNS)]
    for (name,) in names:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
        found.append(_Table(name, tuple(column for (column,) in columns if (name, column) != ("cabinet", _COLUMN))))
    return found


def _hash(table: str, row: Iterable[object]) -> int:
    return int.from_bytes(hashlib.sha256(_encode((table, *row))).digest()[:BYTES], "little")


def _part_sum(connection: sqlite3.Connection, table: _Table, part: str) -> int:
    return sum(_hash(table.name, row) for row in connection.execute(table.rows_of(part))) % _SPAN


def are_kept(connection: sqlite3.Connection) -> bool:
    """Whether these books have digests; those of an older program have none."""
    found = connection.execute("SELECT 1 FROM pragma_table_info('cabinet') WHERE name = ?", (_COLUMN,)).fetchone()
    return found is not None


def state(connection: sqlite3.Connection) -> bytes:
    """Return the hash of all digests as the newest transaction before this one left them."""
    (kept,) = connection.execute("SELECT digests FROM cabinet").fetchone()
    return hashlib.sha256(kept).digest()[:BYTES]


def begin(connection: sqlite3.Connection) -> None:
    """Write the digests of all tables as they are: for books that were just made or migrated."""
    connection.execute(_COUNT)
    sums = [_part_sum(connection, table, part) for table in _tables(connection) for part in table.parts]
    connection.execute(_KEEP, (_packed(sums),))


def differing(connection: sqlite3.Connection, *, whole: bool) -> list[str]:
    """Return what does not fit its digest: tables and their pasts, by name; `whole` compares the past too."""
    (kept,) = connection.execute("SELECT digests FROM cabinet").fetchone()
    tables = _tables(connection)
    parts = [(table, part) for table in tables for part in table.parts]
    if len(kept) != BYTES * len(parts):
        return ["the list of tables"]
    sums = _unpacked(kept)
    return [
        part
        for (table, part), kept_sum in zip(parts, sums, strict=True)
        if (whole or not part.endswith(_PAST)) and _part_sum(connection, table, part) != kept_sum
    ]


def prove(connection: sqlite3.Connection, *, whole: bool = False) -> None:
    """Compare the rows that count, or with `whole` all rows, with their digests; raise `CorruptJournalError`."""
    if changed := differing(connection, whole=whole):
        raise CorruptJournalError(f"rows were changed by something else than this program: {', '.join(changed)}")


class Digests:
    """The digests of the books that `connection` writes, moved by each of its statements.

    `save` writes them with the transaction; after a rollback they must be `restore`d.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        tables = _tables(connection)
        (kept,) = connection.execute("SELECT digests FROM cabinet").fetchone()
        parts = [part for table in tables for part in table.parts]
        self._sums = dict(zip(parts, _unpacked(kept), strict=True))
        self._saved = dict(self._sums)
        self._live = {
            table.name: (table.columns.index(live.column), live.values)
            for table in tables
            if (live := GROWING.get(table.name)) is not None and live is not _NONE
        }
        connection.create_function(_SUM, -1, self._move)
        triggers = [trigger for table in tables if table.name != SCHEMA for trigger in _triggers(table)]
        connection.executescript(f"BEGIN; {' '.join(triggers)} COMMIT;")

    def __repr__(self) -> str:
        return f"<Digests of {len(self._sums)} parts>"

    def save(self) -> bool:
        """Write the sums and count the open transaction if that has moved any; return whether it has."""
        if self._sums == self._saved:
            return False
        self._connection.execute(_COUNT)
        self._connection.execute(_KEEP, (_packed(self._sums.values()),))
        return True

    def settle(self) -> None:
        """Take the sums for saved: the transaction is committed."""
        self._saved = dict(self._sums)

    def restore(self) -> None:
        """Go back to the saved sums: the transaction is rolled back."""
        self._sums = dict(self._saved)

    def _move(self, table: str, sign: int, *row: object) -> None:
        part = table
        if table in GROWING:
            place = self._live.get(table)
            if place is None or row[place[0]] not in place[1]:
                part = f"{table}{_PAST}"
        self._sums[part] = (self._sums[part] + sign * _hash(table, row)) % _SPAN


def _triggers(table: _Table) -> Iterator[str]:
    """Yield the statements that have every write to a table move its digest."""
    name, columns = table.name, table.values()
    new, old = (f"{_SUM}('{name}', {sign}, {table.values(row)})" for row, sign in (("NEW", 1), ("OLD", -1)))
    for when, moves in (("INSERT", new), (f"UPDATE OF {columns}", f"{old}, {new}"), ("DELETE", old)):
        kind = when.partition(" ")[0].lower()
        yield f'CREATE TEMP TRIGGER "digest_{name}_{kind}" AFTER {when} ON main."{name}" BEGIN SELECT {moves}; END;'


def _packed(sums: Iterable[int]) -> bytes:
    return b"".join(each.to_bytes(BYTES, "little") for each in sums)


def _unpacked(kept: bytes) -> list[int]:
    return [int.from_bytes(kept[at : at + BYTES], "little") for at in range(0, len(kept), BYTES)]
