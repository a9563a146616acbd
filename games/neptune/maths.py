"""Neptune as its exact mathematics sees it, from its definition."""

from gamekit.declared.maths import line_maths
from games.neptune import GAME
from games.neptune.definition import DEFINITION

MATHS = line_maths(GAME, DEFINITION)
