"""Sample Game's symbols, lines and pays: change these, and the paytable, the rules and the figures follow."""

from gamekit.lines import LineRules, Payline

WILD = "wild"
SCATTER = "star"

SYMBOLS = (WILD, SCATTER, "ruby", "emerald", "sapphire", "topaz", "ace", "king", "queen", "jack")

ROWS = 3

LINES: tuple[Payline, ...] = (
    (1, 1, 1, 1, 1),
    (0, 0, 0, 0, 0),
    (2, 2, 2, 2, 2),
    (0, 1, 2, 1, 0),
    (2, 1, 0, 1, 2),
    (0, 0, 1, 2, 2),
    (2, 2, 1, 0, 0),
    (1, 0, 0, 0, 1),
    (1, 2, 2, 2, 1),
    (1, 0, 1, 2, 1),
)
"""The row, from 0 at the top, in which each line crosses each reel."""

LINE_PAYS = {
    WILD: {3: 100, 4: 500, 5: 2500},
    "ruby": {3: 60, 4: 200, 5: 1000},
    "emerald": {3: 40, 4: 125, 5: 500},
    "sapphire": {3: 30, 4: 100, 5: 400},
    "topaz": {3: 25, 4: 75, 5: 300},
    "ace": {3: 10, 4: 40, 5: 150},
    "king": {3: 10, 4: 40, 5: 125},
    "queen": {3: 8, 4: 25, 5: 100},
    "jack": {3: 6, 4: 20, 5: 75},
}
"""Coins for each coin on the line, by count from reel 1."""

LINE_RULES = LineRules(pays=LINE_PAYS, wild=WILD, features={})

SCATTER_PAYS = {3: 3, 4: 10, 5: 100}
"""Multiples of the whole bet."""

FREE_SPINS = {3: 8, 4: 10, 5: 15}
FREE_SPIN_MULTIPLIER = 2

MATHS_VERSION = 1
"""Raise it with every change of strips, lines, pays or definition: rounds are replayed by it."""
