"""The law of one spin: the joint distribution of its parts' wins and of the features it starts, over all combinations.

Where means, variances and chances cannot be computed part by part, as with ways, cascades, or expanding and sticky
wilds, the whole joint law is computed as a table of integers, and every figure follows from it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from gamekit.exact.moments import SpinMoments

Outcome = tuple[int, ...]
"""A tag, then the coins of each part at one coin a line."""


class Given(NamedTuple):
    """What a tag pays: fixed coins (of the scatters), free spins, and a bonus whose distribution depends on the tag.

    `bonus` is its mean and its mean square, in coins.
    """

    scatter: int = 0
    spins: int = 0
    bonus: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))


@dataclass(frozen=True)
class SpinSums:
    """Sums over `combinations` of stops, from which the means and variances of `parts` parts follow.

    `by_tag` has, for each tag, the combinations, the sum of each part, and the sum of each product of two parts; `hits`
    are the combinations in which any part pays, by tag.
    """

    combinations: int
    parts: int
    by_tag: Mapping[int, tuple[int, Sequence[int], Sequence[Sequence[int]]]]
    hits: Mapping[int, int]

    def moments(self, given: Callable[[int], Given]) -> SpinMoments:
        """Return the moments of the parts, then the scatters, then the bonus; `given` says what a tag brings."""
        size = self.parts + 2
        mean = [Fraction(0)] * size
        product = [[Fraction(0)] * size for _ in range(size)]
        with_spins = [Fraction(0)] * size
        spins = spins_square = Fraction(0)
        for tag, (ways, sums, squares) in self.by_tag.items():
            brings = given(tag)
            ones: list[Fraction] = [*map(Fraction, sums), Fraction(ways * brings.scatter), ways * brings.bonus[0]]
            certain = (Fraction(brings.scatter), brings.bonus[0])
            for a in range(size):
                mean[a] += ones[a]
                with_spins[a] += ones[a] * brings.spins
                for b in range(size):
                    if max(a, b) < self.parts:
                        product[a][b] += squares[a][b]
                    elif a == b == size - 1:
                        product[a][b] += ways * brings.bonus[1]
                    else:
                        small, large = sorted((a, b))
                        product[a][b] += ones[small] * certain[large - self.parts]
            spins += ways * brings.spins
            spins_square += ways * brings.spins**2
        whole = self.combinations
        return SpinMoments(
            mean=tuple(one / whole for one in mean),
            product=tuple(tuple(one / whole for one in row) for row in product),
            with_spins=tuple(one / whole for one in with_spins),
            spins=spins / whole,
            spins_square=spins_square / whole,
        )

    def chance(self, wanted: Callable[[int], bool], *, or_hits: bool = False) -> Fraction:
        """Return the chance of the `wanted` tags; with `or_hits`, also of combinations in which a part pays."""
        found = sum(ways if wanted(tag) else self.hits[tag] * or_hits for tag, (ways, _, _) in self.by_tag.items())
        return Fraction(found, self.combinations)


@dataclass(frozen=True)
class SpinLaw:
    """How many of `combinations` have each outcome; `parts` are how many parts an outcome names."""

    combinations: int
    ways: Mapping[Outcome, int]
    parts: int

    def by_tag(self) -> Mapping[int, int]:
        """Return the combinations by tag."""
        return {tag: ways for tag, (ways, _, _) in self.sums.by_tag.items()}

    def chance(self, wanted: Callable[[Outcome], bool]) -> Fraction:
        """Return the chance of the outcomes that are `wanted`."""
        return Fraction(sum(ways for outcome, ways in self.ways.items() if wanted(outcome)), self.combinations)

    def moments(self, given: Callable[[int], Given]) -> SpinMoments:
        """Return the moments of the parts, then the scatters, then the bonus; `given` says what a tag brings."""
        return self.sums.moments(given)

    @cached_property
    def sums(self) -> SpinSums:
        """The sums of the parts and of their products."""
        parts = range(self.parts)
        ways: Counter[int] = Counter()
        hits: Counter[int] = Counter()
        sums: dict[int, list[int]] = defaultdict(lambda: [0] * self.parts)
        squares: dict[int, list[list[int]]] = defaultdict(lambda: [[0] * self.parts for _ in parts])
        for outcome, count in self.ways.items():
            tag, coins = outcome[0], outcome[1:]
            ways[tag] += count
            hits[tag] += count * any(coins)
            for a in parts:
                if coins[a]:
                    sums[tag][a] += count * coins[a]
                    for b in parts:
                        squares[tag][a][b] += count * coins[a] * coins[b]
        by_tag = {tag: (count, sums[tag], squares[tag]) for tag, count in ways.items()}
        return SpinSums(self.combinations, self.parts, by_tag, hits)


def law_of(combinations: int, ways: Mapping[Outcome, int]) -> SpinLaw:
    """Return the law of `ways`; raise ArithmeticError unless they add up to all combinations."""
    if sum(ways.values()) != combinations:
        raise ArithmeticError(f"{sum(ways.values())} outcomes of {combinations} combinations of stops")
    return SpinLaw(combinations, ways, len(next(iter(ways))) - 1)


Tagged = Sequence[Mapping[tuple[tuple[str, ...], int], int]]
"""For each reel: a column and its tag, with the stops that show it."""
