"""Sample Game, declared: lines, a wild, stars, free spins; its play and its figures follow from this."""

from gamekit.declared.declaration import Declaration, FreeSpins, LineWins
from gamekit.exact.definition import ScatterRules
from games.sample_game.pays import (
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    SCATTER,
    SCATTER_PAYS,
)
from games.sample_game.strips import REELS

DEFINITION = Declaration(
    maths_version=MATHS_VERSION,
    reels=REELS,
    wins=LineWins(LINES, LINE_RULES),
    scatter=ScatterRules(symbol=SCATTER, pays=SCATTER_PAYS, free_spins=FREE_SPINS),
    free_spins=FreeSpins(multiplier=FREE_SPIN_MULTIPLIER),
)
