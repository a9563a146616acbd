"""Ways and cascades as compiled code plays them: windows of symbols' places, and the strips above them.

Symbols are numbered in the order of the pays, then the wild, then all others.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from games.kernels.compiled import compiled, inlined
from games.kernels.tables import Ints, columns
from games.reels import Reels
from games.ways import WaysRules


class Ways(NamedTuple):
    """What ways pay, and the window being played.

    `strips` and `columns` are by reel and stop; `pays` by symbol and reels in the run; `window`, by reel and row, is
    what is shown, `marks` the cells that win, `tops` the strip positions at the top.
    """

    strips: Ints
    columns: Ints
    lengths: Ints
    pays: Ints
    wild: int
    wild_multiplier: int
    window: Ints
    marks: Ints
    tops: Ints


def numbered(rules: WaysRules, reels: Sequence[Reels]) -> Mapping[str, int]:
    """Return the number of each symbol of `rules` and `reels`."""
    shown = (symbol for each in reels for strip in each.strips for symbol in strip)
    wild = () if rules.wild is None else (rules.wild,)
    return {symbol: place for place, symbol in enumerate(dict.fromkeys((*rules.pays, *wild, *shown)))}


def ways_tables(reels: Reels, rules: WaysRules, symbols: Mapping[str, int]) -> Ways:
    """Return `reels` and `rules` as compiled code plays them, by the numbers of `symbols`."""
    count = len(reels.strips)
    strips = np.zeros((count, max(reels.lengths)), dtype=np.int64)
    for reel, strip in enumerate(reels.strips):
        strips[reel, : len(strip)] = [symbols[symbol] for symbol in strip]
    pays = np.zeros((len(rules.pays), count + 1), dtype=np.int64)
    for place, by_count in enumerate(rules.pays.values()):
        for run, pay in by_count.items():
            pays[place, run] = pay
    shape = (count, reels.rows)
    return Ways(
        strips=strips,
        columns=columns(reels, list(symbols)),
        lengths=np.array(reels.lengths, dtype=np.int64),
        pays=pays,
        wild=-1 if rules.wild is None else symbols[rules.wild],
        wild_multiplier=rules.wild_multiplier,
        window=np.zeros(shape, dtype=np.int64),
        marks=np.zeros(shape, dtype=np.int64),
        tops=np.zeros(count, dtype=np.int64),
    )


@inlined
def land(ways: Ways, stops: Ints) -> None:
    """Put what `stops` show into the window."""
    for reel in range(ways.window.shape[0]):
        ways.tops[reel] = stops[reel]
        for row in range(ways.window.shape[1]):
            ways.window[reel, row] = ways.columns[reel, stops[reel], row]


@compiled
def pay_ways(ways: Ways) -> int:  # noqa: C901  # one loop over symbols, reels and rows
    """Return what the window wins in coins a coin, and mark the cells that win; -1 where none does."""
    window, marks = ways.window, ways.marks
    reels, rows = window.shape
    won = -1
    for row in range(rows):
        symbol = window[0, row]
        if symbol >= ways.pays.shape[0]:
            continue
        again = False
        for above in range(row):
            again = again or window[0, above] == symbol
        if again:
            continue
        run = 0
        product = 1
        while run < reels:
            cells = 0
            for place in range(rows):
                shown = window[run, place]
                cells += (shown == symbol) + (shown == ways.wild) * ways.wild_multiplier
            if cells == 0:
                break
            product *= cells
            run += 1
        if ways.pays[symbol, run] == 0:
            continue
        if won < 0:
            won = 0
            marks[:, :] = 0
        won += ways.pays[symbol, run] * product
        for reel in range(run):
            for place in range(rows):
                shown = window[reel, place]
                if shown in (symbol, ways.wild):
                    marks[reel, place] = 1
    return won


@compiled
def fall(ways: Ways) -> None:
    """Take the marked cells away and let what is above them fall."""
    window, marks = ways.window, ways.marks
    reels, rows = window.shape
    for reel in range(reels):
        to = rows - 1
        for row in range(rows - 1, -1, -1):
            if not marks[reel, row]:
                window[reel, to] = window[reel, row]
                to -= 1
        while to >= 0:
            top = ways.tops[reel] - 1
            if top < 0:
                top = ways.lengths[reel] - 1
            ways.tops[reel] = top
            window[reel, to] = ways.strips[reel, top]
            to -= 1


@compiled
def count_cells(ways: Ways, symbol: int) -> int:
    """Return how many cells of the window show `symbol`."""
    found = 0
    for reel in range(ways.window.shape[0]):
        for row in range(ways.window.shape[1]):
            found += ways.window[reel, row] == symbol
    return found
