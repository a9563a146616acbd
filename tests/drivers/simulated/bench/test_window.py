import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pygame
import pytest

from drivers.simulated.bench.appearance import coin_places
from drivers.simulated.bench.drawing import Drawing, Seen
from drivers.simulated.bench.frame_mirror import Frame
from drivers.simulated.bench.layout import CONTROLS, HELP, MONITOR, Rect, picture_area
from drivers.simulated.bench.touch import TouchClient, TouchLostError
from drivers.simulated.bench.window import Window, fitting_size
from tests.rigs.bench_fakes import STILL, FakeDisplay, fake_front
from tests.rigs.needing import skipped_where
from tests.rigs.patience import PATIENCE_S

pytestmark = skipped_where(find_spec("font_manrope") is None, "the fonts are not installed", "pip install '.[bake]'")

DARK = Seen(
    front=STILL, held=frozenset(), wheels=dict.fromkeys(STILL.meters, 0), frame=None, monitor_lit=False, line=""
)


@pytest.fixture(scope="module")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("baked")


@pytest.fixture
def no_screen() -> Iterator[str]:
    """SDL's dummy driver, by its name: a window that nobody sees, with real events and a real surface."""
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    yield "dummy"
    pygame.quit()
    if before is None:
        del os.environ["SDL_VIDEODRIVER"]
    else:
        os.environ["SDL_VIDEODRIVER"] = before


@pytest.fixture
def drawing(no_screen: str, baked: Path) -> Drawing:
    assert pygame.display.get_driver() == no_screen
    return Drawing(baked, pygame.display.set_mode((1280, 1000)))


def boxes(*areas: Rect) -> list[pygame.Rect]:
    return [pygame.Rect(*area) for area in areas]


def test_a_still_bench_draws_nothing(drawing: Drawing) -> None:
    """What has not changed is not painted again."""
    assert drawing.draw(DARK)
    assert drawing.draw(DARK) == []


@pytest.mark.parametrize(
    ("changes", "control"),
    [
        ({"lamps": STILL.lamps | {"spin": True}}, "spin"),
        ({"buttons": STILL.buttons | {"bet": True}}, "bet"),
        ({"keys": STILL.keys | {"attendant": True}}, "attendant"),
        ({"doors": STILL.doors | {"cash_box": True}}, "cash_box_door"),
        ({"doors": STILL.doors | {"logic": True}}, "logic_door"),
        ({"escrow_cents": 2000}, "bill_return"),
        ({"coin_return_cents": 50}, "coin_return"),
        ({"tray_coins": 3, "tray_cents": 150}, "tray"),
    ],
)
def test_a_change_repaints_its_own_place(drawing: Drawing, changes: dict[str, object], control: str) -> None:
    """A change of the front changes pixels where the thing is, and is reported there and nowhere else."""
    drawing.draw(DARK)
    screen = pygame.display.get_surface()
    assert screen is not None
    area = pygame.Rect(*CONTROLS[control].area)
    before = pygame.image.tobytes(screen.subsurface(area), "RGB")
    front = msgspec.structs.replace(STILL, **changes)
    assert drawing.draw(replace(DARK, front=front)) == [area]
    assert pygame.image.tobytes(screen.subsurface(area), "RGB") != before


def test_the_glass_shows_the_frame(drawing: Drawing) -> None:
    """A frame's colour is on the monitor, scaled; without a display the glass is dark."""
    screen = pygame.display.get_surface()
    assert screen is not None
    frame = Frame(1, 1, bytes((30, 20, 200, 0)) * (1280 * 720), 1280, 720)
    lit = replace(DARK, frame=frame, monitor_lit=True)
    dead = replace(DARK, frame=frame)
    drawing.draw(DARK)
    middle = (MONITOR.x + MONITOR.width // 2, MONITOR.y + MONITOR.height // 2)
    shown = []
    for seen in (lit, dead):
        assert drawing.draw(seen) == boxes(MONITOR)
        shown.append(screen.get_at(middle)[:3])
    # Scaling rounds each colour down by a few steps.
    assert shown[0] == pytest.approx((200, 20, 30), abs=4)
    assert max(shown[1]) < 60


def test_a_portrait_picture_is_shown_whole_and_unstretched(drawing: Drawing) -> None:
    """Black at both sides of it, also where a wide picture was before."""
    screen = pygame.display.get_surface()
    assert screen is not None
    for number, size in ((1, (1280, 720)), (2, (1080, 1920))):
        frame = Frame(number, number, bytes((30, 20, 200, 0)) * (size[0] * size[1]), *size)
        drawing.draw(replace(DARK, frame=frame, monitor_lit=True))
    area = picture_area((1080, 1920))
    assert screen.get_at((area.x - 2, area.y + 5))[:3] == screen.get_at((MONITOR.x, MONITOR.y))[:3] == (0, 0, 0)
    for corner in ((area.x + 2, area.y + 2), (area.x + area.width - 3, area.y + area.height - 3)):
        assert screen.get_at(corner)[:3] == pytest.approx((200, 20, 30), abs=4)


def test_nothing_of_a_dead_display_remains(drawing: Drawing) -> None:
    """A glass that went dark looks as one that never was lit, to the last pixel, in a scaled window too."""
    screen = pygame.display.set_mode((1000, 781))
    white = Frame(1, 1, b"\xff" * (1280 * 720 * 4), 1280, 720)
    pictures = []
    for before in ({}, {"frame": white, "monitor_lit": True}):
        drawing.fit(screen)
        drawing.draw(replace(DARK, **before))
        drawing.draw(replace(DARK, line="dark"))
        pictures.append(pygame.image.tobytes(screen, "RGB"))
    assert pictures[0] == pictures[1]


def test_a_finger_s_press_shows_before_the_hardware_answers(drawing: Drawing) -> None:
    """A held button looks pressed at once."""
    drawing.draw(DARK)
    assert drawing.draw(replace(DARK, held=frozenset({"info"}))) == boxes(CONTROLS["info"].area)


def test_points_map_back_at_every_size(drawing: Drawing) -> None:
    """In a window of another shape the bench is in the middle, and a click lands where it was aimed."""
    drawing.fit(pygame.display.set_mode((840, 500)))
    assert drawing.to_bench(100, 0) == (0, 0)
    assert drawing.to_bench(740, 500) == (1280, 1000)


def test_coins_stay_where_they_fell() -> None:
    """One more coin in the tray moves none of the others, and all lie inside it."""
    for coins in range(72):
        assert set(coin_places(coins)) <= set(coin_places(coins + 1))
    places = coin_places(72)
    assert all(14 <= x <= 156 and 30 <= y <= 98 for x, y, _ in places)


def test_a_small_desktop_gets_a_small_bench() -> None:
    """The bench keeps its shape and fits what screen there is."""
    assert [fitting_size(size) for size in ((1920, 1080), (1024, 768))] == [(1280, 1000), (934, 730)]


@pytest.fixture
def window(no_screen: str, baked: Path, tmp_path: Path) -> Iterator[Window]:
    opened = Window(tmp_path, baked)
    assert pygame.display.get_driver() == no_screen
    # The dummy driver reports a window that was shown and focused; those events are not what is tested.
    pygame.event.clear()
    yield opened
    opened.close()


def press(kind: int, **values: object) -> None:
    if kind == pygame.KEYDOWN:
        values = {"mod": pygame.KMOD_NONE} | values
    pygame.event.post(pygame.event.Event(kind, values))


def step_until(window: Window, done: Callable[[], bool]) -> None:
    """Turn the window until something has come about; the fakes answer from another thread."""
    for _ in range(100_000):
        assert window.step()
        if done():
            return
    raise AssertionError("it never came about")


def test_keys_mouse_and_fingers_reach_the_front(window: Window, tmp_path: Path) -> None:
    """All three ways to press arrive as the same words, and a touch is not counted again as a mouse."""
    at = CONTROLS["collect"].area
    place = (at.x + 50, at.y + 50)
    width, height = pygame.display.get_window_size()
    scale = width / 1280
    pixel = (int(place[0] * scale), int(place[1] * scale))
    with fake_front(tmp_path) as front:
        step_until(window, lambda: window.front is not None)
        press(pygame.KEYDOWN, key=pygame.K_SPACE)
        press(pygame.KEYUP, key=pygame.K_SPACE)
        press(pygame.MOUSEBUTTONDOWN, pos=pixel, button=1, touch=False)
        press(pygame.MOUSEBUTTONUP, pos=(0, 0), button=1, touch=False)
        press(pygame.FINGERDOWN, x=pixel[0] / width, y=pixel[1] / height, finger_id=7)
        press(pygame.MOUSEBUTTONDOWN, pos=pixel, button=1, touch=True)
        press(pygame.MOUSEBUTTONUP, pos=pixel, button=1, touch=True)
        press(pygame.FINGERUP, x=0.0, y=0.0, finger_id=7)
        assert window.step()
        collect = ["press collect", "release collect"]
        assert front.wait_asked("press spin", "release spin", *collect, *collect)


def test_the_desktop_s_own_keys_are_left_alone(window: Window, tmp_path: Path) -> None:
    """Alt+F4 and Ctrl+C are no notes and no buttons."""
    with fake_front(tmp_path) as front:
        step_until(window, lambda: window.front is not None)
        press(pygame.KEYDOWN, key=pygame.K_F4, mod=pygame.KMOD_LALT)
        press(pygame.KEYDOWN, key=pygame.K_c, mod=pygame.KMOD_LCTRL)
        press(pygame.KEYDOWN, key=pygame.K_F1)
        assert window.step()
        assert front.wait_asked("note 5")


def test_the_window_outlives_the_hardware(window: Window, tmp_path: Path) -> None:
    """When the hardware goes the window stays, and connects again to the next one."""
    with fake_front(tmp_path):
        step_until(window, lambda: window.front is not None)
    step_until(window, lambda: window.front is None)
    with fake_front(tmp_path) as second:
        step_until(window, lambda: window.front is not None)
        press(pygame.KEYDOWN, key=pygame.K_x)
        assert window.step()
        assert second.wait_asked("crash")


def test_a_click_on_the_glass_reaches_the_display(window: Window, tmp_path: Path) -> None:
    """A click on the monitor is a touch at that point of the canvas, through a display's death too."""
    scale = pygame.display.get_window_size()[0] / 1280
    at = (int((MONITOR.x + MONITOR.width / 2) * scale), int((MONITOR.y + MONITOR.height / 2) * scale))
    for _life in range(2):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(tmp_path / "touch.sock"))
            listener.listen()
            press(pygame.MOUSEBUTTONDOWN, pos=at, button=1, touch=False)
            press(pygame.MOUSEBUTTONUP, pos=at, button=1, touch=False)
            assert window.step()
            display, _ = listener.accept()
            display.settimeout(PATIENCE_S)
            touches = [json.loads(display.recv(4096)) for _ in range(2)]
            display.close()
        (tmp_path / "touch.sock").unlink()
        assert [touch["down"] for touch in touches] == [True, False]
        assert all(abs(touch["x"] - 640) <= 2 and abs(touch["y"] - 360) <= 2 for touch in touches)


def test_the_window_shows_what_is_on_the_glass(window: Window, tmp_path: Path) -> None:
    """A display's frame comes up on the bench; after its death the glass is dark."""
    screen = pygame.display.get_surface()
    assert screen is not None
    at = (screen.get_width() // 2, screen.get_height() // 4)
    display = FakeDisplay(tmp_path / "glass", 1280, 720)
    display.present(bytes((0, 255, 0, 0)) * (1280 * 720), 1)
    window.step()
    lit = screen.get_at(at)[:3]
    display.die()
    window.step()
    assert lit == pytest.approx((0, 255, 0), abs=4)
    assert max(screen.get_at(at)[:3]) < 60


def test_closing_the_window_ends_it(window: Window) -> None:
    """The window's close button ends the bench, which is how a demo with a screen ends."""
    press(pygame.QUIT)
    assert not window.step()


def test_nobody_to_touch_is_an_error(tmp_path: Path) -> None:
    """A script that taps a dead display hears of it, with the socket's path."""
    with pytest.raises(TouchLostError, match=r"touch\.sock"):
        TouchClient(tmp_path / "touch.sock").tap(1, 2)


def test_the_help_line_has_a_place() -> None:
    """The help line is empty."""
    assert [name for name, control in CONTROLS.items() if control.area.meets(HELP)] == []


def probe(**environment: str) -> int:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    command = [sys.executable, "-m", "drivers.simulated.bench", "--probe"]
    return subprocess.run(
        command, env=clean | environment, check=False, capture_output=True, timeout=PATIENCE_S
    ).returncode


@pytest.mark.processes
@skipped_where(Path("/dev/dri/card0").exists(), "SDL finds this machine's own screen", "run it on one without")
@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":4711"}, {"SDL_VIDEODRIVER": "dummy"}])
def test_a_missing_or_stale_display_is_no_screen(environment: dict[str, str]) -> None:
    """The probe reports to the launcher that a window would not be seen."""
    assert probe(**environment) == 1


def test_full_screen_and_back(window: Window, tmp_path: Path) -> None:
    """F11 opens the bench on the whole screen and closes it to its size again; what was held is let go."""
    before = pygame.display.get_window_size()
    with fake_front(tmp_path) as front:
        step_until(window, lambda: window.front is not None)
        press(pygame.KEYDOWN, key=pygame.K_SPACE)
        press(pygame.KEYDOWN, key=pygame.K_F11)
        window.step()
        whole = pygame.display.get_window_size()
        press(pygame.KEYDOWN, key=pygame.K_F11)
        window.step()
        assert front.wait_asked("press spin", "release spin")
    assert (whole, pygame.display.get_window_size()) == (pygame.display.get_desktop_sizes()[0], before)
