"""Star Quarry, declared: 243 ways on five reels of three rows, cascades with a rising multiplier, free spins."""

from gamekit.declared.declaration import Declaration, FreeSpins
from gamekit.exact.definition import ScatterRules
from games.star_quarry.pays import (
    CASCADES,
    FREE_CASCADES,
    FREE_SPINS,
    MATHS_VERSION,
    SCATTER,
    SCATTER_PAYS,
    WAYS_RULES,
)
from games.star_quarry.strips import REELS

DEFINITION = Declaration(
    maths_version=MATHS_VERSION,
    reels=REELS,
    wins=WAYS_RULES,
    scatter=ScatterRules(symbol=SCATTER, pays=SCATTER_PAYS, free_spins=FREE_SPINS),
    cascades=CASCADES,
    free_spins=FreeSpins(cascades=FREE_CASCADES),
)
