"""Paylines and their evaluation: left to right from reel 1, the highest win of each line only.

The evaluator knows, for each reel and stop, which (line, symbol) pairs that column keeps alive: bit
`line * symbols + symbol` is set where the line's cell shows the symbol or a wild that stands for it. A run of
n reels is then the AND of n integers, and a spin that wins nothing costs three of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import getitem
from typing import NamedTuple

from gamekit.reels import Reels

Payline = tuple[int, ...]
"""The row, from 0 at the top, in which the line crosses each reel."""

Pays = Mapping[str, Mapping[int, int]]
"""Coins per coin on the line, by symbol and count."""


@dataclass(frozen=True)
class LineRules:
    """What a line pays and starts.

    `wild` stands for every symbol of `pays`, and has pays of its own if `pays` names it. `features` are symbols that
    pay nothing but start a feature on their line from the given count on; wild does not stand for them.
    """

    pays: Pays
    wild: str | None = None
    features: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError if a symbol both pays and starts a feature: a line could then count it twice."""
        both = sorted(set(self.pays) & set(self.features))
        if both or self.wild in self.features:
            raise ValueError(f"{', '.join(both) or self.wild}: a feature's symbol neither pays on a line nor is wild")

    def covers(self, shown: str, symbol: str) -> bool:
        """Whether a cell that shows `shown` counts as `symbol`."""
        return shown == symbol or (shown == self.wild and symbol in self.pays)


class LineHit(NamedTuple):
    """A line (from 0) that pays `pay` per coin on it, or, with `pay` 0, starts its symbol's feature."""

    line: int
    symbol: str
    run: int
    pay: int


class LineEvaluator:
    """Evaluates the first n of `lines` on the windows of `reels`; raises ValueError for a line that leaves them.

    For exact analysis the tables are open: `covers[reel][stop]` are the bits kept alive, `enabled[n]` those of the
    first n lines, `paying[count]` those that win when a run reaches `count`, and `worth[count]` what by symbol index.
    """

    def __init__(self, reels: Reels, lines: Sequence[Payline], rules: LineRules) -> None:
        self._check(reels, lines)
        pays, features = rules.pays, rules.features
        self.symbols = (*pays, *features)
        width = len(self.symbols)
        every_line = sum(1 << (line * width) for line in range(len(lines)))
        self.enabled = [(1 << (count * width)) - 1 for count in range(len(lines) + 1)]
        self._cells = [self._cell_covers(reel, reels, lines, rules) for reel in range(len(reels.strips))]
        self.covers = [
            [self._cover(reel, reels.column(reel, stop)) for stop in range(length)]
            for reel, length in enumerate(reels.lengths)
        ]
        self.worth: list[dict[int, int]] = [
            {
                index: pays[symbol][count] if symbol in pays else 0
                for index, symbol in enumerate(self.symbols)
                if (count in pays[symbol] if symbol in pays else count >= features[symbol])
            }
            for count in range(len(reels.strips) + 1)
        ]
        self.paying = [sum(1 << index for index in worth) * every_line for worth in self.worth]
        self._shortest = min(count for count, worth in enumerate(self.worth) if worth)
        # If a longer run of a symbol never pays less, its shorter runs need not be checked.
        self._longest_is_best = all(
            longer >= shorter for by in pays.values() for shorter, longer in pairwise(by[count] for count in sorted(by))
        )

    @staticmethod
    def _check(reels: Reels, lines: Sequence[Payline]) -> None:
        for number, line in enumerate(lines, start=1):
            if len(line) != len(reels.strips) or not all(0 <= row < reels.rows for row in line):
                raise ValueError(f"line {number} is {line}: it needs a row below {reels.rows} for each reel")

    def _cell_covers(self, reel: int, reels: Reels, lines: Sequence[Payline], rules: LineRules) -> list[dict[str, int]]:
        """Return for each row of `reel` the bits kept alive by each symbol that may be there."""
        width = len(self.symbols)
        through = [0] * reels.rows
        for line, rows in enumerate(lines):
            through[rows[reel]] |= 1 << (line * width)
        shown = {symbol for strip in reels.strips for symbol in strip} | set(self.symbols)
        kept = {
            symbol: sum(1 << index for index, other in enumerate(self.symbols) if rules.covers(symbol, other))
            for symbol in shown
        }
        return [{symbol: bits * kept[symbol] for symbol in shown} for bits in through]

    def _cover(self, reel: int, column: Sequence[str]) -> int:
        cover = 0
        for cells, symbol in zip(self._cells[reel], column, strict=True):
            cover |= cells[symbol]
        return cover

    def hits(self, stops: Sequence[int], lines: int) -> Sequence[LineHit]:
        """Return what the first `lines` lines win at `stops`, in the order of the lines."""
        return self._won(map(getitem, self.covers, stops), lines)

    def hits_in(self, window: Sequence[Sequence[str]], lines: int) -> Sequence[LineHit]:
        """Return what the first `lines` lines win in `window` (columns from left to right), whatever strips show.

        For windows that no stops describe, as when symbols have been put over what the reels show. Raises KeyError
        for a symbol that is neither on the strips nor pays.
        """
        return self._won([self._cover(reel, column) for reel, column in enumerate(window)], lines)

    def _won(self, covers: Iterable[int], lines: int) -> Sequence[LineHit]:
        run = self.enabled[lines]
        runs = []
        for cover in covers:
            run &= cover
            if not run:
                break
            runs.append(run)
        if len(runs) < self._shortest:
            return ()
        return self._best(runs)

    def _best(self, runs: Sequence[int]) -> Sequence[LineHit]:
        best: dict[int, LineHit] = {}
        width = len(self.symbols)
        open_runs = -1
        for count in range(len(runs), self._shortest - 1, -1):
            paying = runs[count - 1] & self.paying[count] & open_runs
            if self._longest_is_best:
                open_runs &= ~paying
            worth = self.worth[count]
            while paying:
                lowest = paying & -paying
                paying ^= lowest
                line, index = divmod(lowest.bit_length() - 1, width)
                known = best.get(line)
                # The longer run was seen first, so it stays where both pay the same.
                if known is None or worth[index] > known.pay:
                    best[line] = LineHit(line, self.symbols[index], count, worth[index])
        return [best[line] for line in sorted(best)]
