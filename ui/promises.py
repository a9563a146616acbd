"""The screens' statements about possible wins: "win up to" with its odds at a bet, and the rules' highest wins."""

from gamekit.figures import Highest, Promise, figures_of
from gamekit.play import Game
from gamekit.win_up_to import ONE_IN, highest_promise, promise
from ui import text
from ui.protocol.values import Bet

HEADING = "The highest wins"
_REACHED = (
    "“Win up to” is the highest win that at least one play in {least} reaches. A play is a paid spin with all that it "
    "brings, free spins included."
)
_REACHED_AT_LEAST = (
    "“Win up to” is a win that at least one play in {least} reaches. A play is a paid spin with all that it brings, "
    "free spins included."
)
"""Used if the promise is a lower bound: a higher win may be as likely."""
NOT_DOUBLED = "Nothing is doubled in it."
_POOL = "A jackpot counts as it starts."
_AT_COINS = "With {lines} lines × {coins} coins: {win} coins, 1 in {one_in}."  # noqa: RUF001  the sign itself
_AT_BETS = "It is {win} times the bet, 1 in {one_in}."
_BOUGHT = "Bought: {win} times the bet, 1 in {one_in}."
_PAID_COINS = (
    "The most that a paid spin can win with the features that it starts, but without free spins, is {win} coins: 1 in "
    "{one_in}."
)
_PAID_BETS = (
    "The most that a paid spin can win with the features that it starts, but without free spins, is {win} times the "
    "bet: 1 in {one_in}."
)
_FREE_COINS = "The most that a free spin can win is {win} coins: 1 free spin in {one_in}."
_FREE_BETS = "The most that a free spin can win is {win} times the bet: 1 free spin in {one_in}."

_LONGEST = 10**12
"""Longer odds are written as a power of ten."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def win_up_to(game: str, bet: Bet) -> str:
    """Return what a play of `game` at `bet` may win, with its odds; raise `KeyError` for a bet that the game lacks."""
    found = promise(game, lines=bet.lines, coins_per_line=bet.coins_per_line)
    amount = text.amount(found.coins * bet.coin_value_cents)
    return text.say(text.WIN_UP_TO, amount=amount, one_in=text.whole(found.one_in))


def highest_win(game: str, highest_cents: int) -> tuple[int, int]:
    """Return the win in cents that a play at the highest bet of `game`, `highest_cents`, may reach, and its odds."""
    found = highest_promise(game)
    return found.coins * highest_cents // (found.lines * found.coins_per_line), found.one_in


def odds(one_in: int) -> str:
    """Return `one_in` in the cabinet's format, with a power of ten if it has too many digits."""
    if one_in < _LONGEST:
        return text.whole(one_in)
    figure, _, exponent = f"{one_in:.1e}".partition("e+")
    return f"{text.decimal(figure)} × 10{exponent.translate(_SUPERSCRIPTS)}"  # noqa: RUF001  the sign itself


def highest_wins(game: Game, *, doubled: bool = False) -> tuple[str, str]:
    """Return the rules' heading and text about the highest wins of `game`, whose wins may be `doubled` or gambled."""
    figures = figures_of(game.name)
    best = highest_promise(game.name)
    coins = len(game.line_counts) > 1
    reached = _REACHED_AT_LEAST if figures.left_out else _REACHED
    sentences = [text.say(reached, least=text.whole(ONE_IN))]
    sentences += [text.say(NOT_DOUBLED)] if doubled else []
    sentences += [text.say(_POOL)] if game.pool is not None else []
    sentences.append(_worth(_AT_COINS if coins else _AT_BETS, best, best, coins=coins))
    sentences += [_worth(_BOUGHT, one, best, coins=coins) for one in figures.promises if one.price > 1]
    sentences.append(_worth(_PAID_COINS if coins else _PAID_BETS, figures.paid, best, coins=coins))
    if figures.free is not None:
        sentences.append(_worth(_FREE_COINS if coins else _FREE_BETS, figures.free, best, coins=coins))
    return text.say(HEADING), " ".join(sentences)


def _worth(template: str, win: Promise | Highest, bet: Promise, *, coins: bool) -> str:
    """Return `template` with a win at the highest bet, in coins or in bets."""
    worth = (
        text.whole(win.coins)
        if coins
        else in_bets(win.coins, bet.lines * bet.coins_per_line, up=isinstance(win, Highest))
    )
    return text.say(template, lines=bet.lines, coins=bet.coins_per_line, win=worth, one_in=odds(win.one_in))


def in_bets(coins: int, bet: int, *, up: bool) -> str:
    """Return a win as a multiple of a bet in coins, with at most two decimals.

    Further decimals are rounded down, so that the promise is kept, or up with `up`, if no win may exceed the figure.
    """
    whole, hundredths = divmod(-(-100 * coins // bet) if up else 100 * coins // bet, 100)
    return text.whole(whole) + (text.decimal(f".{hundredths:02}".rstrip("0")) if hundredths else "")
