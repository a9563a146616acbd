"""Paylines drawn over the reels, and the numbers at their sides."""

from collections.abc import Sequence
from itertools import pairwise

import pygame

from ui.atlas import clear
from ui.layout import CELL, REELS, Box
from ui.lettering import GREY, WHITE
from ui.scenes.props import Props, put_centred

_COLOURS = (
    (255, 92, 92),
    (255, 190, 60),
    (120, 220, 90),
    (70, 200, 255),
    (214, 120, 255),
    (255, 130, 190),
    (255, 240, 110),
    (90, 240, 200),
    (130, 160, 255),
    (255, 150, 90),
    (180, 255, 120),
    (255, 110, 240),
    (120, 230, 255),
    (240, 200, 150),
    (200, 200, 255),
)
_SMOOTH = 2
_WIDTH = 7


def badge_places(count: int) -> list[tuple[float, float]]:
    """Return the centres of the line numbers' plates: odd numbers at the left of the reels, even at the right."""
    left = [number for number in range(count) if number % 2 == 0]
    right = [number for number in range(count) if number % 2]
    places: list[tuple[float, float]] = [(0, 0)] * count
    for side, x in ((left, REELS[0] - 24), (right, REELS[0] + REELS[2] + 24)):
        step = REELS[3] / max(1, len(side))
        for place, number in enumerate(side):
            places[number] = (x, REELS[1] + step * (place + 0.5))
    return places


class Paylines:
    """The lines of one game, rasterised when first shown."""

    def __init__(self, props: Props, badge: pygame.Surface, lines: Sequence[Sequence[int]]) -> None:
        self._props = props
        self._badge = badge
        self._lines = lines
        self._drawn: dict[tuple[int, ...], tuple[pygame.Surface, float, float]] = {}
        self.badges = badge_places(len(lines))

    def paint_badges(self, plate: pygame.Surface, played: int) -> None:
        """Paint the numbers at the sides; the lines not played recede."""
        scale = self._props.scale
        for number, (x, y) in enumerate(self.badges, start=1):
            put_centred(plate, self._badge, scale, x, y)
            colour = WHITE if number <= played else GREY
            put_centred(plate, self._props.letters.text(str(number), 17, colour), scale, x, y)

    def overlay(self, numbers: Sequence[int]) -> tuple[pygame.Surface, float, float]:
        """Return the lines `numbers` (from 1) as one picture and its upper left corner, no larger than it must be."""
        key = tuple(numbers)
        if key not in self._drawn:
            if len(self._drawn) > len(self._lines):
                self._drawn.clear()
            picture = self._rasterise(key)
            used = picture.get_bounding_rect()
            scale = self._props.scale
            left, top = REELS[0] + used.left / scale, REELS[1] + used.top / scale
            self._drawn[key] = (picture.subsurface(used), left, top)
        return self._drawn[key]

    def _rasterise(self, numbers: Sequence[int]) -> pygame.Surface:
        scale = self._props.scale
        size = (round(REELS[2] * scale), round(REELS[3] * scale))
        zoom = _SMOOTH * scale
        large = clear((size[0] * _SMOOTH, size[1] * _SMOOTH))
        for number in numbers:
            points = self._points(number, zoom)
            colour = _COLOURS[(number - 1) % len(_COLOURS)]
            for shade, width in (((6, 18, 34, 190), _WIDTH + 5), ((*colour, 255), _WIDTH)):
                thick = round(width * zoom)
                for start, end in pairwise(points):
                    pygame.draw.line(large, shade, start, end, thick)
                for point in points[1:-1]:
                    pygame.draw.circle(large, shade, point, thick / 2)
        return pygame.transform.smoothscale(large, size)

    def _points(self, number: int, zoom: float) -> list[tuple[float, float]]:
        rows = self._lines[number - 1]
        middles = [((reel + 0.5) * CELL[0] * zoom, (row + 0.5) * CELL[1] * zoom) for reel, row in enumerate(rows)]
        first, last = middles[0], middles[-1]
        return [(-10.0, first[1]), *middles, (REELS[2] * zoom + 10, last[1])]


def cell_box(reel: int, row: int) -> Box:
    """Return the box of a cell of the reel window."""
    return (REELS[0] + reel * CELL[0], REELS[1] + row * CELL[1], *CELL)
