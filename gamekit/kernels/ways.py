"""Ways and cascades as compiled code plays them: a reel's window is one number, and so are the symbols that it shows.

Symbols are numbered in the order of the pays, then the wild, then all others.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gamekit.kernels.compiled import inlined
from gamekit.kernels.tables import Ints
from gamekit.reels import Reels, Strip
from gamekit.ways import WaysRules

_U64 = np.uint64
_BITS = 63
"""Of a number: what a reel's window and the symbols of a game have room in."""


class Ways(NamedTuple):
    """What ways pay, and the window being played.

    A window of one reel has a field of `width` bits for each row, the top one lowest. `columns` are the windows by reel
    and stop, `bits` what they show: a bit for each symbol, of a wild those of all that pay too (`masks`, by symbol).
    `pays` is by symbol and reels in the run, `paying` by the run the bits of those that pay for it. `shown` and
    `symbols` are the present windows and their bits, `gone` the bits of the rows that win, `tops` the strip positions
    at the top.
    """

    columns: Ints
    bits: Ints
    lengths: Ints
    masks: Ints
    pays: Ints
    paying: Ints
    wild: int
    wild_multiplier: int
    width: int
    rows: int
    shown: Ints
    symbols: Ints
    gone: Ints
    tops: Ints


def numbered(rules: WaysRules, reels: Sequence[Reels]) -> Mapping[str, int]:
    """Return the number of each symbol of `rules` and `reels`."""
    shown = (symbol for each in reels for strip in each.strips for symbol in strip)
    wild = () if rules.wild is None else (rules.wild,)
    return {symbol: place for place, symbol in enumerate(dict.fromkeys((*rules.pays, *wild, *shown)))}


def ways_tables(reels: Reels, rules: WaysRules, symbols: Mapping[str, int]) -> Ways:
    """Return `reels` and `rules` as compiled code plays them, by the numbers of `symbols`.

    Raises ValueError where a reel's window, or all symbols, do not fit into a number.
    """
    count = len(reels.strips)
    width = max(1, (len(symbols) - 1).bit_length())
    if max(width * reels.rows, len(symbols)) > _BITS:
        raise ValueError(f"{len(symbols)} symbols in {reels.rows} rows: a kernel has room for {_BITS} bits of a reel")
    pays = np.zeros((len(rules.pays), count + 1), dtype=np.int64)
    paying = np.zeros(count + 1, dtype=np.int64)
    for place, by_count in enumerate(rules.pays.values()):
        for run, pay in by_count.items():
            pays[place, run] = pay
            paying[run] |= 1 << place
    masks = np.zeros(1 << width, dtype=np.int64)
    for symbol, place in symbols.items():
        masks[place] = (1 << place) | ((1 << len(rules.pays)) - 1) * (symbol == rules.wild)
    columns = np.zeros((count, max(reels.lengths)), dtype=np.int64)
    bits = np.zeros_like(columns)
    for reel, length in enumerate(reels.lengths):
        for stop in range(length):
            column = reels.column(reel, stop)
            columns[reel, stop] = _packed(column, symbols, width)
            for symbol in column:
                bits[reel, stop] |= masks[symbols[symbol]]
    return Ways(
        columns=columns,
        bits=bits,
        lengths=np.array(reels.lengths, dtype=np.int64),
        masks=masks,
        pays=pays,
        paying=paying,
        wild=-1 if rules.wild is None else symbols[rules.wild],
        wild_multiplier=rules.wild_multiplier,
        width=width,
        rows=reels.rows,
        shown=np.zeros(count, dtype=np.int64),
        symbols=np.zeros(count, dtype=np.int64),
        gone=np.zeros(count, dtype=np.int64),
        tops=np.zeros(count, dtype=np.int64),
    )


def _packed(column: Strip, symbols: Mapping[str, int], width: int) -> int:
    return sum(symbols[symbol] << (row * width) for row, symbol in enumerate(column))


@inlined
def land(ways: Ways, stops: Ints) -> None:
    """Put what `stops` show into the window."""
    for reel in range(stops.size):
        stop = stops[reel]
        ways.tops[reel] = stop
        ways.shown[reel] = ways.columns[_U64(reel), _U64(stop)]
        ways.symbols[reel] = ways.bits[_U64(reel), _U64(stop)]


@inlined
def cell(ways: Ways, reel: int, row: int) -> int:
    """Return what a cell of the window shows."""
    return (ways.shown[reel] >> (row * ways.width)) & ((1 << ways.width) - 1)  # type: ignore[no-any-return]


@inlined
def put(ways: Ways, reel: int, column: int) -> None:
    """Put another window into a reel."""
    field = (1 << ways.width) - 1
    bits = 0
    ways.shown[reel] = column
    for _ in range(ways.rows):
        bits |= ways.masks[_U64(column & field)]
        column >>= ways.width
    ways.symbols[reel] = bits


@inlined
def pay_ways(ways: Ways) -> int:
    """Return what the window wins in coins a coin, and mark the rows that win; -1 where none does."""
    reels = ways.symbols.size
    alive = (1 << ways.pays.shape[0]) - 1
    won = -1
    for run in range(reels + 1):
        left = alive & ways.symbols[run] if run < reels else 0
        ended = (alive ^ left) & ways.paying[run]
        if ended:
            if won < 0:
                won = 0
                ways.gone[:] = 0
            won += _pay(ways, ended, run)
        if not left:
            break
        alive = left
    return won


@inlined
def _pay(ways: Ways, ended: int, run: int) -> int:
    """Return what the symbols of the bits `ended` win for `run` reels, and mark their rows."""
    field = (1 << ways.width) - 1
    won = 0
    symbol = 0
    while ended >> symbol:
        if (ended >> symbol) & 1:
            product = 1
            for reel in range(run):
                column = ways.shown[reel]
                gone = ways.gone[reel]
                cells = 0
                for row in range(ways.rows):
                    shown = column & field
                    own = shown == symbol
                    wild = shown == ways.wild
                    cells += own + wild * ways.wild_multiplier
                    gone |= (own | wild) << row
                    column >>= ways.width
                ways.gone[reel] = gone
                product *= cells
            won += ways.pays[symbol, run] * product
        symbol += 1
    return won


@inlined
def fall(ways: Ways) -> None:
    """Take the marked cells away and let what is above them fall."""
    field = (1 << ways.width) - 1
    for reel in range(ways.shown.size):
        gone = ways.gone[reel]
        if not gone:
            continue
        column = ways.shown[reel]
        fallen = 0
        for row in range(ways.rows):
            if (gone >> row) & 1:
                at = row * ways.width
                above = column & ((1 << at) - 1)
                column = (column ^ above) & ~(field << at) | (above << ways.width)
                fallen += 1
        top = ways.tops[reel] - fallen
        while top < 0:
            top += ways.lengths[reel]
        ways.tops[reel] = top
        new = ways.columns[_U64(reel), _U64(top)] & ((1 << (fallen * ways.width)) - 1)
        put(ways, reel, column | new)


@inlined
def count_cells(ways: Ways, symbol: int) -> int:
    """Return how many cells of the window show `symbol`, which is no wild; none where it is negative."""
    found = 0
    if symbol < 0:
        return found
    field = (1 << ways.width) - 1
    for reel in range(ways.shown.size):
        if (ways.symbols[reel] >> symbol) & 1:
            column = ways.shown[reel]
            for _ in range(ways.rows):
                found += (column & field) == symbol
                column >>= ways.width
    return found
