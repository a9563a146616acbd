"""The attendant's and technician's menu: any of its pages, plain and large, in every shape of monitor."""

from collections.abc import Iterator
from typing import NamedTuple

import pygame

from ui import text
from ui.atlas import clear
from ui.director import Director
from ui.draw_context import Control, DrawContext
from ui.layout import Box
from ui.lettering import GOLD, GREY, PEARL, WHITE, Colour
from ui.protocol.messages import PAD, PAD_BUTTONS, ServicePage, ServiceRow
from ui.protocol.values import Money
from ui.scenes import service_entry, service_question
from ui.scenes.service_brush import EDGE, FACE, FOCUS, GROUND, Brush
from ui.scenes.service_chart import paint_chart
from ui.scenes.service_qr import paint_code
from ui.scenes.service_rows import paint_row
from ui.stage import Stage

BAR: Colour = (0, 96, 74)
TEST: Colour = (255, 200, 60)
"""The background of the word that says that a test is open (M12)."""
_KEY = 20
"""Size of the letters of the keys."""
MESSAGE = 22
"""The letter size of the last action's result."""
_KEYS = (
    ("up", text.SERVICE_UP),
    ("down", text.SERVICE_DOWN),
    ("enter", text.SERVICE_ENTER),
    ("back", text.SERVICE_BACK),
)
_LONG_KEYS = (
    *_KEYS[:2],
    ("page_up", text.SERVICE_PAGE_UP),
    ("page_down", text.SERVICE_PAGE_DOWN),
    *_KEYS[2:],
)
"""The keys of a page that is longer than the screen."""
_BUTTONS = {
    "up": "lines",
    "down": "bet",
    "page_up": "info",
    "page_down": "max_bet",
    "enter": "spin",
    "back": "collect",
    **{f"pad:{place}": button for place, button in enumerate(PAD_BUTTONS)},
}
"""The panel's button of each key."""
CODE = "service:code"
_BETWEEN = "\u00b7"
"""The separator between a key's button and its function."""


class _Places(NamedTuple):
    """Positions for one canvas; `zoom` is the size of letters relative to a wide monitor."""

    zoom: float
    bar: Box
    rows: tuple[Box, ...]
    foot: Box
    message: Box
    panel: Box
    code: Box
    """The key in the bar that opens the field for a page's code."""

    def keys(self, count: int) -> list[Box]:
        """Return the boxes of `count` keys, side by side."""
        left, top, width, height = self.foot
        gap = 16 * self.zoom if count == len(_KEYS) else 8 * self.zoom
        wide = (width + gap) / count
        return [(left + place * wide, top, wide - gap, height) for place in range(count)]


def _places(canvas: tuple[int, int]) -> _Places:
    width, height = canvas
    zoom = 1.5 if height > width else 1.0
    bar, row, key, gap = 58 * zoom, 46 * zoom, 58 * zoom, 16 * zoom
    top, foot = bar + gap, height - key - gap
    high = (68 if height > width else 30) * zoom  # two lines of a message on narrow canvases
    message = (gap, foot - 8 * zoom - high, width - 2 * gap, high)
    count = int((message[1] - top) // (row + 4))
    return _Places(
        zoom,
        (0, 0, width, bar),
        tuple((gap, top + number * (row + 4), width - 2 * gap, row) for number in range(count)),
        (gap, foot, width - 2 * gap, key),
        message,
        (width / 2 - 250 * zoom, top + 6, 500 * zoom, message[1] - top - 12),
        (width - 330 * zoom, 8 * zoom, 160 * zoom, bar - 16 * zoom),
    )


class Service:
    """One page; a long one scrolls with the cursor."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._places = _places(context.layout.canvas)
        self._brush = Brush(context, self._places.zoom)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return the four keys, the visible rows, and the keys of an open entry or question."""
        page = director.view.pages.service
        if page is None:
            return []
        keys = [(f"service:{name}", box) for name, _, box in self._keys(director)]
        if page.entry:
            return [*keys, *((key.control, key.box) for key in self._entry_keys(page))]
        if page.question:
            answers = service_question.answers(page, self._places.panel, self._places.zoom)
            return [*keys, *((key.control, key.box) for key in answers)]
        rows = [] if page.modules else self._in_sight(page)
        code = [(CODE, self._places.code)] if CODE in director.view.controls else []
        return [*keys, *code, *((f"service:row:{number}", box) for number, _, box in rows)]

    def due(self, _director: Director, now: float) -> float:
        """Return when to draw next; only the key under the finger changes."""
        return self._context.pressed_until if now < self._context.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page."""
        view = director.view
        key = (view.pages.service, view.controls, view.locale.language, view.locale.money, director.linked)
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        stage.begin(self._plate)
        if now < self._context.pressed_until:
            for name, box in self.controls(director):
                if name == self._context.pressed:
                    stage.draw(self._glow(box), box[0], box[1])

    def _painted(self, director: Director) -> pygame.Surface:
        page = director.view.pages.service
        plate = self._context.plate()
        plate.fill(GROUND)
        if page is None:
            return plate
        self._paint_bar(plate, page, director)
        if page.entry:
            self._paint_entry(plate, page, director.view.locale.money)
        elif page.question:
            places = self._places.panel, self._places.message
            service_question.paint_question(plate, page, places, director.view.locale.money, self._brush)
        elif page.modules:
            self._paint_code(plate, page)
        elif page.chart:
            paint_chart(plate, page, self._places.rows, self._context, director.view.locale.money)
        else:
            for number, row, box in self._in_sight(page):
                paint_row(plate, row, box, director.view.locale.money, self._brush, focused=number == page.focus)
            self._paint_scroll(plate, page)
        if page.message:
            words = text.outcome(page.message, page.figures)
            self._brush.wrapped(plate, words, MESSAGE, GOLD, self._places.message)
        self._paint_keys(plate, director)
        return plate

    def _paint_code(self, plate: pygame.Surface, page: ServicePage) -> None:
        (left, above, width, height), (_, below, _, _) = self._places.bar, self._places.message
        top = above + height + 8
        paint_code(plate, page.modules, (left, top, width, below - 4 - top), self._context.scale)
        if page.rows and not page.message:
            self._brush.wrapped(plate, text.translate(page.rows[0].label), MESSAGE, GOLD, self._places.message)

    def _keys(self, director: Director) -> Iterator[tuple[str, str, Box]]:
        """Yield the page's current keys, each with its words and position."""
        page, long = director.view.pages.service, "service:page_up" in director.view.controls
        if page is not None and page.entry and service_entry.is_figure(page):
            buttons = service_entry.buttons(page)
            for (name, words), box in zip(buttons, self._places.keys(len(PAD)), strict=True):
                yield name, words, box
            return
        keys = dict(_LONG_KEYS if long else _KEYS)
        if page is not None and long and page.focus == 0:
            keys["page_up"] = text.SERVICE_TO_LAST
        if page is not None and long and page.focus == len(page.rows) - 1:
            keys["page_down"] = text.SERVICE_TO_FIRST
        if page is not None and page.typed and page.entry and page.entry_kind in ("text", "code"):
            keys["back"] = text.SERVICE_RUB_OUT
        for (name, words), box in zip(keys.items(), self._places.keys(len(keys)), strict=True):
            yield name, text.say(words), box

    def _paint_keys(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the keys: the button's words above its function if one line is too narrow.

        A key that can only be used by touch has no button name.
        """
        live = director.view.controls if director.linked else ()
        keys = list(self._keys(director))
        narrow = self._places.zoom > 1 or any(self._brush.width(label, _KEY) > box[2] - 12 for _, label, box in keys)
        for name, label, box in keys:
            words = [words.strip() for words in label.split(_BETWEEN)]
            if f"service:{name}" in live and _BUTTONS[name] not in live:
                words = words[-1:]
            left, top, width, height = box
            colour = WHITE if f"service:{name}" in live else GREY
            self._brush.face(plate, box, FOCUS if colour is WHITE else FACE)
            lines = words if narrow or len(words) == 1 else [label]
            for place, line in enumerate(lines):
                share = (height - 8) / len(lines)
                self._brush.centred(plate, line, _KEY, colour, (left, top + 4 + place * share, width, share))

    def _paint_bar(self, plate: pygame.Surface, page: ServicePage, director: Director) -> None:
        zoom, (left, top, width, height) = self._places.zoom, self._places.bar
        brush, controls = self._brush, director.view.controls
        plate.fill(BAR, brush.pixels((left, top, width, height)))
        title = f"{page.code}  ·  {text.translate(page.title)}" if page.code else text.translate(page.title)
        who = page.person if page.person and not page.gate else text.translate(page.who)
        coded = CODE in controls and director.linked
        taken = brush.right(
            plate, who, 22, PEARL, (width - 26 * zoom, height / 2), room=140 * zoom if coded else width / 3
        )
        if coded:
            words = text.SERVICE_CODE if "auto" in controls else text.SERVICE_CODE_TOUCH
            brush.face(plate, self._places.code, FACE)
            brush.centred(plate, text.say(words), _KEY, WHITE, self._places.code)
            taken = width - self._places.code[0]
        room = width - taken - (76 + 140 * page.testing) * zoom
        brush.left(plate, title, 30, WHITE, (26 * zoom, height / 2), room=room)
        if page.testing:
            badge = (width - taken - 150 * zoom, top + 11 * zoom, 100 * zoom, height - 22 * zoom)
            brush.face(plate, badge, TEST)
            brush.centred(plate, text.say(text.SERVICE_TEST), 24, GROUND, badge)

    def _paint_scroll(self, plate: pygame.Surface, page: ServicePage) -> None:
        """Show the scroll position of a long page."""
        boxes, count = self._places.rows, len(page.rows)
        if count <= len(boxes):
            return
        top, height = boxes[0][1], boxes[-1][1] + boxes[-1][3] - boxes[0][1]
        first = self._first(page)
        left = boxes[0][0] + boxes[0][2] + 4
        size = height * len(boxes) / count
        plate.fill(EDGE, self._brush.pixels((left, top + height * first / count, 6, max(size, 8))))
        if not page.message:
            at = f"{text.whole(page.focus + 1)} / {text.whole(count)}"
            self._brush.centred(plate, at, MESSAGE, PEARL, self._places.message)

    def _paint_entry(self, plate: pygame.Surface, page: ServicePage, money: Money) -> None:
        zoom, (left, top, width, _), brush = self._places.zoom, self._places.panel, self._brush
        across = self._places.message
        title, limits = service_entry.title(page, money), service_entry.limits(page, money)
        lines = ((title, 24, WHITE, 0.0), (limits, 20, PEARL, 34 * zoom))
        for words, size, colour, down in lines:
            brush.centred(plate, words, size, colour, (across[0], top + down, across[2], 34 * zoom))
        if page.entry_kind not in ("choice", "card"):
            field = (left + 40 * zoom, top + 70 * zoom, width - 80 * zoom, 54 * zoom)
            brush.face(plate, field, FACE, edge=EDGE)
            brush.centred(plate, service_entry.typed(page, money), 30, GOLD, field)
        for key in self._entry_keys(page):
            brush.face(plate, key.box, FOCUS, edge=EDGE if key.chosen else None)
            brush.centred(plate, key.words, 26, WHITE, key.box)

    def _entry_keys(self, page: ServicePage) -> Iterator[service_entry.Key]:
        return service_entry.keys(page, self._places.panel, self._places.bar[2], self._places.zoom)

    def _first(self, page: ServicePage) -> int:
        """Return the first visible row; the cursor stays in the middle of a long page."""
        shown = len(self._places.rows)
        return max(0, min(page.focus - shown // 2, len(page.rows) - shown))

    def _in_sight(self, page: ServicePage) -> list[tuple[int, ServiceRow, Box]]:
        first = self._first(page)
        return [
            (first + place, row, box)
            for place, (row, box) in enumerate(zip(page.rows[first:], self._places.rows, strict=False))
        ]

    def _glow(self, box: Box) -> pygame.Surface:
        rect = self._brush.pixels(box)
        glow = clear(rect.size)
        pygame.draw.rect(glow, (*EDGE, 90), glow.get_rect(), border_radius=round(9 * self._context.scale))
        return glow
