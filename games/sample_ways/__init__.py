"""Sample Game: 243 ways, a wild, stars, free spins."""

from gamekit.declared.game import declared_game
from games.sample_ways.definition import DEFINITION
from games.sample_ways.pays import BET_COINS, TOTAL_BETS

__all__ = ["DEFINITION", "GAME", "MATHS_PARTS"]

MATHS_PARTS = DEFINITION.maths_parts
"""What the hash of the maths covers."""

GAME = declared_game(
    DEFINITION,
    "sample_ways",
    "Sample Game",
    idle=(2, 7, 12, 4, 9),
    line_counts=(BET_COINS,),
    total_bets=TOTAL_BETS,
)
