"""Bewitched's play (`games.bewitched.play`), compiled."""

from typing import NamedTuple

import numpy as np

from gamekit.kernels.books import Books, book
from gamekit.kernels.compiled import compiled, inlined
from gamekit.kernels.generator import Source, draw
from gamekit.kernels.kernel import Kernel
from gamekit.kernels.tables import (
    PAY,
    Ints,
    Window,
    by_count,
    count_shown,
    draw_place,
    shown_counts,
    spin,
    spin_lines,
    window_of,
)
from gamekit.lines import LineEvaluator
from gamekit.maths import cost
from gamekit.play import Stake
from games.bewitched.maths import MATHS
from games.bewitched.pays import (
    BATTLE_ODDS,
    BATTLE_SPINS,
    DOUBLE_UP,
    FREE_SPIN_MULTIPLIER,
    LINE_RULES,
    LINES,
    MERLIN,
    MERLINS,
    POOL,
    VIALS_SHOWN,
    VIALS_TAKEN,
    WITCHES,
    WITCHES_PAYS,
)
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, potion_weights
from games.bewitched.strips import REELS

_PARTS = [part.name for part in MATHS.parts]
_LINES = _PARTS.index("lines")
_SCATTER = _PARTS.index("scatter")
_MERLIN = _PARTS.index("merlin")
_JACKPOT = _PARTS.index("jackpot")
_FREE = _PARTS.index("free_lines")
_TRIGGERS = [trigger.name for trigger in MATHS.triggers]
_BATTLE = _TRIGGERS.index("battle")
_MERLIN_CAME = _TRIGGERS.index("merlin")
_FREE_SPINS_WON = _TRIGGERS.index("free_spins")
_JACKPOT_WON = _TRIGGERS.index("jackpot")
_CELLS = len(REELS.strips) * REELS.rows
_KINDS = (MONEY, FREE_SPINS, JACKPOT)
_SEED = POOL.seed_coins
_MONEY, _SPINS, _POOL = range(len(_KINDS))


class _Tables(NamedTuple):
    lines_played: int
    coins_per_line: int
    coin_value_cents: int
    bet: int
    most_cents: int
    reels: Window
    witches: Ints
    witches_pays: Ints
    battle_spins: Ints
    merlins: Ints
    potion_kinds: Ints
    potion_amounts: Ints
    potion_bounds: Ints


def _tables(stake: Stake) -> _Tables:
    most_cents = DOUBLE_UP.capped_at(stake.gamble_cap_cents).most_cents
    potions = potion_weights(stake.coins)
    return _Tables(
        lines_played=stake.lines,
        coins_per_line=stake.coins_per_line,
        coin_value_cents=stake.coin_value_cents,
        bet=cost(stake),
        most_cents=np.iinfo(np.int64).max if most_cents is None else most_cents,
        reels=window_of(REELS, LineEvaluator(REELS, LINES, LINE_RULES)),
        witches=shown_counts(REELS, WITCHES),
        witches_pays=by_count(WITCHES_PAYS, _CELLS),
        battle_spins=by_count(BATTLE_SPINS, _CELLS),
        merlins=shown_counts(REELS, MERLIN),
        potion_kinds=np.array([_KINDS.index(potion.kind) for potion in potions], dtype=np.int64),
        potion_amounts=np.array([potion.amount for potion in potions], dtype=np.int64),
        potion_bounds=np.cumsum(list(potions.values()), dtype=np.int64),
    )


@inlined
def _pay_lines(tables: _Tables, source: Source, books: Books, multiplier: int, phase: int) -> int:
    """Spin, and pay the lines; return their coins."""
    spin(source, tables.reels, 0)
    coins = 0
    for hit in range(spin_lines(tables.reels, tables.lines_played)):
        coins += tables.reels.hits[hit, PAY] * tables.coins_per_line * multiplier
    books.won[phase + _LINES] += coins
    return coins


@inlined
def _features(tables: _Tables, source: Source, books: Books, phase: int, held: bool) -> int:  # noqa: FBT001 - compiled
    """Play what the scatters and Merlins of the last spin start; return the free spins won.

    While a win is `held` back for the double-up, nothing is chosen at random (`gamekit.simulate.answer_fairly`).
    """
    spins = 0
    witches = count_shown(tables.witches, tables.reels.stops)
    if tables.witches_pays[witches]:
        books.won[phase + _SCATTER] += tables.witches_pays[witches] * tables.bet
        books.seen[_BATTLE] += phase == 0
        if draw(source, BATTLE_ODDS) == 0:
            spins = tables.battle_spins[witches]
    if count_shown(tables.merlins, tables.reels.stops) >= MERLINS:
        books.events[phase + _MERLIN] += 1
        books.seen[_MERLIN_CAME] += phase == 0
        if not held:
            for taken in range(VIALS_TAKEN):
                draw(source, VIALS_SHOWN - taken)
        potion = draw_place(source, tables.potion_bounds)
        kind, amount = tables.potion_kinds[potion], tables.potion_amounts[potion]
        if kind == _MONEY:
            books.won[phase + _MERLIN] += amount * tables.bet
        elif kind == _POOL:
            books.won[phase + _JACKPOT] += _SEED
            books.events[phase + _JACKPOT] += 1
            books.seen[_JACKPOT_WON] += 1
        else:
            spins += amount
    books.seen[_FREE_SPINS_WON] += phase == 0 and spins > 0
    return spins


@compiled
def _play_rounds(tables: _Tables, source: Source, books: Books, rounds: int, _state: int) -> None:
    for _ in range(rounds):
        wager = _pay_lines(tables, source, books, 1, 0) * tables.coin_value_cents
        held = 0 < wager <= tables.most_cents
        left = _features(tables, source, books, 0, held)
        if left:
            books.events[_FREE + _LINES] += 1
            books.events[_FREE + _SCATTER] += 1
        while left:
            _pay_lines(tables, source, books, FREE_SPIN_MULTIPLIER, _FREE)
            left += _features(tables, source, books, _FREE, held) - 1
        book(books, tables.bet)
    books.states[0] += rounds


KERNEL = Kernel(MATHS, _tables, _play_rounds)
