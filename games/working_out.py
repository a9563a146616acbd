"""Works out a game's figures for `figures.json`: its returns, its highest wins, and what it may advertise.

The module `reach` of each game gives the distribution of a whole play. The computation takes minutes for some games,
and needs numpy, which the cabinet itself does not.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol, cast

import msgspec

from games import catalogue, figures
from games.exact.extremes import Largest
from games.exact.tails import Spectra, Spectrum
from games.figures import Figures, Highest, Promise, Return
from games.maths import Maths, cost, load_maths
from games.play import Stake
from games.rewriting import rewrite


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
    """Return the figures of the game called `name`."""
    reach = load_reach(name)
    return with_returns(load_maths(name), reach.LEFT_OUT, list(reach.promises()))


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
    """Work out the figures of the game called `name`, write them into its folder, and return them."""
    found = work_out(name)
    rewrite(figures.file_of(name), encoded(found))
    figures.forget()
    return found
