"""Sample Game's symbols and pays: change these, and the paytable, the rules and the figures follow."""

from gamekit.play import TotalBets
from gamekit.ways import WaysRules

WILD = "wild"
SCATTER = "star"

SYMBOLS = (WILD, SCATTER, "ruby", "emerald", "sapphire", "topaz", "ace", "king", "queen", "jack")

ROWS = 3

BET_COINS = 20
"""What the lowest bet costs, in coins; every way is always played."""

PAYS = {
    "ruby": {3: 30, 4: 120, 5: 500},
    "emerald": {3: 25, 4: 80, 5: 300},
    "sapphire": {3: 18, 4: 50, 5: 200},
    "topaz": {3: 14, 4: 40, 5: 120},
    "ace": {3: 6, 4: 15, 5: 50},
    "king": {3: 5, 4: 12, 5: 40},
    "queen": {3: 4, 4: 10, 5: 30},
    "jack": {3: 3, 4: 8, 5: 25},
}
"""Coins for each way at a bet of 20 coins, by the number of reels from reel 1."""

WAYS_RULES = WaysRules(pays=PAYS, wild=WILD)

SCATTER_PAYS = {3: 2, 4: 10, 5: 50}
"""Multiples of the whole bet."""

FREE_SPINS = {3: 8, 4: 10, 5: 15}
FREE_SPIN_MULTIPLIER = 2

TOTAL_BETS = TotalBets(
    unit_cents=20, highest_cents=10_000, usual_cents=(20, 40, 60, 100, 200, 400, 600, 1000, 2000, 4000, 10_000)
)
"""Bets are multiples of 20 cents: a coin is a twentieth of the bet."""

MATHS_VERSION = 1
"""Raise it with every change of strips, pays or definition: rounds are replayed by it."""
