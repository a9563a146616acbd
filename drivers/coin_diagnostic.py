"""Service test of a coin acceptor: whether reported coins are credited or belong to a test (M12).

The device's reports do not tell the two apart, so the purpose changes only while no coin is on its way: the acceptor is
inhibited, coins behind its gate have had time to reach the credit sensor, and a later poll is booked. The purpose of
the newest coins is stored with the acceptor's event counter, so that it is still known when the buffer is read after a
power cut.
"""

from typing import Final

from drivers.capabilities import CoinDiagnosticBooks
from drivers.clock import Clock

FALL_S: Final = 1.0
"""How long a coin may take from the acceptor's gate past its credit sensor and the diverter."""


class CoinDiagnostic:
    """The purpose of one acceptor's coins: `wanted` by the user, `now` in the books; empty for credit."""

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
        """Whether coins may be accepted; false while their purpose changes."""
        return self.wanted == self.now

    async def begin(self, serial: int) -> None:
        """Load the stored purpose; called before the buffer of acceptor `serial` is booked for the first time."""
        self.now = await self._books.coin_diagnostic(serial)
        self._still_since = None

    async def turn(self, serial: int, *, inhibited: bool, polled_at: float) -> None:
        """Change the purpose once no coin is on its way; raise what the books raise.

        `inhibited` says whether the acceptor is known to accept no coin, `polled_at` when its buffer was last
        requested.
        """
        if self.settled or not inhibited:
            self._still_since = None
        elif self._still_since is None:
            self._still_since = self._clock.now()
        elif polled_at - self._still_since >= FALL_S:
            wanted = self.wanted
            await self._books.set_coin_diagnostic(serial, wanted)
            self.now, self._still_since = wanted, None
