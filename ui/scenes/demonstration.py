"""A highlight of a game as attract shows it: on the game's own screen, and under it what it is.

Nothing in it is owned or owed: there is no HUD, what is won is that round's at the bet that the sign names.
"""

import pygame

from controller.domain import Bet, written
from ui import text
from ui.atlas import blank
from ui.draw_context import DrawContext, Scenery, pill
from ui.lettering import GOLD, PEARL, TITLE
from ui.messages import View
from ui.scenes.game import GameScreen
from ui.scenes.game_overlay import scenes_of
from ui.scenes.playback import Playback
from ui.scenes.wipe import Wipes
from ui.stage import Stage
from ui.theme import Theme

_SIGN = (300.0, 32.0)
"""The size of the sign, in units of a wide monitor."""
_SIGN_Y = {"wide": 620.0, "tall": 832.0, "portrait": 1450.0}
"""How far down the sign lies, in the strip that takes the HUD's place."""
_FIGURES: dict[str, tuple[float, float, float]] = {
    "wide": (330.0, 620.0, 330.0),
    "tall": (360.0, 832.0, 400.0),
    "portrait": (246.0, 1504.0, 470.0),
}
"""How far from the middle bet and win stand, how far down, and how much room each has."""
_WHITE_ZOOM, _GOLD_ZOOM, _GAP = 0.8, 0.55, 6.0
_EDGE = 2.0
_RIM = (226, 178, 84)


class Demonstration:
    """`playback` on the screen of its game, whose theme is `theme`."""

    def __init__(self, context: DrawContext, theme: Theme, playback: Playback) -> None:
        self.playback = playback
        self._context = context
        self._theme = theme
        self._scenes: dict[str, Scenery] = {}
        self._wipes = Wipes(context)
        self._whole = False

    def prepare(self) -> bool:
        """Make a little of what its first spin will need; return whether there may be more."""
        screen = self._shown()
        return isinstance(screen, GameScreen) and screen.prepare(self.playback.director)

    def draw(self, stage: Stage, now: float) -> None:
        """Draw the game's screen at `now`; the round begins once it has been seen."""
        playback, director = self.playback, self.playback.director
        playback.advance(now)
        whole, self._whole = self._whole, False
        self._wipes.follow(stage, director, calm=False, whole=whole)
        self._shown().draw(stage, director, now)
        self._wipes.draw(stage, director, now)
        self._whole = True
        if not playback.begun:
            playback.begin(now)

    def _shown(self) -> Scenery:
        """Return the scene to show now, built when first shown."""
        name = self.playback.director.scene_name
        if name not in self._scenes:
            theme, context = self._theme, self._context
            self._scenes[name] = context.budget.charge(
                lambda: scenes_of(theme).build(name, context) if name else GameScreen(context, theme)
            )
        return self._scenes[name]


class Strip:
    """What lies in the HUD's place: the sign that says that nobody plays, the bet, and what the round has won."""

    def __init__(self, context: DrawContext, backdrop: pygame.Surface) -> None:
        layout, scale = context.layout, context.scale
        self._layout = layout
        self._zoom = layout.ribbon_zoom
        self._letters = context.sized(self._zoom).letters
        box = pygame.Rect(*(round(side * scale) for side in layout.hud))
        self._ground = blank(box.size)
        self._ground.blit(backdrop, (0, 0), box)
        self._ground.fill(_RIM, (0, 0, box.width, max(1, round(_EDGE * scale))))
        self._pill = pill((_SIGN[0] * self._zoom, _SIGN[1] * self._zoom), scale)

    def draw(self, stage: Stage, view: View, bet: Bet, win_cents: int) -> None:
        """Draw it."""
        layout, zoom, letters = self._layout, self._zoom, self._letters
        middle, y = layout.centre[0], _SIGN_Y[layout.shape]
        aside, down, room = _FIGURES[layout.shape]
        stage.draw(self._ground, *layout.hud[:2])
        stage.draw_centred(self._pill, middle, y)
        stage.draw_centred(
            letters.fitted(text.say(text.DEMONSTRATION), 22, round(_SIGN[0]) - 24, GOLD, TITLE), middle, y
        )
        figures = (
            (text.BET, bet.cents, middle - aside, "digits_white", _WHITE_ZOOM),
            (text.WIN, win_cents, middle + aside, "digits_gold", _GOLD_ZOOM),
        )
        for words, cents, x, digits, size in figures:
            if cents:
                label = letters.text(text.say(words), 24, PEARL)
                taken = label.get_width() / stage.scale + _GAP * zoom
                figure = letters.fitted_number(written(cents, view.money), digits, (room - taken) / zoom, size)
                width = figure.get_width() / stage.scale
                stage.draw_centred(label, x - (taken + width) / 2 + label.get_width() / stage.scale / 2, down)
                stage.draw_centred(figure, x + taken / 2, down)
