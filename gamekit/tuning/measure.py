"""The figures of a line game on other reels: exact, and of all its neighbours at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import count
from math import inf, sqrt

from gamekit.declared.line_game import LineGameMaths
from gamekit.exact.definition import SpinDefinition, count_symbols
from gamekit.exact.hits import LineHits
from gamekit.exact.moments import SpinAnalysis
from gamekit.exact.rounds import RoundFigures
from gamekit.maths import Maths, cost
from gamekit.play import Stake
from gamekit.reels import Reels
from gamekit.tuning.fixed import Fixed, Reel
from gamekit.tuning.line_sums import LineSums, Sums
from gamekit.tuning.targets import Figures

Layout = tuple[Reel, ...]


@dataclass(frozen=True)
class Scatters:
    """The scatters of a spin: mean pay and mean square in whole bets, mean free spins, chance to start them."""

    pay: float
    square: float
    spins: float
    starts: float


def on_reels(maths: LineGameMaths, reels: Reels) -> LineGameMaths:
    """Return `maths` on other reels: those of the paid spin, and of the free spins where they are the same."""

    def changed(spin: SpinDefinition) -> SpinDefinition:
        return replace(spin, counts=count_symbols(reels), reels=reels)

    free = changed(maths.free) if maths.free.reels is maths.base.reels else maths.free
    return LineGameMaths(game=maths.game, base=changed(maths.base), free=free)


def exact_figures(maths: Maths, stake: Stake) -> Figures:
    """Return the exact figures at `stake`, as `cabinet par` computes them, each rounded once."""
    found = maths.figures(stake, "")
    paid = cost(stake)
    if found.variance is None:
        raise ValueError(f"{maths.game.title}: no exact sigma")
    return Figures(
        rtp=float(found.mean / paid),
        hit=float(found.hit_frequency),
        sigma=sqrt(found.variance / paid**2),
        free_spins=float(found.triggers.get("free_spins", 0)),
    )


class Measure:
    """Figures at the first `lines` lines of `maths`, on reels that keep to `fixed`."""

    def __init__(self, maths: LineGameMaths, fixed: Fixed, lines: int) -> None:
        self.maths = maths
        self.fixed = fixed
        self.lines = lines
        self._sums = LineSums(maths.base, fixed.symbols)
        self._both = maths.free.reels is maths.base.reels
        free = maths.free
        if not self._both:
            moments = SpinAnalysis(free).at(lines)
            self._free_mean = float(sum(moments.mean)) / lines
            self._free_spins = float(moments.spins)

    def on(self, layout: Layout) -> LineGameMaths:
        """Return the maths on the reels of `layout`."""
        return on_reels(self.maths, Reels(list(map(self.fixed.strip, count(), layout)), self.maths.base.rows))

    def hit(self, layout: Layout) -> float:
        """Return the exact chance that a paid spin pays or starts a feature."""
        base = self.on(layout).base
        hits = LineHits(base, (*base.rules.pays, *base.rules.features))
        return float(hits.chance(self.lines, {*base.scatter.pays, *base.scatter.free_spins}))

    def sigma(self, layout: Layout) -> float:
        """Return the exact standard deviation of a round, in whole bets."""
        figures: RoundFigures = self.on(layout).analysis.round_figures(self.lines)
        return sqrt(figures.total.variance) / self.lines

    def shares(self, number: int, reel: Reel) -> tuple[float, ...]:
        """Return the fraction of reel `number` that shows each symbol."""
        length = self.fixed.length(number, reel)
        return tuple(reel.count(entry) * size / length for entry, size in enumerate(self.fixed.stacks[number]))

    def worths(self, layout: Layout) -> list[list[Sums]]:
        """Return the sums that each symbol on each reel contributes to a line."""
        return self._sums.worths(list(map(self.shares, count(), layout)))

    def scatters_on(self, number: int, reel: Reel) -> tuple[float, ...]:
        """Return the chances of 0, 1, 2 ... scatters in the window of reel `number`."""
        strip = self.fixed.strip(number, reel)
        rows, length = self.maths.base.rows, len(strip)
        loop = (*strip, *strip[: rows - 1])
        shown = [self.maths.base.scatter.count(loop[stop : stop + rows]) for stop in range(length)]
        return tuple(shown.count(scatters) / length for scatters in range(max(shown) + 1))

    def scatters(self, by_reel: Sequence[Sequence[float]]) -> tuple[Scatters, Scatters]:
        """Return the scatters of a paid spin and of a free one on the same reels."""
        chances = reduce(_product, by_reel)
        return _scatters(chances, self.maths.base), _scatters(chances, self.maths.free)

    def rtp(self, sums: Sums, scatters: tuple[Scatters, Scatters]) -> float:
        """Return the return of a round; infinity if free spins never end."""
        paid = self._mean(self.maths.base, sums, scatters[0])
        free, spins = (
            (self._mean(self.maths.free, sums, scatters[1]), scatters[1].spins)
            if self._both
            else (self._free_mean, self._free_spins)
        )
        return paid + scatters[0].spins * free / (1 - spins) if spins < 1 else inf

    def spread(self, sums: Sums, scatters: tuple[Scatters, Scatters]) -> float:
        """Return the variance, in whole bets, as if lines, scatters and picks were independent.

        The exact variance is about 1.1 to 2 times as high, and the factor hardly changes between neighbours.
        """
        free = scatters[0].spins * (self._square(self.maths.free, sums, scatters[1]) if self._both else 0.0)
        return self._square(self.maths.base, sums, scatters[0]) + free

    @staticmethod
    def _mean(spin: SpinDefinition, sums: Sums, scatters: Scatters) -> float:
        return sums[0] * spin.multiplier + sums[3] * float(spin.picks.mean) + scatters.pay

    def _square(self, spin: SpinDefinition, sums: Sums, scatters: Scatters) -> float:
        prize = float(spin.picks.variance + spin.picks.mean**2)
        return (sums[1] * spin.multiplier**2 + sums[3] * prize) / self.lines + scatters.square


def _product(left: Sequence[float], right: Sequence[float]) -> tuple[float, ...]:
    product = [0.0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return tuple(product)


def _scatters(chances: Sequence[float], spin: SpinDefinition) -> Scatters:
    def mean(by_count: Mapping[int, int], power: int = 1) -> float:
        return sum(
            (chances[count] * float(value) ** power for count, value in by_count.items() if count < len(chances)), 0.0
        )

    pays, spins = spin.scatter.pays, spin.scatter.free_spins
    return Scatters(pay=mean(pays), square=mean(pays, 2), spins=mean(spins), starts=mean(spins, 0))
