"""A read-only look into a running demo's journal: what the script tells comes from the books, not from the screen."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec


class RoundInBooks(msgspec.Struct, frozen=True):
    """One round: `state` is `open`, `settled` or `void`; `segments` how many of its parts are durable."""

    id: int
    state: str
    stake_cents: int
    win_cents: int
    segments: int


_ROUND = (
    "SELECT id, state, stake_cents, win_cents, (SELECT count(*) FROM segments WHERE round_id = rounds.id) FROM rounds"
)


class PaidOut(msgspec.Struct, frozen=True):
    """One payout: `kind` is `hopper` or `hand_pay`."""

    kind: str
    state: str
    amount_cents: int
    paid_cents: int


class Books:
    """Looks into the journal at `path`; each look is one short read-only transaction.

    Before the supervisor has made the file there is no credit and nothing else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def credit_cents(self) -> int:
        """The credit meter."""
        row = self._row("SELECT credit_cents FROM cabinet")
        return 0 if row is None else int(row[0])

    @property
    def last_round(self) -> RoundInBooks | None:
        """The newest round, if one was ever played."""
        row = self._row(f"{_ROUND} ORDER BY id DESC LIMIT 1")
        return None if row is None else RoundInBooks(*row)

    def round(self, number: int) -> RoundInBooks | None:
        """The round of that number, None for one that was never played."""
        row = self._row(f"{_ROUND} WHERE id = {number:d}")
        return None if row is None else RoundInBooks(*row)

    @property
    def rounds_played(self) -> int:
        """How many rounds were begun."""
        last = self.last_round
        return 0 if last is None else last.id

    @property
    def last_note(self) -> tuple[int, str] | None:
        """Value in cents and state of the newest note."""
        row = self._row("SELECT value_cents, state FROM notes ORDER BY id DESC LIMIT 1")
        return None if row is None else (int(row[0]), str(row[1]))

    @property
    def last_payout(self) -> PaidOut | None:
        """The newest payout."""
        row = self._row("SELECT kind, state, amount_cents, paid_cents FROM payouts ORDER BY id DESC LIMIT 1")
        return None if row is None else PaidOut(*row)

    @property
    def open_items(self) -> int:
        """How many things an attendant has to decide."""
        row = self._row("SELECT count(*) FROM open_items WHERE resolution IS NULL")
        return 0 if row is None else int(row[0])

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query, none before the tables are there."""
        if not self._path.exists():
            return []
        with self._connected() as connection:
            try:
                return connection.execute(sql).fetchall()
            except sqlite3.OperationalError as error:
                # The file is there before its tables are: then the books are still empty.
                if error.sqlite_errorcode == sqlite3.SQLITE_ERROR and "no such table" in str(error):
                    return []
                raise

    def _row(self, sql: str) -> tuple[Any, ...] | None:
        return next(iter(self.rows(sql)), None)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        # mode=ro never checkpoints: only the supervisor writes or checkpoints a journal that is in use.
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=5)) as connection:
            yield connection
