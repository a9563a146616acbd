"""The pool's jackpot: a hall of gold in which its amount rolls up."""

import random

import pygame

from games.mona_lisa_jewels import MonaLisaScene
from games.mona_lisa_jewels.display import words
from games.mona_lisa_jewels.display.state import amount
from ui import text
from ui.acts import JackpotAct
from ui.director import Director
from ui.draw_context import Control, DrawContext, Fountain, pill, put_centred
from ui.layout import Layout, Point, centre
from ui.lettering import GOLD, TITLE
from ui.picture import Picture
from ui.scenes.hud import Hud
from ui.stage import Stage
from ui.theme import Theme

GEMS = 28
COINS = 32
_DROP_S = 0.4
_MIDDLE = 640
_FLORINS: tuple[Point, Point] = ((236, 330), (1044, 330))
_PORTRAIT_FLORINS: tuple[Point, Point] = ((236, 560), (844, 560))
_BANNER: tuple[Point, Point] = ((_MIDDLE, 140), (540, 250))
_PLAQUE: tuple[Point, Point] = ((_MIDDLE, 340), (540, 840))
_LINE: tuple[Point, Point] = ((_MIDDLE, 450), (540, 1030))
"""Middles on the stage and on a portrait canvas."""
_STONES = ("gem_ruby", "gem_emerald", "gem_gold")


class GemRain:
    """Cut stones that fall, as a pure function of time."""

    FALL_S = 3.2

    def __init__(self, layout: Layout, stones: int, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  decoration, not a draw of the game
        self._depth = layout.canvas[1] + 80
        self._stones = [
            (chance.uniform(20, layout.canvas[0] - 20), chance.uniform(0, self.FALL_S), chance.choice(_STONES))
            for _ in range(stones)
        ]

    def places(self, elapsed: float) -> list[tuple[str, float, float]]:
        """Return the stones in the air `elapsed` seconds after the rain began, with the middle of each."""
        return [
            (stone, x, (elapsed - delay) % self.FALL_S / self.FALL_S * self._depth - 40)
            for x, delay, stone in self._stones
            if elapsed >= delay
        ]


class JackpotShow:
    """The scene while the pool pays."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._layout = context.layout
        self._zoom = context.layout.feature_zoom
        self._large = context.world(theme, self._zoom)
        self._letters = context.sized(self._zoom).letters
        self._world = context.world(theme)
        self._hud = Hud(context)
        self._line_plate = pill((600 * self._zoom, 50 * self._zoom), context.scale)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        self._fountain = Fountain(context.layout, COINS, seed=25)
        self._rain = GemRain(context.layout, GEMS, seed=10)

    def controls(self, _director: Director) -> list[Control]:
        """Return the HUD's buttons."""
        return self._hud.controls()

    def due(self, _director: Director, now: float) -> float:
        """Everything moves."""
        return now

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the hall, the banner and how much of the jackpot has rolled up at `now`."""
        act = None if director.performance is None else director.performance.act
        if not isinstance(act, JackpotAct):
            raise TypeError(f"the jackpot's show is drawn while the pool pays, not during {act}")
        elapsed = now - act.began
        stage.begin(self._backdrop(director))
        # No stones fall over the figures and buttons of the HUD.
        stage.canvas.set_clip(stage.pixels((0, 0, self._layout.canvas[0], self._layout.hud.box[1])))
        stage.draw_all_centred([(self._world.sprite(stone), x, y) for stone, x, y in self._rain.places(elapsed)])
        stage.canvas.set_clip(None)
        if act.climb is not None:
            self._fountain.climb(stage, self._context.shared, act.climb, elapsed)
        drop = max(0.0, 1 - elapsed / _DROP_S) ** 2 * 260
        x, y = self._layout.either(*_BANNER)
        stage.draw_centred(self._large.sprite("jackpot_banner"), x, y - drop)
        paid = amount(act.rolled(now), director.view)
        figure = self._letters.fitted_number(paid, "digits_gold", 570, 2.0)
        stage.draw_centred(figure, *self._layout.either(*_PLAQUE))
        line = _line(act.picture)
        if line:
            stage.draw_centred(self._line_plate, *self._layout.either(*_LINE))
            words_ = self._letters.fitted(text.say(words.FIVE_ON_LINE, line=line), 28, 570, GOLD, TITLE)
            stage.draw_centred(words_, *self._layout.either(*_LINE))
        self._hud.draw(stage, director, now)
        self._hud.message(stage, text.say(words.JACKPOT_PAYS, amount=paid), gold=True)

    def _backdrop(self, director: Director) -> pygame.Surface:
        key = self._hud.key(director)
        if self._plate is None or key != self._plate_key:
            plate = self._context.scenery(self._world, "jackpot_background")
            scale = self._context.scale
            self._hud.paint(plate, director)
            for places in zip(_FLORINS, _PORTRAIT_FLORINS, strict=True):
                put_centred(plate, self._large.sprite("great_florin"), scale, *self._layout.either(*places))
            plaque = self._large.sprite("jackpot_plaque_large")
            put_centred(plate, plaque, scale, *self._layout.either(*_PLAQUE))
            put_centred(plate, pill(self._layout.hud.message[2:], scale), scale, *centre(self._layout.hud.message))
            self._plate, self._plate_key = plate, key
        return self._plate


def _line(picture: Picture) -> int:
    """Return the line of the five jackpot symbols."""
    return picture.scene.jackpot_line if isinstance(picture.scene, MonaLisaScene) else 0
