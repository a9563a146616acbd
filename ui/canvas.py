"""What the scenes draw on: a surface in memory, or a texture of the GPU (`ui/gpu_canvas.py`). Places are pixels."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import pygame

Place = tuple[int, int] | pygame.Rect
"""Where an upper left corner goes."""


class GpuError(OSError):
    """The GPU did not do what a frame needs; the picture has to be composed in memory."""


class Still(Protocol):
    """A part of the canvas as it once was."""

    box: pygame.Rect
    """Which part."""

    def lay(self, part: pygame.Rect, /) -> None:
        """Draw what it holds of `part` there again."""


class Canvas(Protocol):
    """The part of `pygame.Surface` that scenes draw with.

    What is drawn on it must not be painted on afterwards, for a GPU holds a copy of it; its `set_alpha` may change.
    """

    def blit(self, source: pygame.Surface, dest: Place, area: pygame.Rect | None = None, /) -> pygame.Rect:
        """Draw `source`, or its part `area`; return what of the canvas that covers."""

    def fblits(self, blit_sequence: Iterable[tuple[pygame.Surface, Place]], /) -> None:
        """Draw many."""

    def fill(self, color: tuple[int, int, int], rect: pygame.Rect | None = None, /) -> pygame.Rect:
        """Fill `rect`, or all of it; return what of the canvas that covers."""

    def set_clip(self, rect: pygame.Rect | None, /) -> None:
        """Draw only within `rect` from now on, with None anywhere."""

    def get_clip(self) -> pygame.Rect:
        """Return the part of it that is drawn on now: all of it, unless `set_clip` has said otherwise."""

    def cover(self, backdrop: pygame.Surface, pieces: Sequence[pygame.Rect], /) -> None:
        """Draw these pieces of `backdrop`, which is as large as the canvas, in their places."""

    def copy(self) -> pygame.Surface:
        """Return what it shows."""

    def still(self, box: pygame.Rect, /) -> Still:
        """Return what it shows inside `box`, to be drawn again."""


class SoftwareCanvas(pygame.Surface):
    """A canvas in memory, 32 bits a pixel (BGRX)."""

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(size, 0, 32)

    def cover(self, backdrop: pygame.Surface, pieces: Sequence[pygame.Rect], /) -> None:
        """Draw these pieces of `backdrop`, which is as large as the canvas, in their places."""
        self.blits([(backdrop, piece, piece) for piece in pieces], doreturn=False)

    def still(self, box: pygame.Rect, /) -> Still:
        """Return what it shows inside `box`, to be drawn again."""
        return _Copied(self, box)


class _Copied:
    """A still in memory."""

    def __init__(self, canvas: SoftwareCanvas, box: pygame.Rect) -> None:
        self.box = box
        self._canvas = canvas
        self._pixels = canvas.subsurface(box).copy()

    def lay(self, part: pygame.Rect, /) -> None:
        self._canvas.blit(self._pixels, part, part.move(-self.box.left, -self.box.top))
