"""Sample Game as its exact mathematics sees it, from its definition."""

from gamekit.declared.maths import line_maths
from games.sample_game import GAME
from games.sample_game.definition import DEFINITION

MATHS = line_maths(GAME, DEFINITION)
