"""What the scenes draw on: a surface in memory, or a texture of the GPU (`ui/gpu_canvas.py`). Positions are pixels."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import pygame

Place = tuple[int, int] | pygame.Rect
"""The position of an upper left corner."""


class GpuError(OSError):
    """The GPU failed to do what a frame needs; the picture must be composed in memory."""


class Still(Protocol):
    """A stored part of the canvas."""

    box: pygame.Rect
    """The position of the stored part."""

    def lay(self, part: pygame.Rect, /) -> None:
        """Draw the stored content of `part` at its position again."""


class Canvas(Protocol):
    """The part of `pygame.Surface` that scenes draw with.

    A surface must not be changed after it was drawn, because a GPU keeps a copy of it; its `set_alpha` may change.
    """

    def blit(self, source: pygame.Surface, dest: Place, area: pygame.Rect | None = None, /) -> pygame.Rect:
        """Draw `source`, or its part `area`; return the covered rectangle of the canvas."""

    def fblits(self, blit_sequence: Iterable[tuple[pygame.Surface, Place]], /) -> None:
        """Draw several surfaces."""

    def fill(self, color: tuple[int, int, int], rect: pygame.Rect | None = None, /) -> pygame.Rect:
        """Fill `rect`, or the whole canvas; return the covered rectangle."""

    def set_clip(self, rect: pygame.Rect | None, /) -> None:
        """Restrict drawing to `rect`; None removes the restriction."""

    def get_clip(self) -> pygame.Rect:
        """Return the area that can be drawn on: the whole canvas, unless `set_clip` restricts it."""

    def cover(self, backdrop: pygame.Surface, pieces: Sequence[pygame.Rect], /) -> None:
        """Draw these pieces of `backdrop`, which is as large as the canvas, at their positions."""

    def copy(self) -> pygame.Surface:
        """Return a copy of its content."""

    def still(self, box: pygame.Rect, /) -> Still:
        """Return the content of `box`, to be drawn again."""


class SoftwareCanvas(pygame.Surface):
    """A canvas in memory, 32 bits a pixel (BGRX)."""

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(size, 0, 32)

    def cover(self, backdrop: pygame.Surface, pieces: Sequence[pygame.Rect], /) -> None:
        """Draw these pieces of `backdrop`, which is as large as the canvas, at their positions."""
        self.blits([(backdrop, piece, piece) for piece in pieces], doreturn=False)

    def still(self, box: pygame.Rect, /) -> Still:
        """Return the content of `box`, to be drawn again."""
        return _Copied(self, box)


class _Copied:
    """A still in memory."""

    def __init__(self, canvas: SoftwareCanvas, box: pygame.Rect) -> None:
        self.box = box
        self._canvas = canvas
        self._pixels = canvas.subsurface(box).copy()

    def lay(self, part: pygame.Rect, /) -> None:
        self._canvas.blit(self._pixels, part, part.move(-self.box.left, -self.box.top))
