"""Read-only access to a running demo's journal; the script reports figures from it, not from the screen."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from controller.journal import money, payouts, rounds
from controller.journal.open_items import open_items
from controller.journal.payouts import PayoutRow
from controller.journal.search import NEWEST
from controller.journal.store import read_only
from controller.journal.transaction import Transaction

T = TypeVar("T")


class RoundInBooks(msgspec.Struct, frozen=True):
    """One round: `state` is `open`, `settled` or `void`; `segments` is the number of its durable parts."""

    id: int
    state: str
    stake_cents: int
    win_cents: int
    segments: int


class Books:
    """Reads the journal at `path`, each time in one short read-only transaction.

    Until the supervisor has made the file, everything is empty.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def credit_cents(self) -> int:
        """The credit meter."""
        return self.read(lambda tx: tx.credit_cents, 0)

    @property
    def last_round(self) -> RoundInBooks | None:
        """The newest round, None before the first."""
        return self.read(lambda tx: _round(tx, rounds.newest_number(tx)), None)

    def round(self, number: int) -> RoundInBooks | None:
        """Return a round by its number, None if there is none."""
        return self.read(lambda tx: _round(tx, number), None)

    @property
    def rounds_played(self) -> int:
        """The number of rounds begun."""
        return self.read(rounds.newest_number, 0)

    @property
    def last_note(self) -> tuple[int, str] | None:
        """Value in cents and state of the newest note."""
        return self.read(money.newest_note, None)

    @property
    def last_payout(self) -> PayoutRow | None:
        """The newest payout."""
        return self.read(lambda tx: next(iter(payouts.payouts_before(tx, NEWEST, 1)), None), None)

    @property
    def open_items(self) -> int:
        """The number of open items."""
        return self.read(lambda tx: len(open_items(tx)), 0)

    def read(self, read: Callable[[Transaction], T], otherwise: T) -> T:
        """Return the result of `read`, or `otherwise` before the journal has its tables."""
        if not self._path.exists():
            return otherwise
        with read_only(self._path) as connection:  # it never checkpoints, which only the supervisor may do
            try:
                connection.execute("BEGIN")
                return read(Transaction(connection, 0))
            except sqlite3.OperationalError as error:
                # The file exists before its tables do.
                if error.sqlite_errorcode == sqlite3.SQLITE_ERROR and "no such table" in str(error):
                    return otherwise
                raise


def _round(tx: Transaction, number: int) -> RoundInBooks | None:
    if not 0 < number <= rounds.newest_number(tx):
        return None
    played = rounds.recorded_round(tx, number)
    return RoundInBooks(number, played.state, played.wager.stake_cents, played.win_cents, len(played.segments))
