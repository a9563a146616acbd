"""Rows that go along when other books take a journal's place: read from the old ones, written into the new."""

from collections.abc import Collection, Mapping, Sequence

from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

Rows = Mapping[str, tuple[Sequence[str], Sequence[tuple[object, ...]]]]
"""By table: its columns, and its rows."""


def rows_of(
    tx: Reader, table: str, which: str = "true", *, without: Collection[str] = ()
) -> tuple[Sequence[str], Sequence[tuple[object, ...]]]:
    """Return the columns of a table, and its rows of which `which` is true; NULL in the columns `without`."""
    rows = tx.execute(f"SELECT * FROM {table} WHERE {which} ORDER BY 1")  # noqa: S608 - our own words
    columns = [name for name, *_ in rows.description]
    alone = [name in without for name in columns]
    return columns, [tuple(None if out else value for out, value in zip(alone, row, strict=True)) for row in rows]


def write_rows(tx: Transaction, rows: Rows) -> None:
    """Write them into new books."""
    for table, (columns, values) in rows.items():
        marks = ", ".join("?" * len(columns))
        for each in values:
            tx.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", each)  # noqa: S608 - our own words
