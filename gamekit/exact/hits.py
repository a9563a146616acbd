"""How often something happens on the lines: hit frequency and trigger rates, exactly and for every number of lines.

The reels are walked from left to right, merging equal states: the runs still alive, the first line that has won so
far, and the scatters seen. A line after the first winning line changes nothing, so its runs are dropped.
"""

from collections import Counter
from collections.abc import Collection
from fractions import Fraction

from gamekit.exact.definition import SpinDefinition
from gamekit.exact.moments import scatter_ways
from gamekit.lines import LineEvaluator

Walk = tuple[int, int, int]
"""Runs alive, the first winning line (from 0; the number of lines while there is none), scatters in the window."""


class LineHits:
    """The chances that any of the first n lines wins with one of `symbols`, with the number of scatters in the window.

    If `first_reel` names stops of reel 1, only spins with one of them count, still out of all combinations.
    """

    def __init__(
        self, spin: SpinDefinition, symbols: Collection[str], first_reel: Collection[int] | None = None
    ) -> None:
        self._combinations = spin.combinations
        self._lines = len(spin.lines)
        reels = spin.strips()
        evaluator = LineEvaluator(reels, spin.lines, spin.rules)
        width = len(evaluator.symbols)
        wanted = sum(
            1 << (line * width + index)
            for line in range(self._lines)
            for index, symbol in enumerate(evaluator.symbols)
            if symbol in symbols
        )
        walks: Counter[Walk] = Counter({(wanted, self._lines, 0): 1})
        for reel, covers in enumerate(evaluator.covers):
            columns = Counter(
                (cover, spin.scatter.count(reels.column(reel, stop)))
                for stop, cover in enumerate(covers)
                if reel or first_reel is None or stop in first_reel
            )
            paying = evaluator.paying[reel + 1]
            going: Counter[Walk] = Counter()
            for (runs, first, scatters), ways in walks.items():
                for (cover, shown), stops in columns.items():
                    alive = runs & cover
                    won = alive & paying
                    line = ((won & -won).bit_length() - 1) // width if won else first
                    going[alive & evaluator.enabled[line], line, scatters + shown] += ways * stops
            walks = going
        self._ways: Counter[tuple[int, int]] = Counter()
        for (_, first, scatters), ways in walks.items():
            self._ways[first, scatters] += ways

    def chance(self, lines: int, scatters: Collection[int] = ()) -> Fraction:
        """Return the chance that one of the first `lines` lines wins or the number of scatters is in `scatters`."""
        ways = sum(ways for (first, shown), ways in self._ways.items() if first < lines or shown in scatters)
        return Fraction(ways, self._combinations)


def scatter_chance(spin: SpinDefinition, scatters: Collection[int]) -> Fraction:
    """Return the chance that the number of scatters in the window is in `scatters`."""
    return Fraction(sum(ways for shown, ways in enumerate(scatter_ways(spin)) if shown in scatters), spin.combinations)
