from itertools import combinations

import msgspec
import pytest

from drivers.simulated.bench.hands import Hands
from drivers.simulated.bench.layout import (
    BY_KEY,
    CARDS,
    CONTROLS,
    HEIGHT,
    METER_AREAS,
    MONITOR,
    TOWER,
    WIDTH,
    canvas_point,
    control_at,
    picture_area,
)
from drivers.simulated.front import COINS_CENTS, NOTES_CENTS
from drivers.wiring import BUTTONS, KEYS, USUAL_DOORS
from tests.rigs.bench_fakes import STILL


class Said:
    """Hands, and what came of them."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.touches: list[tuple[int, int, bool]] = []
        self.hands = Hands(self.words.append, lambda x, y, down: self.touches.append((x, y, down)))

    def middle(self, name: str) -> tuple[float, float]:
        area = CONTROLS[name].area
        return area.x + area.width / 2, area.y + area.height / 2


def test_a_button_is_pressed_and_released() -> None:
    """A panel button sends its press as the finger lands and its release as it lifts, even elsewhere."""
    said = Said()
    said.hands.point_down("mouse", *said.middle("spin"), STILL)
    assert (said.words, said.hands.held) == (["press spin"], {"spin"})
    said.hands.lift("mouse", 0, 0)
    assert (said.words, said.hands.held) == (["press spin", "release spin"], frozenset())


def test_two_fingers_hold_one_button() -> None:
    """A button under two fingers is pressed once and released by the last of them."""
    said = Said()
    said.hands.point_down("finger 1", *said.middle("bet"), STILL)
    said.hands.key_down("e", STILL)
    said.hands.lift("finger 1", *said.middle("bet"))
    assert said.words == ["press bet"]
    said.hands.key_up("e")
    assert said.words == ["press bet", "release bet"]


def test_two_buttons_at_once() -> None:
    """Two fingers can press two buttons, which the panel must bear."""
    said = Said()
    said.hands.point_down("finger 1", *said.middle("bet"), STILL)
    said.hands.point_down("finger 2", *said.middle("spin"), STILL)
    said.hands.lift("finger 1", 0, 0)
    said.hands.lift("finger 2", 0, 0)
    assert said.words == ["press bet", "press spin", "release bet", "release spin"]


@pytest.mark.parametrize(
    ("key", "changes", "words"),
    [
        ("a", {}, "key attendant on"),
        ("a", {"keys": {"attendant": True}}, "key attendant off"),
        ("t", {}, "key technician on"),
        ("t", {"keys": {"technician": True}}, "key technician off"),
        ("d", {}, "door main open"),
        ("d", {"doors": {"main": True}}, "door main close"),
        ("b", {}, "door cash_box open"),
        ("b", {"doors": {"cash_box": True}}, "door cash_box close"),
        ("m", {}, "mains off"),
        ("m", {"mains": False}, "mains on"),
    ],
)
def test_a_switch_goes_to_its_other_side(key: str, changes: dict[str, object], words: str) -> None:
    """Keys, doors and the mains switch go to their other position, and stay when let go."""
    said = Said()
    said.hands.key_down(key, msgspec.structs.replace(STILL, **changes))
    said.hands.key_up(key)
    assert said.words == [words]


def test_a_switch_needs_to_know_how_it_stands() -> None:
    """Without a front nobody knows which way a switch would go, so nothing is sent."""
    said = Said()
    said.hands.key_down("m", None)
    assert said.words == []


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("f1", "note 5"),
        ("f2", "note 10"),
        ("f3", "note 20"),
        ("f4", "note 50"),
        ("1", "coin 0.10"),
        ("2", "coin 0.20"),
        ("3", "coin 0.50"),
        ("4", "coin 1.00"),
        ("5", "coin 2.00"),
        ("x", "crash"),
        ("h", "take tray"),
        ("n", "take note"),
        ("o", "take coins"),
    ],
)
def test_money_and_crash_are_one_act(key: str, words: str) -> None:
    """Money goes in, the crash button crashes and returns are taken as the key goes down; its release says nothing."""
    said = Said()
    said.hands.key_down(key, STILL)
    said.hands.key_up(key)
    assert said.words == [words]


def test_a_finger_on_the_glass_touches_the_canvas() -> None:
    """A touch reaches the display in canvas units, and its release where the finger lifts."""
    said = Said()
    said.hands.point_down("mouse", MONITOR.x + MONITOR.width / 2, MONITOR.y + MONITOR.height / 2, STILL)
    said.hands.lift("mouse", 0, 0)
    assert (said.touches, said.words) == ([(640, 360, True), (0, 0, False)], [])


def test_the_glass_maps_to_its_last_pixel() -> None:
    """The glass's corners are the canvas's corners; beyond them a touch stays at the edge."""
    right, lower = MONITOR.x + MONITOR.width, MONITOR.y + MONITOR.height
    got = [canvas_point(MONITOR.x, MONITOR.y), canvas_point(right - 0.01, lower - 0.01), canvas_point(right + 50, 2000)]
    assert got == [(0, 0), (1279, 719), (1279, 719)]


@pytest.mark.parametrize("size", [(1280, 1024), (1080, 1920), (1920, 1080)])
def test_a_picture_of_any_shape_is_touched_where_it_is_seen(size: tuple[int, int]) -> None:
    """It is on the glass unstretched; its corners are its canvas's corners, the black beside it its edge."""
    area = picture_area(size)
    assert abs(area.width / area.height - size[0] / size[1]) < 0.002
    assert MONITOR.holds(area.x, area.y)
    assert MONITOR.holds(area.x + area.width - 1, area.y + area.height - 1)
    assert area.width == MONITOR.width or area.height == MONITOR.height
    width, height = (1280, 720) if size == (1920, 1080) else size
    corners = [(area.x, area.y), (area.x + area.width - 0.01, area.y + area.height - 0.01), (MONITOR.x, MONITOR.y)]
    assert [canvas_point(*corner, size) for corner in corners] == [(0, 0), (width - 1, height - 1), (0, 0)]


def test_losing_the_window_lets_all_go() -> None:
    """When no release will be reported, everything held is released, and only once."""
    said = Said()
    said.hands.key_down("space", STILL)
    said.hands.point_down("mouse", MONITOR.x, MONITOR.y, STILL)
    said.hands.let_all_go()
    said.hands.key_up("space")
    said.hands.lift("mouse", 0, 0)
    assert (said.words, said.touches) == (["press spin", "release spin"], [(0, 0, True), (0, 0, False)])


def test_nothing_there_does_nothing() -> None:
    """Bare metal and keys without a control say nothing."""
    said = Said()
    said.hands.point_down("mouse", 2, 700, STILL)
    said.hands.key_down("q", STILL)
    assert (said.words, said.touches) == ([], [])


def test_every_part_of_the_front_has_a_control() -> None:
    """No button, key, coin or note of the wiring is out of reach, and no door that a demo has."""
    words = {control.down for control in CONTROLS.values()}
    wanted = {f"press {name}" for name in BUTTONS}
    wanted |= {f"key {name} on" for name in KEYS} | {f"door {name} open" for name in USUAL_DOORS}
    wanted |= {f"note {cents // 100}" for cents in NOTES_CENTS}
    wanted |= {f"coin {cents // 100}.{cents % 100:02d}" for cents in COINS_CENTS}
    wanted |= {"mains on", "crash", "take tray", "take note", "take coins"}
    assert words == wanted


def test_controls_do_not_overlap() -> None:
    """No two things on the bench share a point, and all lie on it."""
    areas = {name: control.area for name, control in CONTROLS.items()} | METER_AREAS
    areas |= {"glass": MONITOR, "tower": TOWER}
    overlapping = [(one, other) for one, other in combinations(areas, 2) if areas[one].meets(areas[other])]
    outside = [name for name, area in areas.items() if area.x + area.width > WIDTH or area.y + area.height > HEIGHT]
    assert (overlapping, outside) == ([], [])


def test_each_key_has_one_control() -> None:
    """No key does two things, and a control is found under its own middle."""
    assert len(BY_KEY) == len(CONTROLS) + len(CARDS)
    found = {
        name: control_at(control.area.x + control.area.width / 2, control.area.y + control.area.height / 2)
        for name, control in CONTROLS.items()
    }
    assert found == CONTROLS
