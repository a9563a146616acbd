"""Mystery Elves' symbols, lines, pays and tables (rules and figures: RULES.md)."""

from gamekit.double_up import DoubleUpRules
from gamekit.lines import LineRules, Payline
from gamekit.play import TotalBets
from gamekit.weights import WeightedTable

WILD = "wild"
BONUS = "bonus"
BLANK = "blank"
"""What a cell's own reel shows in Hold and Win where no bonus symbol lands."""

SYMBOLS = (
    WILD,
    BONUS,
    "gold_elf",
    "red_elf",
    "green_elf",
    "mushroom",
    "lantern",
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
    (0, 0, 1, 2, 2),
    (2, 2, 1, 0, 0),
    (1, 0, 0, 0, 1),
    (1, 2, 2, 2, 1),
    (1, 0, 1, 2, 1),
)

LINE_PAYS = {
    WILD: {3: 20, 4: 100, 5: 1000},
    "gold_elf": {3: 20, 4: 80, 5: 400},
    "red_elf": {3: 15, 4: 60, 5: 250},
    "green_elf": {3: 15, 4: 50, 5: 200},
    "mushroom": {3: 8, 4: 30, 5: 120},
    "lantern": {3: 8, 4: 30, 5: 120},
    "ace": {3: 5, 4: 20, 5: 75},
    "king": {3: 5, 4: 20, 5: 75},
    "queen": {3: 4, 4: 15, 5: 50},
    "jack": {3: 4, 4: 15, 5: 50},
    "ten": {3: 4, 4: 15, 5: 50},
}
"""Coins; a line always plays one coin, which is a tenth of the bet."""

LINE_RULES = LineRules(pays=LINE_PAYS, wild=WILD)

LEAST_BONUSES = 6
"""So many bonus symbols anywhere start Hold and Win."""

RESPINS = 3

MYSTERY = -1
MULTIPLYING = -2
"""What a bonus symbol carries where it carries no value: the two functions."""

VALUES = WeightedTable(
    {
        1: 217,
        2: 161,
        3: 135,
        4: 102,
        5: 85,
        6: 69,
        7: 56,
        8: 45,
        9: 35,
        10: 30,
        11: 20,
        12: 18,
        13: 14,
        14: 12,
        15: 10,
        16: 7,
        17: 5,
        18: 4,
    }
)
"""The values of bonus symbols, in whole bets, and how often each comes."""

CARRIED_BESIDE_MULTIPLYING = WeightedTable({**VALUES.weights, MYSTERY: 35})
CARRIED = WeightedTable({**CARRIED_BESIDE_MULTIPLYING.weights, MULTIPLYING: 26})
"""Drawn as a bonus symbol lands, until a Multiplying has landed; then `CARRIED_BESIDE_MULTIPLYING` is drawn from."""

MINI, MINOR, MAJOR, GRAND = 20, 50, 100, 1000
AWARD_NAMES = {MINI: "mini", MINOR: "minor", MAJOR: "major", GRAND: "grand"}
"""The Special wins, in whole bets, and what they are called."""

AWARDS = WeightedTable({MINI: 145, MINOR: 46, MAJOR: 10, GRAND: 2})
"""What a Mystery awards; GRAND once at most, a second one becomes MAJOR."""

MULTIPLIERS = WeightedTable({2: 60, 3: 25, 4: 10, 5: 5})
GRAND_MULTIPLIER = 2
"""The only multiplier beside GRAND."""

FULL_MULTIPLIER = 2
"""What fifteen bonus symbols multiply the whole feature by."""

BUY_PRICE = 70
"""A bought Hold and Win costs so many whole bets."""

TOTAL_BETS = TotalBets(
    unit_cents=10,
    highest_cents=8000,
    usual_cents=(10, 20, 30, 40, 50, 80, 100, 150, 200, 300, 400, 500, 800, 1000, 2000, 3000, 4000, 6000, 8000),
)

GAMBLE = DoubleUpRules(
    rounds=10,
    red=("heart", "diamond"),
    black=("club", "spade"),
    most_cents=12_500_000,
    halve=True,
    joker_one_in=10,
)

MATHS_VERSION = 1
