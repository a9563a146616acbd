"""Neptune as its exact mathematics sees it: the same tables that the play uses."""

from dataclasses import replace
from fractions import Fraction

from games.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from games.exact.line_game import LineGameMaths
from games.neptune import GAME
from games.neptune.pays import (
    CHEST_TABLE,
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_RULES,
    LINES,
    MERMAID,
    MERMAID_PAYS,
    TREASURE,
)
from games.neptune.strips import REELS

_base = SpinDefinition(
    counts=count_symbols(REELS),
    rows=REELS.rows,
    lines=LINES,
    rules=LINE_RULES,
    scatter=ScatterRules(symbol=MERMAID, pays=MERMAID_PAYS, free_spins=FREE_SPINS),
    picks=PickRules(
        name="treasure",
        picks={TREASURE: {count: count for count in range(LINE_RULES.features[TREASURE], len(REELS.strips) + 1)}},
        mean=CHEST_TABLE.mean,
        variance=CHEST_TABLE.variance,
        largest=CHEST_TABLE.largest,
        largest_chance=Fraction(CHEST_TABLE.weights[CHEST_TABLE.largest], CHEST_TABLE.total),
    ),
    reels=REELS,
)

MATHS = LineGameMaths(game=GAME, base=_base, free=replace(_base, multiplier=FREE_SPIN_MULTIPLIER))
