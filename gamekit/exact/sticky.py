"""Free spins with sticky wilds: a Markov chain over the held cells, which only grow in number, and the spins left.

Such free spins win no further free spins, so their number is fixed and the chain ends. All arithmetic uses integers:
after n spins the denominator is the number of combinations of stops to the power n.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from gamekit.exact.moments import SpinMoments
from gamekit.exact.spin_law import Given, SpinLaw

_NONE = 0
"""No wild is held."""
_PARTS = 2
"""Lines or ways, and scatters."""

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]


@dataclass(frozen=True)
class _Step:
    """The spins that lead from one set of held wilds to another: their number and the sums of wins and of products."""

    ways: int
    sums: Vector
    squares: Matrix


class StickySpins:
    """The joint win of free spins; `law(bits)` is the law of one with these wilds held, `held(tag)` the bits after."""

    def __init__(
        self, law: Callable[[int], SpinLaw], given: Callable[[int], Given], held: Callable[[int], int]
    ) -> None:
        self._law = law
        self._given = given
        self._held = held
        self._combinations = law(_NONE).combinations
        self._steps = cache(self._find_steps)
        self.sums = cache(self._sums)

    def _find_steps(self, held: int) -> Mapping[int, _Step]:
        ways: Counter[int] = Counter()
        sums: dict[int, list[int]] = defaultdict(lambda: [0] * _PARTS)
        squares: dict[int, list[list[int]]] = defaultdict(lambda: [[0] * _PARTS for _ in range(_PARTS)])
        for (tag, coins), count in self._law(held).ways.items():
            after = self._held(tag)
            won = (coins, self._given(tag).scatter)
            ways[after] += count
            for a in range(_PARTS):
                sums[after][a] += count * won[a]
                for b in range(_PARTS):
                    squares[after][a][b] += count * won[a] * won[b]
        return {
            after: _Step(count, tuple(sums[after]), tuple(map(tuple, squares[after]))) for after, count in ways.items()
        }

    def _sums(self, spins: int, held: int = _NONE) -> tuple[Vector, Matrix]:
        """Return the sums of wins and of their products over all outcomes of `spins` spins that start with `held`."""
        parts = range(_PARTS)
        if not spins:
            return (0,) * _PARTS, ((0,) * _PARTS,) * _PARTS
        scale = self._combinations ** (spins - 1)
        mean = [0] * _PARTS
        square = [[0] * _PARTS for _ in parts]
        for after, step in self._steps(held).items():
            later, later_square = self.sums(spins - 1, after)
            for a in parts:
                mean[a] += step.sums[a] * scale + step.ways * later[a]
                for b in parts:
                    square[a][b] += (
                        step.squares[a][b] * scale
                        + step.sums[a] * later[b]
                        + later[a] * step.sums[b]
                        + step.ways * later_square[a][b]
                    )
        return tuple(mean), tuple(map(tuple, square))

    def moments(self, spins: int) -> tuple[list[Fraction], list[list[Fraction]]]:
        """Return the means of the parts of `spins` free spins, and the means of the products of two parts."""
        whole = self._combinations**spins
        mean, square = self.sums(spins)
        return [Fraction(one, whole) for one in mean], [[Fraction(one, whole) for one in row] for row in square]

    def reached(self, spins: int) -> Mapping[int, Fraction]:
        """Return, for each set of held wilds, how many of `spins` free spins begin with it on average."""
        found: dict[int, Fraction] = defaultdict(Fraction)
        now: Mapping[int, Fraction] = {_NONE: Fraction(1)}
        for _ in range(spins):
            after: dict[int, Fraction] = defaultdict(Fraction)
            for held, chance in now.items():
                found[held] += chance
                for to, step in self._steps(held).items():
                    after[to] += chance * step.ways / self._combinations
            now = after
        return found


def with_sticky(law: SpinLaw, given: Callable[[int], Given], sticky: StickySpins, counts: Iterable[int]) -> SpinMoments:
    """Return the moments of a paid spin's parts, then of the same parts of the free spins that it wins.

    `counts` are the numbers of free spins that it may win. The result has no free spins of its own: they are parts.
    """
    base = law.moments(given)
    size = len(base.mean)
    nothing = [Fraction(0)] * size
    mean = [*base.mean, *nothing]
    product = [*([*row, *nothing] for row in base.product), *([*nothing, *nothing] for _ in range(size))]
    for count in sorted(set(counts)):
        those = law.moments(partial(_counting, given, count))
        means, squares = sticky.moments(count)
        for a in range(_PARTS):
            mean[size + a] += those.spins * means[a]
            for b in range(_PARTS):
                product[size + a][size + b] += those.spins * squares[a][b]
            for part in range(size):
                product[part][size + a] += those.with_spins[part] * means[a]
                product[size + a][part] += those.with_spins[part] * means[a]
    return SpinMoments(
        mean=tuple(mean),
        product=tuple(map(tuple, product)),
        with_spins=(Fraction(0),) * len(mean),
        spins=Fraction(0),
        spins_square=Fraction(0),
    )


def _counting(given: Callable[[int], Given], count: int, tag: int) -> Given:
    """Return `given(tag)` with 1 as its free spins if it wins `count` of them, else 0."""
    brings = given(tag)
    return brings._replace(spins=int(brings.spins == count))
