"""Mona Lisa Jewels' symbols, lines and pays (rules and figures: RULES.md)."""

from gamekit.lines import LineRules, Payline

MONA_LISA = "mona_lisa"
"""The wild."""

PALETTE = "palette"
"""The scatter."""

JEWEL = "jewel"
JACKPOT = "jackpot"

SYMBOLS = (
    MONA_LISA,
    PALETTE,
    JEWEL,
    JACKPOT,
    "leonardo",
    "florence",
    "goblet",
    "lute",
    "ace",
    "king",
    "queen",
    "jack",
    "ten",
)

ROWS = 3

# All different: with at most one jackpot symbol in a window of each reel, five of them are on one line at most.
LINES: tuple[Payline, ...] = (
    (1, 1, 1, 1, 1),
    (0, 0, 0, 0, 0),
    (2, 2, 2, 2, 2),
    (0, 1, 2, 1, 0),
    (2, 1, 0, 1, 2),
    (0, 0, 1, 0, 0),
    (2, 2, 1, 2, 2),
    (1, 0, 0, 0, 1),
    (1, 2, 2, 2, 1),
    (1, 0, 1, 0, 1),
    (1, 2, 1, 2, 1),
    (0, 1, 0, 1, 0),
    (2, 1, 2, 1, 2),
    (0, 1, 1, 1, 0),
    (2, 1, 1, 1, 2),
    (1, 1, 0, 1, 1),
    (1, 1, 2, 1, 1),
    (0, 0, 1, 2, 2),
    (2, 2, 1, 0, 0),
    (0, 2, 0, 2, 0),
    (2, 0, 2, 0, 2),
    (0, 2, 2, 2, 0),
    (2, 0, 0, 0, 2),
    (1, 0, 2, 0, 1),
    (1, 2, 0, 2, 1),
)

LINE_PAYS = {
    "leonardo": {3: 50, 4: 200, 5: 1000},
    "florence": {3: 30, 4: 150, 5: 750},
    "goblet": {3: 30, 4: 160, 5: 500},
    "lute": {3: 25, 4: 100, 5: 400},
    JEWEL: {3: 10, 4: 50, 5: 250},
    "ace": {3: 15, 4: 60, 5: 250},
    "king": {3: 10, 4: 50, 5: 200},
    "queen": {3: 5, 4: 25, 5: 125},
    "jack": {3: 10, 4: 40, 5: 150},
    "ten": {3: 5, 4: 25, 5: 100},
}
"""Coins per coin on the line."""

JACKPOT_COUNT = 5

LINE_RULES = LineRules(pays=LINE_PAYS, wild=MONA_LISA, features={JACKPOT: JACKPOT_COUNT})
"""A jackpot symbol is no regular one: wild does not stand for it, and it pays only as five on a line."""

JACKPOT_AWARD = 400
"""What five jackpot symbols pay below the highest bet, in coins per coin on the line."""

POOL_SEED_COINS = 50_000
POOL_GROWTH_PER_MILLE = 5

COINS_PER_LINE = tuple(range(1, 11))

PALETTE_PAYS = {3: 5, 4: 25, 5: 200}
"""Multiples of the whole bet."""

FREE_SPINS = {3: 10, 4: 10, 5: 10}

WILD_MULTIPLIERS = (2, 4, 8)
"""What a line win of a normal free spin is multiplied by for 1, 2, and 3 or more wilds in its combination."""

JEWELS_TO_TRIGGER = 2
JEWEL_SPINS = 2

MATHS_VERSION = 1
