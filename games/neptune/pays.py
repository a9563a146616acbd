"""Neptune's symbols, lines, pays and chest table (rules and figures: RULES.md)."""

from gamekit.lines import LineRules, Payline
from gamekit.weights import WeightedTable

NEPTUNE = "neptune"
MERMAID = "mermaid"
TREASURE = "treasure"

SYMBOLS = (
    NEPTUNE,
    MERMAID,
    TREASURE,
    "jewel_box",
    "clam",
    "sea_horse",
    "ace",
    "king",
    "queen",
    "jack",
    "ten",
)

ROWS = 3

# No two lines agree in their first three rows: with at most one Treasure in a window of reels 1 to 3, no two lines
# can start the treasure together.
LINES: tuple[Payline, ...] = (
    (1, 1, 1, 1, 1),
    (0, 0, 0, 0, 0),
    (2, 2, 2, 2, 2),
    (0, 1, 2, 1, 0),
    (2, 1, 0, 1, 2),
    (0, 0, 1, 0, 0),
    (2, 2, 1, 2, 2),
    (1, 2, 2, 2, 1),
    (1, 0, 0, 0, 1),
    (1, 0, 1, 0, 1),
    (1, 2, 1, 2, 1),
    (0, 1, 0, 1, 0),
    (2, 1, 2, 1, 2),
    (1, 1, 0, 1, 1),
    (1, 1, 2, 1, 1),
)

LINE_PAYS = {
    NEPTUNE: {2: 5, 3: 200, 4: 2000, 5: 7500},
    "jewel_box": {3: 50, 4: 100, 5: 500},
    "clam": {3: 20, 4: 100, 5: 500},
    "sea_horse": {3: 15, 4: 75, 5: 250},
    "ace": {3: 10, 4: 50, 5: 125},
    "king": {3: 5, 4: 25, 5: 100},
    "queen": {3: 5, 4: 25, 5: 100},
    "jack": {3: 2, 4: 15, 5: 75},
    "ten": {3: 2, 4: 15, 5: 75},
}
"""Coins per coin on the line."""

LINE_RULES = LineRules(pays=LINE_PAYS, wild=NEPTUNE, features={TREASURE: 3})

MERMAID_PAYS = {2: 2, 3: 4, 4: 50, 5: 400}
"""Multiples of the whole bet."""

FREE_SPINS = {3: 10, 4: 10, 5: 10}
FREE_SPIN_MULTIPLIER = 3

CHESTS_SHOWN = 8

CHEST_TABLE = WeightedTable({10: 249, 15: 299, 20: 336, 25: 398, 30: 388, 40: 354, 50: 345, 60: 278, 75: 264, 100: 221})
"""What a chest holds, in coins per coin on the line, and how often: five chests at five coins reach 2,500 coins."""

MATHS_VERSION = 1
