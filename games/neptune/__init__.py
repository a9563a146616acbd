"""Neptune: five reels, fifteen lines, free spins and treasure chests (RULES.md)."""

from gamekit.declared.game import OwnScene, declared_game
from games.neptune.definition import DEFINITION
from games.neptune.scene import NeptuneScene, advance

__all__ = ["DEFINITION", "GAME", "MATHS_PARTS", "NeptuneScene"]

MATHS_PARTS = DEFINITION.maths_parts
"""What the hash of the maths covers."""

_IDLE = (5, 16, 17, 2, 11)

GAME = declared_game(
    DEFINITION,
    "neptune",
    "Neptune",
    idle=_IDLE,
    own=OwnScene(NeptuneScene(stops=_IDLE), advance),
    coins_per_line=(1, 2, 3, 4, 5),
)
