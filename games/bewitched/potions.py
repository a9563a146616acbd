"""What Merlin's three vials become: money, free spins or the jackpot, drawn once the third is chosen.

The jackpot's chance rises with the coins bet, so that each coin buys the same chance of it. It is taken from the 15x,
and the 300x rises by a little: 20 parts less of 15 and one part more of 300 leave the money's mean as it was.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from gamekit.play import Draw
from gamekit.weights import WeightedTable

MONEY = "money"
FREE_SPINS = "free_spins"
JACKPOT = "jackpot"


class Potion(NamedTuple):
    """One outcome: `money` of `amount` times the whole bet, `amount` `free_spins`, or the `jackpot` (amount 0)."""

    kind: str
    amount: int = 0


MONEY_WEIGHTS = {
    15: 115_000,
    20: 97_898,
    25: 85_402,
    30: 68_846,
    40: 66_100,
    50: 49_000,
    75: 44_512,
    100: 28_500,
    150: 12_500,
    200: 6_800,
    300: 3_700,
}
SPINS_WEIGHTS = {15: 57_144, 20: 49_456, 25: 30_407, 30: 22_793, 40: 11_400, 50: 7_600, 60: 3_800}
"""How often each amount of money, in whole bets, and each number of free spins comes where no coin is bet."""

_LOWEST, _HIGHEST = min(MONEY_WEIGHTS), max(MONEY_WEIGHTS)
PER_COIN = {Potion(MONEY, _LOWEST): -20, Potion(MONEY, _HIGHEST): 1, Potion(JACKPOT): 19}
"""How the weights change with each coin bet; neither their sum nor the money's mean does."""


def potion_weights(coins: int) -> Mapping[Potion, int]:
    """Return how often each potion comes when the whole bet is `coins`; the sum is the same for every bet."""
    weights = {Potion(MONEY, amount): weight for amount, weight in MONEY_WEIGHTS.items()}
    weights |= {Potion(FREE_SPINS, amount): weight for amount, weight in SPINS_WEIGHTS.items()}
    weights[Potion(JACKPOT)] = 0
    return {potion: weight + coins * PER_COIN.get(potion, 0) for potion, weight in weights.items()}


@cache
def _table(coins: int) -> tuple[tuple[Potion, ...], WeightedTable]:
    weights = potion_weights(coins)
    return tuple(weights), WeightedTable(dict(enumerate(weights.values())))


def draw_potion(coins: int, draw: Draw) -> Potion:
    """Draw a potion for a bet of `coins`, with one draw."""
    potions, table = _table(coins)
    return potions[table.draw(draw)]
