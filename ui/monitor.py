"""The window that fills the monitor, the composition of its frames, and its touches."""

import os
import re
import sys
import time
from collections.abc import Callable, MutableMapping
from pathlib import Path

import pygame
from pygame._sdl2.video import Renderer, Texture

from ui.canvas import SoftwareCanvas
from ui.composing import GpuStarts, gpu_canvas
from ui.gpu_canvas import ALPHA_DEPTH, OVERWRITE, GpuCanvas
from ui.touch import TouchEvent

MONITOR_S = 0.5
"""The interval, in seconds, at which a missing monitor is looked for."""

_CARD = re.compile(r"card(\d+)-")


def connected_card(drm: Path = Path("/sys/class/drm")) -> int | None:
    """Return the number of the first graphics card with a monitor connected, or None.

    KMSDRM opens card 0 by default, which on a Pi may be the 3D core, which has no connector.
    """
    for status in sorted(drm.glob("card*-*/status")):
        match = _CARD.match(status.parent.name)
        if match and status.read_text().strip() == "connected":
            return int(match.group(1))
    return None


def awaited_card(pause: Callable[[], None], drm: Path = Path("/sys/class/drm")) -> int:
    """Return the number of the first card with a monitor; call `pause` between checks while there is none."""
    card = connected_card(drm)
    if card is None:
        sys.stderr.write("display: no monitor is connected; the picture comes when one is\n")
    while card is None:
        pause()
        card = connected_card(drm)
    return card


def direct_to(card: int, environment: MutableMapping[str, str]) -> None:
    """Let SDL's KMSDRM open `card` and draw with OpenGL ES 2; variables that are already set are kept.

    SDL would choose desktop OpenGL, which Mesa offers through EGL even if libGL is not installed; its texture calls
    then have no effect, no error is reported, and every picture is black.
    """
    environment.setdefault("SDL_KMSDRM_DEVICE_INDEX", str(card))
    environment.setdefault("SDL_RENDER_DRIVER", "opengles2")
    environment.setdefault("SDL_RENDER_BATCHING", "1")  # SDL does not enable it for a driver requested by name


class Monitor:
    """A full-screen window for a canvas of `size` pixels with these `units`."""

    def __init__(
        self, size: tuple[int, int], units: tuple[int, int], compose: str = "software", starts: Path | None = None
    ) -> None:
        if os.environ.get("SDL_VIDEODRIVER") == "kmsdrm":
            direct_to(awaited_card(lambda: time.sleep(MONITOR_S)), os.environ)
        pygame.display.init()
        pygame.mouse.set_visible(False)
        self._units = units
        # A window of the desktop's size, not a full-screen one, which would need a window manager under X.
        monitor = pygame.display.get_desktop_sizes()[0]
        self._window = pygame.Window("Cabinet", monitor, position=(0, 0), borderless=True)
        self._renderer = Renderer(self._window, vsync=True)
        self._target = letterbox(monitor, size)
        self._size = size
        self._starts = GpuStarts(starts)
        self._lost = False
        self._uploaded: Texture | None = None
        self.canvas = gpu_canvas(compose, self._renderer, size, self._starts) or SoftwareCanvas(size)

    def present(self, level: int) -> None:
        """Show the canvas with its colours at `level` of 255; the GPU dims while it scales, at no cost."""
        if isinstance(self.canvas, GpuCanvas):
            self.canvas.present(self._target, level)
            self._starts.shown()
            return
        if self._uploaded is None:
            self._uploaded = Texture(self._renderer, self._size, ALPHA_DEPTH, streaming=True, scale_quality=1)
            self._uploaded.blend_mode = OVERWRITE
        # The same bytes in the texture's format: a surface without alpha would first be converted, pixel by pixel.
        pixels = self.canvas.get_buffer()
        self._uploaded.update(pygame.image.frombuffer(pixels, self._size, "BGRA"))  # type: ignore[arg-type]  # a stub's gap
        self._uploaded.color = (level, level, level)
        self._renderer.draw_color = "black"
        self._renderer.clear()
        self._uploaded.draw(dstrect=self._target)
        self._renderer.present()

    def compose_in_memory(self, reason: str) -> None:
        """Switch permanently to a canvas in memory, because the GPU has failed for `reason`."""
        sys.stderr.write(f"display: frames are composed in memory from now on: {reason}\n")
        self._starts.failed()
        if isinstance(self.canvas, GpuCanvas):
            self.canvas.close()
        self.canvas = SoftwareCanvas(self._size)

    def lost(self) -> bool:
        """Whether the GPU has lost its content since the last call; everything must then be drawn again."""
        lost, self._lost = self._lost, False
        if lost:
            self._uploaded = None
            if isinstance(self.canvas, GpuCanvas):
                self.canvas.renew()
        return lost

    def touches(self) -> list[TouchEvent]:
        """Return the touches (or mouse clicks) on the window, in canvas units."""
        found: list[TouchEvent] = []
        width, height = self._window.size
        for event in pygame.event.get():
            if event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and not event.touch:
                found.append(self._touch(*event.pos, down=event.type == pygame.MOUSEBUTTONDOWN))
            elif event.type in (pygame.FINGERDOWN, pygame.FINGERUP):
                down = event.type == pygame.FINGERDOWN
                found.append(self._touch(event.x * width, event.y * height, down=down))
            elif event.type in (pygame.RENDER_TARGETS_RESET, pygame.RENDER_DEVICE_RESET):
                self._lost = True
        return found

    def _touch(self, x: float, y: float, *, down: bool) -> TouchEvent:
        column, row = canvas_units(self._target, self._units, x, y)
        return TouchEvent(column, row, down)

    def close(self) -> None:
        """Release the window; a start with the GPU that ends this way has not failed."""
        if isinstance(self.canvas, GpuCanvas):
            self.canvas.close()
            self._starts.lasted()
        self._uploaded = None
        self._window.destroy()


def letterbox(monitor: tuple[int, int], canvas: tuple[int, int]) -> pygame.Rect:
    """Return the largest centred rectangle on the monitor with the canvas's proportions, in its pixels."""
    if monitor[0] * canvas[1] <= monitor[1] * canvas[0]:
        width, height = monitor[0], monitor[0] * canvas[1] // canvas[0]
    else:
        width, height = monitor[1] * canvas[0] // canvas[1], monitor[1]
    return pygame.Rect((monitor[0] - width) // 2, (monitor[1] - height) // 2, width, height)


def canvas_units(target: pygame.Rect, canvas: tuple[int, int], x: float, y: float) -> tuple[int, int]:
    """Convert a position on the monitor to units of `canvas`; a touch on the black bars lies outside it."""
    column = int((x - target.left) * canvas[0] // target.width)
    row = int((y - target.top) * canvas[1] // target.height)
    return column, row
