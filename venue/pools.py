"""Jackpot pools of the installed games: one for each coin value of each game with a jackpot."""

from collections.abc import Sequence
from typing import NamedTuple

import psycopg

from gamekit import catalogue

MILLI = 1000


class PoolTerms(NamedTuple):
    """A pool's game, coin value in cents, seed in 1/1000 cent, and contribution per bet in 1/1000."""

    game: str
    coin: int
    seed: int
    rate_per_mille: int


def terms_of_games(coins: Sequence[int]) -> list[PoolTerms]:
    """Return the terms of every game with a jackpot at these coin values, as the game's rules define them."""
    rules = [(name, catalogue.load(name).pool) for name in catalogue.names()]
    return [
        PoolTerms(name, coin, rule.seed_coins * coin * MILLI, rule.growth_per_mille)
        for name, rule in rules
        if rule is not None
        for coin in sorted(set(coins))
    ]


def add_missing(connection: psycopg.Connection, coins: Sequence[int], by: str) -> list[PoolTerms]:
    """Create the pools of these coin values that the venue lacks; return their terms."""
    known = set(connection.execute("SELECT game, coin FROM venue.pool").fetchall())
    added = [terms for terms in terms_of_games(coins) if (terms.game, terms.coin) not in known]
    for terms in added:
        connection.execute("SELECT venue.add_pool(%s, %s, %s, %s, %s)", (*terms, by))
    return added
