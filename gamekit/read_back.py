"""Recomputes a game's exact figures in a separate process, from the files in the game's folder.

A tool that writes into that folder compares its own figures with these before it reports success: the maths that the
tool has loaded may differ from the files, for example if they were changed meanwhile.
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
    """Figures stated for a game differ from those of its files; the message has both."""


class Bet(msgspec.Struct, frozen=True, kw_only=True):
    """A bet and the memory state in which its round begins; `price` is 1 unless a feature is bought."""

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
    """Return the return of every bet of `maths` in every state.

    Raises `DisagreementError` if `mean` and `figures` disagree at the highest bet in the first state: a class that
    extends another maths may have overridden only one of the two.
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
    """Raise `DisagreementError` unless the files of the game called `name` give the returns `said`.

    With `digits` both are compared as percentages with that many decimals.
    """
    found = apart(_read_returns, name)
    for bet in dict.fromkeys([*said, *found]):
        one, other = (_rounded(of[bet], digits) if bet in of else None for of in (said, found))
        if one != other:
            raise DisagreementError(f"{bet}: {_percent(one)} was said, the game's files return {_percent(other)}")


def hold_kept(maths: Maths) -> None:
    """Raise `DisagreementError` unless the stored figures of the game equal those that `maths` computes.

    Raises `StaleFiguresError` if none are stored, or those of another maths.
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
    """Return the share of the return that comes from the growth of the pool played for at `bet`."""
    highest = (bet.lines, bet.coins_per_line) == (game.line_counts[-1], game.coins_per_line[-1])
    if game.pool is None or (game.pool_at_highest_bet and not highest):
        return Fraction(0)
    return Fraction(game.pool.growth_per_mille, 1000)


def read_kept(name: str) -> None:
    """Raise `DisagreementError` unless the stored figures of the game called `name` are those of its maths."""
    apart(_read_kept, name)


def read_highlights(name: str) -> list[str]:
    """Replay the stored highlights of the game called `name` from its files and return their kinds.

    Raises `DisagreementError` if one cannot be replayed.
    """
    return apart(_read_highlights, name)


def apart(
    work: Callable[Concatenate[str, Arguments], Result],
    name: str,
    *arguments: Arguments.args,
    **named: Arguments.kwargs,
) -> Result:
    """Call `work`, which must be picklable, for the game called `name` in a process that has not imported it.

    Raises `DisagreementError` if the game's files raise any exception.
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
