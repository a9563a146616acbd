"""Tables whose rows change only together with an event that repeats the row, so that the ledger explains them."""

from collections.abc import Iterator
from typing import NamedTuple

from controller import feature


class Explained(NamedTuple):
    """One such table: events with these `codes` repeat a row's id and `columns` in their data, below `name`.

    `what` is the word for a row.
    """

    what: str
    table: str
    name: str
    codes: tuple[str, ...]
    columns: tuple[str, ...]

    def events(self, books: str = "main") -> str:
        """Return the query for these events in the database `books`: `seq`, and the row's id as `explained`."""
        return (
            f"SELECT seq, data ->> '$.{self.name}.id' AS explained FROM {books}.events AS events"  # noqa: S608 - our own words
            f" JOIN {books}.ledger AS ledger USING (seq) WHERE events.code IN {self.codes} AND explained IS NOT NULL"
        )

    def differing(self) -> str:
        """Return the query for the rows that differ from their newest event."""
        same = (f" AND data ->> '$.{self.name}.{column}' = coalesce(t.{column}, '')" for column in self.columns)
        newest = f"SELECT max(seq) FROM ({self.events()}) WHERE explained = t.id"  # noqa: S608 - our own words
        return (
            f"SELECT id FROM {self.table} AS t WHERE NOT EXISTS"  # noqa: S608 - our own words
            f" (SELECT 1 FROM ledger WHERE seq = ({newest}){''.join(same)})"
        )


def explained_by_features() -> Iterator[Explained]:
    """Yield such tables of all features."""
    for tables in feature.imported(lambda one: one.explained):
        yield from tables
