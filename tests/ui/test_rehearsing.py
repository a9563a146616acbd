"""`cabinet check-game` draws each page with all that the supervisor says there."""

from pathlib import Path

import pygame
import pytest

from tests.ui.programme import AUTOSPIN
from tests.ui.programme_pages import ITEMS
from tests.ui.rehearsal import BAKED, Rehearsal, game_view
from ui.layout import SHAPES
from ui.rehearsing import rehearsed
from ui.scene_manager import PAGES
from ui.theme import load

GAME = "bewitched"
RED_BUTTON = pygame.Rect(180, 180, 180, 140)
"""Inside of the key RED at the cards."""


@pytest.mark.parametrize("shape", SHAPES)
def test_no_page_is_drawn_empty(tmp_path: Path, shape: str) -> None:
    """Each key of the menu and of autospin's settings is in the picture where an empty page shows its panel alone."""
    assert rehearsed(GAME, BAKED, shape=shape, scale=1, language="en", pictures=tmp_path) == []
    for state, page, own in (("menu", {"menu": ITEMS}, ITEMS), ("autospin", {"autospin": AUTOSPIN}, ())):
        drawn = pygame.image.load(str(tmp_path / f"{GAME}_the_page_{state}_{shape}_en.png"))
        rehearsal = Rehearsal(shape=shape)
        rehearsal.view(game_view(GAME, state=state, **page))
        wanted = PAGES[state](rehearsal.context, load(GAME)).controls(rehearsal.director)
        rehearsal.view(game_view(GAME, state=state, controls=()))
        bare = rehearsal.picture()
        # The HUD's buttons, under some pages, come last and have some of the same names.
        keys = {name: box for name, box in reversed(wanted) if name.startswith("auto:") or name in own}
        assert len(keys) >= len(ITEMS)
        for name, box in keys.items():
            region = rehearsal.scene_manager.stage.pixels(box)
            assert rgb(drawn, region) != rgb(bare, region), name


def test_the_choice_of_a_companion_and_the_cards_are_drawn(tmp_path: Path) -> None:
    """Where the game has them: scenes of their own in place of the reels, and the keys of the cards are lit."""
    assert rehearsed(GAME, BAKED, shape="wide", scale=1, language="en", pictures=tmp_path) == []
    witch, idle = (pygame.image.load(tmp_path / f"{GAME}_the_page_{name}_wide_en.png") for name in ("witch", "idle"))
    rehearsal = Rehearsal()
    rehearsal.view(game_view(GAME, state="witch"))
    boxes = dict(load(GAME).build("witch", rehearsal.context).controls(rehearsal.director))
    for name in ("witch:0", "witch:1"):
        region = rehearsal.scene_manager.stage.pixels(boxes[name])
        assert rgb(witch, region) != rgb(idle, region), name
    drawn = sorted(tmp_path.glob(f"{GAME}_round_*_gamble_wide_en.png"))
    assert drawn
    for cards in drawn:
        red, _, blue, _ = pygame.transform.average_color(pygame.image.load(cards), RED_BUTTON)
        assert red > blue + 30, "a dead button is grey"


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_of_the_paytable_is_drawn(tmp_path: Path, language: str) -> None:
    """Pays, lines and rules, as many as there are in that language, each another picture."""
    assert rehearsed(GAME, BAKED, shape="wide", scale=1, language=language, pictures=tmp_path) == []
    rehearsal = Rehearsal(language=language)
    rehearsal.view(game_view(GAME, state="paytable"))
    rehearsal.picture()
    pages = sorted(tmp_path.glob(f"{GAME}_the_page_paytable_*_wide_{language}.png"))
    paytable = PAGES["paytable"](rehearsal.context, load(GAME))
    assert len({page.read_bytes() for page in pages}) == len(pages) == paytable.pages  # type: ignore[attr-defined]


def rgb(surface: pygame.Surface, region: pygame.Rect) -> bytes:
    """Return the colours of a region, whatever the surface's own format."""
    return pygame.image.tobytes(surface.subsurface(region), "RGB")
