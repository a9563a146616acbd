"""Means, products and covariances of one spin's parts, exactly.

Line wins are treated as sums over lines: the mean of a sum needs one line, its square needs every pair of lines, and a
pair's product factors over the reels because their stops are independent. What two rows of one reel show together
depends on the distance between the rows alone, every stop being equally likely.

Parts are in coins at one coin a line; the free spins that a spin wins are given beside them as `spins`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from gamekit.exact.definition import SpinDefinition, scatters_shown
from gamekit.exact.runs import START, Futures, Runs, State
from gamekit.lines import Payline
from gamekit.reels import Reels

Polynomial = tuple[int, ...]
"""Stop combinations by number of scatters in the window."""


def multiply(left: Sequence[int], right: Sequence[int]) -> Polynomial:
    """Return the product of two polynomials."""
    product = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return tuple(product)


def scatter_ways(spin: SpinDefinition) -> Polynomial:
    """Return how many stop combinations show 0, 1, 2 ... scatters."""
    ways: Polynomial = (1,)
    for shown in scatters_shown(spin):
        ways = multiply(ways, shown)
    return ways


def line_mean(spin: SpinDefinition, runs: Runs) -> Fraction:
    """Return the mean worth of one line, the same for every line."""
    return Fraction(Futures(runs, spin.counts).total(), spin.combinations)


class LineProducts:
    """Sums, over all stop combinations, of the product of what two lines are worth."""

    def __init__(self, spin: SpinDefinition, left: Runs, right: Runs) -> None:
        self._reels = spin.strips()
        self._runs = (left, right)
        self._futures = (Futures(left, spin.counts), Futures(right, spin.counts))
        self._rest = [1]
        for length in reversed(self._reels.lengths):
            self._rest.append(self._rest[-1] * length)
        self._rest.reverse()
        self._known: dict[tuple[int, ...], int] = {}
        self._joint = cache(self._count_joint)

    def total(self, left: Payline, right: Payline) -> int:
        """Return the sum of left's worth times right's worth."""
        shift = tuple(b - a for a, b in zip(left, right, strict=True))
        if self._runs[0] is self._runs[1]:
            shift = max(shift, tuple(-distance for distance in shift))
        if shift not in self._known:
            self._known[shift] = self._sum(shift)
        return self._known[shift]

    def _sum(self, shift: tuple[int, ...]) -> int:
        total = 0
        alive: dict[tuple[State, State], int] = {(START, START): 1}
        for reel, distance in enumerate(shift):
            going: dict[tuple[State, State], int] = defaultdict(int)
            for states, ways in alive.items():
                for after, stops in self._joint(reel, distance, states):
                    first, second = after
                    if first is not None and second is not None:
                        going[first, second] += ways * stops
                    else:
                        total += ways * stops * self._ended(states, after, reel)
            alive = going
        length = len(shift)
        left, right = self._runs
        return total + sum(
            ways * left.worth(first, length) * right.worth(second, length) for (first, second), ways in alive.items()
        )

    def _ended(self, before: tuple[State, State], after: tuple[State | None, State | None], reel: int) -> int:
        """Return the product summed over the remaining reels, if at least one run has ended on `reel`."""
        if after == (None, None):
            return self._runs[0].worth(before[0], reel) * self._runs[1].worth(before[1], reel) * self._rest[reel + 1]
        ended = 0 if after[0] is None else 1
        settled = self._runs[ended].worth(before[ended], reel)
        going = after[1 - ended]
        return settled * self._futures[1 - ended].total(going, reel + 1) if settled and going is not None else 0

    def _count_joint(
        self, reel: int, distance: int, states: tuple[State, State]
    ) -> list[tuple[tuple[State | None, State | None], int]]:
        """Return the pairs of states after `states` on `reel` with their stops; pairs worth nothing are left out."""
        strip = self._reels.strips[reel]
        tables = [
            {symbol: after for after, shown in runs.moves(state) for symbol in shown}
            for runs, state in zip(self._runs, states, strict=True)
        ]
        tally = Counter(
            (tables[0][shown], tables[1][strip[(stop + distance) % len(strip)]]) for stop, shown in enumerate(strip)
        )
        return [(after, stops) for after, stops in tally.items() if self._worthwhile(states, after, reel)]

    def _worthwhile(self, before: tuple[State, State], after: tuple[State | None, State | None], reel: int) -> bool:
        return all(
            future.after(state, known, reel) for future, state, known in zip(self._futures, after, before, strict=True)
        )


class LineWithScatters:
    """What one line is worth, by the number of scatters in the window: sums over all stop combinations."""

    def __init__(self, spin: SpinDefinition, runs: Runs) -> None:
        self._reels = spin.strips()
        self._runs = runs
        self._scatter = spin.scatter
        self._suffixes: list[Polynomial] = [(1,)]
        for shown in reversed(scatters_shown(spin)):
            self._suffixes.append(multiply(shown, self._suffixes[-1]))
        self._suffixes.reverse()
        self._joint = cache(self._count_joint)
        self._from = cache(self._sum_from)

    def ways(self, line: Payline) -> Polynomial:
        """Return the line's worth summed over the combinations with 0, 1, 2 ... scatters."""
        return self._from(START, 0, line)

    def _sum_from(self, state: State, reel: int, rows: Payline) -> Polynomial:
        if not rows:
            return (self._runs.worth(state, reel),)
        total = [0] * len(self._suffixes[reel])
        for (after, scatters), stops in self._joint(state, reel, rows[0]).items():
            if after is None:
                worth = self._runs.worth(state, reel)
                rest = [worth * ways for ways in self._suffixes[reel + 1]] if worth else []
            else:
                rest = list(self._from(after, reel + 1, rows[1:]))
            for count, ways in enumerate(rest):
                total[count + scatters] += stops * ways
        return tuple(total)

    def _count_joint(self, state: State, reel: int, row: int) -> Counter[tuple[State | None, int]]:
        reels: Reels = self._reels
        columns = (reels.column(reel, stop) for stop in range(reels.lengths[reel]))
        return Counter((self._runs.step(state, column[row]), self._scatter.count(column)) for column in columns)


@dataclass(frozen=True)
class SpinMoments:
    """One kind of spin at one number of lines, in coins at one coin a line.

    `mean`, and `product` and `with_spins` (means of products), follow the order of the parts: lines, scatter, picks.
    """

    mean: tuple[Fraction, ...]
    product: tuple[tuple[Fraction, ...], ...]
    with_spins: tuple[Fraction, ...]
    spins: Fraction
    spins_square: Fraction

    def repeated(self, part: int, chance: Fraction) -> "SpinMoments":
        """Return these moments with one more, last part: the win of `part` repeated with an independent `chance`."""
        again = tuple(chance * value for value in self.product[part])
        return SpinMoments(
            mean=(*self.mean, chance * self.mean[part]),
            product=(
                *((*row, value) for row, value in zip(self.product, again, strict=True)),
                (*again, again[part]),
            ),
            with_spins=(*self.with_spins, chance * self.with_spins[part]),
            spins=self.spins,
            spins_square=self.spins_square,
        )


class SpinAnalysis:
    """The moments of one kind of spin at any number of its lines."""

    def __init__(self, spin: SpinDefinition) -> None:
        self.spin = spin
        self._combinations = spin.combinations
        self._scatters = scatter_ways(spin)
        pays = Runs(spin.rules, spin.rules.pays, spin.symbols, spin.wild_multipliers)
        picks = Runs(spin.rules, spin.picks.picks, spin.symbols)
        self.line_mean = line_mean(spin, pays)
        self.picks_mean = line_mean(spin, picks)
        self._pay_products = LineProducts(spin, pays, pays)
        self._mixed_products = LineProducts(spin, pays, picks)
        self._pick_products = LineProducts(spin, picks, picks)
        self._pays_with_scatters = LineWithScatters(spin, pays)
        self._picks_with_scatters = LineWithScatters(spin, picks)

    def multiplied(self, multiplier: int) -> "SpinAnalysis":
        """Return the analysis of the same spin with another multiplier; both share their computed results."""
        other = copy(self)
        other.spin = replace(self.spin, multiplier=multiplier)
        return other

    def at(self, lines: int) -> SpinMoments:
        """Return the moments with the first `lines` lines played."""
        spin = self.spin
        prize = spin.picks
        scatter_pays = {count: pay * lines for count, pay in spin.scatter.pays.items()}
        spins = spin.scatter.free_spins
        # Whole numbers of coins and of picks, by scatters in the window; what a pick is worth comes in as `scale`.
        ways = (
            self._by_scatters(self._pays_with_scatters, lines),
            tuple(scatter_pays.get(count, 0) * way for count, way in enumerate(self._scatters)),
            self._by_scatters(self._picks_with_scatters, lines),
        )
        scale = (Fraction(spin.multiplier), Fraction(1), prize.mean)
        times_scatter = [by * self._weigh(part, scatter_pays) for by, part in zip(scale, ways, strict=True)]
        pays_square = scale[0] ** 2 * self._pairs(self._pay_products, lines)
        mixed = scale[0] * scale[2] * self._pairs(self._mixed_products, lines)
        picks_square = scale[2] ** 2 * self._pairs(self._pick_products, lines)
        return SpinMoments(
            mean=tuple(by * Fraction(sum(part), self._combinations) for by, part in zip(scale, ways, strict=True)),
            product=(
                (pays_square, times_scatter[0], mixed),
                (times_scatter[0], times_scatter[1], times_scatter[2]),
                (mixed, times_scatter[2], picks_square + lines * self.picks_mean * prize.variance),
            ),
            with_spins=tuple(by * self._weigh(part, spins) for by, part in zip(scale, ways, strict=True)),
            spins=self._weigh(self._scatters, spins),
            spins_square=self._weigh(self._scatters, {count: won**2 for count, won in spins.items()}),
        )

    def _weigh(self, ways: Polynomial, weights: Mapping[int, int]) -> Fraction:
        return Fraction(sum(weights.get(count, 0) * way for count, way in enumerate(ways)), self._combinations)

    def _by_scatters(self, line_ways: LineWithScatters, lines: int) -> Polynomial:
        return tuple(map(sum, zip(*(line_ways.ways(line) for line in self.spin.lines[:lines]), strict=True)))

    def _pairs(self, products: LineProducts, lines: int) -> Fraction:
        played = self.spin.lines[:lines]
        return Fraction(sum(products.total(a, b) for a in played for b in played), self._combinations)
