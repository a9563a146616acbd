"""The most that one spin can win, game by game: the figures of the PAR sheets (docs/par), held to them by a test.

What the spin starts by itself counts (respins, jewel spins, a feature); free spins, double-up and jackpots do not.
Witch Feature promises its best single spin, be it paid or free (rules/witch_feature.txt, "win up to").
"""

from collections.abc import Mapping

MOST_COINS: Mapping[str, Mapping[int, int]] = {
    "neptune": dict(
        enumerate(
            (7500, 7500, 7500, 7600, 7700, 8100, 8100, 8100, 8115, 8525, 8575, 8615, 8640, 9075, 9165),
            start=1,
        )
    ),
    "bewitched": dict(
        enumerate(
            (10000, 10000, 10000, 10158, 10158, 10158, 10180, 10180, 10180, 10865, 10908, 11008, 11158, 11434, 11436),
            start=1,
        )
    ),
    "mona_lisa_jewels": dict(
        enumerate(
            (
                *(1005, 1300, 1505, 1895, 2395, 2645, 2895, 3275, 3525, 4050, 4515, 4800, 5035),
                *(5525, 5910, 6550, 6800, 7060, 7310, 7560, 7765, 8015, 8265, 8635, 8885),
            ),
            start=1,
        )
    ),
    "mystery_elves": {10: 145_550},
    "witch_feature": {50: 101_661},
}
"""Coins for each coin on a line, by game and number of lines."""


def most_cents(game: str, *, lines: int, coins_per_line: int, coin_value_cents: int) -> int:
    """Return the most cents that one spin of `game` can win at this bet; raise `KeyError` for a bet it has not."""
    return MOST_COINS[game][lines] * coins_per_line * coin_value_cents


def most_at(game: str, cents: int) -> int:
    """Return the most cents that one spin of `game` can win at a total bet of `cents` on all its lines."""
    lines = max(MOST_COINS[game])
    return MOST_COINS[game][lines] * cents // lines
