"""Sample Game as its exact mathematics sees it: the same tables that the play uses."""

from dataclasses import replace

from games.exact.definition import ScatterRules, SpinDefinition, count_symbols
from games.exact.line_game import LineGameMaths
from games.sample_game import GAME
from games.sample_game.pays import FREE_SPIN_MULTIPLIER, FREE_SPINS, LINE_RULES, LINES, SCATTER, SCATTER_PAYS
from games.sample_game.strips import REELS

_base = SpinDefinition(
    counts=count_symbols(REELS),
    rows=REELS.rows,
    lines=LINES,
    rules=LINE_RULES,
    scatter=ScatterRules(symbol=SCATTER, pays=SCATTER_PAYS, free_spins=FREE_SPINS),
    reels=REELS,
)

MATHS = LineGameMaths(game=GAME, base=_base, free=replace(_base, multiplier=FREE_SPIN_MULTIPLIER))
