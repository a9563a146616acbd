"""Works out a game's figures for `figures.json`: its returns, its highest wins, and what it may advertise.

The module `reach` of each game gives the distribution of a whole play. The computation takes minutes for some games,
and needs numpy, which the cabinet itself does not.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol, cast

import msgspec
import numpy as np

from gamekit import catalogue, figures
from gamekit.exact.extremes import Largest
from gamekit.exact.tails import Spectra, Spectrum
from gamekit.figures import Figures, Highest, Promise, Return
from gamekit.maths import Maths, cost, load_maths
from gamekit.play import Stake
from gamekit.read_back import DisagreementError, hold_returns, returns_of
from gamekit.rewriting import rewrite

_AGREES = 1e-6
"""The relative error of a mean by which a distribution is known to be that of the whole play."""


class Reach(Protocol):
    """A game's `reach` module."""

    LEFT_OUT: str
    SPECTRA: Spectra

    def spectrum(self, stake: Stake, /) -> Spectrum:
        """Return the spectrum of a whole play at `stake`."""
        ...

    def promises(self) -> Iterator[Promise]:
        """Yield what every bet may promise."""
        ...


def load_reach(name: str) -> Reach:
    """Return the `reach` module of the game called `name`."""
    return cast("Reach", catalogue.module(name, "reach"))


def work_out(name: str) -> Figures:
    """Return the figures of the game called `name`; raise `DisagreementError` where its reach is not of its maths."""
    reach, maths = load_reach(name), load_maths(name)
    hold_reach(maths, reach)
    return with_returns(maths, reach.LEFT_OUT, list(reach.promises()))


def hold_reach(maths: Maths, reach: Reach) -> None:
    """Raise `DisagreementError` unless `reach` returns what `maths` does, or less where it leaves wins out.

    Looked at are the highest paid and the highest bought bet. Where a play depends on a memory it is one distribution
    for all states, and is not comparable.
    """
    if len(maths.states) > 1:
        return
    for stake in {stake.price: stake for stake in maths.stakes}.values():
        chances = np.fft.irfft(reach.spectrum(stake), reach.SPECTRA.size)
        found = float(chances @ np.arange(chances.size)) / (stake.lines * stake.price)
        exact = float(maths.figures(stake, maths.states[0]).mean / cost(stake))
        if found > exact * (1 + _AGREES) or (found < exact * (1 - _AGREES) and not reach.LEFT_OUT):
            raise DisagreementError(
                f"reach.py's distribution returns {found:.6%}, the maths {exact:.6%}: let spectrum() have everything"
                " that a play wins, or say in LEFT_OUT what it has not"
            )


def with_returns(maths: Maths, left_out: str, promises: list[Promise]) -> Figures:
    """Return the figures of `maths` with these promises."""
    stake = maths.stakes[-1]
    largest = (maths.figures(stake, state).largest for state in maths.states)
    paid = max(largest, key=lambda one: (one.coins, one.chance))
    free = maths.best_free_spin(stake)
    returns = [_return(maths, each) for each in maths.stakes]
    ((usual, _),) = Counter(one.millionths for one in returns).most_common(1)
    lowest = maths.stakes[0]
    return Figures(
        maths_hash=maths.game.maths_hash,
        left_out=left_out,
        paid=_highest(paid),
        free=None if free is None else _highest(free),
        base_return=round(maths.figures(lowest, maths.states[0]).mean * 10_000 / cost(lowest)),
        usual_return=usual,
        special_returns=[one for one in returns if one.millionths != usual],
        promises=promises,
    )


def _return(maths: Maths, stake: Stake) -> Return:
    found = maths.figures(stake, maths.states[0])
    return Return(
        lines=stake.lines,
        coins_per_line=stake.coins_per_line,
        price=stake.price,
        millionths=round((found.mean + found.growth) * 100 * 10**6 / cost(stake)),
    )


def _highest(largest: Largest) -> Highest:
    return Highest(coins=largest.coins, one_in=round(1 / largest.chance))


def encoded(found: Figures) -> bytes:
    """Return figures as they are kept: a line for each promise."""
    head = msgspec.to_builtins(found)
    promises = head.pop("promises")
    fields = [f' "{key}": {msgspec.json.encode(value).decode()},' for key, value in head.items()]
    rows = [f"  {msgspec.json.encode(row).decode()}" for row in promises]
    return "\n".join(["{", *fields, ' "promises": [', ",\n".join(rows), " ]", "}", ""]).encode()


def keep(name: str) -> Figures:
    """Work out the figures of the game called `name`, write them into its folder, and return them.

    Raises `DisagreementError`, with nothing written, where the maths is not the one in the game's folder, or does not
    agree with itself.
    """
    found = work_out(name)
    hold_returns(name, returns_of(load_maths(name)))
    rewrite(figures.file_of(name), encoded(found))
    figures.forget()
    return found
