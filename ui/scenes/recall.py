"""A past round on its game's own screen for a person with a key: marked, with its figures and keys (L1, L2)."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import pygame

from ui import text
from ui.atlas import blank
from ui.director import Director
from ui.draw_context import Control, DrawContext, Scenery, put_centred
from ui.layout import Box, Layout, centre
from ui.lettering import BOLD, GOLD, GREY, PEARL, WHITE, Colour
from ui.protocol.messages import ServiceRow, View
from ui.protocol.values import PastRound
from ui.scenes.paytable import Paytable
from ui.scenes.service_rows import figures_of
from ui.stage import Stage

MARK: Colour = (176, 62, 8)
"""The colour of recall: its ribbon, and a frame around the whole screen."""
GROUND: Colour = (12, 17, 24)
FACE: Colour = (38, 50, 70)
EDGE = 7
SIGNS: dict[str, Box] = {
    "wide": (EDGE, 226, 112, 330),
    "tall": (300, 12, 680, 62),
    "portrait": (EDGE, 1306, 1080 - 2 * EDGE, 114),
}
"""The position of recall's sign, which covers nothing that a game shows: beside its stage, above it, or below it."""
CELLS = 8
"""The number of rows of the page that are its figures; the money around the round follows."""
_KEYS = (
    ("first", text.RECALL_FIRST),
    ("up", text.RECALL_BEFORE),
    ("down", text.RECALL_NEXT),
    ("last", text.RECALL_LAST),
    ("enter", text.RECALL_AGAIN),
    ("rules", text.RECALL_RULES),
    ("back", text.RECALL_LEAVE),
)


class _Places(NamedTuple):
    """Positions of the figures and keys on the bar that covers `bar`, all in canvas units."""

    bar: Box
    cells: tuple[Box, ...]
    money: Box
    keys: tuple[Box, ...]
    size: int


def _places(layout: Layout, count: int) -> _Places:
    """Return the positions of the figures and of `count` keys; in a portrait monitor in two rows."""
    left, top, width, height = layout.hud.box
    columns, key_rows, row, key = {"wide": (4, 1, 21, 40), "tall": (4, 1, 46, 76), "portrait": (2, 2, 62, 84)}[
        layout.shape
    ]
    keys_across = ceil(count / key_rows)
    gap, inset = 5, EDGE + 8
    across = (width - 2 * inset) / columns
    rows = CELLS // columns
    cells = tuple(
        (left + inset + place % columns * across, top + 4 + place // columns * row, across - gap, row)
        for place in range(CELLS)
    )
    wide = (width - 2 * inset + gap) / keys_across
    first = top + height - EDGE - key_rows * (key + gap)
    keys = tuple(
        (left + inset + place % keys_across * wide, first + place // keys_across * (key + gap), wide - gap, key)
        for place in range(count)
    )
    money = (left + inset, top + 4 + rows * row, width - 2 * inset, row)
    return _Places(layout.hud.box, cells, money, keys, {"wide": 18, "tall": 24, "portrait": 28}[layout.shape])


def _frame(stage: Stage, layout: Layout, colour: Colour) -> None:
    """Draw a frame around the whole screen."""
    width, height = layout.canvas
    for edge in (
        (0, 0, width, EDGE),
        (0, height - EDGE, width, EDGE),
        (0, 0, EDGE, height),
        (width - EDGE, 0, EDGE, height),
    ):
        stage.fill(colour, edge)


class RecalledRules(Paytable):
    """Paytable and rules of a recalled round's game at that round's bet, framed as the recall is (L3)."""

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page in its frame."""
        super().draw(stage, director, now)
        _frame(stage, self._context.layout, MARK)


class Recall:
    """The scene of a recalled round over `beneath`, the game's own scene.

    Its mark, colour, key names and the words shown if no row follows the figures are attributes, so that other scenes
    can reuse it.
    """

    colour: Colour = MARK
    keys: tuple[tuple[str, str], ...] = _KEYS
    nothing = text.RECALL_NO_MONEY

    def __init__(self, context: DrawContext, beneath: Scenery) -> None:
        self._context = context
        self._beneath = beneath
        self._places = _places(context.layout, len(self.keys))
        self._zoom = context.layout.signs.ribbon_zoom
        self._sign = SIGNS[context.layout.shape]
        self._bar: pygame.Surface | None = None
        self._bar_key: tuple[object, ...] = ()

    def controls(self, _director: Director) -> list[Control]:
        """Return the keys; the game's own controls are dead."""
        return [(f"service:{name}", box) for (name, _), box in zip(self.keys, self._places.keys, strict=True)]

    def due(self, director: Director, now: float) -> float:
        """Return when the game is drawn next; ribbon and bar do not move."""
        pressed = self._context.pressed_until
        return min(self._beneath.due(director, now), pressed if now < pressed else float("inf"))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the game, and over it the recall's mark and figures."""
        self._beneath.draw(stage, director, now)
        view, past = director.view, director.view.past.replay
        if past is None or view.pages.service is None:
            return
        pressed = self._context.pressed if now < self._context.pressed_until else ""
        key = (view.pages.service, view.locale.money, view.locale.language, director.linked, pressed)
        if self._bar is None or key != self._bar_key:
            self._bar, self._bar_key = self._painted(view, view.pages.service.rows, pressed), key
        cap = self._context.layout.hud.buttons["spin"]
        if cap[1] < self._places.bar[1]:
            stage.fill(GROUND, (cap[0], cap[1] - 2, cap[2], self._places.bar[1] - cap[1] + 2))
        stage.draw(self._bar, *self._places.bar[:2])
        self._mark(stage, past)

    def about(self, past: PastRound) -> list[str]:
        """Return the words of the sign: first what this is, with its parts separated by a dot, then the rest."""
        recall = text.say(text.RECALL, number=text.whole(past.number))
        about = [recall, text.moment(past.when), self._context.themes.theme(past.game).game.title]
        if past.state in text.RECALL_STATES:
            about.append(text.say(text.RECALL_STATES[past.state]))
        return about

    def _mark(self, stage: Stage, past: PastRound) -> None:
        """Draw the sign that says what this is, and the frame."""
        box, zoom = self._sign, self._zoom
        letters, (x, y) = self._context.sized(zoom).letters, centre(self._sign)
        stage.fill(self.colour, box)
        recall, *about = self.about(past)
        width = round(box[2] / zoom) - 12
        if box[3] > box[2]:  # beside the stage, one below the other
            sign, _, number = map(str.strip, recall.partition("·"))
            stage.draw_centred(letters.fitted(sign, 24, width, WHITE), x, box[1] + 26)
            stage.draw_centred(letters.paragraph(number, 20, width, WHITE, BOLD, centred=True), x, box[1] + 74)
            words = letters.paragraph("\n\n".join(about), 17, width, PEARL, BOLD, centred=True)
            stage.draw_centred(words, x, y + 44)
        else:
            stage.draw_centred(letters.fitted(recall, 24, width, WHITE), x, y - 13 * zoom)
            stage.draw_centred(letters.fitted("   ·   ".join(about), 19, width, PEARL), x, y + 14 * zoom)
        _frame(stage, self._context.layout, self.colour)

    def _painted(self, view: View, rows: Sequence[ServiceRow], pressed: str) -> pygame.Surface:
        """Return the bar with figures, money and keys."""
        places, scale = self._places, self._context.scale
        bar = blank((round(places.bar[2] * scale), round(places.bar[3] * scale)))
        bar.fill(GROUND)
        for row, box in zip(rows[:CELLS], places.cells, strict=False):
            self._cell(bar, text.translate(row.label, row.place), figures_of(row, view.locale.money), box)
        money = "   ·   ".join(
            f"{text.translate(row.label, row.place)} {figures_of(row, view.locale.money)}" for row in rows[CELLS:]
        )
        letters = self._context.letters.fitted(money or text.say(self.nothing), places.size, round(places.money[2]))
        self._put(bar, letters, places.money[0], centre(places.money)[1])
        live = {name.removeprefix("service:") for name in view.controls}
        for (name, words), box in zip(self.keys, places.keys, strict=True):
            self._key(bar, text.say(words), box, live=name in live, lit=pressed == f"service:{name}")
        return bar

    def _cell(self, bar: pygame.Surface, label: str, figures: str, box: Box) -> None:
        """Paint a figure after its label."""
        size, letters, middle = self._places.size, self._context.letters, centre(box)[1]
        value = letters.fitted(figures, size, round(box[2] * 0.6), GOLD)
        room = box[2] - value.get_width() / self._context.scale - 26
        named = letters.fitted(label, size, round(room), PEARL)
        self._put(bar, named, box[0], middle)
        self._put(bar, value, box[0] + box[2] - value.get_width() / self._context.scale - 14, middle)

    def _key(self, bar: pygame.Surface, words: str, box: Box, *, live: bool, lit: bool) -> None:
        """Paint a key: the button's name above its function."""
        left, top, _, _ = self._places.bar
        scale = self._context.scale
        rect = pygame.Rect(
            round((box[0] - left) * scale), round((box[1] - top) * scale), round(box[2] * scale), round(box[3] * scale)
        )
        pygame.draw.rect(bar, self.colour if lit else FACE, rect, border_radius=round(8 * scale))
        x, y = centre(box)
        surface = self._context.letters.fitted(words, self._places.size, round(box[2]) - 10, WHITE if live else GREY)
        put_centred(bar, surface, scale, x - left, y - top)

    def _put(self, bar: pygame.Surface, words: pygame.Surface, left: float, middle: float) -> None:
        """Blit words whose left edge and middle are given in canvas units."""
        scale, corner = self._context.scale, self._places.bar
        place = round((left - corner[0]) * scale), round((middle - corner[1]) * scale) - words.get_height() // 2
        bar.blit(words, place)
