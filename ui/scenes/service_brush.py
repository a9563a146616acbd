"""Paints words, rows and keys on the pages of the service menu."""

import pygame

from ui.draw_context import DrawContext, put, put_centred
from ui.layout import Box, centre
from ui.lettering import BOLD, WHITE, Colour

GROUND: Colour = (12, 17, 24)
FACE: Colour = (24, 30, 42)
FOCUS: Colour = (38, 50, 70)
EDGE: Colour = (0, 206, 158)
BAD: Colour = (255, 108, 96)


class Brush:
    """Paints on a plate at the canvas's scale; letter sizes are those of a wide monitor, enlarged by `zoom`."""

    def __init__(self, context: DrawContext, zoom: float) -> None:
        self.zoom = zoom
        self._scale = context.scale
        self._letters = context.letters

    def pixels(self, box: Box) -> pygame.Rect:
        """Return a box of the canvas in pixels."""
        return pygame.Rect(*(round(side * self._scale) for side in box))

    def face(self, plate: pygame.Surface, box: Box, colour: Colour, *, edge: Colour | None = None) -> None:
        """Paint a row or a key, with an edge if the cursor is on it."""
        rect, radius = self.pixels(box), round(9 * self._scale)
        pygame.draw.rect(plate, colour, rect, border_radius=radius)
        if edge is not None:
            pygame.draw.rect(plate, edge, rect, width=max(2, round(3 * self._scale)), border_radius=radius)

    def width(self, words: str, size: int) -> float:
        """Return the width of words in that size, in canvas units."""
        return self._letters.width(words, self._sized(size)) if words else 0.0

    def centred(self, plate: pygame.Surface, words: str, size: int, colour: Colour, box: Box) -> None:
        """Paint a line of words in the middle of a box, set smaller if it is too narrow."""
        if words:
            letters = self._letters.fitted(words, self._sized(size), round(box[2]) - 12, colour)
            put_centred(plate, letters, self._scale, *centre(box))

    def wrapped(self, plate: pygame.Surface, words: str, size: int, colour: Colour, box: Box) -> None:
        """Paint words in the middle of a box, on several lines if one is too narrow."""
        if self.width(words, size) <= box[2] - 12:
            self.centred(plate, words, size, colour, box)
            return
        letters = self._letters.paragraph(words, self._sized(size), round(box[2]) - 12, colour, BOLD, centred=True)
        put_centred(plate, letters, self._scale, *centre(box))

    def left(
        self, plate: pygame.Surface, words: str, size: int, colour: Colour, at: tuple[float, float], *, room: float
    ) -> float:
        """Paint words that begin at a point, within `room`, and return their width."""
        sprite = self._letters.fitted(words, self._sized(size), round(room), colour)
        put(plate, sprite, self._scale, at[0], at[1] - sprite.get_height() / self._scale / 2)
        return sprite.get_width() / self._scale

    def right(
        self, plate: pygame.Surface, words: str, size: int, colour: Colour, at: tuple[float, float], *, room: float
    ) -> float:
        """Paint words that end at a point, within `room`, and return their width."""
        if not words:
            return 0.0
        sprite = self._letters.fitted(words, self._sized(size), round(room), colour)
        width = sprite.get_width() / self._scale
        put(plate, sprite, self._scale, at[0] - width, at[1] - sprite.get_height() / self._scale / 2)
        return width

    def lines(self, words: str, size: int, room: float) -> list[str]:
        """Return words as lines no wider than `room`."""
        return self._letters.wrapped(words, self._sized(size), round(room), BOLD)

    def key(self, plate: pygame.Surface, box: Box, words: str, size: int, *, chosen: bool, edge: Colour = EDGE) -> None:
        """Paint a key, bright under the cursor and dark elsewhere; words have the colour of a given edge."""
        self.face(plate, box, FOCUS if chosen else FACE, edge=edge if chosen else None)
        self.centred(plate, words, size, edge if edge != EDGE else WHITE, box)

    def _sized(self, size: int) -> int:
        return round(size * self.zoom)
