"""Witch Feature's symbols, lines, pays and drawn tables (rules and figures: RULES.md)."""

from fractions import Fraction
from itertools import pairwise

from gamekit.lines import LineRules, Payline
from gamekit.play import TotalBets
from gamekit.weights import WeightedTable

WILD = "wild"
FREE_SPINS = "free_spins"
QUESTION_MARK = "question_mark"
RED, BLUE, GREEN = POTIONS = ("potion_red", "potion_blue", "potion_green")
HIGH_SYMBOLS = ("witch", "cat", "owl", "book", "broom")
LOW_SYMBOLS = ("ace", "king", "queen", "jack")

SYMBOLS = (WILD, *HIGH_SYMBOLS, *LOW_SYMBOLS, FREE_SPINS, *POTIONS, QUESTION_MARK)

REEL_COUNT = 5
ROWS = 4


def _paths(reels: int) -> list[Payline]:
    """Return every way over `reels` reels on which neighbours lie in the same row or in rows next to each other."""
    paths: list[Payline] = [(row,) for row in range(ROWS)]
    for _ in range(reels - 1):
        paths = [(*path, row) for path in paths for row in range(ROWS) if abs(row - path[-1]) <= 1]
    return paths


def _lines() -> tuple[Payline, ...]:
    """Return fifty lines of adjacent cells: straight ones, those that read alike from both ends, those of one step."""
    middle = REEL_COUNT // 2
    mirrored = [(*path, *path[middle - 1 :: -1]) for path in _paths(middle + 1)]
    stepped = [path for path in _paths(REEL_COUNT) if sum(a != b for a, b in pairwise(path)) == 1]
    return tuple(sorted(mirrored, key=lambda line: len(set(line)))) + tuple(stepped)


LINES = _lines()

LINE_PAYS = {
    WILD: {3: 25, 4: 50, 5: 200},
    "witch": {3: 14, 4: 28, 5: 70},
    "cat": {3: 12, 4: 24, 5: 60},
    "owl": {3: 10, 4: 20, 5: 50},
    "book": {3: 8, 4: 16, 5: 40},
    "broom": {3: 7, 4: 14, 5: 35},
    "ace": {3: 6, 4: 12, 5: 30},
    "king": {3: 6, 4: 12, 5: 30},
    "queen": {3: 4, 4: 8, 5: 25},
    "jack": {3: 4, 4: 8, 5: 25},
}
"""Coins per coin on the line; every symbol pays from three on, so reels 1 to 3 decide whether a spin wins."""

LINE_RULES = LineRules(pays=LINE_PAYS, wild=WILD)

TOTAL_BETS = TotalBets(
    unit_cents=50,
    highest_cents=8000,
    usual_cents=(50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000, 8000),
)

FREE_SPINS_WON = 10
FREE_SPINS_ADDED = 1

RANDOM_WILDS_TABLE = WeightedTable({3: 30, 4: 35, 5: 25, 6: 10})
"""How many wilds land in Random Wilds, and how often."""

MULTIPLIER_TABLE = WeightedTable({2: 45, 3: 30, 5: 15, 8: 6, 10: 4})
"""What Multiplier multiplies by, and how often."""

EXPLOSION_MARKS = 12

EXPLOSION_SYMBOLS = (WILD, *HIGH_SYMBOLS)
EXPLOSION_TABLE = WeightedTable({0: 7, 1: 4, 2: 3, 3: 2, 4: 2, 5: 2})
"""Which of `EXPLOSION_SYMBOLS` (by place) the question marks turn into, and how often."""

LOCKED_CHANCES = {
    "random_wilds": Fraction(681_985_104_459_143, 3_662_290_099_597_120),
    "multiplier": Fraction(4_182_640_642_822_572, 13_882_368_408_785_333),
    "mega_wild": Fraction(19_497_383_655_450_943, 21_172_614_638_295_850),
}
"""How likely the triple of a feature still locked explodes: the feature's mean win by the Explosion's, exactly."""

OTHER_CHANCE = Fraction(183_426_181, 1_000_000_000)
"""How likely a triple that belongs to no feature explodes, in every unlock state."""

FREE_FEATURES = (
    (),
    ("high_symbols",),
    ("random_wilds",),
    ("multiplier",),
    ("mega_wild",),
    ("high_symbols", "multiplier"),
    ("random_wilds", "multiplier"),
    ("mega_wild", "multiplier"),
)
FREE_FEATURE_TABLE = WeightedTable({0: 760, 1: 100, 2: 55, 3: 45, 4: 18, 5: 10, 6: 8, 7: 4})
"""Which of `FREE_FEATURES` (by place) a free spin triggers, and how often."""

MATHS_VERSION = 2
