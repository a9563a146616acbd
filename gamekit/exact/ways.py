"""What ways win over every combination of stops: the reels are read from left to right, merging what is alike.

A symbol whose run is alive is known by the product of its cells so far, so a state is those products, the coins of the
runs that have ended, and the tags added up. Columns are told apart only by the symbols that are still alive.
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
    """Return by tag and coins how many combinations of `columns` win them."""

    @cache
    def looked_at(reel: int, symbols: tuple[str, ...]) -> Mapping[tuple[tuple[int, ...], int], int]:
        """Return by the cells of `symbols` and the tag how many stops of `reel` show them."""
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
    """Return what is alive after a reel with `counts` cells of each, and what the runs that end before it pay."""
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
