"""The glass above a portrait monitor's reels: what the highest symbols pay at the present bet."""

import pygame

from controller.domain import written
from ui.draw_context import DrawContext, pill, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, WHITE
from ui.messages import View
from ui.theme import Theme

SHOWN = 3
ROWS = 3
_SYMBOL_DOWN = 86
_FIRST_DOWN = 196
_ROW = 54
_ZOOM = 1.5
_COUNT, _AMOUNT = 70, 38


def paint(plate: pygame.Surface, context: DrawContext, theme: Theme, view: View, box: Box) -> None:
    """Paint the glass in `box` of the canvas; nothing where there is no bet."""
    if view.bet is None:
        return
    scale, letters = context.scale, context.sized(_ZOOM).letters
    put_centred(plate, pill(box[2:], scale), scale, *centre(box))
    value = view.bet.coins_per_line * view.bet.coin_value_cents
    across = box[2] / SHOWN
    for place, name in enumerate(highest(theme)):
        middle = box[0] + across * (place + 0.5)
        put_centred(plate, context.world(theme).sprite(name), scale, middle, box[1] + _SYMBOL_DOWN)
        pays = sorted(theme.line_pays(name).items(), reverse=True)[:ROWS]
        for row, (count, pay) in enumerate(pays):
            y = box[1] + _FIRST_DOWN + row * _ROW
            left = middle - across / 2
            put_centred(plate, letters.text(str(count), 26, GOLD), scale, left + _COUNT, y)
            amount = letters.fitted(written(pay * value, view.money), 26, round((across - 140) / _ZOOM), WHITE)
            put_centred(plate, amount, scale, middle + _AMOUNT, y)


def highest(theme: Theme) -> list[str]:
    """Return the symbols that pay most on a line, the highest first."""
    paying = [name for name in theme.symbols if theme.line_pays(name)]
    return sorted(paying, key=lambda name: -max(theme.line_pays(name).values()))[:SHOWN]
