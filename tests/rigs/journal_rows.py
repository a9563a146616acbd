"""Queries of a test over the journal of a running cabinet."""

from typing import Any

from controller.features.demo import books


class Books(books.Books):
    """What the demo's script can ask of the books, and any query."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query, none before the tables are there."""
        return self.read(lambda tx: tx.execute(sql).fetchall(), [])
