"""What a coin acceptor may have taken without our having read it, and what that can be worth.

Between two readings of its buffer an acceptor that was enabled may have taken coins. Where it forgets them, by a reset
or because its buffer overflowed, this is what bounds the loss.
"""

from typing import Final

from drivers.clock import Clock
from drivers.coin_diagnostic import FALL_S
from drivers.event_buffer import LAST_COUNTER, Events

COINS_PER_S: Final = 5
"""The most coins that pass an acceptor in a second (protocols.md, 1, request 229)."""
LONGEST_WINDOW_S: Final = 60.0
"""Over a longer time than this nobody knows how many coins can have passed."""
WRAP_S: Final = LAST_COUNTER / COINS_PER_S
"""Over a longer time than this the event counter may have come round to where it was."""


class CoinDoubt:
    """What is known of one acceptor since its events were last read.

    `may_take` says whether it may have taken coins since then: it was enabled, or inhibited too short a time ago for a
    coin on its way to have fallen.
    """

    def __init__(self, clock: Clock) -> None:
        self.may_take = True
        self._clock = clock
        self._read_at: float | None = None
        self._inhibited_at: float | None = None
        self._longest_s = 0.0
        self._missed_at: float | None = None

    def __repr__(self) -> str:
        return f"<CoinDoubt {'may take coins' if self.may_take else 'takes none'}, read at {self._read_at}>"

    def known_from(self, at: float) -> None:
        """Events up to `at` (the clock's seconds) are read."""
        if self._read_at is not None:
            self._longest_s = max(self._longest_s, at - self._read_at)
        self._read_at, self._missed_at = at, None
        if self._inhibited_at is not None and at - self._inhibited_at >= FALL_S:
            self.may_take = False

    def missed(self) -> None:
        """The acceptor has just answered for the first time as after a reset: what it forgot came before."""
        if self._missed_at is None:
            self._missed_at = self._clock.now()

    def enabling(self) -> None:
        """The acceptor is about to be enabled."""
        self.may_take, self._inhibited_at, self._longest_s = True, None, 0.0

    def taking_coins(self) -> None:
        """The acceptor says that it is enabled: it has not been reset."""
        self._longest_s = 0.0

    def inhibited(self) -> None:
        """The acceptor has acknowledged that it takes no more coins."""
        if self._inhibited_at is None:
            self._inhibited_at = self._clock.now()

    def most_forgotten_cents(self, dearest_cents: int) -> int | None:
        """Return what coins that were never read can be worth, None where nobody knows since when they came."""
        if self._read_at is None:
            return None
        # a reset may have gone unseen since the acceptor last said that it is enabled: it fell between two readings
        window_s = max(self._unread_s(self._read_at), self._longest_s)
        if window_s > LONGEST_WINDOW_S:
            return None
        return (int(window_s * COINS_PER_S) + 1) * dearest_cents

    def most_lost_cents(self, lost: int, dearest_cents: int) -> int | None:
        """Return what `lost` events are worth at the most, None where the counter may have wrapped since it was read.

        Where nothing has been read yet, the counter is taken at its word.
        """
        if self._read_at is not None and self._unread_s(self._read_at) > WRAP_S:
            return None
        return lost * dearest_cents

    def _unread_s(self, read_at: float) -> float:
        return (self._clock.now() if self._missed_at is None else self._missed_at) - read_at


def in_words(events: Events, values_cents: dict[int, int]) -> str:
    """Return what a buffer holds, the newest event first, as a person reads it."""
    words = []
    for coin, code in events:
        if coin in values_cents:
            words.append(f"{values_cents[coin] // 100}.{values_cents[coin] % 100:02}")
        elif coin:
            words.append(f"position {coin}")
        elif code:
            words.append(f"code {code}")
    return ", ".join(words) or "-"
