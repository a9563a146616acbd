"""Lagoon: five reels, ten lines, free spins, and an echo of its line wins."""

import msgspec

from gamekit.declared.game import declared_game
from gamekit.identity import maths_hash
from games.lagoon.definition import DEFINITION
from games.lagoon.pays import ECHO_ONE_IN
from games.lagoon.play import play
from games.lagoon.scene import advance
from games.lagoon.steps import LinesPaidAgain

__all__ = ["DEFINITION", "GAME", "MATHS_PARTS"]

MATHS_PARTS = {**DEFINITION.maths_parts, "echo_one_in": ECHO_ONE_IN}
"""What the hash of the maths covers."""

_declared = declared_game(
    DEFINITION,
    "lagoon",
    "Lagoon",
    idle=(17, 9, 1, 7, 16),
    line_counts=(1, 5, 10),
    coins_per_line=(1, 2, 5),
)

GAME = msgspec.structs.replace(
    _declared,
    maths_hash=maths_hash(**MATHS_PARTS),
    play=play,
    step_type=_declared.step_type | LinesPaidAgain,
    advance=advance,
)
