"""A game's computed figures, which `cabinet figures GAME` computes and stores as `figures.json` in the game's folder.

They carry the hash of their maths and are ignored with any other maths. The programs that show them compute nothing
themselves: returns on the meters page and for hosts, highest wins, and "win up to".
"""

from functools import cache
from pathlib import Path

import msgspec

from common.error_words import error_reason
from gamekit import catalogue
from gamekit.play import Game, Stake

FILE = "figures.json"


class StaleFiguresError(ValueError):
    """A game has no figures, or those of another maths; the message has the file and the remedy."""


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
        """Return the promised amount at a coin value."""
        return self.coins * coin_value_cents


class Highest(msgspec.Struct, frozen=True, kw_only=True):
    """The largest win of a spin in coins, and how many spins it takes on average, rounded to whole ones."""

    coins: int
    one_in: int


class Return(msgspec.Struct, frozen=True, kw_only=True):
    """What a bet gives back in the long run, in millionths of a percent, the growth of a pool included."""

    lines: int
    coins_per_line: int
    price: int
    millionths: int


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """A game's figures: the promises of its bets, the highest bet of each price last, and the highest wins at that bet.

    `left_out` names the wins that the promises leave out: the promises are then lower bounds; if it is empty they are
    exact. `usual_return` is the return of every bet not in `special_returns`, in millionths of a percent, the growth of
    a pool included; `base_return` is the return of the lowest bet without growth, in hundredths of a percent.
    """

    maths_hash: str
    left_out: str
    paid: Highest
    free: Highest | None
    base_return: int
    usual_return: int
    special_returns: list[Return]
    promises: list[Promise]


def file_of(game: str) -> Path:
    """Return the file of the figures of the game called `game`."""
    return catalogue.folder_of(game) / FILE


def figures_of(game: str) -> Figures:
    """Return the figures of the game called `game`.

    Raises `StaleFiguresError` where there are none, and `UnknownGameError` where there is no such game.
    """
    return _read(game, file_of(game))


@cache
def _read(game: str, file: Path) -> Figures:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Figures)
    except (OSError, ValueError, RecursionError) as error:
        raise StaleFiguresError(
            f"{file} cannot be read ({error_reason(error)}): run `cabinet figures {game}`"
        ) from error


def forget() -> None:
    """Clear the cache: each file is read again on its next use."""
    _read.cache_clear()


def check(game: Game) -> None:
    """Raise `StaleFiguresError` unless the stored figures belong to the maths of `game`."""
    if figures_of(game.name).maths_hash != game.maths_hash:
        raise StaleFiguresError(
            f"{file_of(game.name)} keeps the figures of another maths: run `cabinet figures {game.name}`"
        )


def theoretical_return(game: str, *, lines: int, coins_per_line: int, price: int = 1) -> int | None:
    """Return what a bet gives back in theory, in millionths of a percent; None for a game that is not known here."""
    try:
        figures = figures_of(game)
    except (catalogue.UnknownGameError, StaleFiguresError):
        return None
    for one in figures.special_returns:
        if (one.lines, one.coins_per_line, one.price) == (lines, coins_per_line, price):
            return one.millionths
    return figures.usual_return


def base_percent(game: str) -> str:
    """Return what a game gives back at its lowest bet, without growth, as four digits: hundredths of a percent."""
    return f"{figures_of(game).base_return:04d}"
