"""The one class that presents: to a frame mirror (demo and tests), to the monitor, or to nobody.

The canvas is an ordinary surface, the layout's units times the scale. On the Pi it is uploaded to a texture and the
GPU scales it to the monitor, with black bars where the shape differs; touches are mapped back here. The private
parts of pygame appear in this class only.
"""

import os
import re
import sys
import time
from collections.abc import Callable, MutableMapping
from pathlib import Path

import pygame

from ui.atlas import blank
from ui.frame_mirror import FrameMirror
from ui.layout import WIDE, Layout
from ui.touch import TouchEvent

POLL_S = 0.008
"""How often the window's events are looked for: SDL gives no descriptor that `select` could watch."""

MONITOR_S = 0.5
"""How often a missing monitor is looked for."""

_CARD = re.compile(r"card(\d+)-")


_FULL = 255


def _dimmed(canvas: pygame.Surface, level: int) -> pygame.Surface:
    """Return a copy of `canvas` with each colour at `level` of 255."""
    dimmed = canvas.copy()
    dimmed.fill((level, level, level), special_flags=pygame.BLEND_RGB_MULT)
    return dimmed


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
    """Return the number of the first card with a monitor, calling `pause` between looks while there is none."""
    card = connected_card(drm)
    if card is None:
        sys.stderr.write("display: no monitor is connected; the picture comes when one is\n")
    while card is None:
        pause()
        card = connected_card(drm)
    return card


def direct_to(card: int, environment: MutableMapping[str, str]) -> None:
    """Have SDL's KMSDRM open `card`, and draw by OpenGL ES 2; what the environment has already is left.

    SDL would take desktop OpenGL, which Mesa offers through EGL also where no libGL is installed: then its calls for
    textures come to nothing, no error is reported, and every picture is black.
    """
    environment.setdefault("SDL_KMSDRM_DEVICE_INDEX", str(card))
    environment.setdefault("SDL_RENDER_DRIVER", "opengles2")


class Screen:
    """Owns the canvas; `present` shows it. With neither `frame_mirror` nor `window` it is drawn for nobody."""

    def __init__(
        self, scale: float = 1, frame_mirror: Path | None = None, *, layout: Layout = WIDE, window: bool = False
    ) -> None:
        self.scale = scale
        self.size = (round(layout.canvas[0] * scale), round(layout.canvas[1] * scale))
        self.canvas = blank(self.size)
        self._frame_mirror = FrameMirror(frame_mirror, self.size) if frame_mirror is not None else None
        self._window: _Window | None = _Window(self.size, layout.canvas) if window else None

    def __repr__(self) -> str:
        where = "mirror" if self._frame_mirror else "window" if self._window else "nowhere"
        return f"<Screen {self.size[0]}x{self.size[1]} on {where}>"

    @property
    def polls(self) -> bool:
        """Its touches must be asked for every `POLL_S`."""
        return self._window is not None

    def present(self, brightness_percent: int = 100) -> None:
        """Show the canvas as it is now, dimmed to so much of its light."""
        level = 255 * brightness_percent // 100
        if self._frame_mirror is not None:
            self._frame_mirror.write(
                self.canvas if level == _FULL else _dimmed(self.canvas, level), time.monotonic_ns()
            )
        if self._window is not None:
            self._window.present(self.canvas, level)

    def touches(self) -> list[TouchEvent]:
        """Return what fingers (or a mouse) have done on the window, in canvas units."""
        return [] if self._window is None else self._window.touches()

    def close(self) -> None:
        """Let the screen go."""
        if self._frame_mirror is not None:
            self._frame_mirror.close()
        if self._window is not None:
            self._window.close()


class _Window:
    """A full-screen window whose texture is the canvas."""

    def __init__(self, size: tuple[int, int], units: tuple[int, int]) -> None:
        from pygame._sdl2.video import Renderer, Texture  # noqa: PLC0415  not needed, so not loaded, with a frame mirror

        if os.environ.get("SDL_VIDEODRIVER") == "kmsdrm":
            direct_to(awaited_card(lambda: time.sleep(MONITOR_S)), os.environ)
        pygame.display.init()
        pygame.mouse.set_visible(False)
        self._units = units
        # A window as large as the desktop, not a full-screen one: that needs a window manager where there is X.
        monitor = pygame.display.get_desktop_sizes()[0]
        self._window = pygame.Window("Cabinet", monitor, position=(0, 0), borderless=True)
        self._renderer = Renderer(self._window, vsync=True)
        self._texture = Texture(self._renderer, size, streaming=True, scale_quality=1)
        self._target = letterbox(monitor, size)

    def present(self, canvas: pygame.Surface, level: int) -> None:
        self._texture.update(canvas)
        self._texture.color = (level, level, level)  # the GPU dims while it scales, which costs nothing
        self._renderer.draw_color = "black"
        self._renderer.clear()
        self._texture.draw(dstrect=self._target)
        self._renderer.present()

    def touches(self) -> list[TouchEvent]:
        found: list[TouchEvent] = []
        width, height = self._window.size
        for event in pygame.event.get():
            if event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and not event.touch:
                found.append(self._touch(*event.pos, down=event.type == pygame.MOUSEBUTTONDOWN))
            elif event.type in (pygame.FINGERDOWN, pygame.FINGERUP):
                down = event.type == pygame.FINGERDOWN
                found.append(self._touch(event.x * width, event.y * height, down=down))
        return found

    def _touch(self, x: float, y: float, *, down: bool) -> TouchEvent:
        column, row = canvas_units(self._target, self._units, x, y)
        return TouchEvent(column, row, down)

    def close(self) -> None:
        self._window.destroy()


def letterbox(monitor: tuple[int, int], canvas: tuple[int, int]) -> pygame.Rect:
    """Return the largest rectangle of the canvas's shape in the middle of the monitor, in its pixels."""
    if monitor[0] * canvas[1] <= monitor[1] * canvas[0]:
        width, height = monitor[0], monitor[0] * canvas[1] // canvas[0]
    else:
        width, height = monitor[1] * canvas[0] // canvas[1], monitor[1]
    return pygame.Rect((monitor[0] - width) // 2, (monitor[1] - height) // 2, width, height)


def canvas_units(target: pygame.Rect, canvas: tuple[int, int], x: float, y: float) -> tuple[int, int]:
    """Map a place on the monitor back to units of `canvas`; a touch on the black bars lies outside it."""
    column = int((x - target.left) * canvas[0] // target.width)
    row = int((y - target.top) * canvas[1] // target.height)
    return column, row
