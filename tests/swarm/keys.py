"""The keys of a life: while one is on, nothing is staked and no payout begins."""

import asyncio
from pathlib import Path
from typing import Final

from tests.rigs.journal_rows import Books
from tests.swarm.errors import WrongError

SETTLED_S: Final = 5.0
"""So long after a key is turned, or the program starts, may come what was pressed before it."""
BEGUN: Final = "SELECT (SELECT sum(value) FROM meters WHERE name = 'stakes'), (SELECT count(*) FROM payouts)"


class KeyWatch:
    """Reads in the books at `journal` what was staked and how many payouts were begun while keys are `on`."""

    def __init__(self, journal: Path) -> None:
        self.on: set[str] = set()
        self._books = Books(journal)
        self._before: tuple[int, int] | None = None
        """Stakes in cents and payouts that there were once the key had been on for `SETTLED_S`."""
        self._timer: asyncio.TimerHandle | None = None

    def turned(self, name: str, *, is_on: bool) -> None:
        """Note that a key has been turned, or turned back."""
        self.look()
        (self.on.add if is_on else self.on.discard)(name)
        self.begin()

    def begin(self) -> None:
        """Begin anew where a key is on: one was turned, or the program starts."""
        self.end()
        if self.on:
            self._timer = asyncio.get_running_loop().call_later(SETTLED_S, self._settled)

    def end(self) -> None:
        """Look no more: the program has ended."""
        self._before = None
        if self._timer is not None:
            self._timer.cancel()

    def look(self) -> None:
        """Raise `WrongError` if something was staked or paid meanwhile."""
        if self._before is not None and (now := self._begun()) != self._before:
            raise WrongError(f"staked or paid with a key on: {sorted(self.on)}, {self._before}, then {now}")

    def _settled(self) -> None:
        self._before = self._begun()

    def _begun(self) -> tuple[int, int]:
        [(stakes, payouts)] = self._books.rows(BEGUN) or [(0, 0)]
        return stakes or 0, payouts
