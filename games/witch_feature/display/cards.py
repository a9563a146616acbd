"""The four feature cards beside the reels, or large above them: picture, combination and name, locked or unlocked."""

from collections.abc import Sequence

import pygame

from games.witch_feature.display import words
from games.witch_feature.display.shelf import token
from games.witch_feature.potions import FEATURE_OF, FEATURES
from ui import text
from ui.draw_context import DrawContext, put_centred
from ui.layout import Point
from ui.lettering import GOLD, GREY, TITLE, WHITE
from ui.stage import Stage
from ui.theme import Theme

MIDDLE = 1089
"""The cards' middle on the stage, across."""

PORTRAIT_PLACES: tuple[Point, ...] = ((143, 288), (408, 288), (672, 288), (937, 288))
"""The middles of the large cards above the reels, on the canvas of a portrait monitor."""

NORMAL, LIT, LOCKED = "", "_lit", "_dead"

COMBINATIONS = {feature: potions for potions, feature in FEATURE_OF.items()}
_ORDER = ("potion_red", "potion_blue", "potion_green")

_TOKENS_DOWN = 67
_NAME_DOWN = 91
_NAME_SIZE = 17
_NAME_ROOM = 74
_BIG_NAMES_DOWN = (85, 96)
_BIG_NAME_SIZE = 11
_BIG = 3
"""A large card is so many times as large as one beside the reels."""


class Cards:
    """The cards, put together once for each state and size."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._world = context.world(theme)
        layout, rows = context.layout, theme.game.rows
        boxes = [layout.cell_box(0, row, rows) for row in range(rows)]
        self._places = [(layout.at(MIDDLE, 0)[0], box[1] + box[3] / 2) for box in boxes]
        self._above = layout.shape == "portrait"
        if self._above:
            self._places = list(PORTRAIT_PLACES)
        self._made: dict[tuple[str, str, bool, tuple[str, ...]], pygame.Surface] = {}

    def place(self, feature: str) -> Point:
        """Return the middle of a feature's card beside or above the reels."""
        return self._places[FEATURES.index(feature)]

    def paint(self, plate: pygame.Surface, unlocked: int) -> None:
        """Paint the four cards, of which the first and `unlocked` more have no lock."""
        for number, feature in enumerate(FEATURES):
            card = self.card(feature, NORMAL if number <= unlocked else LOCKED, large=self._above)
            put_centred(plate, card, self._context.scale, *self._places[number])

    def light(self, stage: Stage, feature: str) -> None:
        """Draw the card of a feature that runs."""
        if feature in FEATURES:
            stage.draw_centred(self.card(feature, LIT, large=self._above), *self.place(feature))

    def card(self, feature: str, state: str, *, large: bool = False) -> pygame.Surface:
        """Return a card with its combination and its name."""
        lines = words.CARDS[feature] if large else (words.SHORT_CARDS[feature],)
        names = tuple(text.say(line) for line in lines if line)
        key = (feature, state, large, names)
        if key not in self._made:
            self._made[key] = self._composed(feature, state, names, large=large)
        return self._made[key]

    def _composed(self, feature: str, state: str, names: Sequence[str], *, large: bool) -> pygame.Surface:
        scale, zoom = self._context.scale, _BIG if large else 1
        card = self._world.sprite(f"{'big' if large else 'card'}_{feature}{state}").copy()
        middle = card.get_width() / scale / 2
        for place, potion in enumerate(sorted(COMBINATIONS[feature], key=_ORDER.index)):
            sprite = self._world.sprite(token(potion))
            if large:
                sprite = pygame.transform.smoothscale_by(self._world.sprite(potion.replace("potion", "bottle")), 0.66)
            put_centred(card, sprite, scale, middle + (place - 1) * 23 * zoom, _TOKENS_DOWN * zoom)
        colour = {NORMAL: WHITE, LIT: GOLD, LOCKED: GREY}[state]
        size = _BIG_NAME_SIZE if large else _NAME_SIZE
        places = _BIG_NAMES_DOWN if len(names) > 1 else (_NAME_DOWN,)
        for line, down in zip(names, places, strict=True):
            name = self._context.letters.fitted(line, size * zoom, _NAME_ROOM * zoom, colour, TITLE)
            put_centred(card, name, scale, middle, down * zoom)
        return card
