"""What the lines of a paid spin win, beside the potions that it collects and the Free Spins symbols that it shows."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import prod
from typing import NamedTuple

from gamekit.exact.walks import Columns, Ways
from gamekit.exact.wins import SpinWins
from games.witch_feature.highest import lines_of
from games.witch_feature.pays import FREE_SPINS, LINES, POTIONS
from games.witch_feature.play import PAID_REELS

COMBINATIONS = prod(PAID_REELS.lengths)

BOTH = 2
"""Free Spins symbols on reels 1 and 5: free spins are won."""

# A tag counts Free Spins symbols in its last digit; the digits before are a reel's potion each (0: none).
_BASE = len(POTIONS) + 1


class Shown(NamedTuple):
    """What a paid spin's window shows: the potions that land, from left to right, and its Free Spins symbols."""

    potions: tuple[str, ...]
    free_spins: int


def _columns() -> list[Columns]:
    """Return the columns of the paid reels, potions collected, tagged with what was collected and Free Spins."""
    reels: list[Columns] = []
    for reel, length in enumerate(PAID_REELS.lengths):
        columns: Counter[tuple[tuple[tuple[str, ...], ...], int]] = Counter()
        for stop in range(length):
            column = PAID_REELS.column(reel, stop)
            potion = PAID_REELS.potions[reel][stop]
            colour = POTIONS.index(potion[1]) + 1 if potion else 0
            columns[(column,), column.count(FREE_SPINS) + colour * _BASE ** (reel + 1)] += 1
        reels.append(columns)
    return reels


def _shown(tag: int) -> Shown:
    rest, free_spins = divmod(tag, _BASE)
    potions = []
    while rest:
        rest, colour = divmod(rest, _BASE)
        if colour:
            potions.append(POTIONS[colour - 1])
    return Shown(tuple(potions), free_spins)


@cache
def paid_windows() -> Mapping[Shown, Ways]:
    """Return by what is shown how many combinations of stops win each number of coins, at one coin a line."""
    windows: dict[Shown, Ways] = {}
    for tag, ways in SpinWins(lines_of(PAID_REELS), len(LINES), columns=_columns()).by_scatters().items():
        known = windows.setdefault(_shown(tag), {})
        for coins, count in ways.items():
            known[coins] = known.get(coins, 0) + count
    return windows
