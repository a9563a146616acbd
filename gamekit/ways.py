"""Ways and their evaluation: a symbol pays through adjacent reels from reel 1, wherever it is on each of them.

Every choice of one of its cells on each reel is a way: 243 on five reels of three rows. Only the longest run of each
symbol pays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from gamekit.beats import Cell
from gamekit.lines import Pays
from gamekit.reels import Reels


@dataclass(frozen=True)
class WaysRules:
    """What ways pay, in coins per coin on a line of the stake, by symbol and number of reels.

    `wild` stands for every symbol of `pays` and is not one of them; each wild in a way multiplies its pay by
    `wild_multiplier`. Raises ValueError if the numbers of reels that a symbol pays for have a gap, or if the wild has
    pays of its own.
    """

    pays: Pays
    wild: str | None = None
    wild_multiplier: int = 1

    def __post_init__(self) -> None:
        """Refuse pays that would make the counted run ambiguous."""
        if self.wild in self.pays:
            raise ValueError(f"{self.wild}: on ways a wild stands for the others and pays nothing of its own")
        for symbol, by_count in self.pays.items():
            if sorted(by_count) != list(range(min(by_count), max(by_count) + 1)):
                raise ValueError(f"{symbol} pays for {sorted(by_count)} reels: leave none out in between")

    def counted(self, column: Sequence[str], symbol: str) -> int:
        """Return how many ways `column` adds to those of `symbol`, each multiplied by its wilds."""
        wilds = column.count(self.wild) if self.wild is not None else 0
        return column.count(symbol) + wilds * self.wild_multiplier


class WaysHit(NamedTuple):
    """`symbol` runs through `run` reels on `ways` ways and pays `pay` coins per coin, its wilds' multipliers in it."""

    symbol: str
    run: int
    ways: int
    pay: int


class WaysEvaluator:
    """Evaluates windows of `reels`; raises ValueError where a wild is on reel 1, or a symbol pays for too many reels.

    A wild on reel 1 would begin a run of every symbol at once.
    """

    def __init__(self, reels: Reels, rules: WaysRules) -> None:
        if rules.wild in reels.strips[0]:
            raise ValueError(f"{rules.wild} is on reel 1, where on ways it would pay as every symbol: leave it off")
        for symbol, by_count in rules.pays.items():
            if max(by_count) < len(reels.strips):
                raise ValueError(f"{symbol} pays nothing for {len(reels.strips)} reels: give it a pay")
        self.rules = rules

    def hits(self, window: Sequence[Sequence[str]]) -> Sequence[WaysHit]:
        """Return what `window` (columns from left to right) wins, in the order of the pays."""
        first = window[0]
        found = []
        for symbol, by_count in self.rules.pays.items():
            if symbol not in first:
                continue
            matching = [[cell for cell in column if cell in (symbol, self.rules.wild)] for column in window]
            run = next((reel for reel, cells in enumerate(matching) if not cells), len(window))
            if run in by_count:
                weighed = prod(self.rules.counted(cells, symbol) for cells in matching[:run])
                found.append(WaysHit(symbol, run, prod(map(len, matching[:run])), by_count[run] * weighed))
        return found

    def cells(self, window: Sequence[Sequence[str]], hit: WaysHit) -> tuple[Cell, ...]:
        """Return the cells of `hit`, from left to right and from top to bottom."""
        those = (hit.symbol, self.rules.wild)
        return tuple(
            (reel, row)
            for reel, column in enumerate(window[: hit.run])
            for row, shown in enumerate(column)
            if shown in those
        )
