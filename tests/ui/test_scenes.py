import msgspec
import pytest

from controller.autospin import Stop
from tests.ui.programme import CHESTS, PROGRAMME, chests, idle
from tests.ui.rehearsal import IDLE_CONTROLS, Rehearsal, neptune_view
from ui.layout import BUTTONS, CANVAS, CHEST, MESSAGE, centre, tiles
from ui.layout import CHESTS as CHEST_PLACES
from ui.lettering import Lettering
from ui.messages import View
from ui.scenes.autospin import AutospinSettings
from ui.text import message as say_message
from ui.worlds.look import load

FINGERTIP = 56
"""The least width and height of a touch target, in canvas units."""


@pytest.mark.parametrize("name", PROGRAMME)
def test_every_screen_is_drawn_the_same_twice(name: str) -> None:
    """Same state, same instant, same pixels: in a fresh display, and when a display draws it again."""
    first, second = Rehearsal(), Rehearsal()
    PROGRAMME[name](first)
    PROGRAMME[name](second)
    pixels = first.pixels()
    assert pixels == second.pixels()
    assert pixels == first.pixels()


@pytest.mark.parametrize("name", PROGRAMME)
def test_nothing_of_the_screen_before_shines_through(name: str) -> None:
    """What a fresh display would show is what one shows that has drawn something else before."""
    fresh, used = Rehearsal(), Rehearsal()
    PROGRAMME["treasure_total"](used)
    used.picture()
    PROGRAMME["big_win"](used)
    for _ in range(3):
        used.picture()
        used.wait(0.1)
    used.now = fresh.now
    used.director.performance = None
    PROGRAMME[name](used)
    PROGRAMME[name](fresh)
    assert used.pixels() == fresh.pixels()


def test_a_control_that_does_not_live_looks_dead_and_feels_dead() -> None:
    """Each button: named in the view it answers, not named it looks different and answers nothing."""
    rehearsal = Rehearsal()
    for name, box in BUTTONS.items():
        region = rehearsal.theatre.stage.pixels(box)
        rehearsal.view(neptune_view(controls=(name,)))
        live = rehearsal.picture().subsurface(region).copy().get_buffer().raw
        assert rehearsal.theatre.touch(*centre(box), rehearsal.now) == name
        rehearsal.wait(1)
        rehearsal.view(neptune_view(controls=()))
        dead = rehearsal.picture().subsurface(region).copy().get_buffer().raw
        assert live != dead, f"{name} looks the same live and dead"
        assert rehearsal.theatre.touch(*centre(box), rehearsal.now) == ""


def test_a_touch_is_answered_in_the_next_frame() -> None:
    """The button under the finger changes at once and is released by itself."""
    rehearsal = Rehearsal()
    idle(rehearsal)
    before = rehearsal.pixels()
    rehearsal.theatre.touch(*centre(BUTTONS["info"]), rehearsal.now)
    assert rehearsal.pixels() != before
    rehearsal.wait(0.2)
    assert rehearsal.pixels() == before


def test_no_button_answers_while_the_supervisor_is_away() -> None:
    """A press that can't be delivered must not look taken."""
    rehearsal = Rehearsal()
    idle(rehearsal)
    rehearsal.director.lose(rehearsal.now)
    for box in BUTTONS.values():
        assert rehearsal.theatre.touch(*centre(box), rehearsal.now) == ""


def test_chests_and_games_can_be_touched() -> None:
    """Every closed chest and every tile of the lobby answers with its own name."""
    rehearsal = Rehearsal()
    chests(rehearsal)
    middles = [(left + CHEST[0] / 2, top + CHEST[1] / 2) for left, top in CHEST_PLACES]
    assert tuple(rehearsal.theatre.touch(x, y, rehearsal.now) for x, y in middles) == CHESTS
    PROGRAMME["lobby"](rehearsal)
    assert rehearsal.theatre.touch(*centre(tiles(1)[0]), rehearsal.now) == "game:neptune"


def test_the_paytable_turns_its_pages_by_itself_and_by_focus() -> None:
    """Arrows turn without the supervisor; a view's focus shows the page the panel's buttons asked for."""
    rehearsal = Rehearsal()
    PROGRAMME["paytable"](rehearsal)
    first = rehearsal.pixels()
    assert rehearsal.theatre.touch(1150, 358, rehearsal.now) == ""
    rehearsal.wait(1)
    second = rehearsal.pixels()
    assert second != first
    rehearsal.view(neptune_view(state="paytable", focus="page:0", controls=("paytable_close",)))
    assert rehearsal.pixels() == first
    rehearsal.view(neptune_view(state="paytable", focus="page:4", controls=("paytable_close",)))
    assert rehearsal.pixels() == second


def test_a_standing_picture_asks_for_no_frame() -> None:
    """Idle without wins is drawn once: the next frame is never due."""
    rehearsal = Rehearsal()
    idle(rehearsal)
    rehearsal.picture()
    assert rehearsal.theatre.due(rehearsal.now) == float("inf")


def test_an_unknown_place_is_drawn_without_a_game() -> None:
    """Every machine state can be drawn before any game is known."""
    rehearsal = Rehearsal()
    states = ("booting", "recovering", "attract", "lobby", "collecting", "handpay", "tilted", "locked", "service")
    for state in (*states, "out_of_service", "idle", "paytable"):
        rehearsal.view(View(state=state))
        assert rehearsal.picture().get_size() == (1280, 720)


def test_texts_fit_their_places() -> None:
    """A line that would be wider than its place is set smaller, not cut off."""
    letters: Lettering = Rehearsal().props.letters
    words = "Line 15 · 5 × Sea horse · × 3 · 18,750 coins · 18,750.00 €"  # noqa: RUF001  the multiplication sign
    assert letters.fitted(words, 40, 500).get_width() <= 510
    assert set(IDLE_CONTROLS) <= set(BUTTONS)


@pytest.mark.parametrize("name", ["autospin_settings", "autospin_settings_without_pool", "autospin_pad"])
def test_autospin_is_set_with_fingers(name: str) -> None:
    """Every control that the machine gives answers with its name, is on the canvas and as large as a fingertip."""
    rehearsal = Rehearsal()
    PROGRAMME[name](rehearsal)
    live = {control for control in rehearsal.director.view.controls if control.startswith("auto:")}
    places = dict(AutospinSettings(rehearsal.props, load("neptune")).controls(rehearsal.director))
    assert live == set(places)
    for control, (left, top, width, height) in places.items():
        assert min(width, height) >= FINGERTIP
        assert left >= 0
        assert top >= 0
        assert left + width <= CANVAS[0]
        assert top + height <= CANVAS[1]
        assert rehearsal.theatre.touch(*centre((left, top, width, height)), rehearsal.now) == control


def test_an_autospin_control_that_does_not_live_looks_dead_and_feels_dead() -> None:
    """Each control of the settings and of the number pad, as the machine's other buttons."""
    for name in ("autospin_settings", "autospin_pad"):
        rehearsal = Rehearsal()
        PROGRAMME[name](rehearsal)
        view = rehearsal.director.view
        places = dict(AutospinSettings(rehearsal.props, load("neptune")).controls(rehearsal.director))
        for control, box in places.items():
            region = rehearsal.theatre.stage.pixels(box)
            rehearsal.view(view)
            live = rehearsal.picture().subsurface(region).copy().get_buffer().raw
            others = tuple(other for other in view.controls if other != control)
            rehearsal.view(msgspec.structs.replace(view, controls=others))
            dead = rehearsal.picture().subsurface(region).copy().get_buffer().raw
            assert live != dead, f"{control} looks the same live and dead"
            assert rehearsal.theatre.touch(*centre(box), rehearsal.now) == ""


def test_every_reason_to_stop_has_its_words() -> None:
    """What the machine says when autospin ends is a sentence on the screen, not a code."""
    for reason in Stop:
        code = f"autospin_{reason}"
        assert say_message(code) != code


def test_the_spins_left_are_on_the_screen() -> None:
    """One spin less changes the AUTO button and the line under the reels; stopped, both are as before."""
    rehearsal = Rehearsal()
    seen = []
    for left, of in ((7, 10), (6, 10), (0, 0)):
        rehearsal.view(neptune_view(state="round", controls=("spin", "auto"), autospin_left=left, autospin_of=of))
        canvas = rehearsal.picture()
        regions = [rehearsal.theatre.stage.pixels(box) for box in (BUTTONS["auto"], MESSAGE)]
        seen.append([canvas.subsurface(region).copy().get_buffer().raw for region in regions])
    for place in range(2):
        assert len({pictures[place] for pictures in seen}) == len(seen)
