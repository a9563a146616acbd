"""The only class that presents pictures: to a frame mirror (demo and tests), to the monitor, or to nobody.

The canvas has the layout's units times the scale. On a monitor it is a texture composed by the GPU (`ui/composing.py`),
or a surface in memory that is uploaded for each frame.
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
"""The interval, in seconds, at which the window is polled: SDL provides no descriptor for `select`."""

_FULL = 255


def _dimmed(canvas: pygame.Surface, level: int) -> pygame.Surface:
    """Return a copy of `canvas` with each colour at `level` of 255."""
    dimmed = canvas.copy()
    dimmed.fill((level, level, level), special_flags=pygame.BLEND_RGB_MULT)
    return dimmed


class Screen:
    """Owns the canvas; `present` shows it. With neither `frame_mirror` nor `window` it is shown to nobody.

    `compose` (`auto`, `gpu`, `software`) states what composes a window's frames, and `starts` is the file that counts
    starts with the GPU.
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
        """Whether its touches must be polled every `POLL_S`."""
        return self._window is not None

    def present(self, brightness_percent: int = 100) -> None:
        """Show the canvas, dimmed to `brightness_percent`."""
        level = 255 * brightness_percent // 100
        if self._frame_mirror is not None:
            canvas = self.picture()
            self._frame_mirror.write(canvas if level == _FULL else _dimmed(canvas, level), time.monotonic_ns())
        if self._window is not None:
            self._window.present(level)

    def picture(self) -> pygame.Surface:
        """Return the canvas's content, which is the canvas itself if it is in memory."""
        return self.canvas if isinstance(self.canvas, pygame.Surface) else self.canvas.copy()

    def compose_in_memory(self, reason: str) -> None:
        """Switch to a canvas in memory, because the GPU has failed for `reason`."""
        if self._window is not None:
            self._window.compose_in_memory(reason)
            self.canvas = self._window.canvas

    def lost(self) -> bool:
        """Whether the GPU has lost its content since the last call; everything must then be drawn again."""
        return self._window is not None and self._window.lost()

    def touches(self) -> list[TouchEvent]:
        """Return the touches (or mouse clicks) on the window, in canvas units."""
        return [] if self._window is None else self._window.touches()

    def close(self) -> None:
        """Release the screen."""
        if self._frame_mirror is not None:
            self._frame_mirror.close()
        if self._window is not None:
            self._window.close()
