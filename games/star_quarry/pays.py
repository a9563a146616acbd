"""Star Quarry's symbols, pays and multipliers."""

from games.cascades import CascadeRules
from games.play import TotalBets
from games.ways import WaysRules

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
    "foreman": {3: 10, 4: 30, 5: 120},
    "robot": {3: 8, 4: 24, 5: 80},
    "rocket": {3: 6, 4: 18, 5: 60},
    "drill": {3: 5, 4: 12, 5: 40},
    "crystal": {3: 4, 4: 10, 5: 30},
    "ruby": {3: 3, 4: 6, 5: 20},
    "emerald": {3: 2, 4: 5, 5: 15},
    "sapphire": {3: 2, 4: 4, 5: 12},
    "topaz": {3: 1, 4: 3, 5: 10},
    "amber": {3: 1, 4: 2, 5: 8},
}
"""Coins for each way at a bet of 20 coins, by the number of reels from reel 1."""

WAYS_RULES = WaysRules(pays=PAYS, wild=WILD)

SCATTER_PAYS = {3: 2, 4: 10, 5: 50}
"""Multiples of the whole bet."""

FREE_SPINS = {3: 10, 4: 10, 5: 10}

CASCADES = CascadeRules(multipliers=(1, 2, 3, 5))
FREE_CASCADES = CascadeRules(multipliers=(2, 4, 6, 10))

TOTAL_BETS = TotalBets(
    unit_cents=20,
    highest_cents=10_000,
    usual_cents=(20, 40, 60, 80, 100, 160, 200, 300, 400, 500, 800, 1000, 1500, 2000, 3000, 4000, 5000, 8000, 10_000),
)

MATHS_VERSION = 1
