"""The glass above the reels of a portrait or 5:4 monitor: what the highest symbols pay at the present bet, in turn."""

from functools import partial
from typing import NamedTuple

import pygame

from controller.domain import written
from ui.draw_context import DrawContext, pill, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, WHITE
from ui.messages import View
from ui.stage import Stage
from ui.theme import Theme

SHOWN = {"tall": 3, "portrait": 2}
"""How many symbols are shown at a time, by the shape of the monitor."""
PAGES = 3
ROWS = 3
PAGE_S = 4.8
"""How long the same symbols are shown; each is lit once in that time, one after another."""
FRAME_S = 1 / 12
_FRAMES = 12
_FIRST_S, _EACH_S = 0.8, 1.2
_SYMBOL_AT, _COUNT_AT, _AMOUNT_AT = 96, 204, 26
"""From a column's left edge: the middles of symbol and count; how far the amounts' middle is beyond the count."""
_SIZE = {"tall": 30, "portrait": 29}


class _Words(NamedTuple):
    """A rendered text and its middle on the canvas."""

    face: pygame.Surface
    x: float
    y: float


def highest(theme: Theme) -> list[str]:
    """Return the symbols that pay on a line, the highest first."""
    paying = [name for name in theme.symbols if theme.line_pays(name)]
    return sorted(paying, key=lambda name: -max(theme.line_pays(name).values()))


class PayGlass:
    """The glass in `box` of the canvas."""

    def __init__(self, context: DrawContext, theme: Theme, box: Box) -> None:
        self._context = context
        self._theme = theme
        self._box = box
        self._world = context.world(theme)
        shape = context.layout.shape
        self._shown, self._size, self._zoom = SHOWN[shape], _SIZE[shape], context.layout.feature_zoom
        names = highest(theme)[: self._shown * PAGES]
        self._pages = [names[first : first + self._shown] for first in range(0, len(names), self._shown)]
        self._said: dict[int, list[_Words]] = {}
        self._said_for: tuple[object, ...] = ()

    def paint(self, plate: pygame.Surface) -> None:
        """Paint the glass itself."""
        put_centred(plate, pill(self._box[2:], self._context.scale), self._context.scale, *centre(self._box))

    def due(self, now: float) -> float:
        """Return when it shows something else: while a symbol is lit its next frame, else when the next one is lit."""
        since = now % PAGE_S
        starts = [_FIRST_S + place * _EACH_S for place in range(self._shown)]
        if any(start <= since < start + _FRAMES * FRAME_S for start in starts):
            return now + FRAME_S
        return now - since + min((start for start in [*starts, PAGE_S] if start > since), default=PAGE_S)

    def draw(self, stage: Stage, view: View, now: float) -> None:
        """Draw the symbols whose turn it is and what they pay; nothing where there is no bet."""
        if view.bet is None:
            return
        key = (view.bet, view.money, view.language)
        if key != self._said_for:
            self._said, self._said_for = {}, key
        page = int(now / PAGE_S) % len(self._pages)
        if page not in self._said:
            self._said[page] = self._context.budget.spend(partial(self._words, page, view))
        across, middle = self._box[2] / self._shown, self._box[1] + self._box[3] / 2
        for place, name in enumerate(self._pages[page]):
            frame = int((now % PAGE_S - _FIRST_S - place * _EACH_S) / FRAME_S)
            lit = now % PAGE_S >= _FIRST_S + place * _EACH_S and frame < _FRAMES
            sprite = self._world.sprite(f"{name}_win_{frame:02d}" if lit else name)
            stage.draw_centred(sprite, self._box[0] + across * place + _SYMBOL_AT, middle)
        for words in self._said[page]:
            stage.draw_centred(*words)

    def _words(self, page: int, view: View) -> list[_Words]:
        """Return what the symbols of a page pay for each count, at the bet."""
        if view.bet is None:
            return []
        value = view.bet.coins_per_line * view.bet.coin_value_cents
        letters, zoom = self._context.sized(self._zoom).letters, self._zoom
        across, row = self._box[2] / self._shown, self._box[3] / (ROWS + 0.4)
        words = []
        for place, name in enumerate(self._pages[page]):
            count_at = self._box[0] + across * place + _COUNT_AT
            begin = count_at + _AMOUNT_AT
            room = self._box[0] + across * (place + 1) - 16 - begin
            for number, (count, pay) in enumerate(sorted(self._theme.line_pays(name).items(), reverse=True)[:ROWS]):
                y = self._box[1] + row * (number + 0.7)
                amount = letters.fitted(written(pay * value, view.money), self._size, round(room / zoom), WHITE)
                words.append(_Words(letters.text(str(count), self._size, GOLD), count_at, y))
                words.append(_Words(amount, begin + room / 2, y))
        return words
