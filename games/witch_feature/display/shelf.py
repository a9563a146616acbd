"""The potions' shelf at the left of the reels, or above them: three places, and the kettle under them."""

from collections.abc import Sequence

import pygame

from games.witch_feature.potions import COMBINATION
from games.witch_feature.scene import WitchScene
from ui.draw_context import DrawContext, put_centred
from ui.layout import Point
from ui.stage import Stage
from ui.theme import Theme

MIDDLE = 191
"""The shelf's middle on the stage, across."""
PORTRAIT_PLACES: tuple[Point, ...] = ((104, 60), (206, 60), (308, 60), (420, 60))
PORTRAIT_SECOND: tuple[Point, ...] = ((670, 60), (772, 60), (874, 60), (976, 60))
"""The middles of the places on a portrait canvas, above the cards: the kettle's is the fourth, and a second shelf."""

_BOTTLE_UP = 3
_NEXT_UP = 38
_NEXT_STEP = 28


def potions(scene: WitchScene) -> tuple[str, ...]:
    """Return the potions on the shelf: those of a combination are gone once it has been made."""
    if scene.combination and len(scene.carried) >= COMBINATION:
        return scene.carried[COMBINATION:]
    return scene.carried


def bottle(potion: str) -> str:
    """Return the sprite of a potion on the shelf."""
    return potion.replace("potion_", "bottle_")


def token(potion: str) -> str:
    """Return the small sprite of a potion."""
    return potion.replace("potion_", "token_")


class Shelf:
    """Places of the potions, in units of the canvas; those beyond the third wait at the kettle, or at the right."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._world = context.world(theme)
        layout, rows = context.layout, theme.game.rows
        boxes = [layout.cell_box(0, row, rows) for row in range(rows)]
        self._places = [(layout.at(MIDDLE, 0)[0], box[1] + box[3] / 2) for box in boxes]
        self._second: list[Point] = []
        if layout.shape == "portrait":
            self._places, self._second = list(PORTRAIT_PLACES), list(PORTRAIT_SECOND)

    def place(self, slot: int) -> Point:
        """Return the middle of a place, from 0; those beyond the third are over the kettle or at the right."""
        if slot < COMBINATION:
            x, y = self._places[slot]
            return x, y - _BOTTLE_UP
        if slot < COMBINATION + len(self._second):
            x, y = self._second[slot - COMBINATION]
            return x, y - _BOTTLE_UP
        x, y = self._places[COMBINATION]
        return x + _NEXT_STEP * (slot - COMBINATION - 0.5), y - _NEXT_UP

    def paint(self, plate: pygame.Surface) -> None:
        """Paint the empty places and the kettle."""
        for x, y in (*self._places[:COMBINATION], *self._second):
            put_centred(plate, self._world.sprite("slot"), self._context.scale, x, y)
        put_centred(plate, self._world.sprite("kettle"), self._context.scale, *self._places[COMBINATION])

    def draw(self, stage: Stage, potions: Sequence[str]) -> None:
        """Draw the potions on the shelf."""
        for slot, potion in enumerate(potions):
            name = bottle(potion) if slot < COMBINATION + len(self._second) else token(potion)
            stage.draw_centred(self._world.sprite(name), *self.place(slot))
