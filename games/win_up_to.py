"""The advertised win: the highest amount that at least one paid play in 50 million reaches (standards G11).

A play is a paid spin with all the free spins and features that it brings. Double-up and gamble are left out; a jackpot
pool counts at its seed. `games.reach` computes the figures and keeps them in `win_up_to.json`, with the hash of the
maths that they belong to. The file also holds the theoretical highest wins: of a paid spin with what it starts,
free spins left out, and of a single free spin.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from games.play import Game, Stake

ONE_IN = 50_000_000
"""An amount may be advertised where one play in so many reaches it (standards G11)."""

KEPT = Path(__file__).with_name("win_up_to.json")


class StaleFiguresError(ValueError):
    """The figures kept are those of another maths."""


class Promise(msgspec.Struct, frozen=True, kw_only=True):
    """At this bet one play in `one_in` wins `coins` or more; `one_in` is rounded up and at most 50 million."""

    lines: int
    coins_per_line: int
    price: int
    coins: int
    one_in: int

    @classmethod
    def of(cls, stake: Stake, coins: int, one_in: int) -> "Promise":
        """Return the promise of `coins` at `stake`."""
        return cls(
            lines=stake.lines, coins_per_line=stake.coins_per_line, price=stake.price, coins=coins, one_in=one_in
        )

    def cents(self, coin_value_cents: int) -> int:
        """Return what is promised where a coin is worth so much."""
        return self.coins * coin_value_cents


class Highest(msgspec.Struct, frozen=True, kw_only=True):
    """The largest win of a spin in coins, and how many spins it takes on average, rounded to whole ones."""

    coins: int
    one_in: int


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A game's figures: the promises of its bets, the highest bet of each price last, and the highest wins at that bet.

    `left_out` says which wins the promises leave out: they are bounds from below; where it is empty they are exact.
    """

    maths_hash: str
    left_out: str
    promises: list[Promise]
    paid: Highest
    free: Highest | None


@cache
def kept() -> Mapping[str, Kept]:
    """Return the figures of all games by their names."""
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Kept])


@cache
def _by_bet(game: str) -> Mapping[tuple[int, int, int], Promise]:
    return {(one.lines, one.coins_per_line, one.price): one for one in kept()[game].promises}


def promise(game: str, *, lines: int, coins_per_line: int, price: int = 1) -> Promise:
    """Return what `game` may promise at this bet; raise `KeyError` for a bet that it has not."""
    return _by_bet(game)[lines, coins_per_line, price]


def promise_of(game: Game, stake: Stake) -> Promise | None:
    """Return what `game` may promise at `stake`; None where the figures kept are not those of this maths."""
    found = kept().get(game.name)
    if found is None or found.maths_hash != game.maths_hash:
        return None
    return promise(game.name, lines=stake.lines, coins_per_line=stake.coins_per_line, price=stake.price)


def highest_promise(game: str) -> Promise:
    """Return what `game` may promise at its highest bet."""
    return [one for one in kept()[game].promises if one.price == 1][-1]


def check(game: Game) -> None:
    """Raise `StaleFiguresError` unless the figures kept are those of the maths of `game`."""
    found = kept().get(game.name)
    if found is None or found.maths_hash != game.maths_hash:
        raise StaleFiguresError(
            f"{KEPT.name} keeps other figures than {game.name}'s: run python -m games.reach {game.name}"
        )
