"""A portrait cabinet is used standing: letters, touch targets and keys are as large and as low as that asks."""

from collections.abc import Iterator

import msgspec
import pygame
import pytest

from tests.ui.legibility import TARGET
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, GAMES, Rehearsal
from ui.draw_context import DrawContext, Scenery
from ui.layout import PORTRAIT, Box, centre
from ui.lettering import Colour, Lettering
from ui.protocol.values import Bet
from ui.scenes.history import RIBBON
from ui.scenes.pay_glass import PAGE_S, highest
from ui.theme import load

READABLE = 27
"""The least size of letters, in the same units: a line of 28 may lose one to fit its room."""
LOWER_THIRD = PORTRAIT.canvas[1] * 2 / 3 - 50
PAGES = ("pages_menu_with_all", "pages_volumes", "pages_history", "autospin_settings", "autospin_pad")
QUESTIONS = ("pages_lowest_bet", "mystery_elves_buy")
FEATURES = ("chest_cursor", "bewitched_witch", "bewitched_vials", "double_up_guess", "mystery_elves_idle")
READ = (*PAGES, *QUESTIONS, *FEATURES, "idle", "paytable", "bewitched_brewed_money", "handpay")
ENDS = ("menu_close", "settings:save", "history:close", "auto:start", "auto:pad:ok", "lowest_bet:yes", "buy:yes")


class Noted(Lettering):
    """Letters that keep in mind how small they were set."""

    smallest: dict[str, float] = {}  # noqa: RUF012  what is kept is the class's: DrawContext makes one of each size

    def _edged(self, words: str, size: int, colour: Colour, font: str) -> pygame.Surface:
        Noted.smallest[words] = min(size * self._scale, Noted.smallest.get(words, size * self._scale))
        return super()._edged(words, size, colour, font)


@pytest.fixture
def smallest() -> Iterator[dict[str, float]]:
    """What is said from now on, and how large."""
    Noted.smallest.clear()
    yield Noted.smallest
    Noted.smallest.clear()


def played(name: str, context: DrawContext | None = None, language: str = "en") -> Rehearsal:
    """Return a portrait rehearsal that has drawn the screen `name`."""
    rehearsal = Rehearsal(shape="portrait", context=context, language=language)
    PROGRAMME[name](rehearsal)
    rehearsal.picture()
    return rehearsal


def controls(rehearsal: Rehearsal) -> dict[str, Box]:
    """Return the touch controls of what is shown."""
    scene: Scenery = rehearsal.scene_manager._beneath()
    return dict(scene.controls(rehearsal.director))


@pytest.mark.parametrize("name", [*PAGES, *QUESTIONS, *FEATURES, "idle", "lobby", "paytable", "bewitched_paytable"])
def test_a_standing_hand_hits_every_control(name: str) -> None:
    """Whatever can be touched is at least 90 units wide and high, and on the canvas."""
    width, height = PORTRAIT.canvas
    for control, (left, top, across, down) in controls(played(name)).items():
        assert min(across, down) >= TARGET, control
        assert 0 <= left <= left + across <= width, control
        assert 0 <= top <= top + down <= height, control


@pytest.mark.parametrize("name", [*PAGES, *QUESTIONS])
def test_a_page_ends_within_reach(name: str) -> None:
    """The keys that end a page or answer a question lie in the lower third, and the balance is under them."""
    found = controls(played(name))
    ends = [end for end in ENDS if end in found]
    assert ends
    for end in ends:
        assert centre(found[end])[1] >= LOWER_THIRD - 20, end
        assert found[end][1] + found[end][3] <= PORTRAIT.hud.box[1], end


def test_the_glass_above_the_reels_says_what_the_bet_that_stands_pays() -> None:
    """Neptune's highest symbols, at another amount with another bet; lit in turn, and others after a while."""
    assert highest(load("neptune"))[:3] == ["neptune", "jewel_box", "clam"]
    rehearsal = played("idle")
    assert PORTRAIT.signs.pay_glass is not None
    region = rehearsal.scene_manager.stage.pixels(PORTRAIT.signs.pay_glass)
    glasses = set()
    for coins in (1, 2):
        bet = Bet(lines=15, coins_per_line=coins, coin_value_cents=5)
        rehearsal.view(msgspec.structs.replace(rehearsal.director.view, bet=bet))
        glasses.add(bytes(rehearsal.picture().subsurface(region).copy().get_buffer().raw))
    assert len(glasses) == 2
    for seconds in (0.9, PAGE_S):
        rehearsal.wait(seconds)
        glasses.add(bytes(rehearsal.picture().subsurface(region).copy().get_buffer().raw))
    assert len(glasses) == 4


def test_the_reels_are_as_wide_as_the_monitor() -> None:
    """They take some 30 % of the picture, and all that is drawn on them is baked in their size."""
    width, height = PORTRAIT.canvas
    left, _, across, down = PORTRAIT.reels
    assert across + 2 * left == width
    assert left <= 20
    assert across * down / (width * height) > 0.29
    for game in GAMES:
        theme = load(game)
        sprites = DrawContext(BAKED, 1, PORTRAIT).on_reels(theme)
        cell = PORTRAIT.cell(theme.game.rows)
        for symbol in theme.symbols:
            for name, grown in ((symbol, 0), (f"{symbol}_blur", 0), (f"{symbol}_win_00", 2 * PORTRAIT.win_margin)):
                size = sprites.sprite(name).get_size()
                assert abs(size[0] - cell[0] - grown) <= 1, name
                assert abs(size[1] - cell[1] - grown) <= 1, name


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_letter_is_too_small_for_a_standing_player(language: str, smallest: dict[str, float]) -> None:
    """Pages, questions, features and the HUD, in both languages."""
    context = DrawContext(BAKED, 1, PORTRAIT, lettering=Noted)
    for name in READ:
        played(name, context, language)
    small = {words: round(size) for words, size in smallest.items() if size < READABLE}
    assert not small


def test_a_past_rounds_ribbon_lies_over_nothing_that_is_read() -> None:
    """It is between the message line and the HUD: above the reels there are pays, counters and awards."""
    left, top, width, height = PORTRAIT.ribbon(RIBBON)
    assert top > PORTRAIT.hud.message[1] + PORTRAIT.hud.message[3]
    assert top + height < PORTRAIT.hud.box[1]
    assert left >= 0
    assert left + width <= PORTRAIT.canvas[0]
