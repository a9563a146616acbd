"""Mystery Elves' play (`games.mystery_elves.play`), compiled."""

from typing import NamedTuple

import numpy as np

from gamekit.kernels.books import Books, book
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source, draw
from gamekit.kernels.kernel import Kernel
from gamekit.kernels.tables import (
    PAY,
    Ints,
    Weighted,
    Window,
    columns,
    draw_weighted,
    spin,
    spin_lines,
    weighted,
    window_of,
)
from gamekit.lines import LineEvaluator
from gamekit.maths import cost
from gamekit.play import Stake
from games.mystery_elves.maths import MATHS
from games.mystery_elves.pays import (
    AWARDS,
    BONUS,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    FULL_MULTIPLIER,
    GRAND,
    GRAND_MULTIPLIER,
    LEAST_BONUSES,
    LINE_RULES,
    LINES,
    MAJOR,
    MULTIPLIERS,
    MULTIPLYING,
    MYSTERY,
    SYMBOLS,
    VALUES,
)
from games.mystery_elves.play import TRIGGERS
from games.mystery_elves.strips import HOLD_RULES, REELS

_PARTS = [part.name for part in MATHS.parts]
_LINES = _PARTS.index("lines")
_FEATURE = _PARTS.index("hold_and_win")
_BONUS = SYMBOLS.index(BONUS)
_ROWS = REELS.rows
_CELLS = len(HOLD_RULES.cells)
_RESPINS = HOLD_RULES.respins
_EMPTY = 0
"""Value of a cell without a bonus symbol; no bonus symbol has the value 0."""


class _Tables(NamedTuple):
    lines_played: int
    coins_per_line: int
    bet: int
    paid: int
    bought: bool
    reels: Window
    columns: Ints
    triggering: Ints
    ways: Ints
    sizes: Ints
    least: int
    symbol_stops: Ints
    hold_stops: Ints
    carried: Weighted
    beside_multiplying: Weighted
    awards: Weighted
    multipliers: Weighted
    values: Weighted
    cells: Ints
    landed: Ints


def _tables(stake: Stake) -> _Tables:
    groups = TRIGGERS.groups
    triggering = np.zeros((len(groups), _ROWS + 1, max(REELS.lengths)), dtype=np.int64)
    sizes = np.zeros(triggering.shape[:2], dtype=np.int64)
    for reel, counted in enumerate(groups):
        for count, stops in enumerate(counted):
            triggering[reel, count, : len(stops)] = stops
            sizes[reel, count] = len(stops)
    return _Tables(
        lines_played=stake.lines,
        coins_per_line=stake.coins_per_line,
        bet=stake.coins,
        paid=cost(stake),
        bought=stake.price > 1,
        reels=window_of(REELS, LineEvaluator(REELS, LINES, LINE_RULES)),
        columns=columns(REELS, SYMBOLS),
        triggering=triggering,
        ways=np.array(TRIGGERS.ways, dtype=np.int64),
        sizes=sizes,
        least=LEAST_BONUSES,
        symbol_stops=np.array([symbol == BONUS for symbol in HOLD_RULES.strip], dtype=np.int64),
        hold_stops=np.zeros(_CELLS, dtype=np.int64),
        carried=weighted(CARRIED),
        beside_multiplying=weighted(CARRIED_BESIDE_MULTIPLYING),
        awards=weighted(AWARDS),
        multipliers=weighted(MULTIPLIERS),
        values=weighted(VALUES),
        cells=np.zeros(_CELLS, dtype=np.int64),
        landed=np.zeros(_CELLS, dtype=np.int64),
    )


@compiled
def _spin_triggering(tables: _Tables, source: Source) -> None:
    """Draw stops that start the feature (`gamekit.bought_spin.TriggeringStops`)."""
    rank = draw(source, tables.ways[0, tables.least])
    need = tables.least
    for reel in range(tables.reels.stops.size):
        for count in range(tables.sizes.shape[1]):
            still = max(need - count, 0)
            after = tables.ways[reel + 1, still]
            here = tables.sizes[reel, count] * after
            if rank < here:
                tables.reels.stops[reel] = tables.triggering[reel, count, rank // after]
                rank %= after
                need = still
                break
            rank -= here


@inlined
def _land(tables: _Tables, source: Source, count: int, multiplying: bool) -> bool:  # noqa: FBT001 - compiled
    """Draw what the `count` symbols that have landed carry; return whether a Multiplying is there."""
    for place in range(count):
        table = tables.beside_multiplying if multiplying else tables.carried
        carries = draw_weighted(source, table)
        multiplying = multiplying or carries == MULTIPLYING
        tables.cells[tables.landed[place]] = carries
    return multiplying


@compiled
def _hold(tables: _Tables, source: Source, filled: int, multiplying: bool) -> int:  # noqa: FBT001 - compiled
    """Play the respins; return how many cells are filled at their end."""
    left = _RESPINS
    while left and filled < _CELLS:
        for cell in range(_CELLS):
            if tables.cells[cell] == _EMPTY:
                tables.hold_stops[cell] = draw(source, tables.symbol_stops.size)
        count = 0
        for cell in range(_CELLS):
            if tables.cells[cell] == _EMPTY and tables.symbol_stops[tables.hold_stops[cell]]:
                tables.landed[count] = cell
                count += 1
        left = _RESPINS if count else left - 1
        filled += count
        multiplying = _land(tables, source, count, multiplying)
    return filled


@compiled
def _settle(tables: _Tables, source: Source, filled: int) -> int:
    """Open the functions and return what the feature pays, in whole bets."""
    bets = 0
    grand = False
    functions = 0
    for cell in range(_CELLS):
        carries = tables.cells[cell]
        bets += max(carries, 0)
        functions += carries < _EMPTY
        if carries == MYSTERY:
            award = draw_weighted(source, tables.awards)
            if award == GRAND and grand:
                award = MAJOR
            grand = grand or award == GRAND
            bets += award
    for cell in range(_CELLS):
        if tables.cells[cell] == MULTIPLYING:
            bets *= GRAND_MULTIPLIER if grand else draw_weighted(source, tables.multipliers)
    for _ in range(functions):
        bets += draw_weighted(source, tables.values)
    return bets * FULL_MULTIPLIER if filled == _CELLS else bets


@compiled
def _play_rounds(tables: _Tables, source: Source, books: Books, rounds: int, _state: int) -> None:
    reels = tables.reels
    for _ in range(rounds):
        if tables.bought:
            _spin_triggering(tables, source)
        else:
            spin(source, reels, 0)
        count = 0
        for reel in range(reels.stops.size):
            for row in range(_ROWS):
                if tables.columns[reel, reels.stops[reel], row] == _BONUS:
                    tables.landed[count] = reel * _ROWS + row
                    count += 1
        if count:
            tables.cells[:] = _EMPTY
        multiplying = _land(tables, source, count, False)  # noqa: FBT003 - compiled
        for hit in range(spin_lines(reels, tables.lines_played)):
            books.won[_LINES] += reels.hits[hit, PAY] * tables.coins_per_line
        if count >= LEAST_BONUSES:
            books.events[_FEATURE] += 1
            books.seen[0] += 1
            filled = _hold(tables, source, count, multiplying)
            books.won[_FEATURE] += _settle(tables, source, filled) * tables.bet
        book(books, tables.paid)
    books.states[0] += rounds


KERNEL = Kernel(MATHS, _tables, _play_rounds)
