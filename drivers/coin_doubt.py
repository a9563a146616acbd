"""Upper bounds for coins that an acceptor may have accepted and that were never read.

Between two polls an enabled acceptor may have accepted coins. If they are lost by a reset, a lost answer or a buffer
overflow, the time since the last poll limits the loss.
"""

from collections.abc import Callable
from typing import Final

from drivers.capabilities import CoinMemory, CoinWindow
from drivers.clock import Clock
from drivers.coin_diagnostic import FALL_S
from drivers.event_buffer import LAST_COUNTER, Events

COINS_PER_S: Final = 5
"""The most coins that pass an acceptor in a second (protocols.md, 1, request 229)."""
LONGEST_WINDOW_S: Final = 60.0
"""For a longer time than this no bound is given."""
ANSWER_S: Final = 0.2
"""An acceptor's answer holds coins accepted up to this long after the request."""
WRAP_S: Final = LAST_COUNTER / COINS_PER_S
"""After a longer time than this the event counter may have wrapped completely."""


def most_coins(window_s: float) -> int:
    """Return how many coins can pass an acceptor in `window_s` seconds."""
    return int(window_s * COINS_PER_S) + 1


def _nowhere(_window: CoinWindow) -> None:
    """Do not store the window."""


class CoinDoubt:
    """Tracks when one acceptor was last read, enabled and inhibited.

    `memory` is its state in the books, None for an acceptor never seen. `keep` is called with each change and stores it
    for the next program start. `fall_s` is how long after the inhibit a coin may still arrive.
    """

    def __init__(
        self,
        clock: Clock,
        memory: CoinMemory | None = None,
        keep: Callable[[CoinWindow], None] = _nowhere,
        *,
        fall_s: float = FALL_S,
    ) -> None:
        self._clock = clock
        self._fall_s = fall_s
        self._write = keep
        self._read_at: float | None = None
        self._shut_at: float | None = None
        self._asked_at: float | None = None
        self._lost_until: float | None = None
        if memory is not None and memory.at_rest:
            self._read_at = clock.now()
            self._shut_at = self._read_at - self._fall_s
        elif memory is not None and memory.window is not None:
            window = memory.window
            self._read_at, self._shut_at, self._asked_at = window.read_at, window.shut_at, window.asked_at
            if self._asked_at is not None:
                self._lost_until = self._asked_at + ANSWER_S
        self._longest_s = 0.0
        self._first_answer_at: float | None = None

    def __repr__(self) -> str:
        return f"<CoinDoubt {'may take coins' if self.may_take else 'takes none'}, read at {self._read_at}>"

    @property
    def may_take(self) -> bool:
        """Whether the acceptor may have accepted coins since it was read.

        It is enabled, or was inhibited less than `fall_s` before the last read.
        """
        return self._read_at is None or self._shut_at is None or self._read_at < self._shut_at + self._fall_s

    @property
    def answer_lost(self) -> bool:
        """Whether an earlier program run may have read coins that it did not book."""
        return self.may_take and (self._read_at is None or self._asked_at is not None)

    def about_to_read(self) -> None:
        """Record that the acceptor is about to be read: its answer is not booked yet."""
        self._asked_at = self._clock.now()
        self._keep()

    def no_answer(self) -> None:
        """Record that the acceptor did not answer: it still holds its events."""
        if self._lost_until is None:
            self._asked_at = None
            self._keep()

    def answer_is_lost(self) -> None:
        """Record that an answer is lost, which may have held coins and a reset."""
        now = self._clock.now()
        self._lost_until = now if self._asked_at is None else min(now, self._asked_at + ANSWER_S)

    def answers_doubted(self) -> None:
        """Record that the books have an open item for the lost answers."""
        if self._lost_until is not None and self._read_at is not None:
            self.known_from(max(self._read_at, self._lost_until))
        self._lost_until = None

    def known_from(self, at: float) -> None:
        """Record that all coins accepted up to `at` (the clock's seconds) are read and booked."""
        if self._read_at is not None:
            self._longest_s = max(self._longest_s, at - self._read_at)
        self._read_at, self._asked_at, self._first_answer_at, self._lost_until = at, None, None, None
        self._keep()

    def answered_after_reset(self) -> None:
        """Record the first answer after a possible reset: forgotten coins came before it."""
        if self._first_answer_at is None:
            self._first_answer_at = self._clock.now()

    def reset_booked(self) -> None:
        """Record that a reset is booked: the acceptor accepts nothing until it is enabled."""
        now = self._clock.now()
        self._shut_at = now - self._fall_s
        self.known_from(now)

    def enabling(self) -> None:
        """Record that the acceptor is about to be enabled."""
        self._shut_at, self._longest_s = None, 0.0
        self._keep()

    def taking_coins(self) -> None:
        """Record that the acceptor reports that it is enabled: it was not reset."""
        self._longest_s = 0.0

    def inhibited(self) -> None:
        """Record that the acceptor acknowledged the inhibit."""
        if self._shut_at is None:
            self._shut_at = self._clock.now()
            self._keep()

    def most_forgotten_cents(self, dearest_cents: int) -> int | None:
        """Return the maximum value of coins forgotten in a reset, None if there is no bound."""
        if self._read_at is None:
            return None
        # a reset between two polls may have gone unnoticed since the acceptor last reported that it is enabled
        window_s = max(self._unread_s(self._read_at), self._longest_s)
        return None if window_s > LONGEST_WINDOW_S else most_coins(window_s) * dearest_cents

    def most_answered_cents(self, dearest_cents: int) -> int | None:
        """Return the maximum value of coins in lost answers, including a reset; None if there is no bound."""
        if self._read_at is None or self._lost_until is None:
            return None
        window_s = max(0.0, self._lost_until - self._read_at)
        return None if window_s > LONGEST_WINDOW_S else most_coins(window_s) * dearest_cents

    def most_lost_cents(self, lost: int, dearest_cents: int) -> int | None:
        """Return the maximum value of `lost` events, None if the counter may have wrapped."""
        if self._read_at is None or self._unread_s(self._read_at) > WRAP_S:
            return None
        return lost * dearest_cents

    def _unread_s(self, read_at: float) -> float:
        until = self._clock.now() if self._first_answer_at is None else self._first_answer_at
        if self._shut_at is not None:
            until = min(until, self._shut_at + self._fall_s)
        return max(0.0, until - read_at)

    def _keep(self) -> None:
        self._write(CoinWindow(read_at=self._read_at, shut_at=self._shut_at, asked_at=self._asked_at))


def in_words(events: Events, values_cents: dict[int, int]) -> str:
    """Return the events of a buffer in words, newest first."""
    words = []
    for coin, code in events:
        if coin in values_cents:
            words.append(f"{values_cents[coin] // 100}.{values_cents[coin] % 100:02}")
        elif coin:
            words.append(f"position {coin}")
        elif code:
            words.append(f"code {code}")
    return ", ".join(words) or "-"
