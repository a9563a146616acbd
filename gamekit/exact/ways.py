"""The wins of ways over every combination of stops: reads the reels from left to right and merges equal states.

A symbol whose run is alive is represented by the product of its cells so far, so a state is these products, the coins
of the runs that have ended, and the sum of the tags. Columns are distinguished only by the symbols still alive.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import prod

from gamekit.exact.spin_law import Outcome, Tagged
from gamekit.ways import WaysRules

_Alive = tuple[tuple[str, int], ...]
"""Symbols whose run is alive, with the product of their cells."""

_State = tuple[_Alive, int, int]
"""What is alive, the coins won, the tag."""


def ways_won(columns: Tagged, rules: WaysRules) -> dict[Outcome, int]:
    """Return the number of combinations of `columns` by tag and coins won."""

    @cache
    def looked_at(reel: int, symbols: tuple[str, ...]) -> Mapping[tuple[tuple[int, ...], int], int]:
        """Return the number of stops of `reel` by the cell counts of `symbols` and by tag."""
        found: Counter[tuple[tuple[int, ...], int]] = Counter()
        for (column, tag), stops in columns[reel].items():
            found[tuple(rules.counted(column, symbol) for symbol in symbols), tag] += stops
        return found

    states: Counter[_State] = Counter({(tuple((symbol, 1) for symbol in rules.pays), 0, 0): 1})
    for reel in range(len(columns)):
        going: Counter[_State] = Counter()
        for (alive, coins, tag), ways in states.items():
            for (counts, more), stops in looked_at(reel, tuple(symbol for symbol, _ in alive)).items():
                left, won = _read(alive, counts, rules, reel)
                going[left, coins + won, tag + more] += ways * stops
        states = going
    ended: Counter[Outcome] = Counter()
    for (alive, coins, tag), ways in states.items():
        ended[tag, coins + sum(_paid(rules, symbol, len(columns), cells) for symbol, cells in alive)] += ways
    return ended


def _read(alive: _Alive, counts: Sequence[int], rules: WaysRules, reel: int) -> tuple[_Alive, int]:
    """Return the runs alive after a reel with `counts` cells of each symbol, and the pay of the runs that end."""
    left = []
    won = 0
    for (symbol, cells), count in zip(alive, counts, strict=True):
        if count:
            left.append((symbol, cells * count))
        elif reel:
            won += _paid(rules, symbol, reel, cells)
    return tuple(left), won


def _paid(rules: WaysRules, symbol: str, run: int, cells: int) -> int:
    return rules.pays[symbol].get(run, 0) * cells


def combinations_of(columns: Tagged) -> int:
    """Return how many combinations of stops there are."""
    return prod(sum(shown.values()) for shown in columns)
