"""The jewel spins: reel 1 locked, jewels and wilds held, nothing multiplied (rule page 3.2)."""

from collections.abc import Mapping, Sequence

from gamekit.beats import Begin, Cell, Continue, FreeSpinsWon, LineWin, ReelsLanded, ScatterWin, checked_choice
from gamekit.free_spins import Spin, SpinResult
from gamekit.lines import LineEvaluator
from gamekit.play import Draw, Stake
from gamekit.reels import Strip
from games.mona_lisa_jewels.pays import (
    FREE_SPINS,
    JEWEL,
    JEWEL_SPINS,
    JEWELS_TO_TRIGGER,
    LINE_RULES,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
)
from games.mona_lisa_jewels.steps import Held, JewelsHeld, JewelSpinBegins, JewelSpinsEnded, JewelSpinsWon
from games.mona_lisa_jewels.strips import REELS

_lines = LineEvaluator(REELS, LINES, LINE_RULES)

TRIGGERS = frozenset(
    stop for stop in range(REELS.lengths[0]) if REELS.column(0, stop).count(JEWEL) >= JEWELS_TO_TRIGGER
)
"""The stops of reel 1 that start jewel spins: a wild is no jewel here."""


def holdable(window: Sequence[Strip]) -> dict[Cell, str]:
    """Return the jewels and wilds of `window` on the reels behind the locked one."""
    return {
        (reel, row): symbol
        for reel, column in enumerate(window)
        for row, symbol in enumerate(column)
        if reel and symbol in {JEWEL, MONA_LISA}
    }


def overlay(window: Sequence[Strip], held: Mapping[Cell, str]) -> tuple[Strip, ...]:
    """Return `window` with the held symbols over what the reels show behind them."""
    return tuple(
        tuple(held.get((reel, row), symbol) for row, symbol in enumerate(column)) for reel, column in enumerate(window)
    )


def play_jewel_spins(stake: Stake, draw: Draw, stops: Sequence[int], *, in_free_spins: bool) -> Spin:
    """Play the jewel spins that start from the window at `stops`; they win normal free spins, never jewel spins."""
    held = holdable(REELS.window(stops))
    yield JewelSpinsWon(JEWEL_SPINS, _cells(held))
    coins = spins = 0
    for number in range(1, JEWEL_SPINS + 1):
        offer = Begin(JEWEL_SPINS) if number == 1 else Continue(JEWEL_SPINS - number + 1)
        checked_choice(offer, (yield offer))
        yield JewelSpinBegins(number, JEWEL_SPINS)
        landed = (stops[0], *map(draw, REELS.lengths[1:]))
        yield ReelsLanded(landed)
        window = overlay(REELS.window(landed), held)
        result = yield from _pay(stake, window, in_free_spins=in_free_spins)
        coins += result.coins
        spins += result.free_spins
        if number < JEWEL_SPINS:
            now = holdable(window)
            yield JewelsHeld(_cells({cell: symbol for cell, symbol in now.items() if cell not in held}))
            held = now
    yield JewelSpinsEnded(JEWEL_SPINS, coins)
    return SpinResult(coins, spins)


def _pay(stake: Stake, window: Sequence[Strip], *, in_free_spins: bool) -> Spin:
    coins = 0
    # Five jackpot symbols cannot be here: the locked reel shows none.
    for hit in _lines.hits_in(window, stake.lines):
        win = hit.pay * stake.coins_per_line
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, coins=win)
    cells = tuple(
        (reel, row) for reel, column in enumerate(window) for row, symbol in enumerate(column) if symbol == PALETTE
    )
    if len(cells) in PALETTE_PAYS:
        win = PALETTE_PAYS[len(cells)] * stake.coins
        coins += win
        yield ScatterWin(PALETTE, len(cells), cells, coins=win)
    spins = FREE_SPINS.get(len(cells), 0)
    if spins:
        yield FreeSpinsWon(spins, retrigger=in_free_spins)
    return SpinResult(coins, spins)


def _cells(held: Mapping[Cell, str]) -> tuple[Held, ...]:
    return tuple(Held(reel, row, symbol) for (reel, row), symbol in held.items())
