"""Sample Game's play: reels, lines, stars, then the free spins."""

from collections.abc import Generator

from games.beats import FreeSpinsWon, LineWin, ReelsLanded, ScatterWin
from games.free_spins import Spin, SpinResult, play_free_spins
from games.lines import LineEvaluator
from games.play import Answer, Draw, Memory, Stake, Step
from games.sample_game.pays import FREE_SPIN_MULTIPLIER, FREE_SPINS, LINE_RULES, LINES, SCATTER, SCATTER_PAYS
from games.sample_game.strips import REELS
from games.scatters import ScatterCounter

_lines = LineEvaluator(REELS, LINES, LINE_RULES)
_stars = ScatterCounter(REELS, SCATTER)


def play(stake: Stake, draw: Draw, _memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one paid round; it keeps no memory."""
    paid = yield from _spin(stake, draw, 1)
    if paid.free_spins:
        yield from play_free_spins(paid.free_spins, lambda: _spin(stake, draw, FREE_SPIN_MULTIPLIER))
    return None


def _spin(stake: Stake, draw: Draw, multiplier: int) -> Spin:
    """One spin, paid or free; `multiplier` holds for its line wins alone."""
    stops = REELS.spin(draw)
    yield ReelsLanded(stops)
    coins = 0
    for hit in _lines.hits(stops, stake.lines):
        win = hit.pay * stake.coins_per_line * multiplier
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
    stars = _stars.count(stops)
    if stars in SCATTER_PAYS:
        win = SCATTER_PAYS[stars] * stake.coins
        coins += win
        yield ScatterWin(SCATTER, stars, _stars.cells(stops), coins=win)
    spins = FREE_SPINS.get(stars, 0)
    if spins:
        yield FreeSpinsWon(spins, retrigger=multiplier > 1)
    return SpinResult(coins, spins)
