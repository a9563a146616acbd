"""The orbs as surfaces: the baked glass with its figures, put together once for each value and bet."""

from collections import OrderedDict

import pygame

from games.mystery_elves.display import words
from games.mystery_elves.display.state import Orb
from ui import text
from ui.draw_context import DrawContext, pill, put_centred
from ui.lettering import BOLD, FIGURES, TITLE, WHITE, Colour
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.theme import Theme

KEPT = 160
DIMMED = (105, 112, 130)
_ACROSS = 106
_CELL, _CELL_ROOM, _BAND, _AMOUNT = 160, 154, 34, 24
_LARGE_VALUE = (60, 46, 106)
_LARGE_AWARD = (54, 30, 92)
"""Height and size of the multiple, and height of the amount on a band across the cell, where letters must be large."""
_AWARDS = frozenset(words.AWARDS)


def money_of(bets: int, view: View) -> str:
    """Return so many whole bets as money at the present bet."""
    cents = 1 if view.reels_bet is None else view.reels_bet.cents
    return written(bets * cents, view.locale.money)


class Orbs:
    """Orbs on the opaque ground of their cells; `ground` names the baked backing."""

    def __init__(self, context: DrawContext, theme: Theme, ground: str) -> None:
        self._context = context
        self._world = context.on_reels(theme)
        self._zoom = context.layout.reels_zoom
        backing = self._world.sprite(ground)
        width, height = self._world.sprite("bonus").get_size()
        self._ground = backing.subsurface((0, 0, width, min(height, backing.get_height())))
        self._made: OrderedDict[tuple[object, ...], pygame.Surface] = OrderedDict()

    def cell(self, orb: Orb, view: View, *, dimmed: bool = False) -> pygame.Surface:
        """Return the opaque cell of `orb`, kept for the frames to come."""
        key = (orb.kind, orb.bets, view.reels_bet, view.locale.money, dimmed)
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
        plate, letters, zoom = self._ground.copy(), self._context.letters, self._zoom
        scale = self._context.scale * zoom
        plate.blit(self._world.sprite(f"orb_{orb.kind}"), (0, 0))
        if not orb.bets:
            return plate
        times = text.say(words.TIMES_BET, number=orb.bets)
        amount = money_of(orb.bets, view)

        def put_words(face: pygame.Surface, down: int) -> None:
            put_centred(plate, face, scale, _CELL / 2, down)

        def set_in(said: str, size: int, room: int, colour: Colour, font: str = BOLD) -> pygame.Surface:
            return letters.fitted(said, round(size * zoom), round(room * zoom), colour, font)

        def put_amount(size: int, room: int, height: int, down: int) -> None:
            figure = set_in(amount, size, room, WHITE, FIGURES)
            put_words(pill((min(_CELL, figure.get_width() / scale + 20), height), scale), down)
            put_words(figure, down)

        if zoom > 1:
            up, times_size, down = _LARGE_AWARD if orb.kind in _AWARDS else _LARGE_VALUE
            put_words(set_in(times, times_size, _ACROSS, WHITE, TITLE), up)
            put_amount(_AMOUNT, _CELL_ROOM, _BAND, down)
        elif orb.kind in _AWARDS:
            put_words(set_in(amount, 27, _ACROSS - 22, WHITE, TITLE), 70)
            put_words(set_in(times, 18, _ACROSS, WHITE), 96)
        else:
            put_words(set_in(times, 46, _ACROSS, WHITE, TITLE), 62)
            put_amount(19, _ACROSS - 18, 28, 100)
        return plate
