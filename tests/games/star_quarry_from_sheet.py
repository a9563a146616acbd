"""Star Quarry's return worked out from its PAR sheet alone: every combination of stops is played out.

By the sheet: what wins in a window vanishes, what lies above falls, and the strip
carries on above the window. The arrays hold all combinations that share a stop of reel 1.
"""

from collections import Counter
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tests.games.from_sheet import Sheet, table

Numbers = NDArray[np.int64]
Symbols = NDArray[np.uint8]
Cells = NDArray[np.bool_]


class StarQuarry:
    """The sheet's constants as arrays."""

    def __init__(self, sheet: Sheet) -> None:
        constants = sheet["constants"]
        names = constants["SYMBOLS"]
        self.strips = [
            np.array([names.index(name) for name in strip.split()], dtype=np.uint8)
            for strip in constants["REELS"]["strips"]
        ]
        self.rows: int = constants["REELS"]["rows"]
        self.wild, self.scatter = names.index(constants["WILD"]), names.index(constants["SCATTER"])
        self.pays = {names.index(name): table(pays) for name, pays in constants["PAYS"].items()}
        self.bet: int = constants["BET_COINS"]
        self.multipliers = [constants[name]["multipliers"] for name in ("CASCADES", "FREE_CASCADES")]
        self.scatter_pays, self.free_spins = table(constants["SCATTER_PAYS"]), table(constants["FREE_SPINS"])

    def returned(self) -> Fraction:
        """Return the mean win of a paid spin with its free spins, as a share of the bet."""
        won = [0, 0]
        scatters: Counter[int] = Counter()
        for stop in range(len(self.strips[0])):
            stops = np.indices([1, *(len(strip) for strip in self.strips[1:])]).reshape(len(self.strips), -1)
            stops[0] = stop
            for mode, coins in enumerate(self._played(stops, scatters)):
                won[mode] += coins
        combinations = int(np.prod([len(strip) for strip in self.strips]))
        shown = sum(self.scatter_pays.get(count, 0) * self.bet * times for count, times in scatters.items())
        more = Fraction(sum(self.free_spins.get(count, 0) * times for count, times in scatters.items()), combinations)
        paid, free = (Fraction(coins + shown, combinations) for coins in won)
        return (paid + more * free / (1 - more)) / self.bet

    def _played(self, stops: Numbers, scatters: Counter[int]) -> tuple[int, int]:
        """Play all of `stops` (reel, combination) to their last windows; return the coins of paid and of free spins."""
        above = stops - 1
        windows = [
            strip[(stops[reel][:, None] + np.arange(self.rows)) % len(strip)] for reel, strip in enumerate(self.strips)
        ]
        paid = free = 0
        for cascade in range(1_000):
            coins, gone = self._wins(windows)
            paid += self._multiplied(0, cascade, coins)
            free += self._multiplied(1, cascade, coins)
            wins = coins > 0
            last = sum((window[~wins] == self.scatter).sum(axis=1) for window in windows)
            scatters.update(
                dict(zip(*(values.tolist() for values in np.unique(last, return_counts=True)), strict=True))
            )
            if not wins.any():
                return paid, free
            above = above[:, wins]
            for reel, strip in enumerate(self.strips):
                windows[reel], above[reel] = self._fallen(windows[reel][wins], gone[reel][wins], above[reel], strip)
        raise AssertionError("a chain of cascades does not end")

    def _multiplied(self, mode: int, cascade: int, coins: Numbers) -> int:
        multipliers = self.multipliers[mode]
        return int(coins.sum()) * int(multipliers[min(cascade, len(multipliers) - 1)])

    def _wins(self, windows: list[Symbols]) -> tuple[Numbers, list[Cells]]:
        """Return what each combination's window wins before the multiplier, and which cells win."""
        coins = np.zeros(len(windows[0]), dtype=np.int64)
        gone = [np.zeros(window.shape, dtype=np.bool_) for window in windows]
        for symbol, pays in self.pays.items():
            shown = [(window == symbol) | (window == self.wild) for window in windows]
            ways = np.ones(len(coins), dtype=np.int64)
            reached = np.zeros(len(coins), dtype=np.int64)
            pay = np.zeros(len(coins), dtype=np.int64)
            for reel, cells in enumerate(shown, 1):
                count = cells.sum(axis=1)
                goes_on = (reached == reel - 1) & (count > 0)
                reached[goes_on] = reel
                ways[goes_on] *= count[goes_on]
                pay[goes_on] = pays.get(reel, 0)
            coins += pay * ways
            for reel, cells in enumerate(shown, 1):
                gone[reel - 1] |= cells & ((pay > 0) & (reached >= reel))[:, None]
        return coins, gone

    def _fallen(self, window: Symbols, gone: Cells, above: Numbers, strip: Symbols) -> tuple[Symbols, Numbers]:
        """Return one reel's windows after the fall, and the place on its strip above each."""
        order = np.argsort(~gone, axis=1, kind="stable")
        fallen = np.take_along_axis(window, order, axis=1)
        vanished = gone.sum(axis=1)
        for row in range(self.rows):
            new = vanished > row
            fallen[new, row] = strip[(above[new] - (vanished[new] - 1 - row)) % len(strip)]
        return fallen, above - vanished
