"""Full-screen pictures of the service tests: colour bars, grid, a moving picture, touches and calibration crosses.

Each says TEST. A touch anywhere leaves those that show no touches; the panel's keys leave them all.
"""

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, GREY, WHITE, Colour
from ui.protocol.messages import ServicePage
from ui.protocol.values import Money
from ui.scenes.service_rows import figures_of
from ui.stage import Stage
from ui.touch import UNITS

CALIBRATE = "calibrate"
TOUCHED = frozenset({"touch", CALIBRATE})
"""The pictures in which the display reports every touch."""
PICTURES = frozenset({"bars", "grid", "frames"}) | TOUCHED
BACK = "service:back"

_BLACK: Colour = (0, 0, 0)
_GROUND: Colour = (10, 13, 18)
_LINE: Colour = (70, 78, 92)
_MARK: Colour = (0, 206, 158)
_BADGE: Colour = (255, 200, 60)
_BARS: tuple[Colour, ...] = (
    (255, 255, 255),
    (255, 255, 0),
    (0, 255, 255),
    (0, 255, 0),
    (255, 0, 255),
    (255, 0, 0),
    (0, 0, 255),
    (0, 0, 0),
)
_RAMPS: tuple[Colour, ...] = ((1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Which of red, green and blue increase from left to right in each of the lower strips."""
_SHADES = 32
_CELL = 40
"""The distance between two lines of the grid, in units."""
_CROSSING_S = 4.0
"""Seconds in which the moving bar crosses the screen; nothing flashes."""
_MOVING = 48


class Patterns:
    """One picture at a time, cached while it is shown."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        width, height = context.layout.canvas
        self._zoom = 1.5 if height > width else 1.0
        self._canvas = (width, height)

    def controls(self, director: Director) -> list[Control]:
        """Return the control that leads back: everywhere, or a key if touches are shown; none during calibration."""
        page = director.view.pages.service
        if page is None or page.picture == CALIBRATE:
            return []
        width, height = self._canvas
        return [(BACK, self._key if page.picture == "touch" else (0, 0, width, height))]

    def due(self, director: Director, now: float) -> float:
        """Return when the picture changes by itself; at once if it measures the frame rate."""
        page = director.view.pages.service
        return now if page is not None and page.picture == "frames" else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the picture at `now`."""
        page = director.view.pages.service
        if page is None:
            return
        key = (page.picture, page.rows, page.marks, director.view.locale.language)
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(page, director.view.locale.money), key
        stage.begin(self._plate)
        if page.picture == "frames":
            width, height = self._canvas
            left = (now % _CROSSING_S) / _CROSSING_S * (width - _MOVING)
            stage.fill(_MARK, (left, height * 0.62, _MOVING, height * 0.2))

    @property
    def _key(self) -> Box:
        width, height = self._canvas
        return (width / 2 - 150 * self._zoom, height - 84 * self._zoom, 300 * self._zoom, 64 * self._zoom)

    def _painted(self, page: ServicePage, money: Money) -> pygame.Surface:
        plate = self._context.plate()
        plate.fill(_GROUND)
        match page.picture:
            case "bars":
                self._paint_bars(plate)
            case "grid":
                self._paint_grid(plate)
            case "touch":
                self._paint_lines(plate, _CELL * 2)
                self._fill(plate, self._key, (38, 50, 70))
                self._words(plate, text.say(text.SERVICE_BACK), 22, WHITE, centre(self._key))
        for mark in page.marks:
            self._paint_cross(plate, mark, large=page.picture == CALIBRATE)
        self._paint_words(plate, page, money)
        return plate

    def _paint_bars(self, plate: pygame.Surface) -> None:
        """Paint eight full colours above, and four stepped ramps below them."""
        width, height = self._canvas
        across, upper = width / len(_BARS), height * 0.6
        for number, colour in enumerate(_BARS):
            self._fill(plate, (number * across, 0, across, upper), colour)
        strip, step = (height - upper) / len(_RAMPS), width / _SHADES
        for row, rising in enumerate(_RAMPS):
            for number in range(_SHADES):
                level = round(255 * number / (_SHADES - 1))
                shade = (level * rising[0], level * rising[1], level * rising[2])
                self._fill(plate, (number * step, upper + row * strip, step, strip), shade)

    def _paint_grid(self, plate: pygame.Surface) -> None:
        """Paint white lines up to the edge, a circle that must be round, and the middle."""
        plate.fill(_BLACK)
        self._paint_lines(plate, _CELL, WHITE)
        whole, scale = plate.get_rect(), self._context.scale
        pygame.draw.rect(plate, (255, 60, 60), whole, width=1)
        for share in (0.25, 0.5):
            pygame.draw.circle(plate, _MARK, whole.center, round(min(whole.size) * share) - 2, max(2, round(2 * scale)))
        pygame.draw.circle(plate, WHITE, whole.center, round(5 * scale))

    def _paint_lines(self, plate: pygame.Surface, every: int, colour: Colour = _LINE) -> None:
        width, height = self._canvas
        for x in range(width // 2 % every, width, every):
            self._fill(plate, (x, 0, 1, height), colour)
        for y in range(height // 2 % every, height, every):
            self._fill(plate, (0, y, width, 1), colour)

    def _paint_cross(self, plate: pygame.Surface, mark: tuple[int, int], *, large: bool) -> None:
        """Paint a cross at a place in units of 1280x720."""
        scale = self._context.scale
        x = round(mark[0] * self._canvas[0] / UNITS[0] * scale)
        y = round(mark[1] * self._canvas[1] / UNITS[1] * scale)
        arm = round((34 if large else 14) * self._zoom * scale)
        thick = max(1, round((3 if large else 2) * scale))
        colour = GOLD if large else _MARK
        pygame.draw.line(plate, colour, (x - arm, y), (x + arm, y), thick)
        pygame.draw.line(plate, colour, (x, y - arm), (x, y + arm), thick)
        if large:
            pygame.draw.circle(plate, colour, (x, y), round(arm * 0.6), thick)

    def _paint_words(self, plate: pygame.Surface, page: ServicePage, money: Money) -> None:
        """Paint TEST and the picture's rows in a box at the upper middle."""
        rows = [f"{text.translate(row.label, row.place)}   {figures_of(row, money)}" for row in page.rows]
        lines = [text.say(text.SERVICE_TEST), *rows]
        zoom, width = self._zoom, self._canvas[0]
        wide, line = (120.0 if len(lines) == 1 else 620.0) * zoom, 34 * zoom
        top = self._canvas[1] * (0.02 if page.picture in ("bars", "grid") else 0.24)
        self._fill(plate, (width / 2 - wide / 2, top, wide, line * len(lines) + 14 * zoom), _GROUND)
        for number, words in enumerate(lines):
            colour = WHITE if number else _BADGE
            self._words(plate, words, 24, colour, (width / 2, top + 7 * zoom + line * (number + 0.5)))
        if page.picture == CALIBRATE:
            self._words(plate, text.say(text.SERVICE_BACK), 20, GREY, (width / 2, self._canvas[1] * 0.62))

    def _words(self, plate: pygame.Surface, words: str, size: int, colour: Colour, at: tuple[float, float]) -> None:
        letters = self._context.letters.fitted(words, round(size * self._zoom), round(600 * self._zoom), colour)
        put_centred(plate, letters, self._context.scale, *at)

    def _fill(self, plate: pygame.Surface, box: Box, colour: Colour) -> None:
        scale = self._context.scale
        left, top = round(box[0] * scale), round(box[1] * scale)
        right, bottom = round((box[0] + box[2]) * scale), round((box[1] + box[3]) * scale)
        plate.fill(colour, (left, top, right - left, bottom - top))
