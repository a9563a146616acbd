"""Mona Lisa Jewels' play: lines, palettes, jackpot; then jewel spins, then the normal free spins."""

from collections.abc import Generator, Sequence

from gamekit.beats import FreeSpinsWon, LineWin, ReelsLanded, ScatterWin
from gamekit.free_spins import Spin, SpinResult, play_free_spins
from gamekit.jackpot import claim_pool
from gamekit.lines import LineEvaluator, LineHit
from gamekit.play import Answer, Draw, Memory, Stake, Step
from gamekit.scatters import ScatterCounter
from games.mona_lisa_jewels.jewels import TRIGGERS, play_jewel_spins
from games.mona_lisa_jewels.pays import (
    COINS_PER_LINE,
    FREE_SPINS,
    JACKPOT,
    JACKPOT_AWARD,
    LINE_RULES,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.steps import FiveJackpots
from games.mona_lisa_jewels.strips import REELS

_lines = LineEvaluator(REELS, LINES, LINE_RULES)
_palettes = ScatterCounter(REELS, PALETTE)


def at_highest_bet(stake: Stake) -> bool:
    """Whether `stake` plays for the pool: all lines, and the most coins on each (rule page 3.4)."""
    return stake.lines == len(LINES) and stake.coins_per_line == COINS_PER_LINE[-1]


def play(stake: Stake, draw: Draw, _memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one paid round; it keeps no memory."""
    paid = yield from _spin(stake, draw, free=False)
    if paid.free_spins:
        yield from play_free_spins(paid.free_spins, lambda: _spin(stake, draw, free=True))
    return None


def _spin(stake: Stake, draw: Draw, *, free: bool) -> Spin:
    """One paid or normal free spin with the jewel spins it starts, which are played before any other (3.3)."""
    stops = REELS.spin(draw)
    yield ReelsLanded(stops)
    coins = 0
    jackpots = []
    for hit in _lines.hits(stops, stake.lines):
        if hit.symbol == JACKPOT:
            jackpots.append(hit)
            continue
        multiplier = _multiplier(stops, hit) if free else 1
        win = hit.pay * stake.coins_per_line * multiplier
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
    palettes = _palettes.count(stops)
    if palettes in PALETTE_PAYS:
        win = PALETTE_PAYS[palettes] * stake.coins
        coins += win
        yield ScatterWin(PALETTE, palettes, _palettes.cells(stops), coins=win)
    for hit in jackpots:
        coins += yield from _jackpot(stake, hit)
    spins = FREE_SPINS.get(palettes, 0)
    if spins:
        yield FreeSpinsWon(spins, retrigger=free)
    if stops[0] in TRIGGERS:
        jewels = yield from play_jewel_spins(stake, draw, stops, in_free_spins=free)
        coins += jewels.coins
        spins += jewels.free_spins
    return SpinResult(coins, spins)


def _multiplier(stops: Sequence[int], hit: LineHit) -> int:
    """Return what the wilds inside the paid combination multiply it by."""
    rows = LINES[hit.line][: hit.run]
    wilds = sum(REELS.column(reel, stops[reel])[row] == MONA_LISA for reel, row in enumerate(rows))
    return WILD_MULTIPLIERS[min(wilds, len(WILD_MULTIPLIERS)) - 1] if wilds else 1


def _jackpot(stake: Stake, hit: LineHit) -> Generator[Step, Answer | None, int]:
    """Pay five jackpot symbols on a line: the pool at the highest bet, the paytable's award below it."""
    if at_highest_bet(stake):
        yield FiveJackpots(hit.line + 1)
        return (yield from claim_pool())
    coins = JACKPOT_AWARD * stake.coins_per_line
    yield FiveJackpots(hit.line + 1, coins=coins)
    return coins
