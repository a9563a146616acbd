"""Cascades: winning cells vanish, the symbols above them fall, and the strips continue above the window.

The stops determine the whole chain of windows; there are no further draws. A strip is a closed loop: its symbols
repeat once it has fallen through.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gamekit.beats import Cell
from gamekit.reels import Reels, Strip


@dataclass(frozen=True)
class CascadeRules:
    """`multipliers` are those of the first window, then of the window after each fall; the last holds for all others.

    A spin falls at most `most` times, because strips could cascade for ever. Raises ValueError without multipliers.
    """

    multipliers: tuple[int, ...]
    most: int = 50

    def __post_init__(self) -> None:
        """Refuse rules that could not be played."""
        if not self.multipliers or self.most < 1:
            raise ValueError("cascades need one multiplier or more, and one fall or more")

    def multiplier(self, falls: int) -> int:
        """Return what the window after so many falls pays."""
        return self.multipliers[min(falls, len(self.multipliers) - 1)]


class Falling:
    """The windows of one spin of `reels` that landed at `stops`: `window` is the present one."""

    def __init__(self, reels: Reels, stops: Sequence[int]) -> None:
        self.window: tuple[Strip, ...] = reels.window(stops)
        self._strips = reels.strips
        self._tops = list(stops)

    def fall(self, cells: Collection[Cell]) -> None:
        """Take `cells` away and let what is above them fall."""
        window = []
        for reel, column in enumerate(self.window):
            rest = tuple(shown for row, shown in enumerate(column) if (reel, row) not in cells)
            gone = len(column) - len(rest)
            if gone:
                strip, top = self._strips[reel], self._tops[reel]
                self._tops[reel] = top - gone
                column = tuple(strip[stop % len(strip)] for stop in range(top - gone, top)) + rest  # noqa: PLW2901
            window.append(column)
        self.window = tuple(window)
