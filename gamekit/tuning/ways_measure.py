"""The figures of a game of ways, with cascades or without, on other reels: exactly, and estimated for neighbours.

The wins of the first windows (those that the stops show) and the hit frequency follow directly from the strips. Only
the wins that cascades add must be played, over all combinations; between neighbours they hardly change relative to the
rest. Without cascades, every figure but sigma is exact without playing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

from gamekit.declared.declaration import LineWins
from gamekit.declared.maths import LawMaths
from gamekit.exact.rounds import RoundFigures
from gamekit.exact.spin_law import SpinSums
from gamekit.reels import Reels, Strip
from gamekit.tuning.fixed import Fixed
from gamekit.tuning.measure import Layout
from gamekit.tuning.targets import Figures
from gamekit.ways import WaysRules

if TYPE_CHECKING:  # numba is for designers, and compiles the first time
    from gamekit.kernels.cycle import FirstWindows, ReelWindows

_REELS_KNOWN = 4096


class Played(NamedTuple):
    """The full-cycle results of one layout, from which its neighbours are estimated, and its `first` windows.

    `paid` and `free` are what cascades add in each kind of spin, divided by the first windows' mean and chance to win;
    `scatters` is the chance of each number of scatters in the last window; `sigma` is sigma squared divided by the
    spread.
    """

    first: "FirstWindows"
    paid: float
    free: float
    scatters: tuple[float, ...]
    sigma: float = 1.0


class _Spins(NamedTuple):
    """The scatters of a spin: their mean pay in coins, mean free spins, and the chance that free spins start."""

    pay: float
    spins: float
    starts: float


def is_measured(maths: LawMaths) -> bool:
    """Whether `WaysMeasure` can measure `maths`: plain ways on the same reels in free spins, with numba installed.

    Cascades must have the same limit of falls in paid and in free spins.
    """
    declared = maths.declared
    limits = {None if rules is None else rules.most for rules in (declared.cascades, declared.free_cascades)}
    return (
        not isinstance(declared.wins, LineWins)
        and len(limits) == 1
        and declared.free_spins.reels is None
        and not declared.free_spins.sticky
        and not declared.expanding
        and declared.hold is None
        and find_spec("numba") is not None
    )


class WaysMeasure:
    """Figures of `maths` on reels that keep to `fixed`; raises TypeError for a game without ways."""

    def __init__(self, maths: LawMaths, fixed: Fixed, lines: int) -> None:
        declared = maths.declared
        if isinstance(declared.wins, LineWins):
            raise TypeError(f"{maths.game.title} is no game of ways")
        self.maths = maths
        self.fixed = fixed
        self.lines = lines
        self._rules: WaysRules = declared.wins
        kinds = ((declared.cascades, 1), (declared.free_cascades, declared.free_spins.multiplier))
        self._multipliers = tuple(plain if rules is None else rules.multiplier(0) for rules, plain in kinds)
        self._cycle = import_module("gamekit.kernels.cycle")
        # A neighbour shares all reels but one with its layout.
        self._windows = lru_cache(_REELS_KNOWN)(self._windows_of)

    def on(self, layout: Layout) -> LawMaths:
        """Return the maths on the reels of `layout`."""
        strips = list(map(self.fixed.strip, count(), layout))
        return on_other_reels(self.maths, Reels(strips, self.maths.declared.reels.rows))

    def exact(self, layout: Layout) -> Figures:
        """Return the exact figures."""
        maths = self.on(layout)
        return self._figures(maths, *self._sums(maths))

    def _sums(self, maths: LawMaths) -> tuple[SpinSums, SpinSums]:
        """Return the sums of the paid and the free spin: cascades are played, other games walked reel by reel."""
        if maths.declared.cascades is not None:
            sums: tuple[SpinSums, SpinSums] = self._cycle.cycle_sums(maths.declared)
            return sums
        return maths.spins.law(free=False, lines=self.lines).sums, maths.spins.law(free=True, lines=self.lines).sums

    def played(self, layout: Layout) -> tuple[Figures, Played]:
        """Return the exact figures, and the results from which `estimate` estimates neighbours."""
        maths = self.on(layout)
        sums = self._sums(maths)
        figures = self._figures(maths, *sums)
        first = self._first(layout)
        paid, free = (sum(sum(parts[1:]) for _, parts, _ in one.by_tag.values()) / one.combinations for one in sums)
        share = first.win * first.wins
        by_tag = sums[0].by_tag
        known = Played(
            first=first,
            paid=paid / share if share else 0.0,
            free=free / share if share else 0.0,
            scatters=tuple(
                by_tag[tag][0] / sums[0].combinations if tag in by_tag else 0.0 for tag in range(max(by_tag) + 1)
            ),
        )
        spread = self._spread(first, self._scatters(first.scatters))
        return figures, known._replace(sigma=figures.sigma**2 / spread if 0 < spread < inf else 1.0)

    def estimate(self, layout: Layout, played: Played) -> Figures:
        """Return figures estimated from the layout's first windows and the `played` results of a neighbour.

        The hit frequency is exact: symbols fall only after a win in the first window.
        """
        first = self._first(layout)
        scatters = _scaled(played.scatters, first.scatters, played.first.scatters)
        paid, free = (
            first.win * (multiplier + first.wins * added)
            for multiplier, added in zip(self._multipliers, (played.paid, played.free), strict=True)
        )
        brings = self._scatters(scatters)
        again = brings.spins if self.maths.declared.free_spins.retrigger else 0.0
        if again >= 1:
            return Figures(inf, self._hit(first), inf, brings.starts)
        tree = (free + brings.pay) / (1 - again)
        return Figures(
            rtp=(paid + brings.pay + brings.spins * tree) / self.lines,
            hit=self._hit(first),
            sigma=sqrt(played.sigma * self._spread(first, self._scatters(first.scatters))),
            free_spins=brings.starts,
        )

    def _windows_of(self, strip: Strip) -> "ReelWindows":
        declared = self.maths.declared
        windows: ReelWindows = self._cycle.reel_windows(
            strip, declared.reels.rows, self._rules, declared.scatter.symbol
        )
        return windows

    def _first(self, layout: Layout) -> "FirstWindows":
        windows = [self._windows(self.fixed.strip(number, reel)) for number, reel in enumerate(layout)]
        first: FirstWindows = self._cycle.first_windows(windows, self._rules)
        return first

    def _hit(self, first: "FirstWindows") -> float:
        starts = self.maths.starts
        return first.wins + sum(chance for tag, chance in enumerate(first.losing) if starts(tag))

    def _scatters(self, chances: Sequence[float]) -> _Spins:
        scatter = self.maths.declared.scatter
        return _Spins(
            pay=_mean(chances, scatter.pays) * self.lines,
            spins=_mean(chances, scatter.free_spins),
            starts=_mean(chances, dict.fromkeys(scatter.free_spins, 1)),
        )

    def _spread(self, first: "FirstWindows", brings: _Spins) -> float:
        """Return a figure nearly proportional to sigma squared: the squares of single wins, in bets."""
        paid, free = (multiplier**2 for multiplier in self._multipliers)
        pays = self.maths.declared.scatter.pays
        square = _mean(first.scatters, {shown: pay**2 for shown, pay in pays.items()})
        return first.square * (1 + first.wins) * (paid + brings.spins * free) / self.lines**2 + square

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


def _mean(chances: Sequence[float], values: Mapping[int, int]) -> float:
    return float(sum(chance * values.get(shown, 0) for shown, chance in enumerate(chances)))


def _scaled(played: Sequence[float], first: Sequence[float], beside: Sequence[float]) -> tuple[float, ...]:
    """Return the chances `played`, each scaled by the ratio of `first` to `beside`."""
    return tuple(
        chance * (first[shown] / beside[shown] if shown < min(len(first), len(beside)) and beside[shown] else 1.0)
        for shown, chance in enumerate(played)
    )


def on_other_reels(maths: LawMaths, reels: Reels) -> LawMaths:
    """Return `maths` on `reels`: those of the paid spin, and of free spins that have none of their own."""
    return LawMaths(maths.game, replace(maths.declared, reels=reels))
