"""From one spin to a whole round: a paid spin with the free spins it queues, and those they queue.

A free spin's tree Y is its own win X and the trees of the K spins it wins. With q = E[K] and mu = E[X]:
E[Y] = mu / (1 - q) and Var(Y) = Var(X + K E[Y]) / (1 - q), since K, and with it the trees, comes with X. A round is the
paid spin's win and the trees of the spins it wins. Leaving out the covariance of X and K makes sigma too low.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gamekit.exact.moments import SpinMoments


@dataclass(frozen=True)
class Figure:
    """The mean and the variance of a part of a round."""

    mean: Fraction
    variance: Fraction


class RoundFigures:
    """The parts of a round at one number of lines, in coins at one coin a line."""

    def __init__(self, base: SpinMoments, free: SpinMoments) -> None:
        self._base = base
        self._free = free
        self._size = len(base.mean)

    @property
    def total(self) -> Figure:
        """The whole round."""
        every = range(self._size)
        return self._figure(every, every)

    def parts(self) -> list[Figure]:
        """Return the figures of the paid spin's parts, then of the same parts in free spins."""
        return [
            *(self._figure([part], []) for part in range(self._size)),
            *(self._figure([], [part]) for part in range(self._size)),
        ]

    @property
    def free_spins(self) -> Fraction:
        """How many free spins a round plays on average."""
        return self._base.spins / (1 - self._free.spins)

    def _figure(self, in_base: Sequence[int], in_free: Sequence[int]) -> Figure:
        free_mean = sum((self._free.mean[part] for part in in_free), Fraction(0))
        tree = free_mean / (1 - self._free.spins)
        tree_variance = _variance(self._free, in_free, tree) / (1 - self._free.spins)
        base_mean = sum((self._base.mean[part] for part in in_base), Fraction(0))
        return Figure(
            mean=base_mean + self._base.spins * tree,
            variance=_variance(self._base, in_base, tree) + self._base.spins * tree_variance,
        )


def _variance(spin: SpinMoments, parts: Sequence[int], tree: Fraction) -> Fraction:
    """Return Var(X + K tree) for the sum X of `parts` of a spin that wins K free spins."""
    mean = sum((spin.mean[part] for part in parts), Fraction(0)) + spin.spins * tree
    square = sum((spin.product[a][b] for a in parts for b in parts), Fraction(0))
    mixed = sum((spin.with_spins[part] for part in parts), Fraction(0))
    return square + 2 * tree * mixed + tree**2 * spin.spins_square - mean**2
