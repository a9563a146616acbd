"""The production's reels, lines, scatters and weighted tables as arrays that compiled code reads.

Indices are unsigned in the hot loops, so that numba compiles no check for negative indices into them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source, draw, draw_below
from gamekit.lines import LineEvaluator, LineRules, Payline
from gamekit.reels import Reels
from gamekit.weights import WeightedTable

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
LINE, SYMBOL, RUN, PAY = range(4)
"""What a row of hits holds: the line, the symbol's place in the evaluator's, the reels of its run, coins per coin."""

_NOTHING = -1
_WORD_BITS = 64
_FIRST_REELS = 3
_U64 = np.uint64


class Lines(NamedTuple):
    """A `LineEvaluator` as bit masks: a line has `width` bits, one for each symbol whose run is still alive.

    `covers` are the masks of each reel's stops, `per_word` lines to a word and `words` words to a stop, in a flat
    array. `worth` is what a run of some length pays for a mask (-1 for nothing, 0 for a feature) and `symbol` the
    symbol that pays, both flat with `width` bits for the mask. `early` are the symbols of a word that pay for one reel
    and for two.
    """

    covers: Words
    worth: Ints
    symbol: Ints
    early: Words
    width: int
    per_word: int
    words: int
    stops: int


def line_tables(evaluator: LineEvaluator) -> Lines:
    """Return the tables of `evaluator`; among symbols that pay the same the first one counts, as in production.

    Raises ValueError for fewer than three reels.
    """
    if len(evaluator.covers) < _FIRST_REELS:
        raise ValueError(f"{len(evaluator.covers)} reels: a kernel needs {_FIRST_REELS} or more")
    width = len(evaluator.symbols)
    lines = len(evaluator.enabled) - 1
    per_word = _WORD_BITS // width
    words = -(-lines // per_word)
    stops = max(map(len, evaluator.covers))
    covers = np.zeros((len(evaluator.covers), stops, words), dtype=np.uint64)
    every = (1 << (per_word * width)) - 1
    for reel, covered in enumerate(evaluator.covers):
        for stop, cover in enumerate(covered):
            covers[reel, stop] = [(cover >> (word * per_word * width)) & every for word in range(words)]
    worth = np.full((len(evaluator.worth), 1 << width), _NOTHING, dtype=np.int64)
    symbol = np.full(worth.shape, _NOTHING, dtype=np.int64)
    masks = np.arange(1 << width)
    for count, known in enumerate(evaluator.worth):
        for place in sorted(known):
            better = ((masks >> place) & 1 == 1) & (known[place] > worth[count])
            worth[count][better] = known[place]
            symbol[count][better] = place
    early = [
        sum(1 << (line * width + place) for line in range(per_word) for place in evaluator.worth[count])
        for count in range(_FIRST_REELS)
    ]
    return Lines(
        covers.reshape(-1),
        worth.reshape(-1),
        symbol.reshape(-1),
        np.array(early, dtype=np.uint64),
        width,
        per_word,
        words,
        stops,
    )


class Window(NamedTuple):
    """A set of reels that spins: the stops and bits of each reel, the lines on them, and the result of the last spin.

    `stops` are those of the last spin; `hits` has a row for each winning line that `spin_lines` counted.
    """

    lengths: Ints
    bits: Ints
    lines: Lines
    stops: Ints
    hits: Ints


def window_of(reels: Reels, evaluator: LineEvaluator) -> Window:
    """Return the kernel's tables of `reels`."""
    return Window(
        lengths=np.array(reels.lengths, dtype=np.int64),
        bits=np.array([length.bit_length() for length in reels.lengths], dtype=np.int64),
        lines=line_tables(evaluator),
        stops=np.zeros(len(reels.lengths), dtype=np.int64),
        hits=np.zeros((len(evaluator.enabled) - 1, PAY + 1), dtype=np.int64),
    )


@inlined
def spin(source: Source, window: Window, first: int) -> None:
    """Draw the stops of the reels from number `first` on, from left to right."""
    for reel in range(first, window.stops.size):
        window.stops[reel] = draw_below(source, window.lengths[reel], window.bits[reel])


@inlined
def _take(lines: Lines, hits: Ints, found: int, reel: int, alive: np.uint64) -> None:
    """Write the pay of a run that ends on `reel` into row `found` of `hits`, unless a shorter run there pays more."""
    place = _U64((reel + 1) << lines.width) | alive
    worth = lines.worth[place]
    if worth != _NOTHING and (not hits[found, RUN] or worth >= hits[found, PAY]):
        hits[found, RUN], hits[found, SYMBOL], hits[found, PAY] = reel + 1, lines.symbol[place], worth


@inlined
def spin_lines(window: Window, played: int) -> int:
    """Write the wins of the first `played` lines at the window's stops into its hits; return the number of wins.

    The first three reels, on which most spins lose, are evaluated for all lines of a word at once.
    """
    lines, stops, hits = window.lines, window.stops, window.hits
    every = _U64((1 << lines.width) - 1)
    found = 0
    for word in range(-(-played // lines.per_word)):
        one = lines.covers[_U64(stops[0] * lines.words + word)]
        two = one & lines.covers[_U64((lines.stops + stops[1]) * lines.words + word)]
        three = two & lines.covers[_U64((2 * lines.stops + stops[2]) * lines.words + word)]
        left = three | (two & lines.early[2]) | (one & lines.early[1])
        if not left:
            continue
        first = word * lines.per_word
        for line in range(first, min(first + lines.per_word, played)):
            shift = _U64((line - first) * lines.width)
            if not (left >> shift) & every:
                continue
            alive = every
            hits[found, RUN] = 0
            for reel in range(stops.size):
                alive &= lines.covers[_U64((reel * lines.stops + stops[reel]) * lines.words + word)] >> shift
                if not alive:
                    break
                _take(lines, hits, found, reel, alive)
            if hits[found, RUN]:
                hits[found, LINE] = line
                found += 1
    return found


class Cells(NamedTuple):
    """Lines on windows not given by stops: `kept[symbol]` is a cell's mask, `rows[line, reel]` the row of a line."""

    rows: Ints
    kept: Words


def cell_tables(evaluator: LineEvaluator, lines: Sequence[Payline], rules: LineRules, symbols: Sequence[str]) -> Cells:
    """Return the tables of `lines` for windows whose cells are indices into `symbols`."""
    kept = [
        sum(1 << place for place, counted in enumerate(evaluator.symbols) if rules.covers(shown, counted))
        for shown in symbols
    ]
    return Cells(np.array(lines, dtype=np.int64), np.array(kept, dtype=np.uint64))


@inlined
def cell_lines(lines: Lines, cells: Cells, shown: Ints, played: int, hits: Ints) -> int:
    """Write the wins of the first `played` lines on the window `shown` (by reel and row) into `hits`."""
    found = 0
    for line in range(played):
        alive = _U64((1 << lines.width) - 1)
        hits[found, RUN] = 0
        for reel in range(shown.shape[0]):
            alive &= cells.kept[_U64(shown[_U64(reel), _U64(cells.rows[_U64(line), _U64(reel)])])]
            if not alive:
                break
            _take(lines, hits, found, reel, alive)
        if hits[found, RUN]:
            hits[found, LINE] = line
            found += 1
    return found


def shown_counts(reels: Reels, symbol: str) -> Ints:
    """Return how many of `symbol` each reel shows at each stop."""
    counts = np.zeros((len(reels.strips), max(reels.lengths)), dtype=np.int64)
    for reel, length in enumerate(reels.lengths):
        for stop in range(length):
            counts[reel, stop] = reels.column(reel, stop).count(symbol)
    return counts


@inlined
def count_shown(counts: Ints, stops: Ints) -> int:
    """Return how many of the counted symbol the window at `stops` shows."""
    shown = 0
    for reel in range(stops.size):
        shown += counts[_U64(reel), _U64(stops[reel])]
    return shown


def columns(reels: Reels, symbols: Sequence[str]) -> Ints:
    """Return the column of each reel at each stop, from top to bottom, as indices into `symbols`."""
    places = {symbol: place for place, symbol in enumerate(symbols)}
    shown = np.zeros((len(reels.strips), max(reels.lengths), reels.rows), dtype=np.int64)
    for reel, length in enumerate(reels.lengths):
        for stop in range(length):
            shown[reel, stop] = [places[symbol] for symbol in reels.column(reel, stop)]
    return shown


def by_count(figures: Mapping[int, int], most: int) -> Ints:
    """Return `figures` by count as an array of `most` + 1 entries, 0 for a missing count."""
    return np.array([figures.get(count, 0) for count in range(most + 1)], dtype=np.int64)


class Weighted(NamedTuple):
    """A `WeightedTable` as arrays: its amounts and the cumulative sums of their weights."""

    amounts: Ints
    bounds: Ints


def weighted(table: WeightedTable) -> Weighted:
    """Return `table` as arrays."""
    return Weighted(
        np.array(list(table.weights), dtype=np.int64), np.cumsum(list(table.weights.values()), dtype=np.int64)
    )


@compiled
def draw_place(source: Source, bounds: Ints) -> int:
    """Return an index into the cumulative weights `bounds`, with one draw."""
    drawn = draw(source, bounds[-1])
    place = 0
    while bounds[place] <= drawn:
        place += 1
    return place


@inlined
def draw_weighted(source: Source, table: Weighted) -> int:
    """Return an amount of `table`, with one draw."""
    return table.amounts[draw_place(source, table.bounds)]  # type: ignore[no-any-return]  # an integer when compiled
