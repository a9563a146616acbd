"""Sample Game: 243 ways, cascades with a rising multiplier, a wild, stars, free spins."""

from gamekit.declared.game import declared_game
from games.sample_cascades.definition import DEFINITION
from games.sample_cascades.pays import BET_COINS, TOTAL_BETS

__all__ = ["DEFINITION", "GAME", "MATHS_PARTS"]

MATHS_PARTS = DEFINITION.maths_parts
"""What the hash of the maths covers."""

GAME = declared_game(
    DEFINITION,
    "sample_cascades",
    "Sample Game",
    idle=(17, 11, 8, 5, 3),
    line_counts=(BET_COINS,),
    total_bets=TOTAL_BETS,
)
