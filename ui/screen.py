"""The one class that presents: to a frame mirror (demo and tests), to the monitor, or to nobody.

The canvas has the layout's units times the scale. On a monitor it is a texture that the GPU composes
(`ui/composing.py`), or a surface in memory that is uploaded for each frame.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pygame

from ui.canvas import Canvas, SoftwareCanvas
from ui.frame_mirror import FrameMirror
from ui.layout import WIDE, Layout
from ui.touch import TouchEvent

if TYPE_CHECKING:
    from ui.monitor import Monitor

POLL_S = 0.008
"""How often the window's events are looked for: SDL gives no descriptor that `select` could watch."""

_FULL = 255


def _dimmed(canvas: pygame.Surface, level: int) -> pygame.Surface:
    """Return a copy of `canvas` with each colour at `level` of 255."""
    dimmed = canvas.copy()
    dimmed.fill((level, level, level), special_flags=pygame.BLEND_RGB_MULT)
    return dimmed


class Screen:
    """Owns the canvas; `present` shows it. With neither `frame_mirror` nor `window` it is drawn for nobody.

    `compose` (`auto`, `gpu`, `software`) says what composes a window's frames, and `starts` is the file in which
    starts by GPU are counted.
    """

    def __init__(
        self,
        scale: float = 1,
        frame_mirror: Path | None = None,
        *,
        layout: Layout = WIDE,
        window: bool = False,
        compose: str = "software",
        starts: Path | None = None,
    ) -> None:
        self.scale = scale
        self.size = (round(layout.canvas[0] * scale), round(layout.canvas[1] * scale))
        self._frame_mirror = FrameMirror(frame_mirror, self.size) if frame_mirror is not None else None
        self._window: Monitor | None = None
        if window:
            from ui import monitor  # noqa: PLC0415  not needed, so not loaded, with a frame mirror

            self._window = monitor.Monitor(self.size, layout.canvas, compose, starts)
        self.canvas: Canvas = SoftwareCanvas(self.size) if self._window is None else self._window.canvas

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
            canvas = self.picture()
            self._frame_mirror.write(canvas if level == _FULL else _dimmed(canvas, level), time.monotonic_ns())
        if self._window is not None:
            self._window.present(level)

    def picture(self) -> pygame.Surface:
        """Return what the canvas shows: the canvas itself where it is in memory."""
        return self.canvas if isinstance(self.canvas, pygame.Surface) else self.canvas.copy()

    def compose_in_memory(self, reason: str) -> None:
        """Take another canvas, in memory: the GPU has failed for `reason`."""
        if self._window is not None:
            self._window.compose_in_memory(reason)
            self.canvas = self._window.canvas

    def lost(self) -> bool:
        """Whether the GPU has lost what was drawn since the last call; then all of it must be drawn anew."""
        return self._window is not None and self._window.lost()

    def touches(self) -> list[TouchEvent]:
        """Return what fingers (or a mouse) have done on the window, in canvas units."""
        return [] if self._window is None else self._window.touches()

    def close(self) -> None:
        """Let the screen go."""
        if self._frame_mirror is not None:
            self._frame_mirror.close()
        if self._window is not None:
            self._window.close()
