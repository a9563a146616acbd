"""Ways and cascades for compiled code: one integer holds a reel's window, another the set of its symbols.

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
    """The pays of ways, and the window being played.

    A reel's window has a field of `width` bits for each row, the top row in the lowest bits. `columns` are the windows
    by reel and stop, `bits` the symbols in them: one bit for each symbol; a wild also sets the bits of all symbols that
    pay (`masks`, by symbol). `pays` is by symbol and length of the run; `paying` has, by length of the run, the bits of
    the symbols that pay for it. `shown` and `symbols` are the current windows and their bits, `gone` the bits of the
    winning rows, `tops` the strip positions of the top row.
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
    """Return the compiled code's tables of `reels` and `rules`, with symbols numbered by `symbols`.

    Raises ValueError if a reel's window, or the set of all symbols, does not fit into one integer.
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
    """Put the symbols at `stops` into the window."""
    for reel in range(stops.size):
        stop = stops[reel]
        ways.tops[reel] = stop
        ways.shown[reel] = ways.columns[_U64(reel), _U64(stop)]
        ways.symbols[reel] = ways.bits[_U64(reel), _U64(stop)]


@inlined
def cell(ways: Ways, reel: int, row: int) -> int:
    """Return the symbol in a cell of the window."""
    return (ways.shown[reel] >> (row * ways.width)) & ((1 << ways.width) - 1)  # type: ignore[no-any-return]


@inlined
def put(ways: Ways, reel: int, column: int) -> None:
    """Replace the window of one reel."""
    field = (1 << ways.width) - 1
    bits = 0
    ways.shown[reel] = column
    for _ in range(ways.rows):
        bits |= ways.masks[_U64(column & field)]
        column >>= ways.width
    ways.symbols[reel] = bits


@inlined
def pay_ways(ways: Ways) -> int:
    """Return the window's win in coins per coin and mark the winning rows; return -1 if nothing wins."""
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
    """Return the win of the symbols in the bits `ended` for a run of `run` reels, and mark their rows."""
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
    """Remove the marked cells and let the symbols above them fall."""
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
    """Return how many cells of the window show `symbol`, which must not be a wild; 0 if it is negative."""
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
