from itertools import combinations, pairwise

import msgspec
import pytest

from controller.machine.view import fault_notice
from controller.session.autospin import Stop
from gamekit.beats import LineWin, ReelsLanded
from games.neptune.display.treasure import CHEST
from games.neptune.display.treasure import CHESTS as CHEST_PLACES
from tests.ui.golden import MAIN_SCREENS
from tests.ui.programme import CHESTS, PROGRAMME, chests, idle
from tests.ui.rehearsal import GAMES, IDLE_CONTROLS, Rehearsal, game_view, neptune_view
from ui import text
from ui.draw_context import Control, DrawContext
from ui.layout import SHAPES, WIDE, centre
from ui.lettering import Lettering
from ui.protocol.messages import View
from ui.scenes.autospin import AutospinSettings
from ui.scenes.lines import badge_places
from ui.scenes.paytable import Paytable
from ui.scenes.state_overlay import FRAME_S, STATES
from ui.scenes.wipe import LASTS_S
from ui.theme import load

pytestmark = pytest.mark.sampled(3)

FINGERTIP = 56
"""The least width and height of a touch target, in canvas units."""


@pytest.fixture(scope="module")
def used_context() -> DrawContext:
    """What a display that has drawn other screens has decoded."""
    return Rehearsal().context


# The main screens in each run, the others are proofs.
@pytest.mark.parametrize(
    "name", [name if name in MAIN_SCREENS else pytest.param(name, marks=pytest.mark.proof) for name in PROGRAMME]
)
def test_every_screen_is_drawn_the_same_twice_and_in_any_display(name: str, used_context: DrawContext) -> None:
    """Same state, same instant, same pixels: in a fresh display, drawn again, and in one that has drawn others before.

    The two displays share nothing, so that nothing of the screen before shines through once the wipe is over.
    """
    fresh, used = Rehearsal(), Rehearsal(context=used_context)
    start = fresh.now
    PROGRAMME["treasure_total"](used)
    used.picture()
    PROGRAMME["big_win"](used)
    for _ in range(3):
        used.picture()
        used.wait(0.1)
    for seconds in (0.0, LASTS_S):
        used.now = used.director.picture_since = start
        used.director.performance = None
        PROGRAMME[name](used)
        used.picture()
        used.wait(seconds)
        used.picture()
    used.now = used.director.picture_since = start
    used.director.performance = None
    PROGRAMME[name](used)
    PROGRAMME[name](fresh)
    pixels = fresh.pixels()
    assert pixels == used.pixels()
    assert pixels == fresh.pixels()


def test_a_control_that_does_not_live_looks_dead_and_feels_dead() -> None:
    """Each button: named in the view it answers, not named it looks different and answers nothing."""
    rehearsal = Rehearsal()
    for name, box in WIDE.hud.buttons.items():
        region = rehearsal.scene_manager.stage.pixels(box)
        rehearsal.view(neptune_view(controls=(name,)))
        live = rehearsal.picture().subsurface(region).copy().get_buffer().raw
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == name
        rehearsal.wait(1)
        rehearsal.view(neptune_view(controls=()))
        dead = rehearsal.picture().subsurface(region).copy().get_buffer().raw
        assert live != dead, f"{name} looks the same live and dead"
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == ""


def test_a_touch_is_answered_in_the_next_frame() -> None:
    """The button under the finger changes at once and is released by itself."""
    rehearsal = Rehearsal()
    rehearsal.context.calm = True  # nothing drifts meanwhile
    idle(rehearsal)
    before = rehearsal.pixels()
    rehearsal.scene_manager.touch(*centre(WIDE.hud.buttons["info"]), rehearsal.now)
    assert rehearsal.pixels() != before
    rehearsal.wait(0.2)
    assert rehearsal.pixels() == before


def test_no_button_answers_while_the_supervisor_is_away() -> None:
    """A press that can't be delivered must not look taken."""
    rehearsal = Rehearsal()
    idle(rehearsal)
    rehearsal.director.connection_lost(rehearsal.now)
    for box in WIDE.hud.buttons.values():
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == ""


def test_chests_and_games_can_be_touched() -> None:
    """Every closed chest and every tile of the lobby answers with its own name."""
    rehearsal = Rehearsal()
    chests(rehearsal)
    middles = [(left + CHEST[0] / 2, top + CHEST[1] / 2) for left, top in CHEST_PLACES]
    assert tuple(rehearsal.scene_manager.touch(x, y, rehearsal.now) for x, y in middles) == CHESTS
    PROGRAMME["lobby"](rehearsal)
    touched = [rehearsal.scene_manager.touch(*centre(box), rehearsal.now) for box in WIDE.lobby.tiles(len(GAMES)).boxes]
    assert touched == [f"game:{game}" for game in GAMES]


def test_the_paytable_turns_its_pages_by_itself_and_by_focus() -> None:
    """Arrows turn without the supervisor; a view's focus shows the page the panel's buttons asked for."""
    rehearsal = Rehearsal()
    PROGRAMME["paytable"](rehearsal)
    first = rehearsal.pixels()
    assert rehearsal.scene_manager.touch(1150, 358, rehearsal.now) == ""
    rehearsal.wait(1)
    second = rehearsal.pixels()
    assert second != first
    rehearsal.view(neptune_view(state="paytable", focus="page:0", controls=("paytable_close",)))
    assert rehearsal.pixels() == first
    rehearsal.view(neptune_view(state="paytable", focus="page:6", controls=("paytable_close",)))
    assert rehearsal.pixels() == second


def test_a_standing_picture_asks_for_no_frame() -> None:
    """Idle without wins, and on a computer too hot for a show, is drawn once: the next frame is never due."""
    rehearsal = Rehearsal()
    rehearsal.context.calm = True
    idle(rehearsal)
    rehearsal.picture()
    assert rehearsal.scene_manager.due(rehearsal.now) == float("inf")


@pytest.mark.requirement("D2")
def test_an_open_door_is_shown_once_the_reels_are_at_rest() -> None:
    """They come to rest in sight, then the words lie over them, and nothing more is due but the words."""
    rehearsal = Rehearsal()
    rehearsal.view(neptune_view(state="round"))
    rehearsal.show([ReelsLanded((1, 2, 3, 4, 5)), LineWin(1, "ten", 3, coins=60)], credit_cents=12_350, win_cents=300)
    rehearsal.wait(0.5)
    notice = fault_notice("door_open", "main")
    rehearsal.view(neptune_view(state="tilted", controls=("service",), notices=(notice,)))
    spinning = rehearsal.pixels()
    call = [round(place) for place in centre(WIDE.dialogs.call)]
    assert rehearsal.scene_manager.touch(*call, rehearsal.now) == ""
    rehearsal.wait(1)
    drawn = rehearsal.pixels()
    assert drawn != spinning
    assert rehearsal.scene_manager.touch(*call, rehearsal.now) == "service"
    assert rehearsal.scene_manager.due(rehearsal.now) >= rehearsal.now + FRAME_S
    plain = Rehearsal(context=rehearsal.context)
    PROGRAMME["door_open"](plain)
    assert plain.scene_manager.touch(*call, plain.now) == "service"


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_passing_notice_gives_way_to_the_words_about_the_credit(language: str) -> None:
    """Under a long fault an open item is left out and not drawn into the line below; under a short one it is said."""
    waiting = fault_notice("open_item", "")
    for code, place, left_out in (
        ("software_tampered", "/opt/cabinet/venv/lib/python3.13/site-packages/games/neptune/play.py", True),
        ("storage_full", "storage", False),
    ):
        fault = fault_notice(code, place)
        pictures = []
        for notices in ((fault,), (fault, waiting)):
            rehearsal = Rehearsal(language=language)
            rehearsal.view(neptune_view(state="tilted", controls=("service",), notices=notices))
            pictures.append(rehearsal.pixels())
        assert (pictures[0] == pictures[1]) is left_out


def test_an_unknown_place_is_drawn_without_a_game() -> None:
    """Every machine state can be drawn before any game is known."""
    rehearsal = Rehearsal()
    states = ("booting", "recovering", "attract", "lobby", "collecting", "handpay", "tilted", "locked", "service")
    states = (*states, "large_win")
    for state in (*states, "out_of_service", "idle", "paytable"):
        rehearsal.view(View(state=state))
        assert rehearsal.picture().get_size() == (1280, 720)


def test_texts_fit_their_places() -> None:
    """A line that would be wider than its place is set smaller, not cut off."""
    letters: Lettering = Rehearsal().context.letters
    words = "Line 15 · 5 × Sea horse · × 3 · 18,750 coins · 18,750.00 €"  # noqa: RUF001  the multiplication sign
    assert letters.fitted(words, 40, 500).get_width() <= 510
    for figure in ("5.00 €", "125,000.00 €", "12,345,678.90 €"):
        for digits, width in (("digits_gold", 274), ("digits_white", 180)):
            assert letters.fitted_number(figure, digits, width).get_width() <= width + 16
    assert set(IDLE_CONTROLS) <= set(WIDE.hud.buttons)


@pytest.mark.parametrize("name", ["autospin_settings", "autospin_settings_without_pool", "autospin_pad"])
def test_autospin_is_set_with_fingers(name: str) -> None:
    """Every control that the machine gives answers with its name, is on the canvas and as large as a fingertip."""
    rehearsal = Rehearsal()
    PROGRAMME[name](rehearsal)
    live = {control for control in rehearsal.director.view.controls if control.startswith("auto:")}
    places = dict(AutospinSettings(rehearsal.context, load("neptune")).controls(rehearsal.director))
    assert live == set(places)
    for control, (left, top, width, height) in places.items():
        assert min(width, height) >= FINGERTIP
        assert left >= 0
        assert top >= 0
        assert left + width <= WIDE.canvas[0]
        assert top + height <= WIDE.canvas[1]
        assert rehearsal.scene_manager.touch(*centre((left, top, width, height)), rehearsal.now) == control


def test_an_autospin_control_that_does_not_live_looks_dead_and_feels_dead() -> None:
    """Each control of the settings and of the number pad, as the machine's other buttons."""
    for name in ("autospin_settings", "autospin_pad"):
        rehearsal = Rehearsal()
        PROGRAMME[name](rehearsal)
        view = rehearsal.director.view
        places = dict(AutospinSettings(rehearsal.context, load("neptune")).controls(rehearsal.director))
        for control, box in places.items():
            region = rehearsal.scene_manager.stage.pixels(box)
            rehearsal.view(view)
            live = rehearsal.picture().subsurface(region).copy().get_buffer().raw
            others = tuple(other for other in view.controls if other != control)
            rehearsal.view(msgspec.structs.replace(view, controls=others))
            dead = rehearsal.picture().subsurface(region).copy().get_buffer().raw
            assert live != dead, f"{control} looks the same live and dead"
            assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == ""


def test_every_reason_to_stop_has_its_words() -> None:
    """What the machine says when autospin ends is a sentence on the screen, not a code."""
    for reason in Stop:
        code = f"autospin_{reason}"
        assert text.message(View(state="idle", message=code)) != code


def test_the_spins_left_are_on_the_screen() -> None:
    """One spin less changes the AUTO button and the line under the reels; stopped, both are as before."""
    rehearsal = Rehearsal()
    seen = []
    for left, of in ((7, 10), (6, 10), (0, 0)):
        rehearsal.view(neptune_view(state="round", controls=("spin", "auto"), autospin_left=left, autospin_of=of))
        canvas = rehearsal.picture()
        regions = [rehearsal.scene_manager.stage.pixels(box) for box in (WIDE.hud.buttons["auto"], WIDE.hud.message)]
        seen.append([canvas.subsurface(region).copy().get_buffer().raw for region in regions])
    for place in range(2):
        assert len({pictures[place] for pictures in seen}) == len(seen)


TOUCHED = ("idle", "lobby", "attract", "chests", "paytable", "autospin_settings", "autospin_pad", "handpay")


def controls_of(rehearsal: Rehearsal) -> list[Control]:
    """Return the touch controls on the screen, the overlay's where one lies over it."""
    scene_manager, director = rehearsal.scene_manager, rehearsal.director
    scene = scene_manager._overlay if director.view.state in STATES else scene_manager._beneath()
    return scene.controls(director)


@pytest.mark.parametrize("name", TOUCHED)
@pytest.mark.parametrize("shape", SHAPES)
def test_on_every_monitor_controls_lie_apart_on_the_canvas(name: str, shape: str) -> None:
    """Each is as large as a fingertip, none reaches out of the canvas or over another."""
    rehearsal = Rehearsal(shape=shape)
    PROGRAMME[name](rehearsal)
    rehearsal.picture()
    controls = controls_of(rehearsal)
    width, height = SHAPES[shape].canvas
    for control, (left, top, across, down) in controls:
        assert min(across, down) >= FINGERTIP, control
        assert left >= 0, control
        assert top >= 0, control
        assert left + across <= width, control
        assert top + down <= height, control
    for (one, first), (other, second) in combinations(controls, 2):
        apart = first[0] + first[2] <= second[0] or second[0] + second[2] <= first[0]
        assert apart or first[1] + first[3] <= second[1] or second[1] + second[3] <= first[1], f"{one} lies on {other}"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_touch_is_felt_where_its_button_is_seen(shape: str) -> None:
    """Every button of the HUD answers with its own name, whatever the monitor."""
    rehearsal = Rehearsal(shape=shape)
    idle(rehearsal)
    for name, box in SHAPES[shape].hud.buttons.items():
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == name


@pytest.mark.parametrize("shape", SHAPES)
def test_the_stage_is_the_same_everywhere(shape: str) -> None:
    """Feature scenes keep their size, the reels too but in portrait; all lie on the canvas above the HUD."""
    layout = SHAPES[shape]
    assert layout.reels[2:] == ((1040, 585) if shape == "portrait" else (800, 450))
    assert layout.scene[2:] == (1080, 600)
    for left, top, width, height in (layout.reels, layout.scene, layout.dialog, layout.book.box, layout.hud.message):
        assert left >= 0
        assert top >= 0
        assert left + width <= layout.canvas[0]
        assert top + height <= layout.canvas[1]
    assert layout.scene[1] + layout.scene[3] <= layout.hud.box[1]
    assert layout.centre == centre((0, 0, *layout.canvas))


@pytest.mark.parametrize(("rows", "cell"), [(3, (160, 150)), (4, (160, 112))])
def test_cells_fill_the_window(rows: int, cell: tuple[int, int]) -> None:
    """Three rows or four: whole cells, in the middle of the frame's hole, none over its edge."""
    assert WIDE.cell(rows) == cell
    left, top, width, height = WIDE.window(rows)
    assert (left, width, height) == (240, 800, rows * cell[1])
    assert 105 <= top <= top + height <= 555
    assert WIDE.cell_box(0, 0, rows) == (left, top, *cell)
    assert WIDE.cell_box(4, rows - 1, rows) == (left + 640, top + (rows - 1) * cell[1], *cell)


@pytest.mark.parametrize("count", [10, 15, 25])
def test_line_plates_do_not_touch(count: int) -> None:
    """Thirteen plates at one side of the reels are still apart; a plate is 32 units high."""
    places = badge_places(WIDE, count)
    assert len(set(places)) == count
    for side in {x for x, _ in places}:
        heights = sorted(y for x, y in places if x == side)
        assert all(below - above >= 32 for above, below in pairwise(heights))
        assert WIDE.reels[1] <= heights[0] - 16
        assert heights[-1] + 16 <= WIDE.reels[1] + WIDE.reels[3]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_line_of_the_rules_is_cut(game: str, shape: str) -> None:
    """All words of a game's rules are on its pages, each line within its page, and the pages can all be reached."""
    rehearsal = Rehearsal(shape=shape)
    theme = load(game)
    rehearsal.view(game_view(game, state="paytable", controls=("paytable_close",)))
    rehearsal.picture()
    paytable = rehearsal.scene_manager._beneath()
    assert isinstance(paytable, Paytable)
    left, top, width, height = SHAPES[shape].book.box
    said = []
    for page in paytable.rules_pages:
        for line in page:
            said.append(line.words)
            size = rehearsal.context.letters.width(line.words, line.size, line.font)
            assert left < line.left, line.words
            assert line.left + size < left + width, line.words
            assert top < line.top, line.words
            assert line.top + line.size * 1.3 < top + height, line.words
    words = " ".join(said).split()
    assert words == " ".join(part for rule in theme.rules(theme.game.gamble_cap_cents) for part in rule).split()
