"""A game's exact figures as a process of its own works them out from the files in the game's folder.

A tool that writes into that folder holds what it has said of the game against these before it ends well. What the tool
itself has loaded may be another maths than the one that lies there: a part left out, files changed meanwhile.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from typing import Concatenate, ParamSpec, TypeVar

import msgspec

from common.error_words import error_words
from gamekit import figures, highlights
from gamekit.maths import KnowsMean, Maths, cost, load_maths
from gamekit.play import Game, Stake

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class DisagreementError(ValueError):
    """What was said of a game is not what its files say; the message has both."""


class Bet(msgspec.Struct, frozen=True, kw_only=True):
    """A bet in the state that a round at it begins with; `price` is 1 where nothing is bought."""

    lines: int
    coins_per_line: int
    price: int
    state: str = ""

    @classmethod
    def of(cls, stake: Stake, state: str) -> "Bet":
        """Return `stake` in `state`."""
        return cls(lines=stake.lines, coins_per_line=stake.coins_per_line, price=stake.price, state=state)

    def __str__(self) -> str:
        bought = f", bought for {self.price} bets" if self.price > 1 else ""
        return f"{self.lines} lines x {self.coins_per_line}{bought}{f', memory {self.state}' if self.state else ''}"


Returns = Mapping[Bet, Fraction]
"""What each bet returns in each state as a share of what it costs, a pool at its seed."""


def returns_of(maths: Maths) -> Returns:
    """Return what every bet of `maths` returns in every state.

    Raises `DisagreementError` where its `mean` is not that of its `figures`, at the highest bet in the first state: a
    maths that extends another one may have changed one of the two.
    """
    stake, state = maths.stakes[-1], maths.states[0]
    mean, whole = _mean(maths, stake, state), maths.figures(stake, state).mean
    if mean != whole:
        raise DisagreementError(
            f"{maths.game.title}: MATHS.mean returns {_percent(mean / cost(stake))}, MATHS.figures"
            f" {_percent(whole / cost(stake))}; add to both what is added to one of them"
        )
    return {
        Bet.of(stake, state): _mean(maths, stake, state) / cost(stake)
        for stake in maths.stakes
        for state in maths.states
    }


def hold_returns(name: str, said: Returns, *, digits: int | None = None) -> None:
    """Raise `DisagreementError` unless the files of the game called `name` return what was `said`.

    With `digits` both are compared as percentages of so many decimals.
    """
    found = apart(_read_returns, name)
    for bet in dict.fromkeys([*said, *found]):
        one, other = (_rounded(of[bet], digits) if bet in of else None for of in (said, found))
        if one != other:
            raise DisagreementError(f"{bet}: {_percent(one)} was said, the game's files return {_percent(other)}")


def hold_kept(maths: Maths) -> None:
    """Raise `DisagreementError` unless the figures kept of the game of `maths` are those that it works out.

    Raises `StaleFiguresError` where none are kept, or those of another maths.
    """
    game = maths.game
    figures.check(game)
    for bet, share in returns_of(maths).items():
        kept = figures.theoretical_return(
            game.name, lines=bet.lines, coins_per_line=bet.coins_per_line, price=bet.price
        )
        exact = share + _growth(game, bet)
        if bet.state == maths.states[0] and kept != round(exact * 100 * 10**6):
            raise DisagreementError(
                f"{figures.file_of(game.name)} says that {bet} returns"
                f" {'nothing' if kept is None else f'{kept / 10**6:.6f} %'}, its maths {_percent(exact)}: run"
                f" `cabinet figures {game.name}`"
            )


def _growth(game: Game, bet: Bet) -> Fraction:
    """Return what the growth of the pool that is played for at `bet` returns."""
    highest = (bet.lines, bet.coins_per_line) == (game.line_counts[-1], game.coins_per_line[-1])
    if game.pool is None or (game.pool_at_highest_bet and not highest):
        return Fraction(0)
    return Fraction(game.pool.growth_per_mille, 1000)


def read_kept(name: str) -> None:
    """Raise `DisagreementError` unless the files of the game called `name` keep the figures of its maths."""
    apart(_read_kept, name)


def read_highlights(name: str) -> list[str]:
    """Return the kinds of the highlights kept of the game called `name`, each of which its files have played.

    Raises `DisagreementError` where they do not play one.
    """
    return apart(_read_highlights, name)


def apart(
    work: Callable[Concatenate[str, Arguments], Result],
    name: str,
    *arguments: Arguments.args,
    **named: Arguments.kwargs,
) -> Result:
    """Do `work` on the game called `name` in a process that has imported nothing of it; it is pickled.

    Raises `DisagreementError` where the game's files raise anything.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(work, name, *arguments, **named).result()
        except DisagreementError:
            raise
        except Exception as error:  # whatever a game's code raises is its author's to read
            raise DisagreementError(
                f"the files of {name} do not work: {type(error).__name__}: {error_words(error)}"
            ) from error


def _rounded(share: Fraction, digits: int | None) -> Fraction:
    return share if digits is None else Fraction(round(share * 10 ** (digits + 2)), 10 ** (digits + 2))


def _percent(share: Fraction | None) -> str:
    return "nothing" if share is None else f"{float(share):.6%}"


def _mean(maths: Maths, stake: Stake, state: str) -> Fraction:
    return maths.mean(stake, state) if isinstance(maths, KnowsMean) else maths.figures(stake, state).mean


def _read_returns(name: str) -> Returns:
    return returns_of(load_maths(name))


def _read_kept(name: str) -> None:
    hold_kept(load_maths(name))


def _read_highlights(name: str) -> list[str]:
    game = load_maths(name).game
    kept = highlights.highlights_of(game)
    for one in kept:
        highlights.replay(game, one)
    return [one.kind for one in kept]
