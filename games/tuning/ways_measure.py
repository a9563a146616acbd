"""The figures of a game of ways and cascades on other reels: by a sample of stops, always the same, and exactly."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from math import inf, sqrt
from random import Random

from games.declaration import LineWins
from games.exact.declared_maths import LawMaths
from games.exact.rounds import RoundFigures
from games.exact.spin_law import SpinSums
from games.reels import Reels
from games.tuning.fixed import Fixed
from games.tuning.measure import Layout
from games.tuning.targets import Figures

POINTS = 100_000
"""Combinations of stops in the sample."""


def sampled(maths: LawMaths) -> bool:
    """Whether `maths` is of ways with cascades, on the same reels in free spins, and numba is here to play them."""
    declared = maths.declared
    return (
        not isinstance(declared.wins, LineWins)
        and declared.cascades is not None
        and declared.free_spins.reels is None
        and declared.hold is None
        and find_spec("numba") is not None
    )


class WaysMeasure:
    """Figures of `maths` on reels that keep to `fixed`."""

    def __init__(self, maths: LawMaths, fixed: Fixed, lines: int) -> None:
        self.maths = maths
        self.fixed = fixed
        self.lines = lines
        # numba is for designers, and compiles for half a minute the first time.
        self._cycle = import_module("games.kernels.cycle")
        whim = Random(1)  # noqa: S311 - the same sample every time
        reels = range(len(maths.declared.reels.strips))
        self._points = self._cycle.points_of([[whim.random() for _ in reels] for _ in range(POINTS)])

    def on(self, layout: Layout) -> LawMaths:
        """Return the maths on the reels of `layout`."""
        strips = list(map(self.fixed.strip, count(), layout))
        return on_other_reels(self.maths, Reels(strips, self.maths.declared.reels.rows))

    def estimate(self, layout: Layout) -> Figures:
        """Return the figures by the sample."""
        maths = self.on(layout)
        return self._figures(maths, *self._cycle.sampled_sums(maths.declared, self._points))

    def exact(self, layout: Layout) -> Figures:
        """Return the exact figures."""
        maths = self.on(layout)
        return self._figures(maths, *self._cycle.cycle_sums(maths.declared))

    def _figures(self, maths: LawMaths, paid: SpinSums, free: SpinSums) -> Figures:
        base = paid.moments(partial(maths.given, self.lines))
        again = free.moments(partial(maths.given, self.lines, free=True))
        starts = paid.chance(lambda tag: maths.given(self.lines, tag).spins > 0)
        hit = paid.chance(maths.starts, or_hits=True)
        if again.spins >= 1:
            return Figures(inf, float(hit), inf, float(starts))
        total = RoundFigures(base, again).total
        return Figures(
            rtp=float(total.mean / self.lines),
            hit=float(hit),
            sigma=sqrt(total.variance / Fraction(self.lines) ** 2),
            free_spins=float(starts),
        )


def on_other_reels(maths: LawMaths, reels: Reels) -> LawMaths:
    """Return `maths` on `reels`: those of the paid spin, and of free spins that have none of their own."""
    return LawMaths(maths.game, replace(maths.declared, reels=reels))
