"""The production's reels, lines, scatters and weighted tables as arrays that compiled code reads.

Indices are unsigned in the loops that matter, so that no look at negative ones is compiled into them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from games.kernels.compiled import compiled, inlined
from games.kernels.generator import Source, draw, draw_below
from games.lines import LineEvaluator, LineRules, Payline
from games.reels import Reels
from games.weights import WeightedTable

Ints = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint16]
LINE, SYMBOL, RUN, PAY = range(4)
"""What a row of hits holds: the line, the symbol's place in the evaluator's, the reels of its run, coins per coin."""

_NOTHING = -1
_U64 = np.uint64


class Lines(NamedTuple):
    """A `LineEvaluator` by the symbols that a line is still alive with: a mask of their places.

    `covers` are the masks of each reel's stops and lines, flat; `worth` what a run of so many reels pays with a mask
    (-1 for nothing, 0 for a feature), and `symbol` which symbol does, flat with `width` bits for the mask.
    """

    covers: Masks
    worth: Ints
    symbol: Ints
    width: int
    lines: int
    stops: int


def line_tables(evaluator: LineEvaluator) -> Lines:
    """Return the tables of `evaluator`; where symbols pay the same the one named first counts, as in production."""
    width = len(evaluator.symbols)
    lines = len(evaluator.enabled) - 1
    stops = max(map(len, evaluator.covers))
    covers = np.zeros((len(evaluator.covers), stops, lines), dtype=np.uint16)
    for reel, covered in enumerate(evaluator.covers):
        for stop, cover in enumerate(covered):
            covers[reel, stop] = [(cover >> (line * width)) & ((1 << width) - 1) for line in range(lines)]
    worth = np.full((len(evaluator.worth), 1 << width), _NOTHING, dtype=np.int64)
    symbol = np.full(worth.shape, _NOTHING, dtype=np.int64)
    masks = np.arange(1 << width)
    for count, known in enumerate(evaluator.worth):
        for place in sorted(known):
            better = ((masks >> place) & 1 == 1) & (known[place] > worth[count])
            worth[count][better] = known[place]
            symbol[count][better] = place
    return Lines(covers.reshape(-1), worth.reshape(-1), symbol.reshape(-1), width, lines, stops)


class Window(NamedTuple):
    """A set of reels that spins: stops and bits of each reel, the lines on them, and where a spin is left.

    `stops` holds the last spin, `hits` what its lines win, a row for each of those that `spin_lines` has counted.
    """

    lengths: Ints
    bits: Ints
    lines: Lines
    stops: Ints
    hits: Ints


def window_of(reels: Reels, evaluator: LineEvaluator) -> Window:
    """Return `reels` as a kernel spins them."""
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


@compiled
def spin_lines(window: Window, played: int) -> int:
    """Put what the first `played` lines win at the window's stops into its hits; return how many do."""
    lines, stops, hits = window.lines, window.stops, window.hits
    found = 0
    for line in range(played):
        alive = _U64((1 << lines.width) - 1)
        run, pay, symbol = 0, _NOTHING, _NOTHING
        for reel in range(stops.size):
            alive &= _U64(lines.covers[_U64((reel * lines.stops + stops[reel]) * lines.lines + line)])
            if not alive:
                break
            place = _U64((reel + 1) << lines.width) | alive
            worth = lines.worth[place]
            # A longer run wins where both pay the same.
            if worth != _NOTHING and worth >= pay:
                run, pay, symbol = reel + 1, worth, lines.symbol[place]
        if run:
            hits[found, LINE], hits[found, SYMBOL] = line, symbol
            hits[found, RUN], hits[found, PAY] = run, pay
            found += 1
    return found


class Cells(NamedTuple):
    """Lines over windows that no stops describe: `kept[symbol]` is a cell's mask, `rows[line, reel]` its place."""

    rows: Ints
    kept: npt.NDArray[np.uint64]


def cell_tables(evaluator: LineEvaluator, lines: Sequence[Payline], rules: LineRules, symbols: Sequence[str]) -> Cells:
    """Return the tables of `lines` for windows of `symbols`, by their places."""
    kept = [
        sum(1 << place for place, counted in enumerate(evaluator.symbols) if rules.covers(shown, counted))
        for shown in symbols
    ]
    return Cells(np.array(lines, dtype=np.int64), np.array(kept, dtype=np.uint64))


@compiled
def cell_lines(lines: Lines, cells: Cells, shown: Ints, played: int, hits: Ints) -> int:
    """Put what the first `played` lines win where cells show `shown`, by reel and row, into `hits`."""
    found = 0
    for line in range(played):
        alive = _U64((1 << lines.width) - 1)
        run, pay, symbol = 0, _NOTHING, _NOTHING
        for reel in range(shown.shape[0]):
            alive &= cells.kept[_U64(shown[_U64(reel), _U64(cells.rows[_U64(line), _U64(reel)])])]
            if not alive:
                break
            place = _U64((reel + 1) << lines.width) | alive
            worth = lines.worth[place]
            if worth != _NOTHING and worth >= pay:
                run, pay, symbol = reel + 1, worth, lines.symbol[place]
        if run:
            hits[found, LINE], hits[found, SYMBOL] = line, symbol
            hits[found, RUN], hits[found, PAY] = run, pay
            found += 1
    return found


def shown_counts(reels: Reels, symbol: str) -> Ints:
    """Return how often each reel shows `symbol` at each stop."""
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
    """Return what each reel shows at each stop, by places in `symbols`, from top to bottom."""
    places = {symbol: place for place, symbol in enumerate(symbols)}
    shown = np.zeros((len(reels.strips), max(reels.lengths), reels.rows), dtype=np.int64)
    for reel, length in enumerate(reels.lengths):
        for stop in range(length):
            shown[reel, stop] = [places[symbol] for symbol in reels.column(reel, stop)]
    return shown


def by_count(figures: Mapping[int, int], most: int) -> Ints:
    """Return `figures` as an array of `most` + 1, 0 where there is none."""
    return np.array([figures.get(count, 0) for count in range(most + 1)], dtype=np.int64)


class Weighted(NamedTuple):
    """A `WeightedTable`: its amounts and the sums of their weights."""

    amounts: Ints
    bounds: Ints


def weighted(table: WeightedTable) -> Weighted:
    """Return `table` as arrays."""
    return Weighted(
        np.array(list(table.weights), dtype=np.int64), np.cumsum(list(table.weights.values()), dtype=np.int64)
    )


@compiled
def draw_place(source: Source, bounds: Ints) -> int:
    """Return a place in the sums of weights `bounds`, with one draw."""
    drawn = draw(source, bounds[-1])
    place = 0
    while bounds[place] <= drawn:
        place += 1
    return place


@inlined
def draw_weighted(source: Source, table: Weighted) -> int:
    """Return an amount of `table`, with one draw."""
    return table.amounts[draw_place(source, table.bounds)]  # type: ignore[no-any-return]  # an integer when compiled
