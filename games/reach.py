"""Computes the advertised wins: `python -m games.reach [GAME ...]` writes `win_up_to.json`.

The module `games.<game>.reach` of each game gives the distribution of a whole play. The computation takes minutes and
needs numpy, which the cabinet itself does not.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol

import msgspec

from games.catalogue import NAMES
from games.exact.extremes import Largest
from games.exact.tails import Spectra, Spectrum
from games.maths import load_maths
from games.play import Stake
from games.win_up_to import KEPT, Highest, Kept, Promise, kept


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
    reach: Reach = import_module(f"games.{name}.reach")
    return reach


def work_out(name: str) -> Kept:
    """Return the figures of the game called `name`."""
    reach = load_reach(name)
    maths = load_maths(name)
    stake = maths.stakes[-1]
    largest = (maths.figures(stake, state).largest for state in maths.states)
    paid = max(largest, key=lambda one: (one.coins, one.chance))
    free = maths.best_free_spin(stake)
    return Kept(
        maths_hash=maths.game.maths_hash,
        left_out=reach.LEFT_OUT,
        promises=list(reach.promises()),
        paid=_highest(paid),
        free=None if free is None else _highest(free),
    )


def _highest(largest: Largest) -> Highest:
    return Highest(coins=largest.coins, one_in=round(1 / largest.chance))


def encoded(figures: dict[str, Kept]) -> bytes:
    """Return `figures` as they are kept: a line for each promise."""
    lines = ["{"]
    for number, (name, one) in enumerate(sorted(figures.items())):
        head = msgspec.to_builtins(one)
        promises = head.pop("promises")
        fields = [f'    "{key}": {msgspec.json.encode(value).decode()},' for key, value in head.items()]
        rows = [f"      {msgspec.json.encode(row).decode()}" for row in promises]
        lines += [f'  "{name}": {{', *fields, '    "promises": [', ",\n".join(rows), "    ]"]
        lines.append("  }" if number == len(figures) - 1 else "  },")
    return "\n".join([*lines, "}", ""]).encode()


def main(names: list[str]) -> None:
    """Work out the figures of the games called `names`, or of all, and write them beside those kept of the others."""
    figures = dict(kept()) if KEPT.exists() else {}
    for name in names or NAMES:
        figures[name] = work_out(name)
        highest = [one for one in figures[name].promises if one.price == 1][-1]
        print(f"{name}: {highest.coins} coins at the highest bet, one play in {highest.one_in}")  # noqa: T201
    KEPT.write_bytes(encoded(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
