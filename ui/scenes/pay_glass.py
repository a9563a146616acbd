"""The glass above the reels of a portrait or 5:4 monitor: the highest symbols' pays at the current bet, in turn."""

from collections.abc import Sequence

import pygame

from ui.draw_context import DrawContext, pill, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, WHITE
from ui.protocol.messages import View
from ui.protocol.values import Bet, Money, written
from ui.stage import Stage
from ui.theme import Theme, printed_pays

SHOWN = {"tall": 3, "portrait": 2}
"""The number of symbols shown at a time, by the shape of the monitor."""
PAGES = 3
ROWS = 3
PAGE_S = 4.8
"""Seconds for which the same symbols are shown; each is lit once in that time, one after another."""
FRAME_S = 1 / 12
_FRAMES = 12
_FIRST_S, _EACH_S = 0.8, 1.2
_SYMBOL_AT, _COUNT_AT, _AMOUNT_AT = 96, 204, 26
"""From a column's left edge: the middles of symbol and count; the amounts' middle is measured from the count."""
_SIZE = {"tall": 30, "portrait": 29}


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
        self._ground: pygame.Surface | None = None
        self._boards: dict[int, pygame.Surface] = {}

    def paint(self, plate: pygame.Surface, view: View) -> None:
        """Paint the glass itself, or nothing without a bet, and discard what `draw` has cached."""
        self._boards.clear()
        self._ground = None
        if view.bet is not None:
            scale = self._context.scale
            put_centred(plate, pill(self._box[2:], scale), scale, *centre(self._box))
            self._ground = plate.subsurface([round(side * scale) for side in self._box]).copy()

    def due(self, now: float) -> float:
        """Return when it changes: the next frame while a symbol is lit, else when the next one is lit."""
        since = now % PAGE_S
        starts = [_FIRST_S + place * _EACH_S for place in range(self._shown)]
        if any(start <= since < start + _FRAMES * FRAME_S for start in starts):
            return now + FRAME_S
        return now - since + min((start for start in [*starts, PAGE_S] if start > since), default=PAGE_S)

    def draw(self, stage: Stage, view: View, now: float) -> None:
        """Draw the current symbols and their pays, or nothing without a bet."""
        ground, bet = self._ground, view.bet
        if ground is None or bet is None:
            return
        page = int(now / PAGE_S) % len(self._pages)
        if page not in self._boards:
            self._boards[page] = self._context.budget.spend(
                lambda: self._board(ground, self._pages[page], bet, view.locale.money)
            )
        left, top, width, height = self._box
        stage.draw(self._boards[page], left, top)
        for place, name in enumerate(self._pages[page]):
            frame = int((now % PAGE_S - _FIRST_S - place * _EACH_S) / FRAME_S)
            lit = now % PAGE_S >= _FIRST_S + place * _EACH_S and frame < _FRAMES
            sprite = self._world.sprite(f"{name}_win_{frame:02d}" if lit else name)
            stage.draw_centred(sprite, left + width / self._shown * place + _SYMBOL_AT, top + height / 2)

    def _board(self, ground: pygame.Surface, names: Sequence[str], bet: Bet, money: Money) -> pygame.Surface:
        """Return the glass with the symbols' pays for each count at the bet, opaque including its background."""
        board, scale = ground.copy(), self._context.scale
        letters, zoom = self._context.sized(self._zoom).letters, self._zoom
        across, row = self._box[2] / self._shown, self._box[3] / (ROWS + 0.4)
        for place, name in enumerate(names):
            count_at = across * place + _COUNT_AT
            begin = count_at + _AMOUNT_AT
            room = across * (place + 1) - 16 - begin
            for number, (count, pay) in enumerate(
                sorted(printed_pays(self._theme, name, bet).items(), reverse=True)[:ROWS]
            ):
                y = row * (number + 0.7)
                put_centred(board, letters.text(str(count), self._size, GOLD), scale, count_at, y)
                words = self._theme.pays_in_words(name, bet) or written(pay, money)
                amount = letters.fitted(words, self._size, round(room / zoom), WHITE)
                put_centred(board, amount, scale, begin + room / 2, y)
        return board
