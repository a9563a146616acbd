"""Mona Lisa Jewels' play (`games.mona_lisa_jewels.play`), compiled."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamekit.kernels.books import Books, book
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source
from gamekit.kernels.kernel import Kernel
from gamekit.kernels.tables import (
    LINE,
    PAY,
    RUN,
    SYMBOL,
    Cells,
    Ints,
    Window,
    by_count,
    cell_lines,
    cell_tables,
    columns,
    count_shown,
    shown_counts,
    spin,
    spin_lines,
    window_of,
)
from gamekit.lines import LineEvaluator
from gamekit.maths import cost
from gamekit.play import Stake
from games.mona_lisa_jewels.jewels import TRIGGERS
from games.mona_lisa_jewels.maths import MATHS
from games.mona_lisa_jewels.pays import (
    FREE_SPINS,
    JACKPOT,
    JACKPOT_AWARD,
    JEWEL,
    JEWEL_SPINS,
    LINE_RULES,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    POOL_SEED_COINS,
    SYMBOLS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.play import at_highest_bet
from games.mona_lisa_jewels.strips import REELS

_PARTS = [part.name for part in MATHS.parts]
_LINES = _PARTS.index("lines")
_SCATTER = _PARTS.index("scatter")
_JACKPOT = _PARTS.index("jackpot")
_JEWEL_LINES = _PARTS.index("jewel_lines")
_JEWEL_SCATTER = _PARTS.index("jewel_scatter")
_FREE = _PARTS.index("free_lines")
_TRIGGERS = [trigger.name for trigger in MATHS.triggers]
_JEWEL_SPINS_WON = _TRIGGERS.index("jewel_spins")
_FREE_SPINS_WON = _TRIGGERS.index("free_spins")
_FIVE_JACKPOTS = _TRIGGERS.index("five_jackpots")
_POOL_WON = _TRIGGERS.index("pool")
_CELLS = len(REELS.strips) * REELS.rows
_WILD = SYMBOLS.index(MONA_LISA)
_PALETTE = SYMBOLS.index(PALETTE)
_NONE = -1


class _Tables(NamedTuple):
    lines_played: int
    coins_per_line: int
    bet: int
    award: int
    pool: bool
    reels: Window
    cells: Cells
    columns: Ints
    jackpot: int
    palettes: Ints
    palette_pays: Ints
    free_spins: Ints
    multipliers: Ints
    triggers: npt.NDArray[np.bool_]
    holdable: npt.NDArray[np.bool_]
    held: Ints
    window: Ints


def _tables(stake: Stake) -> _Tables:
    evaluator = LineEvaluator(REELS, LINES, LINE_RULES)
    pool = at_highest_bet(stake)
    wilds = [1, *WILD_MULTIPLIERS]
    return _Tables(
        lines_played=stake.lines,
        coins_per_line=stake.coins_per_line,
        bet=cost(stake),
        award=POOL_SEED_COINS if pool else JACKPOT_AWARD * stake.coins_per_line,
        pool=pool,
        reels=window_of(REELS, evaluator),
        cells=cell_tables(evaluator, LINES, LINE_RULES, SYMBOLS),
        columns=columns(REELS, SYMBOLS),
        jackpot=evaluator.symbols.index(JACKPOT),
        palettes=shown_counts(REELS, PALETTE),
        palette_pays=by_count(PALETTE_PAYS, _CELLS),
        free_spins=by_count(FREE_SPINS, _CELLS),
        multipliers=np.array(
            [wilds[min(count, len(WILD_MULTIPLIERS))] for count in range(len(REELS.strips) + 1)], dtype=np.int64
        ),
        triggers=np.array([stop in TRIGGERS for stop in range(REELS.lengths[0])], dtype=np.bool_),
        holdable=np.array([symbol in {JEWEL, MONA_LISA} for symbol in SYMBOLS], dtype=np.bool_),
        held=np.full((len(REELS.strips), REELS.rows), _NONE, dtype=np.int64),
        window=np.zeros((len(REELS.strips), REELS.rows), dtype=np.int64),
    )


@inlined
def _multiplier(tables: _Tables, hit: int) -> int:
    """Return what the wilds inside the combination of a hit multiply it by."""
    wilds = 0
    line = tables.reels.hits[hit, LINE]
    for reel in range(tables.reels.hits[hit, RUN]):
        wilds += tables.columns[reel, tables.reels.stops[reel], tables.cells.rows[line, reel]] == _WILD
    return tables.multipliers[wilds]  # type: ignore[no-any-return]  # an integer in compiled code


@inlined
def _free_spins_won(tables: _Tables, books: Books, palettes: int, phase: int) -> int:
    """Return the free spins that so many palettes win; those won outside of free spins are counted."""
    spins = tables.free_spins[palettes]
    if spins and phase == 0:
        books.seen[_FREE_SPINS_WON] += 1
        books.events[_FREE + _LINES] += 1
        books.events[_FREE + _SCATTER] += 1
    return spins  # type: ignore[no-any-return]  # an integer in compiled code


@inlined
def _spin(tables: _Tables, source: Source, books: Books, phase: int) -> int:
    """Play a spin, with its jewel spins, whose parts begin at `phase`; return the free spins that it wins."""
    reels = tables.reels
    spin(source, reels, 0)
    for hit in range(spin_lines(reels, tables.lines_played)):
        if reels.hits[hit, SYMBOL] == tables.jackpot:
            books.won[phase + _JACKPOT] += tables.award
            books.events[phase + _JACKPOT] += 1
            books.seen[_FIVE_JACKPOTS] += phase == 0
            books.seen[_POOL_WON] += tables.pool
        else:
            multiplier = _multiplier(tables, hit) if phase else 1
            books.won[phase + _LINES] += reels.hits[hit, PAY] * tables.coins_per_line * multiplier
    palettes = count_shown(tables.palettes, reels.stops)
    books.won[phase + _SCATTER] += tables.palette_pays[palettes] * tables.bet
    spins = _free_spins_won(tables, books, palettes, phase)
    if tables.triggers[reels.stops[0]]:
        spins += _jewel_spins(tables, source, books, phase)
    return spins


@inlined
def _hold(tables: _Tables) -> None:
    """Hold the jewels and wilds of the window on the reels behind the locked one."""
    for reel in range(1, tables.window.shape[0]):
        for row in range(tables.window.shape[1]):
            symbol = tables.window[reel, row]
            tables.held[reel, row] = symbol if tables.holdable[symbol] else _NONE


@inlined
def _show(tables: _Tables) -> int:
    """Put what the stops show into the window, what is held over it; return its palettes."""
    palettes = 0
    for reel in range(tables.window.shape[0]):
        for row in range(tables.window.shape[1]):
            symbol = tables.held[reel, row]
            if symbol == _NONE:
                symbol = tables.columns[reel, tables.reels.stops[reel], row]
            tables.window[reel, row] = symbol
            palettes += symbol == _PALETTE
    return palettes


@compiled
def _jewel_spins(tables: _Tables, source: Source, books: Books, phase: int) -> int:
    """Play the jewel spins that start from the last spin; return the free spins that they win."""
    reels = tables.reels
    books.events[phase + _JEWEL_LINES] += 1
    books.seen[_JEWEL_SPINS_WON] += phase == 0
    tables.held[:] = _NONE
    _show(tables)
    spins = 0
    for _ in range(JEWEL_SPINS):
        _hold(tables)
        spin(source, reels, 1)
        palettes = _show(tables)
        for hit in range(cell_lines(reels.lines, tables.cells, tables.window, tables.lines_played, reels.hits)):
            books.won[phase + _JEWEL_LINES] += reels.hits[hit, PAY] * tables.coins_per_line
        if tables.palette_pays[palettes]:
            books.won[phase + _JEWEL_SCATTER] += tables.palette_pays[palettes] * tables.bet
            books.events[phase + _JEWEL_SCATTER] += 1
        spins += _free_spins_won(tables, books, palettes, phase)
    return spins


@compiled
def _play_rounds(tables: _Tables, source: Source, books: Books, rounds: int, _state: int) -> None:
    for _ in range(rounds):
        left = _spin(tables, source, books, 0)
        while left:
            left += _spin(tables, source, books, _FREE) - 1
        book(books, tables.bet)
    books.states[0] += rounds


KERNEL = Kernel(MATHS, _tables, _play_rounds)
