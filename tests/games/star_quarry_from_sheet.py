"""Star Quarry's return worked out from its filed sheet alone: every combination of stops is played out.

Each rule is taken from the sentence of the order of play that says it. The arrays hold all combinations that share a
stop of reel 1.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tests.games.from_filed_sheet import Filed, numbers
from tests.games.from_sheet import FREE_SPINS, Row, in_turn, table

Numbers = NDArray[np.int64]
Symbols = NDArray[np.uint8]
Cells = NDArray[np.bool_]


class StarQuarry:
    """What the sheet says, as arrays."""

    def __init__(self, sheet: Filed) -> None:
        known, say = sheet.constants, sheet.order.say
        sheet.notes.say(
            "The hash is that of the text at the end of this sheet. Wins are in coins, and all are added up; a bet is"
            " always of as many, whose value is chosen. Every stop of a reel is equally likely, and reels are"
            " independent: the window shows the stop drawn in its top row and the stops that follow below it, the last"
            " stop being followed by stop 0. An amount of a weighted table is drawn as often as its weight says, of the"
            " total."
        )
        self.bet = int(sheet.identity["coins a bet"])
        reels = known[say("The reels of {reels} stop: one draw for each, from left to right.")["reels"]]
        strips = [strip.split() for strip in reels["strips"]]
        say(
            "A symbol's run goes on from reel 1 over all reels in a row that show it, wherever they do; how many of it"
            " each of these reels shows, multiplied, are its ways."
        )
        ways = say("Each way pays what {pays} gives for the reels of the whole run; all symbols are added up.")
        wild = say(
            "The wild is {wild}: it stands for every symbol in {pays} and for no other, and pays nothing as itself."
        )
        falls = say(
            "All cells of runs that paid, wilds among them, vanish; what is above them in their reel falls, and the"
            " strip carries on from above. The new window pays too, and so on until nothing pays, after {falls} falls"
            " at the latest."
        )
        times = say(
            "A spin's windows, one after the other, pay {paid:row} times, all further ones as the last; in free spins"
            " {free:row} times."
        )
        pays = say("{counts:row} of {symbol} anywhere in the last window of a spin pay {pays:row} times the whole bet.")
        wins = say(
            "{counts:row} of {symbol} anywhere in the last window of a spin win {spins:row} free spins, in free spins"
            " too."
        )
        assert say("F" + FREE_SPINS)["reels"] == "REELS"
        sheet.order.end()
        assert (wild["pays"], wins["symbol"]) == (ways["pays"], pays["symbol"])
        names = sorted({symbol for strip in strips for symbol in strip})
        self.strips = [np.array([names.index(name) for name in strip], dtype=np.uint8) for strip in strips]
        self.rows: int = reels["rows"]
        self.falls = int(falls["falls"])
        self.wild, self.scatter = names.index(wild["wild"]), names.index(pays["symbol"])
        self.pays = {names.index(name): table(of) for name, of in known[ways["pays"]].items()}
        self.multipliers = [numbers(times[mode]) for mode in ("paid", "free")]
        self.scatter_pays = in_turn(pays["counts"], pays["pays"])
        self.free_spins = in_turn(wins["counts"], wins["spins"])

    def in_each_row(self) -> Callable[[Row], Fraction]:
        """Return the return of a row of the sheet, worked out once it is asked for."""
        worked_out = cache(self.returned)
        return lambda _row: worked_out()

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
        for cascade in range(self.falls + 1):
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
