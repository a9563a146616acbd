"""Bewitched's symbols, lines, pays, battle and potions (rules and figures: RULES.md)."""

from gamekit.double_up import DoubleUpRules
from gamekit.lines import LineRules, Payline
from gamekit.play import PoolRule

OWL = "owl"
WITCHES = "witches"
MERLIN = "merlin"

SYMBOLS = (
    OWL,
    WITCHES,
    MERLIN,
    "witch_house",
    "treasure_creature",
    "frog_prince",
    "crystal_ball",
    "books",
    "boots",
    "moon",
    "ace",
    "king",
    "queen",
    "jack",
    "ten",
)

ROWS = 3

LINES: tuple[Payline, ...] = (
    (1, 1, 1, 1, 1),
    (0, 0, 0, 0, 0),
    (2, 2, 2, 2, 2),
    (0, 1, 2, 1, 0),
    (2, 1, 0, 1, 2),
    (1, 0, 0, 0, 1),
    (1, 2, 2, 2, 1),
    (0, 0, 1, 2, 2),
    (2, 2, 1, 0, 0),
    (1, 2, 1, 0, 1),
    (1, 0, 1, 2, 1),
    (0, 1, 1, 1, 0),
    (2, 1, 1, 1, 2),
    (0, 1, 0, 1, 0),
    (2, 1, 2, 1, 2),
)

LINE_PAYS = {
    OWL: {2: 10, 3: 250, 4: 2500, 5: 10000},
    "witch_house": {2: 3, 3: 40, 4: 200, 5: 1000},
    "treasure_creature": {2: 2, 3: 30, 4: 150, 5: 750},
    "frog_prince": {2: 2, 3: 25, 4: 100, 5: 500},
    "crystal_ball": {3: 20, 4: 80, 5: 400},
    "books": {3: 15, 4: 60, 5: 300},
    "boots": {3: 10, 4: 50, 5: 250},
    "moon": {3: 10, 4: 40, 5: 200},
    "ace": {3: 8, 4: 30, 5: 150},
    "king": {3: 6, 4: 25, 5: 125},
    "queen": {3: 6, 4: 25, 5: 125},
    "jack": {3: 5, 4: 20, 5: 100},
    "ten": {3: 5, 4: 20, 5: 100},
}
"""Coins per coin on the line."""

LINE_RULES = LineRules(pays=LINE_PAYS, wild=OWL)

WITCHES_PAYS = {2: 1, 3: 4, 4: 25, 5: 150}
"""Multiples of the whole bet."""

BATTLE_SPINS = {2: 3, 3: 8, 4: 15, 5: 30}
"""Free spins for a battle that the player's witch wins, by the number of scatters."""

BATTLE_ODDS = 2
"""One battle out of so many is won, whichever witch the player has picked."""

FREE_SPIN_MULTIPLIER = 2
"""Of line wins alone."""

MERLINS = 3
"""So many Merlins or more, anywhere, start the bonus."""

VIALS_SHOWN = 9
VIALS_TAKEN = 3

POOL = PoolRule(seed_coins=2000, growth_per_mille=5)

DOUBLE_UP = DoubleUpRules(rounds=5, red=("heart",), black=("spade",))
DOUBLE_UP_CAP_CENTS = 500_000
"""The highest win that may be doubled (requirements.md, G2), unless the cabinet sets a lower cap.

It reaches a play by its stake and is no part of the mathematics.
"""

WITCHES_TO_CHOOSE = 2
"""The player takes one on entering (RULES.md, 2); the odds are the same for both."""

MATHS_VERSION = 1
