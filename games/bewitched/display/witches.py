"""The choice of a witch on entering the game: two portraits, one of which fights for the player."""

import pygame

from games.bewitched.display import words
from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put_centred
from ui.layout import Box, Point, centre
from ui.lettering import GOLD, TITLE, WHITE
from ui.scenes.hud import Hud
from ui.scenes.message_line import beside_prompt, prompt_due
from ui.stage import Stage
from ui.theme import Theme

CARDS: tuple[Box, Box] = ((190, 70, 400, 480), (690, 70, 400, 480))
"""Places of the two cards on the stage."""
_PORTRAIT_CARDS: tuple[Point, Point] = ((12, 500), (548, 500))
"""Their upper left corners on a portrait canvas, where they are `_LARGER`."""
_LARGER = 1.3
_TITLE: Box = (390, 2, 500, 54)
_PORTRAIT_TITLE: Box = (90, 336, 900, 104)
_PORTRAIT_LOGO = 176
_PORTRAIT_DOWN = 208
_NAME_DOWN = 438
_MARK, _MARK_DOWN = (150, 32), 388
_BREATH_S = 1.6


class WitchChoice:
    """Both witches, the one under the cursor lit; where there is no cursor they take turns."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._layout = context.layout
        self._theme = theme
        self._portrait = context.layout.feature_zoom > 1
        self._zoom = _LARGER if self._portrait else 1
        self._world = context.world(theme, self._zoom)
        self._letters = context.sized(self._zoom).letters
        self._title = context.layout.either_box(_TITLE, _PORTRAIT_TITLE)
        self._hud = Hud(context)
        self._night: pygame.Surface | None = None
        self._plates: dict[int | None, pygame.Surface] = {}
        self._plates_key: tuple[object, ...] = ()

    def controls(self, _director: Director) -> list[Control]:
        """Return the two cards and the HUD's buttons."""
        cards: list[Control] = [(f"witch:{witch}", self.card_box(witch)) for witch in range(len(CARDS))]
        return [*cards, *self._hud.controls()]

    def due(self, director: Director, now: float) -> float:
        """The lit card changes now and then while there is no cursor."""
        breathes = self._focus(director) is None
        step = _BREATH_S / 2
        breath = (now // step + 1) * step if breathes else float("inf")
        return min(breath, prompt_due(director, now), self._hud.due(now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the choice."""
        lit = self._focus(director)
        if lit is None and now % _BREATH_S < _BREATH_S / 2:
            lit = int(now / _BREATH_S) % len(CARDS)
        stage.begin(self._backdrop(director, lit))
        self._hud.draw(stage, director, now)
        said, gold = beside_prompt(director, text.say(words.CHOOSE_HINT), now, gold=False)
        self._hud.message(stage, said, gold=gold)

    def card_box(self, witch: int) -> Box:
        """Return the place of a witch's card."""
        left, top, width, height = CARDS[witch]
        corner = self._layout.either((left, top), _PORTRAIT_CARDS[witch])
        return (*corner, width * self._zoom, height * self._zoom)

    def _focus(self, director: Director) -> int | None:
        focus = director.view.focus
        return int(focus[-1]) if focus in ("witch:0", "witch:1") else None

    def _backdrop(self, director: Director, lit: int | None) -> pygame.Surface:
        """Return the picture with this card lit; each is painted once and kept until something else changes."""
        key = (self._hud.key(director), director.view.terms.witch)
        if key != self._plates_key:
            self._plates, self._plates_key = {}, key
        if lit not in self._plates:
            plate = self._ground().copy()
            for witch in range(len(CARDS)):
                self._card(plate, director, witch, lit=lit == witch)
            self._hud.paint(plate, director)
            self._plates[lit] = plate
        return self._plates[lit]

    def _ground(self) -> pygame.Surface:
        """Return the night with the title, which never change."""
        if self._night is None:
            scale = self._context.scale
            plate = self._context.dim(self._context.scenery(self._context.world(self._theme), "background"), 190)
            for box in (self._title, self._layout.hud.message):
                put_centred(plate, pill(box[2:], scale), scale, *centre(box))
            title = self._context.sized(self._layout.feature_zoom).letters.fitted(
                text.say(words.CHOOSE), 38, round(_TITLE[2]) - 40, GOLD, TITLE
            )
            put_centred(plate, title, scale, *centre(self._title))
            if self._portrait:
                logo = self._context.world(self._theme, self._layout.signs.logo_zoom).sprite("logo")
                put_centred(plate, logo, scale, self._layout.centre[0], _PORTRAIT_LOGO)
            self._night = plate
        return self._night

    def _card(self, plate: pygame.Surface, director: Director, witch: int, *, lit: bool) -> None:
        letters, scale, world, zoom = self._letters, self._context.scale, self._world, self._zoom
        left, top, width, height = self.card_box(witch)
        middle = left + width / 2
        lit = lit and f"witch:{witch}" in director.view.controls and director.linked
        put_centred(plate, world.sprite(f"card_{witch}{'_lit' if lit else ''}"), scale, middle, top + height / 2)
        put_centred(plate, world.sprite(f"witch_{witch}"), scale, middle, top + _PORTRAIT_DOWN * zoom)
        put_centred(plate, world.sprite("name_plate"), scale, middle, top + _NAME_DOWN * zoom)
        name = letters.text(text.say(words.WITCHES[witch]), 32, GOLD if lit else WHITE, TITLE)
        put_centred(plate, name, scale, middle, top + (_NAME_DOWN - 4) * zoom)
        if director.view.terms.witch == witch:
            yours = letters.fitted(text.say(words.YOURS), 17, _MARK[0] + 30, GOLD)
            width = max(_MARK[0] * zoom, yours.get_width() / scale + 24)
            put_centred(plate, pill((width, _MARK[1] * zoom), scale), scale, middle, top + _MARK_DOWN * zoom)
            put_centred(plate, yours, scale, middle, top + _MARK_DOWN * zoom)
