"""Around and over Mystery Elves' reels: what bonus symbols carry, the fixed awards, and the button that buys."""

import math

import pygame

from games.mystery_elves.display import words
from games.mystery_elves.display.acts import FLASH_S, LandedAct, WonAct
from games.mystery_elves.display.awards import FALLING, SMALL, paint_large, paint_small
from games.mystery_elves.display.flurry import Burst
from games.mystery_elves.display.icicles import Icicles
from games.mystery_elves.display.orbs import Orbs
from games.mystery_elves.display.state import orbs, scene_of
from games.mystery_elves.strips import HOLD_RULES
from ui import text
from ui.acts import Act, SpinAct, WinsAct
from ui.director import Director
from ui.draw_context import Control, DrawContext, put_centred
from ui.layout import Box, Point, centre
from ui.lettering import GOLD, GREY, TITLE, WHITE
from ui.picture import Picture
from ui.protocol.values import written
from ui.scenes.game_overlay import GameOverlay
from ui.stage import Stage
from ui.theme import Theme

BUY_BOX: Box = (6, 96, 132, 132)
PORTRAIT_BUY: Box = (330, 1307, 420, 108)
AWARDS = (1146, 52)
PORTRAIT_AWARDS: tuple[Point, ...] = ((8, 262), (276, 262), (544, 262), (812, 262))
"""Upper left corners on a portrait canvas."""
_DROP_S = 0.4


class ElvesOverlay(GameOverlay):
    """What Mystery Elves adds to the shared screen of reels."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        super().__init__(context, theme)
        self._layout = context.layout
        self._world = context.world(theme)
        self._orbs = Orbs(context, theme, "reel")
        self._glow = self._world.sprite("glow").copy()
        self._icicles = Icicles(context, theme)
        self._burst = Burst(seed=12)
        self._dim: pygame.Surface | None = None

    @property
    def buy_box(self) -> Box:
        """Place of the button that buys the feature: beside the reels, or, in portrait, under them."""
        return PORTRAIT_BUY if self._layout.shape == "portrait" else self._layout.moved(BUY_BOX)

    def key(self, director: Director) -> tuple[object, ...]:
        """Return what is painted: amounts at the bet, and whether the button lives."""
        view = director.view
        return (view.bet, view.locale.money, view.terms.buy_cents, "buy" in view.controls and director.linked)

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the fixed awards at the bet, and the button with its price."""
        scale, view = self.context.scale, director.view
        portrait = self._layout.shape == "portrait"
        for place, name in enumerate(FALLING):
            if portrait:
                above = PORTRAIT_AWARDS[place]
                paint_large(plate, self.context, self.theme, view, name=name, at=above)
            else:
                beside = self._layout.at(AWARDS[0], AWARDS[1] + place * (SMALL[1] + 2))
                paint_small(plate, self.context, self.theme, view, name=name, at=beside)
        if view.terms.buy_cents:
            live = "buy" in view.controls and director.linked
            put_centred(plate, self._button("" if live else "_dead"), scale, *centre(self.buy_box))
            for surface, x, y in self._price(director, dead=not live):
                put_centred(plate, surface, scale, x, y)

    def draw(self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float) -> None:
        """Draw what the bonus symbols carry, and announce Hold and Win."""
        lit = isinstance(act, WinsAct) or (act is None and bool(picture.line_wins))
        if isinstance(act, LandedAct):
            placed = act.orbs(now)
        else:
            placed = () if isinstance(act, SpinAct) else orbs(scene_of(picture.scene))
        banner = isinstance(act, WinsAct) and act.celebrated(now) is not None  # it lies over the reels
        for orb in () if banner else placed:
            left, top, _, _ = self._layout.cell_box(*orb.cell, HOLD_RULES.rows)
            stage.draw(self._orbs.cell(orb, director.view, dimmed=lit), left, top)
        if not banner:
            self._icicles.draw(stage)
        if isinstance(act, LandedAct):
            for place, cell in enumerate(act.cells):
                strength = 1 - abs(now - act.changed_at(place)) / FLASH_S
                middle = centre(self._layout.cell_box(*cell, HOLD_RULES.rows))
                if strength > 0:
                    self._glow.set_alpha(round(255 * strength))
                    stage.draw_centred(self._glow, *middle)
                self._burst.draw(stage, self._world, *middle, now - act.changed_at(place))
        if isinstance(act, WonAct):
            self._announce(stage, act, now)
        if self.context.pressed == "buy" and now < self.context.pressed_until:
            stage.draw_centred(self._button("_lit"), *centre(self.buy_box))
            for surface, x, y in self._price(director, dead=False):
                stage.draw_centred(surface, x, y)

    def words(self, _director: Director, _picture: Picture, act: Act | None, _now: float) -> str:
        """Say that Hold and Win has been won."""
        return text.say(words.HOLD_WON, count=act.count) if isinstance(act, WonAct) else ""

    def due(self, _director: Director, now: float) -> float:
        """Nothing moves by itself; a pressed button is released."""
        return self.context.pressed_until if now < self.context.pressed_until else math.inf

    def controls(self, director: Director) -> list[Control]:
        """Return the button that buys the feature, where it is on sale."""
        return [("buy", self.buy_box)] if director.view.terms.buy_cents else []

    def _price(self, director: Director, *, dead: bool) -> list[tuple[pygame.Surface, float, float]]:
        """Return the words on the button and their centres."""
        view = director.view
        x, y = centre(self.buy_box)
        price = written(view.terms.buy_cents, view.locale.money)
        if self._layout.shape == "portrait":
            letters = self.context.sized(self._layout.hud.button_zoom).letters
            said = text.say(text.BUY_FEATURE)
            return [
                (letters.fitted(said, 21, 250, GREY if dead else WHITE), x, y - 20),
                (letters.fitted(price, 24, 250, GREY if dead else WHITE, TITLE), x, y + 21),
            ]
        letters = self.context.letters
        return [
            (letters.fitted(text.say(words.BUY), 15, 108, GREY if dead else WHITE), x, y + 20),
            (letters.fitted(price, 21, 108, GREY if dead else GOLD, TITLE), x, y + 42),
        ]

    def _button(self, state: str) -> pygame.Surface:
        """Return the button that buys: round beside the reels, wide under them."""
        if self._layout.shape == "portrait":
            return self.context.sized(self._layout.hud.button_zoom).sprites.sprite(f"button_wide_gold{state}")
        return self._world.sprite(f"button_buy{state}")

    def _announce(self, stage: Stage, act: WonAct, now: float) -> None:
        """Let the banner drop in over the darkened reels, with the number of respins."""
        if self._dim is None:
            width, height = stage.pixels(self._layout.reels).size
            self._dim = pygame.Surface((width, height))
            self._dim.set_alpha(150)
        left, top, _, _ = self._layout.reels
        stage.draw(self._dim, left, top)
        drop = max(0.0, 1 - (now - act.began) / _DROP_S) ** 2 * 260
        x, y = self._layout.on_reels(640, 330 - drop)
        stage.draw_centred(self._world.sprite("hold_and_win_banner"), x, y)
        said = text.say(words.RESPINS)
        stage.draw_centred(self.context.letters.number(str(act.respins), "digits_gold", 1.5), x - 92, y + 62)
        stage.draw_centred(self.context.letters.fitted(said, 30, 190, WHITE, TITLE), x + 40, y + 62)
