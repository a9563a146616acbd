"""Queries that both a plain connection and an open transaction can run, including those of the table `cabinet`."""

import sqlite3
from typing import Any, NamedTuple, Protocol


class Reader(Protocol):
    """A `sqlite3.Connection`, or the journal's own `Transaction`."""

    def execute(self, sql: str, parameters: tuple[Any, ...] = ..., /) -> sqlite3.Cursor:
        """Run one statement."""


class CabinetRow(NamedTuple):
    """The only row of `cabinet`: the identity of the books, and values that change with every transaction."""

    cabinet_id: str
    simulated: bool
    credit_cents: int
    powered_minutes: int


def cabinet_row(books: Reader) -> CabinetRow:
    """Return the row of `cabinet`."""
    cabinet_id, simulated, credit_cents, powered_minutes = books.execute(
        "SELECT cabinet_id, simulated, credit_cents, powered_minutes FROM cabinet"
    ).fetchone()
    return CabinetRow(cabinet_id, bool(simulated), credit_cents, powered_minutes)


def count_powered_minute(books: Reader) -> None:
    """Add a minute to the cabinet's powered-on time."""
    books.execute("UPDATE cabinet SET powered_minutes = powered_minutes + 1")
