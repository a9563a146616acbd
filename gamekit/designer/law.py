"""The distribution of a whole play's win, and what follows from it for sessions of many plays.

It is exact if the game's `reach` module gives the spectrum of everything that a play can win (`gamekit.exact.tails`),
up to floating-point rounding. The chances are correct to `ROUNDING`; smaller ones are not shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from gamekit import catalogue
from gamekit.exact.tails import ROUNDING
from gamekit.maths import Maths, cost
from gamekit.play import Stake

Chances = NDArray[np.float64]

_AGREES = 1e-6
"""The relative error of a mean by which a distribution is known to be that of the whole play."""
_MOST = 2**23


class NoLawError(LookupError):
    """The exact distribution of a play is not known; the message says why."""


@dataclass(frozen=True)
class PlayLaw:
    """The chances of 0, 1, 2 ... units, of which a play costs `bet`; a unit is a coin on each line."""

    bet: int
    chances: Chances

    @cached_property
    def mean(self) -> float:
        """What a play returns, in bets."""
        return float(self.chances @ np.arange(self.chances.size)) / self.bet

    @cached_property
    def sigma(self) -> float:
        """The standard deviation of a play, in bets."""
        coins = np.arange(self.chances.size, dtype=np.float64)
        return sqrt(float(self.chances @ coins**2) / self.bet**2 - self.mean**2)

    @cached_property
    def tail(self) -> Chances:
        """The chance of so many units or more."""
        return np.cumsum(self.chances[::-1])[::-1]

    @cached_property
    def reach(self) -> int:
        """The highest number of units that is reached or exceeded with a chance of at least `ROUNDING`."""
        return int(np.nonzero(self.tail >= ROUNDING)[0][-1])

    def above(self, bets: float) -> float:
        """Return the chance to win more than so many bets."""
        first = int(np.floor(bets * self.bet)) + 1
        return float(self.tail[first]) if first < self.tail.size else 0.0

    def share_above(self, bets: float) -> float:
        """Return the share of the return that comes from wins above a number of bets."""
        first = int(np.floor(bets * self.bet)) + 1
        coins = np.arange(first, self.chances.size)
        return float(self.chances[first:] @ coins) / self.bet / self.mean

    def sum_of(self, plays: int) -> Chances:
        """Return the chances of the total win of a number of plays; raise NoLawError if it needs too much memory."""
        size = 2 ** int(np.ceil(np.log2(max(2 * plays * self.bet, 2 * self.reach + plays * self.bet))))
        if size > _MOST:
            raise NoLawError(f"{plays} plays of {self.bet} units need {size} chances")
        spectrum = np.fft.rfft(self.chances[: min(size, self.chances.size)], size) ** plays
        return np.fft.irfft(spectrum, size)


def exact_law(maths: Maths, stake: Stake, mean: Fraction) -> PlayLaw:
    """Return the law of a play at `stake`; raise NoLawError if the game has no law that covers all wins of a play.

    The distribution from `reach` is compared with the exact `mean` of a play in coins and used only if both agree.
    """
    name = maths.game.name
    if len(maths.states) > 1:
        raise NoLawError("what a play wins depends on the memory that it begins with")
    if not catalogue.has_module(name, "reach"):
        raise NoLawError(f"{name} has no reach.py")
    reach: ModuleType = catalogue.module(name, "reach")
    if reach.LEFT_OUT:
        raise NoLawError(f"reach.py leaves out {reach.LEFT_OUT}")
    law = PlayLaw(stake.lines * stake.price, np.fft.irfft(reach.spectrum(stake), reach.SPECTRA.size))
    exact = float(mean / cost(stake))
    if abs(law.mean - exact) > _AGREES * exact:
        raise NoLawError(f"reach.py's distribution returns {100 * law.mean:.6f} %, the maths {100 * exact:.6f} %")
    return law


def quantile(chances: Chances, share: float) -> int:
    """Return the lowest place that at least `share` of the chances reach up to."""
    sums = np.cumsum(chances)
    return int(np.searchsorted(sums, share * sums[-1]))


def lasting(law: PlayLaw, budget_bets: int, plays: int) -> Chances:
    """Return the chances that a budget of so many bets pays for at least 0, 1 ... `plays` plays.

    Every play costs one bet, and its win is added to the budget. A balance that is enough for all remaining plays
    counts as lasting at once, so fewer balances have to be followed with each play. The result is complete.
    """
    bet = law.bet
    lasts = np.ones(plays + 1)
    if budget_bets >= plays:
        return lasts
    balances = np.zeros(plays * bet)  # this much before the first play pays for all plays
    balances[budget_bets * bet] = 1.0
    sure = 0.0
    size, spectrum = 0, np.zeros(0, dtype=np.complex128)
    for play in range(1, plays + 1):
        followed = balances.size
        doubled = 2 ** int(np.ceil(np.log2(2 * followed)))
        if doubled != size:
            size = doubled
            spectrum = np.fft.rfft(law.chances[:followed], size)
        paid = np.zeros(followed)
        paid[: followed - bet] = balances[bet:]  # a balance below one bet is the end
        before = float(paid.sum())
        lasts[play] = sure + before
        balances = np.fft.irfft(np.fft.rfft(paid, size) * spectrum, size)[: (plays - play) * bet]
        sure += before - float(balances.sum())
    return lasts


def thinned(most: int, points: int = 160) -> Sequence[int]:
    """Return whole numbers from 1 to `most`, closer where they are small: for a logarithmic axis."""
    return sorted({round(value) for value in np.geomspace(1, max(most, 1), points)})
