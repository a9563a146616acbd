"""Sample Game: five reels, ten lines, free spins."""

from gamekit.declared.game import declared_game
from games.sample_game.definition import DEFINITION

__all__ = ["DEFINITION", "GAME", "MATHS_PARTS"]

MATHS_PARTS = DEFINITION.maths_parts
"""What the hash of the maths covers."""

GAME = declared_game(
    DEFINITION,
    "sample_game",
    "Sample Game",
    idle=(17, 9, 1, 7, 16),
    line_counts=(1, 5, 10),
    coins_per_line=(1, 2, 5),
)
