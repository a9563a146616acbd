"""Wipes between the scenes of a game: each world's own, heard, over at a press, never for a restored display."""

from collections.abc import Callable

import pygame
import pytest

from tests.ui.hall import Hall
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import GAMES, Rehearsal
from ui.protocol.messages import Hurry
from ui.scenes.wipe import LASTS_S
from ui.theme import load

PASSAGES = {
    "neptune": ("treasure_won", "chests"),
    "bewitched": ("bewitched_merlin", "bewitched_vials"),
    "mystery_elves": ("mystery_elves_won", "mystery_elves_offer"),
    "mona_lisa_jewels": ("mona_lisa_jewels_idle", "mona_lisa_jewels_free_offer"),
    "witch_feature": ("witch_feature_idle", "witch_feature_free_spins_offer"),
    "star_quarry": ("star_quarry_idle", "star_quarry_free"),
    "cards": ("bewitched_gamble_offer", "double_up_guess"),
}


def passing(name: str) -> Rehearsal:
    """Return a rehearsal whose next picture is the first of a wipe."""
    before, after = PASSAGES[name]
    rehearsal = Rehearsal()
    PROGRAMME[before](rehearsal)
    rehearsal.picture()
    PROGRAMME[after](rehearsal)
    return rehearsal


def above_hud(rehearsal: Rehearsal) -> pygame.Surface:
    """Return what is shown above the HUD."""
    layout = rehearsal.context.layout
    return rehearsal.picture().subsurface((0, 0, layout.canvas[0], int(layout.hud.box[1])))


def fresh(name: str, now: float) -> Rehearsal:
    """Return a display that has just begun, in the state after the passage, at `now`."""
    rehearsal = Rehearsal()
    PROGRAMME[PASSAGES[name][1]](rehearsal)
    rehearsal.director.picture_since += now - rehearsal.now
    rehearsal.now = now
    return rehearsal


@pytest.mark.parametrize("name", [each for each in PASSAGES if each != "cards"])
def test_the_former_scene_gives_way_and_nothing_of_it_stays(name: str) -> None:
    """First it is all there, in the middle half of it; afterwards the picture is that of a display that began anew."""
    rehearsal = passing(name)
    old = rehearsal.screen.canvas.copy()
    shares = []
    for at in (0.0, LASTS_S / 2):
        rehearsal.wait(at)
        got = above_hud(rehearsal)
        same = sum(
            got.get_at((x, y)) == old.get_at((x, y))
            for x in range(0, got.get_width(), 20)
            for y in range(0, got.get_height(), 20)
        )
        shares.append(same * 400 / got.get_width() / got.get_height())
    assert shares[0] > 0.9
    assert shares[1] < 0.85
    rehearsal.wait(LASTS_S)
    assert rehearsal.scene_manager.due(rehearsal.now) >= rehearsal.now
    rehearsal.picture()
    assert rehearsal.pixels() == fresh(name, rehearsal.now).pixels()


def test_each_world_wipes_in_a_manner_of_its_own() -> None:
    """No two of our games share the way of the edge, nor what swarms along it."""
    looks = [load(game).wipe for game in GAMES]
    assert len({look.towards for look in looks}) == len({look.sprites for look in looks}) == len(GAMES)


@pytest.mark.parametrize("name", ["neptune", "mystery_elves"])
def test_figures_are_true_at_once(name: str) -> None:
    """What is owned, bet and won is not wiped: at any moment it is what the director says."""
    rehearsal = passing(name)
    rehearsal.picture()
    rehearsal.wait(0.2)
    top = int(rehearsal.context.layout.hud.box[1])
    hud = pygame.Rect(0, top, 1280, 720 - top)
    shown = pygame.image.tobytes(rehearsal.picture().subsurface(hud), "RGB")
    again = fresh(name, rehearsal.now).picture().subsurface(hud)
    assert shown == pygame.image.tobytes(again, "RGB")


def hurried(rehearsal: Rehearsal) -> None:
    """The player hurries the show."""
    assert rehearsal.director.performance is not None
    rehearsal.director.handle(Hurry(rehearsal.director.performance.number), rehearsal.now)


def touched(rehearsal: Rehearsal) -> None:
    """A finger anywhere."""
    rehearsal.scene_manager.touch(5, 5, rehearsal.now)


@pytest.mark.parametrize(("name", "skip"), [("neptune", touched), ("mystery_elves", touched)])
def test_a_press_ends_it(name: str, skip: Callable[[Rehearsal], None]) -> None:
    """The next picture is the new scene alone, and no frame is due for the wipe any more."""
    rehearsal = passing(name)
    rehearsal.picture()
    rehearsal.wait(0.1)
    assert rehearsal.scene_manager.due(rehearsal.now) == rehearsal.now
    skip(rehearsal)
    assert rehearsal.pixels() == fresh(name, rehearsal.now).pixels()


def test_a_hurried_show_ends_it() -> None:
    """The player who wants to go on sees the jackpot's hall at once."""
    rehearsal = Rehearsal()
    PROGRAMME["mona_lisa_jewels_idle"](rehearsal)
    rehearsal.picture()
    PROGRAMME["mona_lisa_jewels_jackpot"](rehearsal)
    rehearsal.picture()
    hurried(rehearsal)
    shown = rehearsal.pixels()
    rehearsal.scene_manager.rebuild_scenes()
    assert shown == rehearsal.pixels()


def test_a_restored_display_draws_the_present_state_at_once() -> None:
    """It has no picture to come from: its first one is whole, and stays."""
    for _, after in PASSAGES.values():
        rehearsal = Rehearsal()
        PROGRAMME[after](rehearsal)
        first = rehearsal.pixels()
        assert first == rehearsal.pixels()


def test_every_game_has_a_way_of_its_own() -> None:
    """No two pass alike."""
    looks = [load(game).wipe for game in GAMES]
    assert len(set(looks)) == len(looks)


def test_a_wipe_is_heard_once() -> None:
    """As the other scene comes; not when the display begins there."""
    rehearsal, hall = Rehearsal(), Hall()
    before, after = PASSAGES["neptune"]
    for screen in (before, after, after):
        PROGRAMME[screen](rehearsal)
        hall.view(rehearsal.director.view)
    assert hall.ear.heard.count("transition") == 1
    hall = Hall()
    hall.view(rehearsal.director.view)
    assert "transition" not in hall.ear.heard
