"""Star Quarry as its exact mathematics sees it, from its definition."""

from gamekit.declared.maths import LawMaths
from games.star_quarry import GAME
from games.star_quarry.definition import DEFINITION

MATHS = LawMaths(GAME, DEFINITION)
