import msgspec
import pytest

from tests.rigs.views import changed
from tests.ui.programme_pages import ROUNDS, SCREENS
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.layout import SHAPES, centre
from ui.protocol.values import Volumes
from ui.scene_manager import PAGES
from ui.scenes.history import History
from ui.scenes.panel import Panel
from ui.theme import load

FINGERTIP = 56


def page(rehearsal: Rehearsal) -> Panel:
    """Return the page that the view's state shows."""
    found = PAGES[rehearsal.director.view.state](rehearsal.context, load(rehearsal.director.view.game))
    assert isinstance(found, Panel)
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["menu", "menu_with_all", "volumes", "history", "lowest_bet"])
def test_a_page_is_used_with_fingers_alone(name: str, shape: str) -> None:
    """Every touch control that the machine gives answers with its name, on the canvas, as large as a fingertip."""
    rehearsal = Rehearsal(shape=shape)
    SCREENS[name](rehearsal)
    view, places = rehearsal.director.view, dict(page(rehearsal).controls(rehearsal.director))
    wanted = {control for control in view.controls if ":" in control} | set(view.pages.menu)
    assert wanted <= set(places)
    width, height = rehearsal.context.layout.canvas
    for control, box in places.items():
        assert min(box[2], box[3]) >= FINGERTIP
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[0] + box[2] <= width
        assert box[1] + box[3] <= height
        answer = control if control in (*view.controls, *view.pages.menu) else ""
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == answer


@pytest.mark.parametrize("name", ["menu", "volumes", "history", "lowest_bet"])
def test_a_key_that_does_not_live_looks_dead_and_feels_dead(name: str) -> None:
    """Each key of each page, taken out of the view."""
    rehearsal = Rehearsal()
    SCREENS[name](rehearsal)
    view = msgspec.structs.replace(rehearsal.director.view, focus="")
    for control, box in page(rehearsal).controls(rehearsal.director):
        region = rehearsal.scene_manager.stage.pixels(box)
        rehearsal.view(view)
        live = rehearsal.picture().subsurface(region).copy().get_buffer().raw
        others = tuple(other for other in view.controls if other != control)
        rehearsal.view(msgspec.structs.replace(view, controls=others))
        dead = rehearsal.picture().subsurface(region).copy().get_buffer().raw
        assert live != dead, f"{control} looks the same live and dead"
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == ""


@pytest.mark.parametrize("name", ["menu", "history"])
def test_the_panel_s_cursor_lights_one_key(name: str) -> None:
    """Moved on, the key before is dark again and the next is lit."""
    rehearsal = Rehearsal()
    SCREENS[name](rehearsal)
    view = rehearsal.director.view
    keys = [key for key in page(rehearsal).controls(rehearsal.director) if key[0] in (*view.pages.menu, *view.controls)]

    def seen(focus: str) -> list[bytes]:
        rehearsal.view(msgspec.structs.replace(view, focus=focus))
        canvas = rehearsal.picture()
        boxes = [rehearsal.scene_manager.stage.pixels(box) for _, box in keys]
        return [bytes(canvas.subsurface(box).copy().get_buffer().raw) for box in boxes]

    dark = seen("")
    for place, (control, _) in enumerate(keys):
        lit = seen(control)
        assert [number for number in range(len(keys)) if lit[number] != dark[number]] == [place]


def test_each_step_of_a_volume_is_seen() -> None:
    """Eleven volumes from nothing to all, eleven pictures."""
    rehearsal = Rehearsal()
    seen = set()
    for percent in range(0, 101, 10):
        volumes = Volumes(background=percent)
        rehearsal.view(neptune_view(state="settings", controls=("settings:save",), volumes=volumes))
        seen.add(rehearsal.pixels())
    assert len(seen) == 11


def test_the_history_says_of_every_round_what_it_was() -> None:
    """Twelve rounds, twelve keys, each with its number, game, bet and win."""
    rehearsal = Rehearsal()
    SCREENS["history"](rehearsal)
    shown = page(rehearsal)
    assert isinstance(shown, History)
    keys = shown.keys(rehearsal.director)
    assert [key.name for key in keys] == [*(f"history:{past.number}" for past in ROUNDS), "history:close"]
    assert keys[0].words == "Round 41  ·  Mystery Elves"
    assert keys[0].note == "2026-11-21 23:41   ·   bet 1.50 €   ·   won 12.50 €"
    assert "void" in keys[4].note


def test_a_replay_says_so_and_is_left_by_a_touch_on_its_ribbon() -> None:
    """The same round played and shown again look different."""
    rehearsal = Rehearsal()
    SCREENS["replay"](rehearsal)
    again = rehearsal.pixels()
    rehearsal.director.view = changed(rehearsal.director.view, replay=None)
    assert rehearsal.pixels() != again
    SCREENS["replay"](rehearsal)
    assert rehearsal.scene_manager.touch(640, 36, rehearsal.now) == "history:close"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_finger_finds_the_menu_from_the_paytable(shape: str) -> None:
    """INFO, then the wheel in the page's corner; where there is no menu there is no wheel."""
    rehearsal = Rehearsal(shape=shape)
    rehearsal.view(neptune_view(state="paytable", controls=("paytable_close",)))
    without = rehearsal.pixels()
    rehearsal.view(neptune_view(state="paytable", controls=("paytable_close", "menu")))
    assert rehearsal.pixels() != without
    paytable = PAGES["paytable"](rehearsal.context, load("neptune"))
    left, top, width, height = dict(paytable.controls(rehearsal.director))["menu"]
    assert min(width, height) >= FINGERTIP
    assert left + width <= rehearsal.context.layout.canvas[0]
    assert rehearsal.scene_manager.touch(left + width / 2, top + height / 2, rehearsal.now) == "menu"


def test_a_page_asks_for_no_frame_while_nobody_touches_it() -> None:
    """Pages do not move."""
    rehearsal = Rehearsal()
    for name in ("menu", "volumes", "history", "lowest_bet"):
        SCREENS[name](rehearsal)
        rehearsal.picture()
        assert rehearsal.scene_manager.due(rehearsal.now) == float("inf")
