"""Meters of books that may be damaged, each with whether it can be trusted (C5).

Nothing is written. Two copies of each value are compared: the meter itself, and the sum of the ledger's rows as far as
their chain is intact. A value is suspect if its copies differ or if its rows cannot all be proved.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from controller.journal import ledger
from controller.journal.errors import UNREADABLE, JournalError

CREDIT = "credit"
MODES = ("mode=ro", "mode=ro&immutable=1")
"""The modes of opening a damaged journal: with its WAL, or, if that fails, without it and the newest rows in it."""


class Reading(NamedTuple):
    """One value: of the meter, since the last collection, by the ledger's rows, and whether it is suspect.

    A copy that cannot be read is None.
    """

    shown: int | None
    since: int | None
    proved: int | None
    suspect: bool


class Readings(NamedTuple):
    """All values by name, including the credit, and the problems found."""

    meters: dict[str, Reading]
    troubles: tuple[str, ...]


class _Copies:
    """The readable parts of the file, read one by one: an unreadable part does not prevent reading the others."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.troubles: list[str] = []
        self.shown: dict[str, tuple[int, int]] = {}
        self.proved: dict[str, int] = {}
        self.whole = False

    def read(self) -> None:
        """Read both copies as far as possible."""
        for piece in (self._credit, self._meters, self._chain):
            try:
                piece()
            except (JournalError, *UNREADABLE) as error:
                self.troubles.append(str(error))

    def _credit(self) -> None:
        (credit,) = self._connection.execute("SELECT credit_cents FROM cabinet").fetchone()
        self.shown[CREDIT] = (credit, credit)

    def _meters(self) -> None:
        for name, value, collected in self._connection.execute("SELECT name, value, collected FROM meters"):
            self.shown[name] = (value, value - collected)

    def _chain(self) -> None:
        chain = ledger.from_last_anchor(self._connection)
        try:
            chain.follow(self._connection)
            self.whole = True
        finally:
            self.proved = {**chain.meters, CREDIT: chain.credit}


@contextmanager
def opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the journal at `path` in one of `MODES`, with one snapshot for all reads."""
    with closing(sqlite3.connect(f"file:{path}?{mode}", uri=True)) as connection:
        connection.execute("BEGIN")
        yield connection


def read_meters(path: Path) -> Readings:
    """Return the values of the journal at `path`, however damaged; it is opened read-only."""
    copies: _Copies | None = None
    troubles: list[str] = []
    for mode in MODES:
        try:
            with opened(path, mode) as connection:
                found = _Copies(connection)
                found.read()
        except sqlite3.Error as error:
            troubles.append(str(error))
            continue
        if found.shown:
            copies = found
            break
        troubles += found.troubles
    if copies is None:
        return Readings({}, tuple(dict.fromkeys(troubles)))
    trusted = copies.whole and not troubles
    meters = {}
    for name in sorted(copies.shown.keys() | copies.proved.keys()):
        shown, since = copies.shown.get(name, (None, None))
        proved = copies.proved.get(name)
        meters[name] = Reading(shown, since, proved, suspect=not trusted or shown != (proved or 0))
    found_wrong = [*troubles, *copies.troubles, *_equation(meters)]
    return Readings(meters, tuple(dict.fromkeys(found_wrong)))


def _equation(meters: dict[str, Reading]) -> list[str]:
    """Return the problems that the self-audit finds in the meters' values."""
    figures = {name: reading.shown or 0 for name, reading in meters.items()}
    owed = sum(figures.get(name, 0) for name in ledger.ADDS) - sum(figures.get(name, 0) for name in ledger.TAKES)
    credit = figures.get(CREDIT, 0)
    return [] if credit == owed else [f"the credit meter shows {credit} cents, the other meters make it {owed}"]
