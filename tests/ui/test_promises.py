"""What the screens and the rules say about wins to come is what the PAR sheets say."""

import json
from decimal import Decimal
from gettext import NullTranslations
from typing import Any

import pytest

from gamekit import catalogue
from gamekit.catalogue import folder_of
from gamekit.figures import figures_of
from gamekit.win_up_to import ONE_IN
from tests.ui.rehearsal import BAKED, BET_RANGES, GAMES, JACKPOTS, MONEY, Rehearsal, game_view
from tests.ui.said import spoken
from ui import text
from ui.draw_context import DrawContext
from ui.languages import Languages
from ui.layout import SHAPES
from ui.promises import highest_win, highest_wins, odds
from ui.protocol.messages import View
from ui.protocol.values import Bet, written
from ui.scenes.attract import TURN_S

PROMISES = (text.WIN_UP_TO, text.WIN_UP_TO_ONLY, text.AT_BET_ODDS)
Figures = dict[str, object]


class _Template(str):
    """A template that keeps the figures it was filled with."""

    __slots__ = ("filled",)
    filled: list[Figures]

    def format(self, *values: Any, **figures: Any) -> str:  # as str's
        """Keep `figures` and fill them in."""
        self.filled.append(figures)
        return super().format(*values, **figures)


class _Keeping(NullTranslations):
    """English that keeps the figures of all promises."""

    def __init__(self) -> None:
        super().__init__()
        self.filled: list[Figures] = []

    def gettext(self, message: str) -> str:
        """Return `message`, watched where it is a promise."""
        if message not in PROMISES:
            return message
        template = _Template(message)
        template.filled = self.filled
        return template


class _Watched(Languages):
    """Watches the promises of a display."""

    def __init__(self) -> None:
        super().__init__(BAKED)
        self.keeping = _Keeping()

    def catalogue(self, language: str) -> NullTranslations:  # noqa: ARG002  # English, whatever is asked for
        """Return the catalogue that keeps the figures."""
        return self.keeping


def promised(view: View, *, at: float = 0.0) -> list[Figures]:
    """Return the figures of all promises that a display draws of `view`, and again so many seconds later."""
    languages = _Watched()
    rehearsal = Rehearsal(1, "wide", DrawContext(BAKED, 1, SHAPES["wide"], languages=languages))
    rehearsal.view(view)
    if at:
        rehearsal.picture()
        rehearsal.wait(at)
    rehearsal.picture()
    return languages.keeping.filled


def sheet(name: str) -> dict[str, Any]:
    """Return the PAR sheet of the game called `name`."""
    read: dict[str, Any] = json.loads((folder_of(name) / "par.json").read_text("utf-8"))
    return read


def expected(name: str, bet: Bet) -> Figures:
    """Return what the game's PAR sheet says of `bet`."""
    row = next(
        row
        for row in sheet(name)["bets"]
        if (row["lines"], row["coins_per_line"], row["price"]) == (bet.lines, bet.coins_per_line, 1)
    )
    money = MONEY["en"]
    return {
        "amount": written(row["win_up_to"] * bet.coin_value_cents, money),
        "one_in": f"{row['win_up_to_one_in']:,}",
    }


def highest_bet(name: str) -> Bet:
    """Return the bet of which the lobby and attract speak."""
    game = catalogue.load(name)
    lines, coins = game.line_counts[-1], game.coins_per_line[-1]
    return Bet(lines=lines, coins_per_line=coins, coin_value_cents=BET_RANGES[name][1] // (lines * coins))


@pytest.mark.requirement("G11")
@pytest.mark.parametrize("name", GAMES)
def test_every_screen_names_what_one_play_in_fifty_million_wins(name: str) -> None:
    """Idle line and paytable of the bet chosen, attract and lobby of the highest bet, each with its odds."""
    game = catalogue.load(name)
    for bet in (
        Bet(lines=game.line_counts[0], coins_per_line=game.coins_per_line[0], coin_value_cents=1),
        Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[-1], coin_value_cents=20),
    ):
        for state in ("idle", "paytable"):
            found = promised(game_view(name, bet=bet, state=state, credit_cents=1_000_000))
            assert expected(name, bet) in found, (state, bet)
            assert all(one == expected(name, bet) for one in found)
    best = expected(name, highest_bet(name))
    bet_and_odds = {"bet": written(BET_RANGES[name][1], MONEY["en"]), "one_in": best["one_in"]}
    # The second half of a game's turn, in which its jackpot has been shown.
    attract = game_view(name, state="attract", bet=None, game="", games=(name,))
    # Its amount is drawn in figures of its own, not in the words.
    assert promised(attract, at=TURN_S * 0.75)[-1] == bet_and_odds
    assert written(highest_win(name, BET_RANGES[name][1])[0], MONEY["en"]) == best["amount"]
    lobby = game_view(name, state="lobby", bet=None, game="", games=(name,))
    # A game with a jackpot shows that.
    assert promised(lobby) == ([] if name in JACKPOTS else [{"amount": best["amount"]}, bet_and_odds])


def bets(coins: int, unit: int) -> str:
    """Return a win in coins, or in bets of `unit` coins, whole."""
    return f"{Decimal(coins) / unit:,}"


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_name_the_highest_wins_with_their_odds(name: str) -> None:
    """What one play in 50 million wins, and the most that a paid and a free spin can win, at the highest bet."""
    read = sheet(name)
    game = catalogue.load(name)
    _, words = highest_wins(game)
    in_coins = len(game.line_counts) > 1
    row = next(row for row in reversed(read["bets"]) if row["price"] == 1)
    unit = 1 if in_coins else row["stake"]
    assert f"{ONE_IN:,}" in words
    assert f" {bets(row['win_up_to'], unit)} " in words
    assert f"{row['win_up_to_one_in']:,}" in words
    highest = max((bet["max_win"], bet["max_win_odds"]) for bet in read["bets"] if bet["price"] == 1)
    free = read["free_spin"]
    named = [highest, *([(free["max_win"], free["max_win_odds"])] if free else [])]
    for coins, chance in named:
        assert f" {bets(coins, unit)} " in words
        assert odds(round(1 / chance)).split(" ")[0] in words


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", GAMES)
def test_only_an_exact_promise_is_called_the_highest_win(name: str, language: str) -> None:
    """Where wins are left out of the distribution the promise is a bound, and the rules name just a win."""
    highest, a_win = {
        "en": ("is the highest win that at least one play", "is a win that at least one play"),
        "de": ("nennt den höchsten Gewinn, den mindestens", "nennt einen Gewinn, den mindestens"),
    }[language]
    with spoken(language):
        _, words = highest_wins(catalogue.load(name))
    bound = bool(figures_of(name).left_out)
    assert (highest in words, a_win in words) == (not bound, bound)


def test_long_odds_are_a_power_of_ten() -> None:
    """As the cabinet writes decimals; shorter ones are written out."""
    assert odds(49_989_632) == "49,989,632"
    assert odds(251_148 * 10**81) == "2.5 × 10⁸⁶"  # noqa: RUF001  the sign itself


def test_the_bet_is_not_promised_by_what_is_too_dear() -> None:
    """While the credit does not cover the bet, nothing is promised in the line under the reels."""
    assert promised(game_view("neptune", credit_cents=10)) == []
