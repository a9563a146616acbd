"""The attendant's and technician's menu: any page of it, plain and large, in every shape of monitor."""

from collections.abc import Iterator
from typing import NamedTuple

import pygame

from ui import text
from ui.atlas import clear
from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GOLD, GREY, PEARL, WHITE, Colour
from ui.messages import Money, ServicePage, ServiceRow
from ui.scenes import service_entry
from ui.scenes.props import Control, Props, put, put_centred
from ui.scenes.service_chart import paint_chart
from ui.scenes.service_qr import paint_code
from ui.scenes.service_rows import figures_of
from ui.stage import Stage

GROUND: Colour = (12, 17, 24)
BAR: Colour = (0, 96, 74)
FACE: Colour = (24, 30, 42)
FOCUS: Colour = (38, 50, 70)
EDGE: Colour = (0, 206, 158)
TEST: Colour = (255, 200, 60)
"""Behind the word that says that a test is open (M12)."""
_TONES: dict[str, Colour] = {
    "plain": GOLD,
    "heading": GOLD,
    "good": (92, 226, 138),
    "bad": (255, 108, 96),
}
SMALLEST_DETAIL = 90
"""A row whose label leaves no more room than this tells no detail."""
_ON = "\u203a"
_KEYS = (
    ("up", text.SERVICE_UP),
    ("down", text.SERVICE_DOWN),
    ("enter", text.SERVICE_ENTER),
    ("back", text.SERVICE_BACK),
)


class _Places(NamedTuple):
    """Where things stand for one canvas; `zoom` is how many times as large as in a wide monitor letters are."""

    zoom: float
    bar: Box
    rows: tuple[Box, ...]
    keys: tuple[Box, ...]
    message: Box
    panel: Box


def _places(canvas: tuple[int, int]) -> _Places:
    width, height = canvas
    zoom = 1.5 if height > width else 1.0
    bar, row, key, gap = 58 * zoom, 46 * zoom, 58 * zoom, 16 * zoom
    top, foot = bar + gap, height - key - gap
    message = (gap, foot - 38 * zoom, width - 2 * gap, 30 * zoom)
    count = int((message[1] - top) // (row + 4))
    wide = (width - 5 * gap) / 4
    return _Places(
        zoom,
        (0, 0, width, bar),
        tuple((gap, top + number * (row + 4), width - 2 * gap, row) for number in range(count)),
        tuple((gap + number * (wide + gap), foot, wide, key) for number in range(4)),
        message,
        (width / 2 - 250 * zoom, top + 6, 500 * zoom, message[1] - top - 12),
    )


class Service:
    """One page; long ones scroll with the cursor."""

    def __init__(self, props: Props) -> None:
        self._props = props
        self._places = _places(props.layout.canvas)
        self._letters = props.letters
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return the four keys, the rows in sight, and what is typed or asked with."""
        page = director.view.service
        if page is None:
            return []
        keys = [(f"service:{name}", box) for (name, _), box in zip(_KEYS, self._places.keys, strict=True)]
        if page.entry:
            return [*keys, *((key.control, key.box) for key in self._entry_keys(page))]
        rows = [] if page.question or page.modules else self._in_sight(page)
        return [*keys, *((f"service:row:{number}", box) for number, _, box in rows)]

    def due(self, _director: Director, now: float) -> float:
        """It stands still but for the key under the finger."""
        return self._props.pressed_until if now < self._props.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page."""
        view = director.view
        key = (view.service, view.language, view.money, director.linked)
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        stage.begin(self._plate)
        if now < self._props.pressed_until:
            for name, box in self.controls(director):
                if name == self._props.pressed:
                    stage.draw(self._glow(box), box[0], box[1])

    def _painted(self, director: Director) -> pygame.Surface:
        page = director.view.service
        plate = self._props.plate()
        plate.fill(GROUND)
        if page is None:
            return plate
        self._paint_bar(plate, page)
        if page.entry:
            self._paint_entry(plate, page, director.view.money)
        elif page.question:
            self._paint_question(plate, page)
        elif page.modules:
            self._paint_code(plate, page)
        elif page.chart:
            paint_chart(plate, page, self._places.rows, self._props, director.view.money)
        else:
            for number, row, box in self._in_sight(page):
                self._paint_row(plate, row, box, director, focused=number == page.focus)
            self._paint_scroll(plate, page)
        if page.message:
            self._centred(plate, text.outcome(page.message, page.figures), 20, GOLD, self._places.message)
        for (name, words), box in zip(_KEYS, self._places.keys, strict=True):
            live = director.linked and f"service:{name}" in director.view.controls
            self._face(plate, box, FOCUS if live else FACE)
            self._paint_key(plate, text.say(words), WHITE if live else GREY, box)
        return plate

    def _paint_code(self, plate: pygame.Surface, page: ServicePage) -> None:
        (left, above, width, height), (_, below, _, _) = self._places.bar, self._places.message
        top = above + height + 8
        paint_code(plate, page.modules, (left, top, width, below - 4 - top), self._props.scale)
        if page.rows and not page.message:
            self._centred(plate, text.told(page.rows[0].label), 20, GOLD, self._places.message)

    def _paint_key(self, plate: pygame.Surface, words: str, colour: Colour, box: Box) -> None:
        """Paint a key's words: the button's over what it does, where a monitor is too narrow for one line."""
        left, top, width, height = box
        lines = [line.strip() for line in words.split("·")] if self._places.zoom > 1 else [words]
        for place, line in enumerate(lines):
            share = (height - 8) / len(lines)
            self._centred(plate, line, 20, colour, (left, top + 4 + place * share, width, share))

    def _paint_bar(self, plate: pygame.Surface, page: ServicePage) -> None:
        zoom, (left, top, width, height) = self._places.zoom, self._places.bar
        plate.fill(BAR, self._pixels((left, top, width, height)))
        title = f"{page.code}  ·  {text.told(page.title)}" if page.code else text.told(page.title)
        told = self._right(plate, text.told(page.who), 22, PEARL, (width - 26 * zoom, height / 2))
        room = width - told - (76 + 140 * page.testing) * zoom
        self._left(plate, title, 30, WHITE, (26 * zoom, height / 2), room=room)
        if page.testing:
            badge = (width - told - 150 * zoom, top + 11 * zoom, 100 * zoom, height - 22 * zoom)
            self._face(plate, badge, TEST)
            self._centred(plate, text.say(text.SERVICE_TEST), 24, GROUND, badge)

    def _paint_row(
        self, plate: pygame.Surface, row: ServiceRow, box: Box, director: Director, *, focused: bool
    ) -> None:
        zoom, middle = self._places.zoom, box[1] + box[3] / 2
        self._face(plate, box, FOCUS if focused else FACE, edge=focused)
        words = figures_of(row, director.view.money)
        right = box[0] + box[2] - (52 if row.leads else 22) * zoom
        told = self._right(plate, words, 22, _TONES.get(row.tone, GOLD), (right, middle))
        if row.leads:
            self._right(plate, _ON, 30, EDGE, (box[0] + box[2] - 20 * zoom, middle - 2))
        alone = _TONES["bad"] if row.tone == "bad" and not words else WHITE
        colour = EDGE if row.tone == "heading" else alone
        room = right - told - box[0] - 50 * zoom
        label = text.told(row.label, row.place)
        label = f"{row.code}   {label}" if row.code else label[:1].upper() + label[1:]
        width = self._left(plate, label, 22, colour, (box[0] + 22 * zoom, middle), room=room)
        if row.detail and room - width > SMALLEST_DETAIL * zoom:
            left = box[0] + 38 * zoom + width
            self._left(plate, row.detail, 18, GREY, (left, middle + 1), room=room - width - 16 * zoom)

    def _paint_scroll(self, plate: pygame.Surface, page: ServicePage) -> None:
        """Show how far down a long page one is."""
        boxes, count = self._places.rows, len(page.rows)
        if count <= len(boxes):
            return
        top, height = boxes[0][1], boxes[-1][1] + boxes[-1][3] - boxes[0][1]
        first = self._first(page)
        left = boxes[0][0] + boxes[0][2] + 4
        size = height * len(boxes) / count
        plate.fill(EDGE, self._pixels((left, top + height * first / count, 6, max(size, 8))))

    def _paint_entry(self, plate: pygame.Surface, page: ServicePage, money: Money) -> None:
        zoom, (left, top, width, _) = self._places.zoom, self._places.panel
        across = self._places.message
        self._centred(plate, service_entry.title(page, money), 24, WHITE, (across[0], top, across[2], 40 * zoom))
        if page.entry_kind != "choice":
            field = (left + 40 * zoom, top + 46 * zoom, width - 80 * zoom, 54 * zoom)
            self._face(plate, field, FACE, edge=True)
            self._centred(plate, service_entry.typed(page, money), 30, GOLD, field)
        for key in self._entry_keys(page):
            self._face(plate, key.box, FOCUS, edge=key.chosen)
            self._centred(plate, key.words, 26, WHITE, key.box)

    def _paint_question(self, plate: pygame.Surface, page: ServicePage) -> None:
        zoom, (left, top, width, height) = self._places.zoom, self._places.panel
        self._centred(plate, text.told(page.question), 30, WHITE, (left, top + height / 4, width, 50 * zoom))
        for place, (words, chosen) in enumerate(((text.SERVICE_NO, not page.yes), (text.SERVICE_YES, page.yes))):
            box = (left + place * (width / 2 + 10), top + height / 2, width / 2 - 10, 80 * zoom)
            self._face(plate, box, FOCUS if chosen else FACE, edge=chosen)
            self._centred(plate, text.say(words), 30, WHITE if chosen else GREY, box)

    def _entry_keys(self, page: ServicePage) -> Iterator[service_entry.Key]:
        return service_entry.keys(page, self._places.panel, self._places.bar[2], self._places.zoom)

    def _first(self, page: ServicePage) -> int:
        """Return the first row in sight: the cursor stays in the middle of a long page."""
        shown = len(self._places.rows)
        return max(0, min(page.focus - shown // 2, len(page.rows) - shown))

    def _in_sight(self, page: ServicePage) -> list[tuple[int, ServiceRow, Box]]:
        first = self._first(page)
        return [
            (first + place, row, box)
            for place, (row, box) in enumerate(zip(page.rows[first:], self._places.rows, strict=False))
        ]

    def _pixels(self, box: Box) -> pygame.Rect:
        scale = self._props.scale
        return pygame.Rect(*(round(side * scale) for side in box))

    def _face(self, plate: pygame.Surface, box: Box, colour: Colour, *, edge: bool = False) -> None:
        rect, radius = self._pixels(box), round(9 * self._props.scale)
        pygame.draw.rect(plate, colour, rect, border_radius=radius)
        if edge:
            pygame.draw.rect(plate, EDGE, rect, width=max(2, round(2 * self._props.scale)), border_radius=radius)

    def _glow(self, box: Box) -> pygame.Surface:
        rect = self._pixels(box)
        glow = clear(rect.size)
        pygame.draw.rect(glow, (*EDGE, 90), glow.get_rect(), border_radius=round(9 * self._props.scale))
        return glow

    def _centred(self, plate: pygame.Surface, words: str, size: int, colour: Colour, box: Box) -> None:
        if words:
            letters = self._letters.fitted(words, round(size * self._places.zoom), round(box[2]) - 12, colour)
            put_centred(plate, letters, self._props.scale, *centre(box))

    def _left(
        self, plate: pygame.Surface, words: str, size: int, colour: Colour, at: tuple[float, float], *, room: float = 0
    ) -> float:
        """Paint words that begin at a point, and return how wide they are."""
        wanted = round(size * self._places.zoom)
        letters = self._letters
        sprite = letters.fitted(words, wanted, round(room), colour) if room else letters.text(words, wanted, colour)
        put(plate, sprite, self._props.scale, at[0], at[1] - sprite.get_height() / self._props.scale / 2)
        return sprite.get_width() / self._props.scale

    def _right(self, plate: pygame.Surface, words: str, size: int, colour: Colour, at: tuple[float, float]) -> float:
        """Paint words that end at a point, and return how wide they are."""
        if not words:
            return 0.0
        sprite = self._letters.text(words, round(size * self._places.zoom), colour)
        width = sprite.get_width() / self._props.scale
        put(plate, sprite, self._props.scale, at[0] - width, at[1] - sprite.get_height() / self._props.scale / 2)
        return width
