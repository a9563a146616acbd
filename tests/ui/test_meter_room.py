"""The CREDIT and WIN meters have room for the largest amount that can stand there, in money and in coins.

The largest win is that of each game's `par.json` at its highest bet and the highest coin value that may be configured,
on top of the highest credit limit. That win is without free spins, and jackpots grow without end: the amounts that are
drawn have one digit more, and are all nines.
"""

import json
from typing import NamedTuple

import pygame
import pytest

from controller.configuration.cabinet_toml import bounds
from gamekit import catalogue
from tests.ui.legibility import least_capitals
from tests.ui.rehearsal import BAKED, GAMES, MONEY, Rehearsal, game_view
from ui import text
from ui.draw_context import DrawContext
from ui.layout import SHAPES, Box
from ui.lettering import FIGURES, Colour, Lettering
from ui.protocol.values import Bet, Money, written

pytestmark = pytest.mark.requirement("M13")

CREDIT_LIMIT_CENTS = bounds("limits.credit_cents")[1]
HIGHEST_COIN_CENTS = bounds("games.coin_values_cents")[1]
LEAST_COIN_CENTS = bounds("games.coin_values_cents")[0]


class Set(NamedTuple):
    """A text as it was set: how wide it is, without its pad, and how high its figures are, in pixels."""

    width: int
    height: int


class Measuring(Lettering):
    """Letters that keep how each text was set, by its words and the digits or font it was set in."""

    found: dict[tuple[str, str], Set] = {}  # noqa: RUF012  what is kept is the class's: DrawContext makes one of each size

    def _figure(self, figures: str, digits: str, zoom: float) -> pygame.Surface:
        whole = super()._figure(figures, digits, zoom)
        pad = round(self._shared.digits(digits).pad * zoom)
        eight = self._glyph("8", digits, zoom).get_bounding_rect(min_alpha=200)
        Measuring.found[figures, digits] = Set(whole.get_width() - 2 * pad, eight.height)
        return whole

    def _set(self, words: str, size: int, colour: Colour, font: str) -> pygame.Surface:
        whole = super()._set(words, size, colour, font)
        eight = self._font(font, size).render("8", True, colour).get_bounding_rect()  # noqa: FBT003  pygame's antialias
        Measuring.found[words, font] = Set(whole.get_width(), eight.height)
        return whole


def largest_win_cents(game: str) -> int:
    """Return what a game wins at most in a round, at the highest bet that may be configured."""
    sheet = json.loads((catalogue.folder_of(game) / "par.json").read_text("utf-8"))
    coins = max(bet["max_win"] for bet in sheet["bets"])
    totals = catalogue.load(game).total_bets
    coin_cents = HIGHEST_COIN_CENTS if totals is None else totals.highest_cents // totals.unit_cents
    return int(coins * coin_cents)


def nines(cents: int) -> int:
    """Return the largest amount with one digit more."""
    return int("9" * (len(str(cents)) + 1))


def drawn(shape: str, game: str, money: Money, language: str, *, credit: int, win: int) -> dict[tuple[str, str], Set]:
    """Return what a game's screen sets with these two figures, its coin worth a cent."""
    Measuring.found.clear()
    rehearsal = Rehearsal(shape=shape, language=language, context=DrawContext(BAKED, 1, SHAPES[shape], None, Measuring))
    loaded = catalogue.load(game)
    bet = Bet(lines=loaded.line_counts[-1], coins_per_line=1, coin_value_cents=LEAST_COIN_CENTS)
    rehearsal.view(game_view(game, credit_cents=credit, win_cents=win, bet=bet, money=money))
    rehearsal.picture()
    return dict(Measuring.found)


def said_whole(found: Set, box: Box, shape: str) -> None:
    """Assert that a text lies in its meter and is as high as capitals must be."""
    assert found.width <= box[2]
    assert found.height >= least_capitals(SHAPES[shape])


@pytest.mark.parametrize("language", MONEY)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_largest_prize_stands_in_the_meters(shape: str, game: str, language: str) -> None:
    """CREDIT in money and in coins of a cent, and WIN, are whole and legible."""
    layout, money, win = SHAPES[shape], MONEY[language], nines(largest_win_cents(game))
    credit = nines(largest_win_cents(game) + CREDIT_LIMIT_CENTS)
    found = drawn(shape, game, money, language, credit=credit, win=win)
    said_whole(found[written(credit, money), "digits_white"], layout.hud.credit, shape)
    said_whole(found[written(win, money), "digits_gold"], layout.hud.win, shape)
    coins = text.count(text.COIN, text.COINS, credit // LEAST_COIN_CENTS, money.thousands)
    said_whole(found[coins, FIGURES], layout.hud.credit, shape)


def test_the_largest_wins_are_those_of_the_sheets() -> None:
    """In cents, at the highest bet that may be configured: 11,436,000.00 is the machine's highest."""
    assert {game: largest_win_cents(game) for game in GAMES} == {
        "neptune": 45_825 * 10_000,
        "bewitched": 114_360 * 10_000,
        "witch_feature": 101_068 * 160,
        "mystery_elves": 145_550 * 800,
        "mona_lisa_jewels": 88_850 * 10_000,
        "star_quarry": 4_152 * 500,
    }


def test_a_figure_too_long_for_its_meter_is_found() -> None:
    """What the other tests look for can be seen: twenty digits are wider than the box."""
    credit = 10**20 - 1
    found = drawn("wide", "neptune", Money(), "en", credit=credit, win=0)
    assert found[written(credit, Money()), "digits_white"].width > SHAPES["wide"].hud.credit[2]
