"""Copies rows from the old books into new ones that replace them."""

from collections.abc import Callable, Collection, Mapping, Sequence

from controller import feature
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

Rows = Mapping[str, tuple[Sequence[str], Sequence[tuple[object, ...]]]]
"""For each table: its columns and its rows."""

Keeping = Callable[[Transaction], None]
"""Writes into restored books what it has read in those that they replace."""


def rows_of(
    tx: Reader, table: str, which: str = "true", *, without: Collection[str] = ()
) -> tuple[Sequence[str], Sequence[tuple[object, ...]]]:
    """Return the columns of a table and the rows for which `which` is true, with NULL in the columns `without`."""
    rows = tx.execute(f"SELECT * FROM {table} WHERE {which} ORDER BY 1")  # noqa: S608 - our own words
    columns = [name for name, *_ in rows.description]
    alone = [name in without for name in columns]
    return columns, [tuple(None if out else value for out, value in zip(alone, row, strict=True)) for row in rows]


def write_rows(tx: Transaction, rows: Rows) -> None:
    """Insert the rows into new books."""
    for table, (columns, values) in rows.items():
        marks = ", ".join("?" * len(columns))
        for each in values:
            tx.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", each)  # noqa: S608 - our own words


def kept_by_features(present: Transaction | None) -> list[Keeping]:
    """Read what features keep of books that others replace, None for lost ones; return what writes it there."""
    return [read(present) for read in feature.imported(lambda one: one.rows_kept_by_restore)]
