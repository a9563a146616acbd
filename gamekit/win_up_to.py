"""The advertised win: the highest amount that at least one paid play in 50 million reaches (standards G11).

A play is a paid spin with all the free spins and features that it brings. Double-up and gamble are left out; a jackpot
pool counts at its seed. `gamekit.figures` keeps the promises of each game.
"""

from gamekit.figures import Promise, StaleFiguresError, figures_of
from gamekit.play import Game, Stake

ONE_IN = 50_000_000
"""An amount may be advertised where one play in so many reaches it (standards G11)."""


def promise(game: str, *, lines: int, coins_per_line: int, price: int = 1) -> Promise:
    """Return what `game` may promise at this bet; raise `KeyError` for a bet that it has not."""
    for one in figures_of(game).promises:
        if (one.lines, one.coins_per_line, one.price) == (lines, coins_per_line, price):
            return one
    raise KeyError(f"{game} has no bet of {lines} lines, {coins_per_line} coins and price {price}")


def promise_of(game: Game, stake: Stake) -> Promise | None:
    """Return what `game` may promise at `stake`; None if the stored figures belong to another maths."""
    try:
        found = figures_of(game.name)
    except (LookupError, StaleFiguresError):
        return None
    if found.maths_hash != game.maths_hash:
        return None
    return promise(game.name, lines=stake.lines, coins_per_line=stake.coins_per_line, price=stake.price)


def highest_promise(game: str) -> Promise:
    """Return what `game` may promise at its highest bet."""
    return [one for one in figures_of(game).promises if one.price == 1][-1]
