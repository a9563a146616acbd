"""Frames composed by SDL's renderer: the same pictures as in memory, bounded textures, and a GPU that fails."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pygame
import pytest

from tests.rigs.turned_display import TurnedDisplay
from tests.ui.composed import Compared, apart, compare, composed
from tests.ui.golden import FULL_HD, MONITORS, PLAYERS_SCREENS
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import Rehearsal, game_view
from ui.atlas import blank, clear
from ui.canvas import Canvas, GpuError, SoftwareCanvas
from ui.composing import LASTING_FRAMES, MOST_STARTS, GpuStarts
from ui.gpu_canvas import TOLERANCE
from ui.screen import Screen

# SDL reads it when the first window is made; its renderer "software" needs neither monitor nor GPU.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

ROUNDED_DOWN = 12
"""SDL's renderer without a GPU rounds each translucent layer down, so its pictures are further off."""
TEXTURE_MIB = {"wide": 32, "tall": 40, "portrait": 48, FULL_HD: 60}
"""What the textures may come to at the most; measured were 27, 34, 40 and 50."""
FEW = ("idle", "spinning", "collecting", "bewitched_vials")


class Failing:
    """A canvas of the GPU that does what it should some times, and fails from then on."""

    def __init__(self, canvas: Canvas, times: int) -> None:
        self._canvas = canvas
        self._left = times

    def __getattr__(self, name: str) -> object:
        self._left -= 1
        if self._left < 0:
            raise GpuError("the GPU is gone")
        return getattr(self._canvas, name)


def test_what_the_renderer_composes_is_the_picture_in_memory() -> None:
    """Nothing lies elsewhere, nothing is out of date: sprites, clips, an overlay, sprites whose alpha changes."""
    found = compare(FEW, "wide", 1)
    assert {name: by for name, by in found.apart.items() if by > ROUNDED_DOWN} == {}


def test_each_way_of_drawing_covers_the_same_pixels() -> None:
    """Beyond the edges, within a clip, a part of a sprite, a fill, a still: compared exactly, with opaque sprites."""
    sprite = blank((60, 40))
    for row in range(40):
        sprite.fill((6 * row, 255 - 6 * row, 90), (0, row, 60, 1))
    part, clip = pygame.Rect(10, 5, 30, 20), pygame.Rect(200, 100, 50, 50)
    with composed() as (screen, canvas):
        in_memory = SoftwareCanvas(screen.size)
        covered = []
        for each in (in_memory, canvas):
            each.fill((10, 20, 30))
            boxes = [each.blit(sprite, (-20, -10)), each.blit(sprite, (1250, 700)), each.blit(sprite, (2000, 0))]
            boxes += [each.blit(sprite, (100, 100), part), each.blit(sprite, (160, 100), part.move(40, 30))]
            each.set_clip(clip)
            boxes += [each.blit(sprite, (190, 90)), each.blit(sprite, (230, 140), part), each.get_clip()]
            each.fill((1, 2, 3), part)
            each.fill((200, 0, 0), pygame.Rect(240, 90, 50, 20))
            each.set_clip(None)
            boxes.append(each.get_clip())
            kept = each.still(pygame.Rect(90, 90, 200, 100))
            each.fill((0, 0, 0), pygame.Rect(0, 80, 400, 300))
            kept.lay(pygame.Rect(150, 95, 80, 60))
            covered.append(boxes)
        assert apart(in_memory, canvas.copy()) == 0
        assert [box for box in covered[0] if box.size != (0, 0)] == [box for box in covered[1] if box.size != (0, 0)]


def test_textures_are_bounded_and_go_with_their_surfaces() -> None:
    """The longest unused goes first; a surface that is let go takes its texture along, and its place may be reused."""
    with composed() as (_, canvas):
        textures = canvas.textures
        textures.clear()
        textures.most_bytes = 10 * 4 * 50 * 50
        kept = [clear((50, 50)) for _ in range(10)]
        for sprite in kept:
            canvas.blit(sprite, (0, 0))
        uploaded = textures.uploaded_bytes
        canvas.blit(kept[0], (0, 0))
        assert textures.uploaded_bytes == uploaded
        canvas.blit(clear((50, 50)), (0, 0))
        assert textures.bytes <= textures.most_bytes
        canvas.blit(kept[0], (0, 0))
        assert textures.uploaded_bytes == uploaded + 10_000  # the first one had been used again, so the second went
        del sprite
        kept.clear()
        gc.collect()
        canvas.blit(clear((50, 50)), (0, 0))
        assert textures.bytes == 10_000


def test_a_wipe_is_the_same_from_the_gpu() -> None:
    """The former picture stays on the GPU, and gives way along the same edge."""
    context = Rehearsal().context
    with composed() as (screen, _):
        pictures = []
        for rehearsal in (Rehearsal(context=context), Rehearsal(context=context, screen=screen)):
            PROGRAMME["idle"](rehearsal)
            rehearsal.picture()
            PROGRAMME["chests"](rehearsal)
            rehearsal.picture()
            rehearsal.wait(0.3)
            assert rehearsal.scene_manager.due(rehearsal.now) <= rehearsal.now
            pictures.append(rehearsal.picture())
        assert apart(*pictures) <= ROUNDED_DOWN


@pytest.mark.parametrize("event", [pygame.RENDER_TARGETS_RESET, pygame.RENDER_DEVICE_RESET])
def test_what_a_reset_gpu_has_lost_is_drawn_anew(event: int) -> None:
    """SDL reports it as an event; the next turn shows a whole picture again, though nothing moves on it."""
    with composed() as (screen, canvas):
        display = TurnedDisplay({}, screen)
        display.view(game_view("neptune", state="paytable"))
        before = canvas.copy()
        assert not screen.lost()
        canvas.fill((0, 0, 0))
        pygame.event.post(pygame.event.Event(event))
        display.turn()
        assert apart(before, canvas.copy()) == 0


def test_a_gpu_that_fails_in_mid_game_costs_one_attempt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same turn's state is drawn in memory at the next one, and no new process tries the GPU again."""
    starts = tmp_path / "gpu-starts"
    screen = Screen(1, window=True, compose="gpu", starts=starts)
    screen.canvas = Failing(screen.canvas, 30)
    display = TurnedDisplay({}, screen)
    display.view(game_view("neptune"))
    assert isinstance(screen.canvas, SoftwareCanvas)
    display.view(game_view("neptune", state="paytable"))
    rehearsal = Rehearsal()
    rehearsal.view(game_view("neptune", state="paytable"))
    assert apart(screen.canvas, rehearsal.picture()) == 0
    assert display.unfit() == []
    assert "composed in memory from now on: the GPU is gone" in capsys.readouterr().err
    screen.close()
    again = Screen(1, window=True, compose="gpu", starts=starts)
    assert isinstance(again.canvas, SoftwareCanvas)
    again.close()


def test_displays_that_a_gpu_ends_do_not_try_it_for_ever(tmp_path: Path) -> None:
    """Three starts in a row that did not last are the last ones; one that lasted or was ended on purpose counts not."""
    file = tmp_path / "gpu-starts"
    for count in range(MOST_STARTS):
        assert GpuStarts(file).count() == count
        GpuStarts(file).begin()
    assert GpuStarts(file).count() == MOST_STARTS
    lasting = GpuStarts(file)
    for _ in range(LASTING_FRAMES):
        lasting.shown()
    assert GpuStarts(file).count() == 0
    screen = Screen(1, window=True, compose="gpu", starts=file)
    assert GpuStarts(file).count() == 1
    screen.close()
    assert GpuStarts(file).count() == 0
    file.write_bytes(b"\xff")
    assert GpuStarts(file).count() == MOST_STARTS
    GpuStarts(None).begin()


@pytest.mark.parametrize(
    ("compose", "reason"), [("software", "display.compose"), ("auto", "there is no GPU behind the renderer")]
)
def test_the_display_says_why_it_composes_in_memory(
    compose: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line for whoever reads the display's log; the pictures are the same."""
    screen = Screen(1, window=True, compose=compose)
    assert isinstance(screen.canvas, SoftwareCanvas)
    screen.present(50)
    screen.close()
    assert f"frames are composed in memory: {reason}" in capsys.readouterr().err.replace('"', "")


@pytest.mark.parametrize("compose", ["gpu", "software"])
def test_the_monitor_shows_the_canvas_dimmed_between_black_bars(compose: str) -> None:
    """The window of SDL's silent driver is 1024x768: the picture is 1024x576 in its middle, twice with new content."""
    screen = Screen(1, window=True, compose=compose)
    assert screen._window is not None
    for colour in ((200, 100, 50), (20, 220, 120)):
        screen.canvas.fill(colour)
        screen.present(50)
        renderer = screen._window._renderer
        drawn_on, renderer.target = renderer.target, None
        shown, renderer.target = renderer.to_surface(), drawn_on
        assert shown.get_size() == (1024, 768)
        assert shown.get_at((512, 40))[:3] == (0, 0, 0)
        for place in ((3, 100), (512, 384), (1020, 668)):
            for got, wanted in zip(shown.get_at(place), colour, strict=False):
                assert abs(got - wanted / 2) <= 2
    screen.close()


@pytest.mark.proof
@pytest.mark.parametrize("monitor", MONITORS)
@pytest.mark.timeout(1_800)
def test_opengl_composes_every_screen_within_the_tolerance(monitor: str, tmp_path: Path) -> None:
    """Issue 16: by OpenGL ES 2 as on a Pi, here Mesa's; wide all of the programme, else what a player sees."""
    shape, scale = MONITORS[monitor]
    environment = {**os.environ, "SDL_VIDEODRIVER": "offscreen", "SDL_RENDER_DRIVER": "opengles2"}
    command = [sys.executable, "-m", "tests.ui.composed", "--shape", shape, "--scale", str(scale)]
    names = () if monitor == "wide" else PLAYERS_SCREENS
    command += ["--pictures", str(tmp_path), *names]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr  # such as which art is not baked
    found = msgspec.json.decode(done.stdout.splitlines()[-1], type=Compared)
    assert {name: by for name, by in found.apart.items() if by > TOLERANCE} == {}
    assert found.texture_bytes <= TEXTURE_MIB[monitor] * 1024**2
