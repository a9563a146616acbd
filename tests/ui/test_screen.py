from pathlib import Path

import pytest

from drivers.simulated.bench.frame_mirror import FrameMirror
from ui.monitor import awaited_card, canvas_units, connected_card, direct_to, letterbox
from ui.screen import Screen


@pytest.mark.parametrize(
    ("monitor", "expected"),
    [
        ((1920, 1080), (0, 0, 1920, 1080)),
        ((1280, 1024), (0, 152, 1280, 720)),
        ((2560, 1080), (320, 0, 1920, 1080)),
    ],
)
def test_the_canvas_keeps_its_shape_on_every_monitor(
    monitor: tuple[int, int], expected: tuple[int, int, int, int]
) -> None:
    """Black bars where the shape differs, nothing stretched, nothing cut."""
    assert tuple(letterbox(monitor, (1280, 720))) == expected


def test_touches_are_mapped_back_to_canvas_units() -> None:
    """The corners of the picture are the corners of the canvas; the bars lie outside."""
    target = letterbox((1280, 1024), (1280, 720))
    assert canvas_units(target, (1280, 720), 0, 152) == (0, 0)
    assert canvas_units(target, (1280, 720), 1279, 871) == (1279, 719)
    assert canvas_units(target, (1280, 720), 640, 100)[1] < 0


def test_a_dimmed_picture_is_darker_and_the_canvas_is_not(tmp_path: Path) -> None:
    """C.4: half the brightness halves each colour on the glass; what is drawn stays as it was drawn."""
    path = tmp_path / "glass"
    screen = Screen(1, path)
    screen.canvas.fill((200, 100, 50))
    for percent, colour in ((100, (200, 100, 50)), (50, (100, 50, 25))):
        screen.present(percent)
        with FrameMirror(path) as glass:
            frame = glass.frame()
        assert frame is not None
        blue, green, red = frame.pixels[:3]
        assert all(abs(got - wanted) <= 1 for got, wanted in zip((red, green, blue), colour, strict=True))
        assert tuple(screen.canvas.get_at((5, 5)))[:3] == (200, 100, 50)
    screen.close()


def test_the_card_with_a_monitor_is_found(tmp_path: Path) -> None:
    """On a Pi card 0 may be the 3D core: the card whose connector says connected is the one to open."""
    for name, status in (
        ("card0-Writeback-1", "unknown"),
        ("card1-HDMI-A-1", "disconnected"),
        ("card1-HDMI-A-2", "connected"),
    ):
        connector = tmp_path / name
        connector.mkdir()
        (connector / "status").write_text(f"{status}\n")
    assert connected_card(tmp_path) == 1
    assert connected_card(tmp_path / "nothing") is None


def test_a_monitor_that_is_not_there_at_the_start_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A monitor that is switched on after the cabinet gets its picture; a display that ended would be given up."""
    connector = tmp_path / "card1-HDMI-A-1"
    looks = 0

    def pause() -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            connector.mkdir()
            (connector / "status").write_text("disconnected\n")
        elif looks == 4:
            (connector / "status").write_text("connected\n")

    assert awaited_card(pause, tmp_path) == 1
    assert looks == 4
    assert capsys.readouterr().err.count("no monitor is connected") == 1
    assert awaited_card(pause, tmp_path) == 1
    assert looks == 4


def test_without_x_the_picture_is_drawn_by_opengl_es() -> None:
    """The image has libGLESv2 and no libGL, with which SDL's own choice, desktop OpenGL, draws nothing."""
    given: dict[str, str] = {}
    direct_to(1, given)
    assert given == {"SDL_KMSDRM_DEVICE_INDEX": "1", "SDL_RENDER_DRIVER": "opengles2", "SDL_RENDER_BATCHING": "1"}
    packages = Path("systemd/packages").read_text(encoding="utf-8").split()
    assert "libgles2" in packages
    asked = {"SDL_RENDER_DRIVER": "software", "SDL_RENDER_BATCHING": "0"}
    direct_to(0, asked)
    assert asked == {"SDL_KMSDRM_DEVICE_INDEX": "0", "SDL_RENDER_DRIVER": "software", "SDL_RENDER_BATCHING": "0"}
