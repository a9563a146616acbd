"""Neptune's play: reels, lines, Mermaids, treasure, then the free spins (rules/neptune.txt)."""

from collections.abc import Generator

from games.beats import FreeSpinsWon, LineWin, PicksWon, ReelsLanded, ScatterWin
from games.free_spins import Spin, SpinResult, play_free_spins
from games.lines import LineEvaluator
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
from games.picks import open_objects
from games.play import Answer, Draw, Memory, Stake, Step
from games.scatters import ScatterCounter

_lines = LineEvaluator(REELS, LINES, LINE_RULES)
_mermaids = ScatterCounter(REELS, MERMAID)


def play(stake: Stake, draw: Draw, _memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one paid round; it keeps no memory."""
    paid = yield from _spin(stake, draw, 1)
    if paid.free_spins:
        yield from play_free_spins(paid.free_spins, lambda: _spin(stake, draw, FREE_SPIN_MULTIPLIER))
    return None


def _spin(stake: Stake, draw: Draw, multiplier: int) -> Spin:
    """One spin, paid or free; `multiplier` holds for its line wins alone (rule page, free spins 3 and 7)."""
    stops = REELS.spin(draw)
    yield ReelsLanded(stops)
    coins = 0
    treasures = []
    for hit in _lines.hits(stops, stake.lines):
        if hit.symbol == TREASURE:
            treasures.append(hit)
            continue
        win = hit.pay * stake.coins_per_line * multiplier
        coins += win
        yield LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
    mermaids = _mermaids.count(stops)
    if mermaids in MERMAID_PAYS:
        win = MERMAID_PAYS[mermaids] * stake.coins
        coins += win
        yield ScatterWin(MERMAID, mermaids, _mermaids.cells(stops), coins=win)
    for hit in treasures:
        yield PicksWon(hit.line + 1, TREASURE, hit.run, CHESTS_SHOWN)
        coins += yield from open_objects(hit.run, CHESTS_SHOWN, lambda: CHEST_TABLE.draw(draw) * stake.coins_per_line)
    spins = FREE_SPINS.get(mermaids, 0)
    if spins:
        yield FreeSpinsWon(spins, retrigger=multiplier > 1)
    return SpinResult(coins, spins)
