"""Whose coins those are that an acceptor reports: the player's, or a service test's, which are never credited (M12).

The reports carry no mark, so what they mean may change only while no coin is on its way: the acceptor is inhibited,
what had passed its gate has had the time to reach the credit sensor, and a poll after that is booked. What the newest
coins mean is kept with the acceptor's event counter, so that the buffer of a device that is read again after a power
cut still means what it meant.
"""

from typing import Final

from drivers.capabilities import CoinDiagnosticBooks
from drivers.clock import Clock

FALL_S: Final = 1.0
"""How long a coin may take from the acceptor's gate past its credit sensor and the diverter."""


class CoinDiagnostic:
    """What one acceptor's coins are taken for: `wanted` by the user, `now` in the books; empty for credit."""

    def __init__(self, books: CoinDiagnosticBooks, clock: Clock) -> None:
        self.wanted = ""
        self.now = ""
        self._books = books
        self._clock = clock
        self._still_since: float | None = None

    def __repr__(self) -> str:
        return f"<CoinDiagnostic {self.now or 'credit'}{'' if self.settled else ', changing'}>"

    @property
    def settled(self) -> bool:
        """Whether coins may be taken; false while their meaning changes."""
        return self.wanted == self.now

    async def begin(self, serial: int) -> None:
        """Before the buffer of acceptor `serial` is read for the first time."""
        self.now = await self._books.coin_diagnostic(serial)
        self._still_since = None

    async def turn(self, serial: int, *, inhibited: bool, polled_at: float) -> None:
        """Change the meaning once no coin is on its way; raise what the books raise.

        `inhibited` says whether the acceptor is known to take no coin, `polled_at` when its buffer was last asked for.
        """
        if self.settled or not inhibited:
            self._still_since = None
        elif self._still_since is None:
            self._still_since = self._clock.now()
        elif polled_at - self._still_since >= FALL_S:
            wanted = self.wanted
            await self._books.set_coin_diagnostic(serial, wanted)
            self.now, self._still_since = wanted, None
