"""What a coin acceptor may have taken without our having read it, and what that can be worth.

Between two readings an acceptor that was enabled may have taken coins. Where it forgets them, by a reset, a lost answer
or because its buffer overflowed, the time since it was last read bounds the loss.
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
"""Over a longer time than this nobody knows how many coins can have passed."""
ANSWER_S: Final = 0.2
"""So long after it was asked an acceptor says at the latest what it has taken."""
WRAP_S: Final = LAST_COUNTER / COINS_PER_S
"""Over a longer time than this the event counter may have come round to where it was."""


def most_coins(window_s: float) -> int:
    """Return how many coins can have passed an acceptor in a time."""
    return int(window_s * COINS_PER_S) + 1


def _nowhere(_window: CoinWindow) -> None:
    """Keep it nowhere."""


class CoinDoubt:
    """What is known of one acceptor since it was last read.

    `memory` is what the books know of it, None for one that they have never seen. `keep` is called with each change,
    which the next program will find in its memory. `fall_s` is how long after it was inhibited a coin may still come.
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
        self._missed_at: float | None = None

    def __repr__(self) -> str:
        return f"<CoinDoubt {'may take coins' if self.may_take else 'takes none'}, read at {self._read_at}>"

    @property
    def may_take(self) -> bool:
        """Whether it may have taken coins since it was read.

        It was enabled, or inhibited too short a time before for a coin on its way to have fallen.
        """
        return self._read_at is None or self._shut_at is None or self._read_at < self._shut_at + self._fall_s

    @property
    def answer_lost(self) -> bool:
        """Whether a program before this one may have had coins in its hands that are in no books."""
        return self.may_take and (self._read_at is None or self._asked_at is not None)

    def asked(self) -> None:
        """The acceptor is about to be read: what it answers is in no books yet."""
        self._asked_at = self._clock.now()
        self._keep()

    def silent(self) -> None:
        """The acceptor did not answer: it keeps what it has."""
        if self._lost_until is None:
            self._asked_at = None
            self._keep()

    def answer_is_lost(self) -> None:
        """What the acceptor has answered is lost, coins and a reset among it perhaps."""
        now = self._clock.now()
        self._lost_until = now if self._asked_at is None else min(now, self._asked_at + ANSWER_S)

    def answers_doubted(self) -> None:
        """What was in lost answers is in doubt in the books."""
        if self._lost_until is not None and self._read_at is not None:
            self.known_from(max(self._read_at, self._lost_until))
        self._lost_until = None

    def known_from(self, at: float) -> None:
        """What it took up to `at` (the clock's seconds) is read, and booked."""
        if self._read_at is not None:
            self._longest_s = max(self._longest_s, at - self._read_at)
        self._read_at, self._asked_at, self._missed_at, self._lost_until = at, None, None, None
        self._keep()

    def missed(self) -> None:
        """The acceptor has just answered for the first time as after a reset: what it forgot came before."""
        if self._missed_at is None:
            self._missed_at = self._clock.now()

    def began_anew(self) -> None:
        """A reset is booked: since then the acceptor takes nothing until it is enabled."""
        now = self._clock.now()
        self._shut_at = now - self._fall_s
        self.known_from(now)

    def enabling(self) -> None:
        """The acceptor is about to be enabled."""
        self._shut_at, self._longest_s = None, 0.0
        self._keep()

    def taking_coins(self) -> None:
        """The acceptor says that it is enabled: it has not been reset."""
        self._longest_s = 0.0

    def inhibited(self) -> None:
        """The acceptor has acknowledged that it takes no more coins."""
        if self._shut_at is None:
            self._shut_at = self._clock.now()
            self._keep()

    def most_forgotten_cents(self, dearest_cents: int) -> int | None:
        """Return what coins that were never read can be worth, None where nobody knows since when they came."""
        if self._read_at is None:
            return None
        # a reset may have gone unseen since the acceptor last said that it is enabled: it fell between two readings
        window_s = max(self._unread_s(self._read_at), self._longest_s)
        return None if window_s > LONGEST_WINDOW_S else most_coins(window_s) * dearest_cents

    def most_answered_cents(self, dearest_cents: int) -> int | None:
        """Return what lost answers can have held, all since a reset included; None where nobody knows."""
        if self._read_at is None or self._lost_until is None:
            return None
        window_s = max(0.0, self._lost_until - self._read_at)
        return None if window_s > LONGEST_WINDOW_S else most_coins(window_s) * dearest_cents

    def most_lost_cents(self, lost: int, dearest_cents: int) -> int | None:
        """Return what `lost` events are worth at the most, None where the counter may have wrapped since."""
        if self._read_at is None or self._unread_s(self._read_at) > WRAP_S:
            return None
        return lost * dearest_cents

    def _unread_s(self, read_at: float) -> float:
        until = self._clock.now() if self._missed_at is None else self._missed_at
        if self._shut_at is not None:
            until = min(until, self._shut_at + self._fall_s)
        return max(0.0, until - read_at)

    def _keep(self) -> None:
        self._write(CoinWindow(read_at=self._read_at, shut_at=self._shut_at, asked_at=self._asked_at))


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
