"""Around and over Bewitched's reels: the jackpot's counter, the player's witch, and Merlin when he comes."""

import math

import pygame

from games.bewitched.display import words
from games.bewitched.display.acts import MerlinAct
from games.bewitched.pays import MERLIN
from ui import text
from ui.acts import Act, JackpotAct
from ui.director import Director
from ui.draw_context import DrawContext, put_centred
from ui.layout import Point
from ui.picture import Picture
from ui.protocol.values import written
from ui.scenes.game_overlay import GameOverlay
from ui.stage import Stage
from ui.theme import Theme

_COUNTER: Point = (190, 37)
_COUNTER_PORTRAIT: Point = (660, 338)
_MEDAL: Point = (72, 150)
_MEDAL_PORTRAIT: Point = (150, 338)
"""Places of the stage, and of the canvas of a portrait monitor, which has room above the reels."""
_FIGURE_ROOM, _FIGURE_ZOOM = 226, 0.6
"""How wide the jackpot's figure may be on its plaque, and its size there."""
_FRAMES = 12
_FRAME_S = 1 / 12
_MOTES = 12


class BewitchedOverlay(GameOverlay):
    """What Bewitched adds to the shared screen of reels."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        super().__init__(context, theme)
        self._layout = context.layout
        self._world = context.world(theme)
        portrait = context.layout.shape == "portrait"
        self._zoom = 1.5 if portrait else 1.0
        self._large = context.world(theme, self._zoom)
        self._counter_at = context.layout.either(_COUNTER, _COUNTER_PORTRAIT)
        self._medal_at = context.layout.either(_MEDAL, _MEDAL_PORTRAIT)
        self._on_reels = context.on_reels(theme)

    def key(self, director: Director) -> tuple[object, ...]:
        """Return what is painted: whose medal hangs there, and whether there is a jackpot."""
        return (director.view.terms.witch, director.view.terms.jackpot_cents > 0)

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the medal of the player's witch, and the counter's plaque."""
        scale = self.context.scale
        put_centred(plate, self._large.sprite(f"witch_{director.view.terms.witch}_medal"), scale, *self._medal_at)
        if director.view.terms.jackpot_cents:
            put_centred(plate, self._large.sprite("jackpot_plaque"), scale, *self._counter_at)

    def draw(self, stage: Stage, director: Director, _picture: Picture, act: Act | None, now: float) -> None:
        """Draw the jackpot's figure, Merlin in his place, and the jackpot's lights."""
        view = director.view
        if view.terms.jackpot_cents:
            letters = self.context.sized(self._zoom).letters
            amount = written(view.terms.jackpot_cents, view.locale.money)
            x, y = self._counter_at
            figure = letters.fitted_number(amount, "digits_gold", _FIGURE_ROOM, _FIGURE_ZOOM)
            stage.draw_centred(figure, x, y + 8 * self._zoom)
        if isinstance(act, MerlinAct):
            self._merlins(stage, act, now)
        if isinstance(act, JackpotAct):
            self._lights(stage, now - act.began)

    def words(self, director: Director, _picture: Picture, act: Act | None, _now: float) -> str:
        """Say that Merlin has come, to a player."""
        if not isinstance(act, MerlinAct) or director.demonstrates:
            return ""
        return text.say(words.MERLIN_CAME, count=len(act.cells))

    def _merlins(self, stage: Stage, act: MerlinAct, now: float) -> None:
        frame = int((now - act.began) / _FRAME_S) % _FRAMES
        for reel, row in act.cells:
            left, top, _, _ = self._layout.cell_box(reel, row, self.theme.game.rows)
            stage.draw(self._on_reels.sprite("win_cell"), left, top)
            sprite = self._on_reels.sprite(f"{MERLIN}_win_{frame:02d}")
            stage.draw(sprite, left - self._layout.win_margin, top - self._layout.win_margin)

    def _lights(self, stage: Stage, elapsed: float) -> None:
        """Let lights circle around the jackpot's amount."""
        for mote in range(_MOTES):
            angle = mote * math.tau / _MOTES + elapsed * 0.9
            place = (640 + 400 * math.cos(angle), 335 + 190 * math.sin(angle))
            stage.draw_centred(self._world.sprite(f"mote_{mote % 2}"), *self._layout.on_reels(*place))
