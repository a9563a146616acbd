"""A chart on a page of the service menu: a bar for each row, and above them an axis with its figures (M.6)."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.draw_context import DrawContext, put
from ui.layout import Box
from ui.lettering import GOLD, PEARL, WHITE, Colour
from ui.protocol.messages import ServicePage, ServiceRow
from ui.protocol.values import Money, written
from ui.scenes.service_rows import figures_of

BAR: Colour = (0, 150, 116)
FOCUSED: Colour = (0, 206, 158)
LINE: Colour = (58, 70, 88)
AXIS, ROW, LABELS, FIGURES = 42, 33, 190, 210
"""Heights of the axis and of a bar's row, widths of their labels and figures, on a wide monitor."""
LEAST_AXIS = 600
"""An axis narrower than this has figures only at every second part."""
PARTS = 4
"""The number of parts of the axis."""
_STEPS = (4, 8, 12, 16, 20, 28, 40)
"""The possible ends of the axis, times a power of ten; each divides into whole quarters."""


def axis_end(most: int) -> int:
    """Return the end of an axis for figures up to `most`: a round figure that divides into whole quarters."""
    power = 1
    while _STEPS[-1] * power < most:
        power *= 10
    return next(step * power for step in _STEPS if step * power >= most)


class Chart:
    """Paints a page's bars into `room`, with letters and rows enlarged by `zoom` relative to a wide monitor."""

    def __init__(self, context: DrawContext, money: Money, room: Box, zoom: float) -> None:
        self._context = context
        self._money = money
        self._zoom = zoom
        left, top, width, height = room
        self._bars: Box = (left + LABELS * zoom, top + AXIS * zoom, width - (LABELS + FIGURES) * zoom, 0)
        count = int((height - AXIS * zoom) // (ROW * zoom))
        self._rows = [(left, top + (AXIS + place * ROW) * zoom, width, ROW * zoom) for place in range(count)]

    def paint(self, plate: pygame.Surface, page: ServicePage) -> None:
        """Paint the axis and the visible bars; a long chart scrolls with the cursor."""
        rows = [row for row in page.rows if row.count is not None or row.cents is not None]
        if not rows:
            for row, box in zip(page.rows, self._rows, strict=False):
                self._words(plate, text.translate(row.label), WHITE, box)
            return
        end = axis_end(max(map(_value, rows)))
        first = max(0, min(page.focus - len(self._rows) // 2, len(rows) - len(self._rows)))
        seen = list(zip(rows[first:], self._rows, strict=False))
        self._axis(plate, end, len(seen), rows[0])
        left, _, width, _ = self._bars
        for place, (row, box) in enumerate(seen, start=first):
            bar = (left, box[1] + 4, max(width * _value(row) / end, 2), box[3] - 8)
            self._fill(plate, FOCUSED if place == page.focus else BAR, bar)
            self._words(plate, text.translate(row.label), PEARL, box)
            self._words(plate, figures_of(row, self._money), GOLD, box, right=True)
        self._scroll(plate, first, len(rows))

    def _axis(self, plate: pygame.Surface, end: int, count: int, row: ServiceRow) -> None:
        """Paint a vertical line at each quarter, with its figure above it."""
        left, top, width, _ = self._bars
        every = 1 if width > LEAST_AXIS * self._zoom else PARTS // 2
        for part in range(PARTS + 1):
            x, figure = left + width * part / PARTS, end * part // PARTS
            self._fill(plate, LINE, (x - 1, top - 6, 2, count * ROW * self._zoom + 6))
            if part % every:
                continue
            words = text.whole(figure) if row.cents is None else written(figure, self._money)
            sprite = self._context.letters.fitted(
                words, round(19 * self._zoom), round(every * width / PARTS) - 8, WHITE
            )
            put(
                plate,
                sprite,
                self._context.scale,
                x - sprite.get_width() / self._context.scale / 2,
                top - 36 * self._zoom,
            )

    def _scroll(self, plate: pygame.Surface, first: int, count: int) -> None:
        """Show the scroll position of a long chart."""
        if count > len(self._rows):
            left, top, width, row = self._rows[0]
            height = row * len(self._rows)
            part = max(height * len(self._rows) / count, 8)
            self._fill(plate, FOCUSED, (left + width + 4, top + height * first / count, 6, part))

    def _words(self, plate: pygame.Surface, words: str, colour: Colour, box: Box, *, right: bool = False) -> None:
        """Paint words at the left (or right) end of a row."""
        scale, inset = self._context.scale, 12 * self._zoom
        sprite = self._context.letters.fitted(words, round(22 * self._zoom), round(LABELS * self._zoom), colour)
        x = box[0] + box[2] - inset - sprite.get_width() / scale if right else box[0] + inset
        put(plate, sprite, scale, x, box[1] + (box[3] - sprite.get_height() / scale) / 2)

    def _fill(self, plate: pygame.Surface, colour: Colour, box: Box) -> None:
        plate.fill(colour, pygame.Rect(*(round(side * self._context.scale) for side in box)))


def paint_chart(
    plate: pygame.Surface, page: ServicePage, boxes: Sequence[Box], context: DrawContext, money: Money
) -> None:
    """Paint the chart of a page in place of its rows."""
    first, last = boxes[0], boxes[-1]
    Chart(context, money, (*first[:3], last[1] + last[3] - first[1]), first[3] / 46).paint(plate, page)


def _value(row: ServiceRow) -> int:
    return (row.count or 0) if row.cents is None else row.cents
