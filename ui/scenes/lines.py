"""Paylines drawn over the reels, and their numbers at the sides."""

import math
from collections.abc import Sequence
from itertools import pairwise

import pygame

from ui.atlas import clear
from ui.draw_context import DrawContext, put_centred
from ui.layout import Layout
from ui.lettering import GREY, INK, WHITE
from ui.page_layout import Point
from ui.stage import Stage
from ui.theme import Theme

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
BADGE_BESIDE = 24
"""The distance of the line numbers' middles from the window."""
KEPT_WINDOWS = 4
"""How many windows' pixels of drawn lines are cached, the newest ones."""
_SMOOTH = 2
_WIDTH = 7
_EDGE = (6, 18, 34)
_RUN_SPEED = 800.0
"""The speed of a line's light, in canvas units a second."""
_RUN_PAUSE = 450.0
"""How far a light continues, unseen, past its last point before it starts again."""
_RUN_DOTS = 9
_RUN_GAP = 16.0
_LAYERS = ((16, 40, 0.0), (10, 84, 0.0), (4, 200, None), (0, 255, 0.0), (-4.5, 255, 0.65))
"""The layers of a line from the bottom: its glow, its dark edge, its tube and the light in it.

Each has its additional width, its opacity, and how much lighter than the line's colour it is (the edge has its own
colour).
"""


def badge_places(layout: Layout, count: int) -> list[tuple[float, float]]:
    """Return the centres of the line numbers' plates: odd numbers left of the reels, even ones right.

    If the reels are as wide as the monitor, they lie within the outer reels.
    """
    reels, beside = layout.reels, BADGE_BESIDE if layout.reels_zoom == 1 else -BADGE_BESIDE
    left = [number for number in range(count) if number % 2 == 0]
    right = [number for number in range(count) if number % 2]
    places: list[tuple[float, float]] = [(0, 0)] * count
    for side, x in ((left, reels[0] - beside), (right, reels[0] + reels[2] + beside)):
        step = reels[3] / max(1, len(side))
        for place, number in enumerate(side):
            places[number] = (x, reels[1] + step * (place + 0.5))
    return places


def _along(points: Sequence[Point], lengths: Sequence[float], at: float) -> Point:
    """Return the point `at` units along the path through `points`, whose sections have these `lengths`."""
    for (start, end), length in zip(pairwise(points), lengths, strict=True):
        if at <= length:
            part = at / length
            return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
        at -= length
    return points[-1]


class Paylines:
    """The lines of one game, rasterised when first shown; a world without `line_badge` shows no numbers."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._world = context.world(theme)
        self._on_reels = context.on_reels(theme)
        self._lines = theme.lines
        self._window = context.layout.window(theme.game.rows)
        self._cell = context.layout.cell(theme.game.rows)
        self._drawn: dict[tuple[int, ...], tuple[pygame.Surface, float, float]] = {}
        self._dots: dict[tuple[int, int], pygame.Surface] = {}
        self._badges = badge_places(context.layout, len(theme.lines)) if "line_badge" in self._world else []

    def paint_badges(self, plate: pygame.Surface, played: int) -> None:
        """Paint the numbers at the sides, if there are sides; lines that are not played are dimmed."""
        if self._context.layout.reels_zoom > 1:
            return
        scale = self._context.scale
        for number, (x, y) in enumerate(self._badges, start=1):
            put_centred(plate, self._world.sprite("line_badge"), scale, x, y)
            colour = WHITE if number <= played else GREY
            put_centred(plate, self._context.letters.text(str(number), 17, colour), scale, x, y)

    def light_badges(self, stage: Stage, numbers: Sequence[int]) -> None:
        """Draw the plates of the lines `numbers` lit."""
        for number in numbers if self._badges else ():
            stage.draw_centred(self._on_reels.sprite("line_badge_lit"), *self._badges[number - 1])
            stage.draw_centred(self._context.letters.text(str(number), 17, INK), *self._badges[number - 1])

    def overlay(self, numbers: Sequence[int]) -> tuple[pygame.Surface, float, float]:
        """Return the lines `numbers` (from 1) as one picture of the least size, and its upper left corner."""
        key = tuple(numbers)
        if key in self._drawn:
            self._drawn[key] = self._drawn.pop(key)
        else:
            picture = self._context.budget.spend(lambda: self._rasterise(key))
            used = picture.get_bounding_rect()
            scale = self._context.scale
            left, top = self._window[0] + used.left / scale, self._window[1] + used.top / scale
            self._drawn[key] = (picture.subsurface(used).copy(), left, top)
            most = KEPT_WINDOWS * picture.get_width() * picture.get_height()
            while len(self._drawn) > 1 and self._pixels() > most:
                del self._drawn[next(iter(self._drawn))]
        return self._drawn[key]

    def _pixels(self) -> int:
        return sum(lines.get_width() * lines.get_height() for lines, _, _ in self._drawn.values())

    def run(self, stage: Stage, runs: Sequence[tuple[int, int]], elapsed: float) -> None:
        """Draw the light that runs along each line of `runs` (its number, its number of symbols) repeatedly."""
        lights: list[tuple[pygame.Surface, float, float]] = []
        left, top = self._window[0], self._window[1]
        for number, count in runs:
            points = self._points(number, 1.0)[: count + 1]
            lengths = [math.dist(start, end) for start, end in pairwise(points)]
            head = elapsed * _RUN_SPEED % (sum(lengths) + _RUN_PAUSE)
            for place in range(_RUN_DOTS):
                at = head - place * _RUN_GAP
                if 0 < at < sum(lengths):
                    x, y = _along(points, lengths, at)
                    lights.append((self._dot((number - 1) % len(_COLOURS), place), left + max(0.0, x), top + y))
        stage.draw_all_centred(lights)

    def _dot(self, colour: int, place: int) -> pygame.Surface:
        """Return one point of a running light, smaller and fainter with its distance from the head."""
        if (colour, place) not in self._dots:
            radius = round((27 - 2 * place) * self._context.scale)
            dot = clear((2 * radius, 2 * radius))
            for ring in range(radius, 0, -1):
                part = 1 - ring / radius
                shade = [round(each + (255 - each) * part) for each in _COLOURS[colour]]
                strength = round(255 * min(1.0, 1.7 * part) * (1 - 0.8 * place / _RUN_DOTS))
                pygame.draw.circle(dot, (*shade, strength), (radius, radius), ring)
            self._dots[colour, place] = dot
        return self._dots[colour, place]

    def _rasterise(self, numbers: Sequence[int]) -> pygame.Surface:
        scale = self._context.scale
        size = (round(self._window[2] * scale), round(self._window[3] * scale))
        zoom = _SMOOTH * scale
        large = clear((size[0] * _SMOOTH, size[1] * _SMOOTH))
        ways = [(self._points(number, zoom), _COLOURS[(number - 1) % len(_COLOURS)]) for number in numbers]
        # Drawing replaces what is below, so each layer is drawn for all lines before the next.
        for wider, opaque, lighter in _LAYERS:
            thick = round((_WIDTH + wider) * zoom * self._context.layout.reels_zoom)
            for points, colour in ways:
                lit = _EDGE if lighter is None else [round(part + (255 - part) * lighter) for part in colour]
                shade = (*lit, opaque)
                for start, end in pairwise(points):
                    pygame.draw.line(large, shade, start, end, thick)
                for point in points[1:-1]:
                    pygame.draw.circle(large, shade, point, thick / 2)
        return pygame.transform.smoothscale(large, size)

    def _points(self, number: int, zoom: float) -> list[tuple[float, float]]:
        rows = self._lines[number - 1]
        width, height = self._cell
        middles = [((reel + 0.5) * width * zoom, (row + 0.5) * height * zoom) for reel, row in enumerate(rows)]
        first, last = middles[0], middles[-1]
        return [(-10.0, first[1]), *middles, (self._window[2] * zoom + 10, last[1])]
