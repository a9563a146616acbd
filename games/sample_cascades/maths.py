"""Sample Game as its exact mathematics sees it, from its definition."""

from gamekit.declared.maths import LawMaths
from games.sample_cascades import GAME
from games.sample_cascades.definition import DEFINITION

MATHS = LawMaths(GAME, DEFINITION)
