"""Sample Game's symbols and pays: change these, and the paytable, the rules and the figures follow."""

from gamekit.cascades import CascadeRules
from gamekit.play import TotalBets
from gamekit.ways import WaysRules

WILD = "wild"
SCATTER = "star"

SYMBOLS = (WILD, SCATTER, "ruby", "emerald", "sapphire", "topaz", "ace", "king", "queen", "jack")

ROWS = 3

BET_COINS = 20
"""What the lowest bet costs, in coins; every way is always played."""

PAYS = {
    "ruby": {3: 13, 4: 45, 5: 200},
    "emerald": {3: 10, 4: 30, 5: 100},
    "sapphire": {3: 7, 4: 18, 5: 60},
    "topaz": {3: 6, 4: 14, 5: 40},
    "ace": {3: 3, 4: 8, 5: 20},
    "king": {3: 3, 4: 7, 5: 16},
    "queen": {3: 2, 4: 5, 5: 12},
    "jack": {3: 2, 4: 4, 5: 10},
}
"""Coins for each way at a bet of 20 coins, by the number of reels from reel 1."""

WAYS_RULES = WaysRules(pays=PAYS, wild=WILD)

SCATTER_PAYS = {3: 5, 4: 10, 5: 20, 6: 50}
"""Multiples of the whole bet."""

FREE_SPINS = {3: 8, 4: 8, 5: 8, 6: 8}
CASCADES = CascadeRules(multipliers=(1, 2, 3, 5))
FREE_CASCADES = CascadeRules(multipliers=(2, 3, 5, 10))

TOTAL_BETS = TotalBets(
    unit_cents=20, highest_cents=10_000, usual_cents=(20, 40, 60, 100, 200, 400, 600, 1000, 2000, 4000, 10_000)
)
"""Bets are multiples of 20 cents: a coin is a twentieth of the bet."""

MATHS_VERSION = 1
"""Raise it with every change of strips, pays or definition: rounds are replayed by it."""
