"""Scatters: symbols that count anywhere in the window."""

from collections.abc import Sequence
from operator import getitem

from gamekit.beats import Cell
from gamekit.reels import Reels


class ScatterCounter:
    """Counts and finds `symbol` in the windows of `reels`."""

    def __init__(self, reels: Reels, symbol: str) -> None:
        self._rows = [
            [
                tuple(row for row, shown in enumerate(reels.column(reel, stop)) if shown == symbol)
                for stop in range(length)
            ]
            for reel, length in enumerate(reels.lengths)
        ]
        self._shown = [[len(rows) for rows in stops] for stops in self._rows]

    def count(self, stops: Sequence[int]) -> int:
        """Return how many scatters are in the window at `stops`."""
        return sum(map(getitem, self._shown, stops))

    def cells(self, stops: Sequence[int]) -> tuple[Cell, ...]:
        """Return the cells of the scatters at `stops`, from left to right."""
        return tuple((reel, row) for reel, stop in enumerate(stops) for row in self._rows[reel][stop])
