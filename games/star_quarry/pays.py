"""Star Quarry's symbols, pays and multipliers."""

from gamekit.cascades import CascadeRules
from gamekit.play import TotalBets
from gamekit.ways import WaysRules

WILD = "comet"
SCATTER = "beacon"

SYMBOLS = (
    WILD,
    SCATTER,
    "foreman",
    "robot",
    "rocket",
    "drill",
    "crystal",
    "ruby",
    "emerald",
    "sapphire",
    "topaz",
    "amber",
)

ROWS = 3

BET_COINS = 20
"""What the lowest bet costs, in coins; every way is always played."""

PAYS = {
    "foreman": {3: 20, 4: 80, 5: 400},
    "robot": {3: 15, 4: 50, 5: 200},
    "rocket": {3: 12, 4: 40, 5: 150},
    "drill": {3: 10, 4: 30, 5: 100},
    "crystal": {3: 8, 4: 20, 5: 60},
    "ruby": {3: 5, 4: 12, 5: 40},
    "emerald": {3: 4, 4: 10, 5: 30},
    "sapphire": {3: 3, 4: 8, 5: 25},
    "topaz": {3: 2, 4: 6, 5: 20},
    "amber": {3: 2, 4: 5, 5: 15},
}
"""Coins for each way at a bet of 20 coins, by the number of reels from reel 1."""

WAYS_RULES = WaysRules(pays=PAYS, wild=WILD)

SCATTER_PAYS = {3: 2, 4: 10, 5: 67}
"""Multiples of the whole bet; those for 4 and 5 bring the return to 95.00 %."""

FREE_SPINS = {3: 10, 4: 10, 5: 10}

CASCADES = CascadeRules(multipliers=(1, 2, 3, 5))
FREE_CASCADES = CascadeRules(multipliers=(2, 4, 6, 10))

TOTAL_BETS = TotalBets(
    unit_cents=20,
    highest_cents=10_000,
    usual_cents=(20, 40, 60, 80, 100, 160, 200, 300, 400, 500, 800, 1000, 1500, 2000, 3000, 4000, 5000, 8000, 10_000),
)

MATHS_VERSION = 1
