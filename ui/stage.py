"""The stage: an opaque backdrop that is drawn once, and moving objects in front of it, drawn again in each frame.

Positions are canvas units (`ui/layout.py`); the stage knows the scale. The areas that a frame drew are covered with the
backdrop before the next frame, so that only moving objects cost time.
"""

from collections.abc import Sequence

import pygame

from ui.canvas import Canvas, Still
from ui.layout import Box

_LARGE = 40_000
"""Areas that lie completely within a drawn area of at least this many pixels are covered together with it."""


class Stage:
    """Draws on `canvas` (opaque, the canvas units times `scale` pixels)."""

    def __init__(self, canvas: Canvas, scale: float) -> None:
        self.canvas = canvas
        self.scale = scale
        self._backdrop: pygame.Surface | None = None
        self._touched: list[pygame.Rect] = []
        self._fresh = True

    @property
    def whole(self) -> bool:
        """Whether the last `begin` drew the whole backdrop."""
        return self._fresh

    def begin(self, backdrop: pygame.Surface, repainted: Box | None = None) -> None:
        """Start a frame before `backdrop`, which must be opaque and as large as the canvas.

        The caller paints all of the box `repainted` in each frame, so areas inside it are not covered.
        """
        self._fresh = backdrop is not self._backdrop
        if self._fresh:
            self.canvas.blit(backdrop, (0, 0))
            self._backdrop = backdrop
        else:
            pieces = _apart(self._touched)
            if repainted is not None:
                spared = self.pixels(repainted)
                pieces = [piece for rect in pieces for piece in _outside(rect, spared)]
            self.canvas.cover(backdrop, pieces)
        self._touched.clear()

    def draw_on(self, canvas: Canvas) -> None:
        """Draw on another canvas from the next frame on."""
        self.canvas = canvas
        self.forget()

    def forget(self) -> None:
        """Draw the whole backdrop in the next frame, because something else was drawn over it."""
        self._backdrop = None

    def draw(self, sprite: pygame.Surface, x: float, y: float, area: pygame.Rect | None = None) -> None:
        """Draw `sprite`, or its part `area` (in pixels), with the upper left corner at (x, y)."""
        self._touched.append(self.canvas.blit(sprite, (round(x * self.scale), round(y * self.scale)), area))

    def draw_centred(self, sprite: pygame.Surface, x: float, y: float) -> None:
        """Draw `sprite` with its centre at (x, y)."""
        width, height = sprite.get_size()
        place = (round(x * self.scale) - width // 2, round(y * self.scale) - height // 2)
        self._touched.append(self.canvas.blit(sprite, place))

    def draw_all(self, sprites: Sequence[tuple[pygame.Surface, tuple[int, int]]]) -> None:
        """Draw several sprites, each with its upper left corner at a position in pixels."""
        seen = self.canvas.get_clip()
        self._touched += [pygame.Rect(place, sprite.get_size()).clip(seen) for sprite, place in sprites]
        self.canvas.fblits(sprites)

    def draw_all_centred(self, sprites: Sequence[tuple[pygame.Surface, float, float]]) -> None:
        """Draw several sprites, each with its centre at (x, y)."""
        scale = self.scale
        self.draw_all(
            [
                (sprite, (round(x * scale) - sprite.get_width() // 2, round(y * scale) - sprite.get_height() // 2))
                for sprite, x, y in sprites
            ]
        )

    def fill(self, colour: tuple[int, int, int], box: Box) -> None:
        """Fill a box."""
        self._touched.append(self.canvas.fill(colour, self.pixels(box)))

    def touched(self, box: Box) -> None:
        """Mark `box` as drawn on by other code."""
        self._touched.append(self.pixels(box))

    def still(self, box: Box) -> Still:
        """Return the content of `box`, to be drawn again."""
        return self.canvas.still(self.pixels(box))

    def pixels(self, box: Box) -> pygame.Rect:
        """Return `box` in pixels."""
        left, top = round(box[0] * self.scale), round(box[1] * self.scale)
        right, bottom = round((box[0] + box[2]) * self.scale), round((box[1] + box[3]) * self.scale)
        return pygame.Rect(left, top, right - left, bottom - top)


def _apart(touched: Sequence[pygame.Rect]) -> Sequence[pygame.Rect]:
    """Return `touched` without the areas that lie completely within another, large one."""
    for cover in [rect for rect in touched if rect.width * rect.height >= _LARGE]:
        touched = [rect for rect in touched if rect == cover or not cover.contains(rect)]
    return touched


def _outside(rect: pygame.Rect, spared: pygame.Rect) -> list[pygame.Rect]:
    """Return the parts of `rect` outside `spared`, as pieces that do not overlap."""
    inner = rect.clip(spared)
    if not inner.width or not inner.height:
        return [rect]
    pieces = (
        pygame.Rect(rect.left, rect.top, rect.width, inner.top - rect.top),
        pygame.Rect(rect.left, inner.bottom, rect.width, rect.bottom - inner.bottom),
        pygame.Rect(rect.left, inner.top, inner.left - rect.left, inner.height),
        pygame.Rect(inner.right, inner.top, rect.right - inner.right, inner.height),
    )
    return [piece for piece in pieces if piece.width and piece.height]
