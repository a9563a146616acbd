"""The distribution of a whole play of a declared game, and the promise of each bet, for the game's `reach` module."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np

from gamekit.declared.hold_values import HoldValues
from gamekit.declared.maths import LawMaths
from gamekit.exact.tails import Outcomes, Spectra, Spectrum, mixed, played_out, reached, scaled
from gamekit.figures import Promise
from gamekit.play import Stake

STICKY_LEFT_OUT = "what free spins win"


class DeclaredReach:
    """The spectra of `maths`, of wins of up to `size` coins at one coin a line; `size` is a power of two.

    Free spins with sticky wilds are left out and listed in `left_out`: the promises are then lower bounds. The parts
    that an extension of `LawMaths` adds are left out too and must be named in `also`, otherwise ValueError is raised.
    """

    def __init__(self, maths: LawMaths, size: int, *, also: str = "") -> None:
        if type(maths) is not LawMaths and not also:
            raise ValueError(f"{maths.game.title}: what {type(maths).__name__} adds is left out; name it by also=")
        self.maths = maths
        self.spectra = Spectra(size)
        sticky = maths.declared.free_spins.sticky
        self.left_out = " and ".join(left for left in (STICKY_LEFT_OUT if sticky else "", also) if left)
        hold = maths.declared.hold
        self._hold = None if hold is None else HoldValues(hold)
        self._held = cache(self._hold_spectrum)

    def spectrum(self, stake: Stake) -> Spectrum:
        """Return the spectrum of a whole play, in coins for each coin on a line."""
        paid = self._spin(stake.lines, free=False)
        if self.maths.declared.free_spins.sticky:
            alone: Spectrum = np.sum(list(paid.values()), axis=0)
            return alone
        return played_out(paid, self._spin(stake.lines, free=True)) if self.maths.declared.has_free_spins else paid[0]

    def promises(self) -> Iterator[Promise]:
        """Yield what every bet may promise; coins on a line scale every win alike."""
        for lines in self.maths.game.line_counts:
            found = reached(self.spectra.tail(self.spectrum(Stake(lines=lines, coins_per_line=1))))
            for coins in self.maths.game.coins_per_line:
                yield Promise.of(Stake(lines=lines, coins_per_line=coins), found.coins * coins, found.one_in)

    def _spin(self, lines: int, *, free: bool) -> Outcomes:
        """Return the outcomes of a paid or free spin."""
        law = self.maths.spins.law(free=free, lines=lines)
        by_spins: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for outcome, ways in law.ways.items():
            given = self.maths.given(lines, outcome[0], free=free)
            held = self.maths.spins.tags.holds(outcome[0])
            if self._hold is None or held < self._hold.hold.least:
                held = 0
            by_spins[given.spins, held][sum(outcome[1:]) + given.scatter] += ways
        return mixed(
            (spins, self.spectra.of(scaled(ways, law.combinations)) * (self._held(held, lines) if held else 1))
            for (spins, held), ways in by_spins.items()
        )

    def _hold_spectrum(self, held: int, lines: int) -> Spectrum:
        """Return the spectrum of what hold and win pays, started by `held` symbols."""
        if self._hold is None:
            raise ValueError("the game has no hold and win")
        values = self._hold.hold.values
        one = self.spectra.of(scaled(values.weights, values.total, times=lines))
        total: Spectrum = np.zeros_like(one)
        for filled, chance in self._hold.filled(held).items():
            full = self.spectra.of({self._hold.full(filled) * lines: 1.0})
            total = total + float(chance) * one**filled * full
        return total
