"""Neptune, declared (RULES.md): lines, Mermaids, treasure chests won on a line, free spins."""

from gamekit.declared.declaration import Declaration, FreeSpins, LineWins, Picks
from gamekit.exact.definition import ScatterRules
from games.neptune.pays import (
    CHEST_TABLE,
    CHESTS_SHOWN,
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_RULES,
    LINES,
    MATHS_VERSION,
    MERMAID,
    MERMAID_PAYS,
    TREASURE,
)
from games.neptune.strips import REELS

# In free spins line wins alone are multiplied (rule page, free spins 3 and 7).
DEFINITION = Declaration(
    maths_version=MATHS_VERSION,
    reels=REELS,
    wins=LineWins(LINES, LINE_RULES),
    scatter=ScatterRules(symbol=MERMAID, pays=MERMAID_PAYS, free_spins=FREE_SPINS),
    picks=Picks(symbol=TREASURE, shown=CHESTS_SHOWN, table=CHEST_TABLE, name="treasure", objects="chests"),
    free_spins=FreeSpins(multiplier=FREE_SPIN_MULTIPLIER),
)
