"""The pay of a declared hold and win in whole bets, by the number of symbols that start it."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from gamekit.declared.declaration import HoldAndWin
from gamekit.exact.hold_and_win import FilledCells


class HoldValues:
    """The mean, the mean square and the highest pay of `hold`."""

    def __init__(self, hold: HoldAndWin) -> None:
        self.hold = hold
        self._cells = len(hold.rules.cells)
        self._filled = FilledCells(hold.rules)
        self.moments = cache(self._moments)

    def filled(self, held: int) -> Mapping[int, Fraction]:
        """Return the chances of the cells filled at the end, from `held` on; nothing where they are not enough."""
        return self._filled.law(held) if held >= self.hold.least else {}

    def full(self, filled: int) -> int:
        """Return what a window with so many symbols adds."""
        return self.hold.full if filled == self._cells else 0

    def _moments(self, held: int) -> tuple[Fraction, Fraction]:
        values = self.hold.values
        mean = square = Fraction(0)
        for filled, chance in self.filled(held).items():
            known = filled * values.mean + self.full(filled)
            mean += chance * known
            square += chance * (known**2 + filled * values.variance)
        return mean, square

    def highest(self, held: int) -> tuple[int, Fraction]:
        """Return the highest pay and its chance: every cell filled with the highest value."""
        chance = self.filled(held).get(self._cells, Fraction(0))
        values = self.hold.values
        best = Fraction(values.weights[values.largest], values.total)
        return self._cells * values.largest + self.hold.full, chance * best**self._cells
