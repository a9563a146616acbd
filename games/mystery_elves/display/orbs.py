"""The orbs as surfaces: the baked glass with its figures, put together once for each value and bet."""

from collections import OrderedDict

import pygame

from controller.domain import written
from games.mystery_elves.display import words
from games.mystery_elves.display.state import Orb
from ui import text
from ui.draw_context import DrawContext, pill, put_centred
from ui.lettering import FIGURES, GOLD, TITLE, WHITE
from ui.messages import View
from ui.theme import Theme

KEPT = 160
DIMMED = (105, 112, 130)
_ACROSS = 106
_CELL, _CELL_ROOM, _BAND = 160, 154, 38
_LARGE_VALUE = (60, 46, 106)
_LARGE_AWARD = (54, 30, 92)
"""Height and size of the multiple, and height of the amount on a band across the cell, where letters must be large."""
_AWARDS = frozenset(words.AWARDS)


def money_of(bets: int, view: View) -> str:
    """Return so many whole bets as money at the present bet."""
    cents = 1 if view.reels_bet is None else view.reels_bet.cents
    return written(bets * cents, view.money)


class Orbs:
    """Orbs on the opaque ground of their cells; `ground` names the baked backing."""

    def __init__(self, context: DrawContext, theme: Theme, ground: str) -> None:
        self._context = context
        self._world = context.world(theme)
        backing = self._world.sprite(ground)
        width, height = self._world.sprite("bonus").get_size()
        self._ground = backing.subsurface((0, 0, width, min(height, backing.get_height())))
        self._made: OrderedDict[tuple[object, ...], pygame.Surface] = OrderedDict()

    def cell(self, orb: Orb, view: View, *, dimmed: bool = False) -> pygame.Surface:
        """Return the opaque cell of `orb`, kept for the frames to come."""
        key = (orb.kind, orb.bets, view.reels_bet, view.money, dimmed)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._drawn(orb, view)
            if dimmed:
                found.fill(DIMMED, special_flags=pygame.BLEND_RGB_MULT)
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
        else:
            self._made.move_to_end(key)
        return found

    def _drawn(self, orb: Orb, view: View) -> pygame.Surface:
        plate, scale, letters = self._ground.copy(), self._context.scale, self._context.letters
        plate.blit(self._world.sprite(f"orb_{orb.kind}"), (0, 0))
        if not orb.bets:
            return plate
        times = text.say(words.TIMES_BET, number=orb.bets)
        amount = money_of(orb.bets, view)
        if self._context.layout.least_text:
            up, times_size, down = _LARGE_AWARD if orb.kind in _AWARDS else _LARGE_VALUE
            put_centred(plate, letters.fitted(times, times_size, _ACROSS, GOLD, TITLE), scale, 80, up)
            face = letters.fitted(amount, self._context.layout.least_text, _CELL_ROOM, WHITE, FIGURES)
            band = pill((min(_CELL, face.get_width() / scale + 20), _BAND), scale)
            put_centred(plate, band, scale, 80, down)
            put_centred(plate, face, scale, 80, down)
        elif orb.kind in _AWARDS:
            put_centred(plate, letters.fitted(amount, 27, _ACROSS - 22, WHITE, TITLE), scale, 80, 70)
            put_centred(plate, letters.fitted(times, 18, _ACROSS, GOLD), scale, 80, 96)
        else:
            put_centred(plate, letters.fitted(times, 46, _ACROSS, GOLD, TITLE), scale, 80, 66)
            put_centred(plate, letters.fitted(amount, 19, _ACROSS - 18, WHITE), scale, 80, 98)
        return plate
