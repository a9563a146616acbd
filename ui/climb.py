"""The growth of a big win, from WIN over BIG and HUGE to MEGA, in time with its music. Presentation only."""

from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

BEAT_S = 0.5
"""A beat of the music of big wins in seconds (`win_music`, 120 a minute)."""
STAGE_BEATS = 4
"""How many beats the amount takes from one size to the next."""
STEPS = 8
"""How often the digits change within a beat."""


class Size(IntEnum):
    """The size of a win relative to the total bet."""

    SMALL = 0
    MEDIUM = 1
    LARGE = 2
    BIG = 3
    HUGE = 4
    MEGA = 5


class WinSizes(NamedTuple):
    """The multiples of the total bet from which a win is large, big, huge, mega: rising, each above 1."""

    large: int = 5
    big: int = 15
    huge: int = 40
    mega: int = 100

    def of(self, coins: int, stake_coins: int) -> Size:
        """Return the size of a win of `coins` for a total bet of `stake_coins`; a win up to the stake is small."""
        if coins <= stake_coins:
            return Size.SMALL
        reached = sum(coins >= bets * stake_coins for bets in self)
        return Size(Size.MEDIUM + reached)


WIN_SIZES = WinSizes()


class Climb:
    """The growth of a big win: the amount passes each size at the end of a bar and is complete on a beat.

    Times are seconds from its beginning, with `beat_s` per beat; `cut` ends it early with the full amount.
    """

    def __init__(self, coins: int, tops: Sequence[int]) -> None:
        """Begin with WIN and reach the next size at each of `tops`, in coins."""
        self.coins = coins
        self.beat_s = BEAT_S
        self.cut_at: float | None = None
        self.size = Size(Size.LARGE + len(tops))
        self._marks = [(0, 0), *((STAGE_BEATS * number, top) for number, top in enumerate(tops, 1))]
        beat, top = self._marks[-1]
        # The less remains, the fewer beats the last size takes, so that the digits never stand still before the last
        # hit.
        self._marks.append((beat + min(STAGE_BEATS, -(-8 * (coins - top) // max(1, top))), coins))

    @classmethod
    def of(cls, coins: int, stake_coins: int, sizes: WinSizes = WIN_SIZES) -> "Climb":
        """Return the climb of a win of `coins` for a total bet of `stake_coins` in a game with these sizes."""
        return cls(coins, [bets * stake_coins for bets in sizes[1:] if bets * stake_coins <= coins])

    @classmethod
    def of_jackpot(cls, coins: int) -> "Climb":
        """Return the climb of a jackpot, which always reaches MEGA, because no win is rarer."""
        return cls(coins, [coins * part // 4 for part in (1, 2, 3)])

    def __repr__(self) -> str:
        return f"<Climb to {self.coins} coins, {self.size.name}, {self.hit_at:.2f} s>"

    @property
    def hit_at(self) -> float:
        """When the amount is complete: the last hit."""
        whole = self._marks[-1][0] * self.beat_s
        return whole if self.cut_at is None else min(whole, self.cut_at)

    def cut(self, elapsed: float) -> None:
        """Show the full amount at once."""
        if elapsed < self.hit_at:
            self.cut_at = max(0.0, elapsed)

    def amount(self, elapsed: float) -> int:
        """Return how many coins are shown, computed in integers, so that no float touches the amount."""
        if elapsed >= self.hit_at:
            return self.coins
        step = max(0, int(elapsed * STEPS / self.beat_s))
        (begins, low), (ends, top) = next(pair for pair in pairwise(self._marks) if step < pair[1][0] * STEPS)
        return low + (top - low) * (step - begins * STEPS) // ((ends - begins) * STEPS)

    def since(self, size: Size) -> float:
        """Return when `size` is reached: LARGE (shown as WIN) at once, infinity for a size that is never reached."""
        if size > self.size:
            return float("inf")
        return min(self._marks[max(0, size - Size.LARGE)][0] * self.beat_s, self.hit_at)

    def reached(self, elapsed: float) -> Size:
        """Return the size that has been reached."""
        return max(size for size in Size if size <= Size.LARGE or elapsed >= self.since(size))
