"""Sample Game, declared: ways, cascades, a wild, stars, free spins; its play and its figures follow from this."""

from gamekit.declared.declaration import Declaration, FreeSpins
from gamekit.exact.definition import ScatterRules
from games.sample_cascades.pays import (
    CASCADES,
    FREE_CASCADES,
    FREE_SPINS,
    MATHS_VERSION,
    SCATTER,
    SCATTER_PAYS,
    WAYS_RULES,
)
from games.sample_cascades.strips import REELS

DEFINITION = Declaration(
    maths_version=MATHS_VERSION,
    reels=REELS,
    wins=WAYS_RULES,
    scatter=ScatterRules(symbol=SCATTER, pays=SCATTER_PAYS, free_spins=FREE_SPINS),
    cascades=CASCADES,
    free_spins=FreeSpins(cascades=FREE_CASCADES),
)
