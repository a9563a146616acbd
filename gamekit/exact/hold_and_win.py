"""How many cells hold and win fills, exactly: dynamic programming over cells filled and respins left."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb

from gamekit.hold_and_win import HoldRules

Law = Mapping[int, Fraction]
"""Chances by number of cells filled."""


class FilledCells:
    """The law of the cells filled at the end, under `rules`."""

    def __init__(self, rules: HoldRules) -> None:
        self._cells = rules.reels * rules.rows
        self._respins = rules.respins
        self._chance = Fraction(rules.strip.count(rules.symbol), len(rules.strip))
        self._law = cache(self._play_on)

    def law(self, held: int) -> Law:
        """Return the law of the cells filled at the end of a feature that starts with `held`."""
        return self._law(held, self._respins)

    def _play_on(self, filled: int, left: int) -> Law:
        if not left or filled == self._cells:
            return {filled: Fraction(1)}
        law: dict[int, Fraction] = defaultdict(Fraction)
        for new, chance in enumerate(self._landing(self._cells - filled)):
            after = self._law(filled + new, self._respins) if new else self._law(filled, left - 1)
            for end, part in after.items():
                law[end] += chance * part
        return law

    def _landing(self, empty: int) -> list[Fraction]:
        """Return the chances that 0, 1, 2 ... of the `empty` cells show the symbol in one respin."""
        hit, miss = self._chance, 1 - self._chance
        return [comb(empty, new) * hit**new * miss ** (empty - new) for new in range(empty + 1)]
