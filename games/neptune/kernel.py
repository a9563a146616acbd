"""Neptune's play (`games.neptune.play`), compiled."""

from typing import NamedTuple

import numpy as np

from gamekit.kernels.books import Books, book
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source, draw
from gamekit.kernels.kernel import Kernel
from gamekit.kernels.tables import (
    PAY,
    RUN,
    SYMBOL,
    Ints,
    Weighted,
    Window,
    by_count,
    count_shown,
    draw_weighted,
    shown_counts,
    spin,
    spin_lines,
    weighted,
    window_of,
)
from gamekit.lines import LineEvaluator
from gamekit.maths import cost
from gamekit.play import Stake
from games.neptune.maths import MATHS
from games.neptune.pays import (
    CHEST_TABLE,
    CHESTS_SHOWN,
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_RULES,
    LINES,
    MERMAID,
    MERMAID_PAYS,
    TREASURE,
)
from games.neptune.strips import REELS

_PARTS = [part.name for part in MATHS.parts]
_TRIGGERS = [trigger.name for trigger in MATHS.triggers]
_LINES = _PARTS.index("lines")
_SCATTER = _PARTS.index("scatter")
_TREASURE = _PARTS.index("treasure")
_FREE = _PARTS.index("free_lines")
_FREE_SPINS_WON = _TRIGGERS.index("free_spins")
_TREASURE_WON = _TRIGGERS.index("treasure")
_ROWS_MOST = len(REELS.strips) * REELS.rows


class _Tables(NamedTuple):
    lines_played: int
    coins_per_line: int
    bet: int
    reels: Window
    treasure: int
    mermaids: Ints
    mermaid_pays: Ints
    free_spins: Ints
    chests: Weighted
    runs: Ints


def _tables(stake: Stake) -> _Tables:
    evaluator = LineEvaluator(REELS, LINES, LINE_RULES)
    return _Tables(
        lines_played=stake.lines,
        coins_per_line=stake.coins_per_line,
        bet=cost(stake),
        reels=window_of(REELS, evaluator),
        treasure=evaluator.symbols.index(TREASURE),
        mermaids=shown_counts(REELS, MERMAID),
        mermaid_pays=by_count(MERMAID_PAYS, _ROWS_MOST),
        free_spins=by_count(FREE_SPINS, _ROWS_MOST),
        chests=weighted(CHEST_TABLE),
        runs=np.zeros(len(LINES), dtype=np.int64),
    )


@inlined
def _spin(tables: _Tables, source: Source, books: Books, multiplier: int, phase: int) -> int:
    """Play a spin whose parts begin at `phase`; return the free spins that it wins."""
    reels = tables.reels
    spin(source, reels, 0)
    treasures = 0
    for hit in range(spin_lines(reels, tables.lines_played)):
        if reels.hits[hit, SYMBOL] == tables.treasure:
            tables.runs[treasures] = reels.hits[hit, RUN]
            treasures += 1
        else:
            books.won[phase + _LINES] += reels.hits[hit, PAY] * tables.coins_per_line * multiplier
    mermaids = count_shown(tables.mermaids, reels.stops)
    books.won[phase + _SCATTER] += tables.mermaid_pays[mermaids] * tables.bet
    for treasure in range(treasures):
        books.events[phase + _TREASURE] += 1
        books.seen[_TREASURE_WON] += phase == 0
        for taken in range(tables.runs[treasure]):
            draw(source, CHESTS_SHOWN - taken)
            books.won[phase + _TREASURE] += draw_weighted(source, tables.chests) * tables.coins_per_line
    return tables.free_spins[mermaids]  # type: ignore[no-any-return]  # an integer in compiled code


@compiled
def _play_rounds(tables: _Tables, source: Source, books: Books, rounds: int, _state: int) -> None:
    for _ in range(rounds):
        left = _spin(tables, source, books, 1, 0)
        if left:
            books.seen[_FREE_SPINS_WON] += 1
            books.events[_FREE] += 1
            books.events[_FREE + _SCATTER] += 1
        while left:
            left += _spin(tables, source, books, FREE_SPIN_MULTIPLIER, _FREE) - 1
        book(books, tables.bet)
    books.states[0] += rounds


KERNEL = Kernel(MATHS, _tables, _play_rounds)
