"""What one spin's lines and scatters win: the whole distribution, over every combination of stops."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from gamekit.exact.definition import SpinDefinition
from gamekit.exact.extremes import Largest
from gamekit.exact.runs import Runs, Values
from gamekit.exact.walks import Columns, Walk, Ways


@dataclass(frozen=True)
class WinLaw:
    """How many combinations of stops win each number of coins; `bet` is what the spin costs in the same coins."""

    bet: int
    ways: Mapping[int, int]

    @cached_property
    def combinations(self) -> int:
        """All combinations of stops."""
        return sum(self.ways.values())

    @property
    def largest(self) -> Largest:
        """The largest win and its chance."""
        coins = max(self.ways)
        return Largest(coins, Fraction(self.ways[coins], self.combinations))

    def bands(self, edges: Sequence[int]) -> list[tuple[int, int]]:
        """Return the ways and the sum of coins of wins up to each of `edges` bets, and last of those above them all."""
        ways, coins = [0] * (len(edges) + 1), [0] * (len(edges) + 1)
        for win, times in self.ways.items():
            band = bisect_left(edges, Fraction(win, self.bet))
            ways[band] += times
            coins[band] += win * times
        return list(zip(ways, coins, strict=True))


class SpinWins:
    """What the first `lines` lines of `spin`, at one coin each, win together with its scatters.

    Features are left out; `with_picks` counts what is won on a line, every pick at its largest. Where `columns` are
    given, they are what each reel shows, instead of the strips; their tags then are the scatters.
    """

    def __init__(
        self, spin: SpinDefinition, lines: int, *, with_picks: bool = False, columns: Sequence[Columns] | None = None
    ) -> None:
        self._lines = lines
        self._pays = spin.scatter.pays
        values: Values = spin.rules.pays
        if with_picks:
            prize = spin.picks.largest
            picks = {s: {n: picks * prize for n, picks in by.items()} for s, by in spin.picks.picks.items()}
            values = {**values, **picks}
        runs = Runs(spin.rules, values, spin.symbols, spin.wild_multipliers)
        self._walk = Walk(spin.lines[:lines], columns or scatter_columns(spin), (runs,))

    def by_scatters(self) -> Mapping[int, Ways]:
        """Return what the lines win alone: by scatters in the window and by coins, the number of combinations."""
        return self._walk.ways()

    def law(self) -> WinLaw:
        """Return the law of the coins won."""
        ways: Counter[int] = Counter()
        for scatters, by_coins in self.by_scatters().items():
            paid = self._pays.get(scatters, 0) * self._lines
            for coins, count in by_coins.items():
                ways[coins + paid] += count
        return WinLaw(self._lines, dict(sorted(ways.items())))


def scatter_columns(spin: SpinDefinition) -> list[Columns]:
    """Return the columns of the strips of `spin`, with the scatters in them."""
    reels = spin.strips()
    return [
        Counter(
            ((column := reels.column(reel, stop),), spin.scatter.count(column) if spin.scatter.counted else 0)
            for stop in range(length)
        )
        for reel, length in enumerate(reels.lengths)
    ]
