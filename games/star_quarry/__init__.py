"""Star Quarry: a quarry in the asteroids; 243 ways, cascades and free spins (RULES.md)."""

from gamekit.declared.game import declared_game
from games.star_quarry.definition import DEFINITION
from games.star_quarry.pays import BET_COINS, TOTAL_BETS

__all__ = ["DEFINITION", "GAME", "MATHS_PARTS"]

MATHS_PARTS = DEFINITION.maths_parts
"""What the hash of the maths covers."""

GAME = declared_game(
    DEFINITION,
    "star_quarry",
    "Star Quarry",
    idle=(2, 7, 12, 4, 9),
    line_counts=(BET_COINS,),
    total_bets=TOTAL_BETS,
)
