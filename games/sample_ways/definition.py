"""Sample Game, declared: ways, a wild, stars, free spins; its play and its figures follow from this."""

from gamekit.declared.declaration import Declaration, FreeSpins
from gamekit.exact.definition import ScatterRules
from games.sample_ways.pays import (
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    MATHS_VERSION,
    SCATTER,
    SCATTER_PAYS,
    WAYS_RULES,
)
from games.sample_ways.strips import REELS

DEFINITION = Declaration(
    maths_version=MATHS_VERSION,
    reels=REELS,
    wins=WAYS_RULES,
    scatter=ScatterRules(symbol=SCATTER, pays=SCATTER_PAYS, free_spins=FREE_SPINS),
    free_spins=FreeSpins(multiplier=FREE_SPIN_MULTIPLIER),
)
