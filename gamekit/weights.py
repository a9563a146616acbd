"""Weighted tables: amounts drawn with integer weights."""

from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate

from gamekit.play import Draw


class WeightedTable:
    """Draws one of `weights`' amounts, each as often as its weight says; raises ValueError for a weight below 1."""

    def __init__(self, weights: Mapping[int, int]) -> None:
        for amount, weight in weights.items():
            if weight < 1:
                raise ValueError(f"the amount {amount} has the weight {weight}: leave it out or give it 1 or more")
        self.weights = dict(weights)
        self.total = sum(weights.values())
        self._amounts = tuple(weights)
        self._bounds = tuple(accumulate(weights.values()))

    def draw(self, draw: Draw) -> int:
        """Return an amount, with one draw of bound `total`."""
        return self._amounts[bisect_right(self._bounds, draw(self.total))]

    @property
    def largest(self) -> int:
        """The largest amount in the table."""
        return max(self._amounts)

    @property
    def mean(self) -> Fraction:
        """The exact mean of an amount drawn."""
        return Fraction(sum(amount * weight for amount, weight in self.weights.items()), self.total)

    @property
    def variance(self) -> Fraction:
        """The exact variance of an amount drawn."""
        square = Fraction(sum(amount**2 * weight for amount, weight in self.weights.items()), self.total)
        return square - self.mean**2
