"""The chance that a whole play, with all the free spins that it brings, wins an amount or more.

A distribution is represented by its spectrum, the discrete Fourier transform of the chances of 0, 1, 2 ... coins:
adding independent wins multiplies their spectra. Let F_k be the spectrum of a free spin's own win where it wins k more
free spins. The spectrum y of a free spin with all that follow from it solves y = sum of F_k y^k at each frequency; a
play is the same sum over the paid spin.

The result is a bound from below. `ROUNDING`, more than all rounding errors together, is subtracted from each chance,
and amounts beyond the spectrum's size wrap around to small ones, where they count for less than they are.

Only the tools that compute the figures (`gamekit.working_out`) need numpy, not the programs that show them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from gamekit.win_up_to import ONE_IN

Spectrum = NDArray[np.complex128]

Outcomes = Mapping[int, Spectrum]
"""One spin: by the free spins that it wins, the spectrum of its win, with their chance as its mass."""

ROUNDING = 1e-11
"""An error of at most 1e-14 in each frequency makes a mean square error as large in the chances (Parseval), and at most
the square root of their number times that, below 1e-11, in any sum of them."""

_ERROR = 1e-14
_STEPS = 60


class UnsolvedError(ArithmeticError):
    """Free spins retrigger without end: no distribution of a play was found."""


@dataclass(frozen=True)
class Reached:
    """An amount in coins, and how many plays it takes on average until one wins it or more."""

    coins: int
    one_in: int


class Spectra:
    """Spectra of wins of 0 to `size` - 1 coins; the size is a power of two."""

    def __init__(self, size: int) -> None:
        self.size = size

    def of(self, chances: Mapping[int, float]) -> Spectrum:
        """Return the spectrum of `chances`, by coins, which need not add up to 1; raise IndexError beyond the size."""
        values = np.zeros(self.size)
        values[list(chances)] = list(chances.values())
        return np.fft.rfft(values)

    def tail(self, play: Spectrum) -> NDArray[np.float64]:
        """Return the chance of winning each number of coins or more."""
        chances = np.fft.irfft(play, self.size)
        return np.cumsum(chances[::-1])[::-1]


def scaled(ways: Mapping[int, int], total: int, *, times: int = 1, plus: int = 0) -> dict[int, float]:
    """Return the chances of `ways` out of `total`, each win multiplied by `times` and then `plus` added."""
    return {coins * times + plus: count / total for coins, count in ways.items()}


def mixed(outcomes: Iterable[tuple[int, Spectrum]]) -> Outcomes:
    """Return the sum of spectra by the free spins that come with them."""
    total: dict[int, Spectrum] = {}
    for spins, spectrum in outcomes:
        total[spins] = total[spins] + spectrum if spins in total else spectrum
    return total


def played_out(spin: Outcomes, free: Outcomes) -> Spectrum:
    """Return the spectrum of a spin with the free spins that it brings, each of which is `free`."""
    return _put_in(spin, _tree(free))[0]


def _put_in(spin: Outcomes, tree: Spectrum) -> tuple[Spectrum, Spectrum]:
    """Return the sum of F_k y^k, and its derivative by y."""
    value = np.zeros_like(tree)
    slope = np.zeros_like(tree)
    for spins, spectrum in spin.items():
        if not spins:
            value += spectrum
            continue
        power = spectrum * tree ** (spins - 1)
        value += power * tree
        slope += spins * power
    return value, slope


def _tree(free: Outcomes) -> Spectrum:
    """Return the spectrum of a free spin and all that come of it, by Newton's method from a few plain steps."""
    tree = np.zeros_like(next(iter(free.values())))
    for _ in range(8):
        tree = _put_in(free, tree)[0]
    for _ in range(_STEPS):
        value, slope = _put_in(free, tree)
        step = (value - tree) / (1 - slope)
        tree = tree + step
        if np.abs(step).max() < _ERROR:
            break
    left = np.abs(_put_in(free, tree)[0] - tree).max()
    # Besides the wanted solution there are solutions above 1, which are not distributions.
    if left > _ERROR or np.abs(tree).max() > 1 + _ERROR:
        raise UnsolvedError(f"{left} is left of the equation of the free spins, whose tree comes to {abs(tree).max()}")
    return tree


def reached(tail: Sequence[float] | NDArray[np.float64], one_in: int = ONE_IN) -> Reached:
    """Return the highest amount that at least one play in `one_in` reaches, by the chances of each and more."""
    sure = np.asarray(tail) - ROUNDING
    coins = int(np.nonzero(sure >= 1 / one_in)[0][-1])
    return Reached(coins, ceil(1 / sure[coins]))
