"""What hosts have not read yet, and the history of their transfers: it outlasts a full clear of the books.

A host that asks after the clear what became of its transfer must not take it for one that was never made.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from controller.journal.transaction import Transaction

Rows = Mapping[str, tuple[Sequence[str], Sequence[tuple[object, ...]]]]
"""By table: its columns, and its rows."""

_TABLES: Final = ("host_exceptions", "host_transfers", "host_records", "host_redemptions")
_OF_THESE_BOOKS: Final = frozenset({"note", "item"})
"""Columns that name rows of other tables, which do not go along: nothing that they name is open at a clear."""


def host_rows(tx: Transaction) -> Rows:
    """Return all of it."""
    found = {}
    for table in _TABLES:
        rows = tx.execute(f"SELECT * FROM {table} ORDER BY 1")  # noqa: S608 - our own words
        columns = [name for name, *_ in rows.description]
        found[table] = columns, [_alone(columns, row) for row in rows]
    return found


def _alone(columns: Sequence[str], row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(None if name in _OF_THESE_BOOKS else value for name, value in zip(columns, row, strict=True))


def go_on_with(tx: Transaction, rows: Rows) -> None:
    """Write it into new books."""
    for table, (columns, values) in rows.items():
        marks = ", ".join("?" * len(columns))
        for each in values:
            tx.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", each)  # noqa: S608 - our own words
