"""The pick bonus: chests to open, what the opened ones have paid, what is left to pick."""

import pygame

from ui import text
from ui.acts import OpenAct, TotalAct
from ui.director import Director
from ui.draw_context import Control, DrawContext, Fountain, pill, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, TITLE, WHITE
from ui.picture import Opened, Picture
from ui.protocol.values import written
from ui.scenes.hud import Hud
from ui.scenes.message_line import beside_prompt
from ui.stage import Stage
from ui.theme import Theme

BREATH_S = 1.2
FRAME_S = 1 / 20
HEADING: Box = (340, 12, 600, 122)
PORTRAIT_HEADING: Box = (60, 56, 960, 190)
CHEST = (200, 180)
CHESTS: tuple[tuple[float, float], ...] = (
    (150, 168),
    (410, 150),
    (670, 150),
    (930, 168),
    (150, 372),
    (410, 362),
    (670, 362),
    (930, 372),
)
"""Upper left corners of the chests on the stage, by their number in the offer."""
PORTRAIT_CHESTS: tuple[tuple[float, float], ...] = (
    (20, 296),
    (390, 280),
    (760, 296),
    (190, 590),
    (590, 590),
    (20, 900),
    (390, 916),
    (760, 900),
)
"""The same on the canvas of a portrait monitor."""
_TOTAL = ((640, 226), (540, 372))
"""The middle of the total's panel, on the stage and on a portrait canvas."""
_PRICE = (150, 62)
_FLOOR = 190
"""How far below a chest's upper edge the middle of its ledge is."""


class Treasure:
    """The chests of the game that `theme` describes."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._layout = context.layout
        self._world = context.world(theme)
        self._zoom = zoom = context.layout.feature_zoom
        self._large = context.world(theme, zoom)
        self._sprites, self._letters = context.sized(zoom)
        self._heading = context.layout.either_box(HEADING, PORTRAIT_HEADING)
        self._hud = Hud(context)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        self._price = pill((_PRICE[0] * zoom, _PRICE[1] * zoom), context.scale)
        self._fountain = Fountain(context.layout, 40, seed=8)

    def controls(self, director: Director) -> list[Control]:
        """Return the chests still closed and the HUD's buttons."""
        picture = director.picture
        gone = {chest.choice for chest in picture.opened} if picture else set()
        chests: list[Control] = [
            (f"choice:{place}", self.chest_box(place)) for place in range(len(CHESTS)) if place not in gone
        ]
        return [*chests, *self._hud.controls()]

    def due(self, director: Director, now: float) -> float:
        """The scene moves all the time: chests breathe, or open."""
        if director.performance is not None and not director.performance.ended:
            return now
        return min(now + FRAME_S, self._hud.due(now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the scene."""
        picture = director.picture
        if picture is None:
            raise ValueError("the treasure is drawn from a picture, and there is none")
        act = None if director.performance is None else director.performance.act
        stage.begin(self._backdrop(director))
        opening = act if isinstance(act, OpenAct) else None
        if not isinstance(act, TotalAct):  # its panel lies over the heading
            self._title(stage, director, picture, unshown=0 if opening is None else opening.unshown(now))
        opened = {chest.choice for chest in picture.opened}
        for place in range(picture.shown):
            if place not in opened:
                self._closed(stage, director, place, now, opening=opening is not None)
        for chest in picture.opened:
            self._opened(stage, director, chest, opening, now)
        if isinstance(act, TotalAct):
            self._total(stage, act, director, now)
        self._hud.draw(stage, director, now)
        words, gold = text.message(director.view), False
        if act is None:
            words, gold = beside_prompt(director, text.say(text.PICK_BUTTONS), now, gold=False)
        self._hud.message(stage, words, gold=gold)

    def _backdrop(self, director: Director) -> pygame.Surface:
        key = self._hud.key(director)
        if self._plate is None or key != self._plate_key:
            plate = self._context.scenery(self._world, "treasure_background")
            scale = self._context.scale
            ledge = self._large.sprite("chest_ledge")
            for place in range(len(CHESTS)):
                left, top, width, _ = self.chest_box(place)
                put_centred(plate, ledge, scale, left + width / 2, top + _FLOOR * self._zoom)
            self._hud.paint(plate, director)
            for box in (self._heading, self._layout.hud.message):
                put_centred(plate, pill(box[2:], scale), scale, *centre(box))
            self._plate, self._plate_key = plate, key
        return self._plate

    def _title(self, stage: Stage, director: Director, picture: Picture, *, unshown: int) -> None:
        letters, view, zoom = self._letters, director.view, self._zoom
        middle, top = self._layout.centre[0], self._heading[1]
        asked = picture.picks_left and not director.demonstrates
        title = text.PICK_CHEST if asked else text.TREASURE_TOTAL
        stage.draw_centred(letters.fitted(text.say(title), 50, 560, GOLD, TITLE), middle, top + 40 * zoom)
        words = text.count(text.PICK_LEFT, text.PICKS_LEFT, picture.picks_left) if picture.picks_left else ""
        won = picture.picks_win - unshown
        if won and view.reels_bet is not None:
            amount = written(won * view.reels_bet.coin_value_cents, view.locale.money)
            words = f"{words}   ·   {amount}" if words else amount
        if words:
            stage.draw_centred(letters.text(words, 25, WHITE), middle, top + 92 * zoom)

    def _closed(self, stage: Stage, director: Director, place: int, now: float, *, opening: bool) -> None:
        """Draw a closed chest: lit under the cursor or, where there is none, now and then."""
        name = f"choice:{place}"
        live = name in director.view.controls and director.linked and not opening
        focus = director.view.focus
        lit = live and (focus == name or (not focus.startswith("choice:") and self._breath(place, now)))
        left, top, width, height = self.chest_box(place)
        stage.draw_centred(
            self._large.sprite("chest_lit" if lit else "chest_closed"), left + width / 2, top + height / 2
        )

    def _opened(self, stage: Stage, director: Director, chest: Opened, opening: OpenAct | None, now: float) -> None:
        """Draw an opened chest with what it has paid; the one that opens just now lets its amount rise."""
        left, top, width, height = self.chest_box(chest.choice)
        x, y = left + width / 2, top + height / 2
        stage.draw_centred(self._large.sprite("chest_open"), x, y)
        if opening is not None and opening.choice == chest.choice:
            rise = min(1.0, (now - opening.began) / 0.5)
            stage.draw_centred(self._large.sprite("glow"), x, y - 20 * self._zoom)
            chest = chest._replace(coins=opening.rolled(now))
            y -= 40 * (1 - rise) * self._zoom
        self._amount(stage, director, chest, x, y + 38 * self._zoom)

    def _amount(self, stage: Stage, director: Director, chest: Opened, x: float, y: float) -> None:
        view, letters = director.view, self._letters
        stage.draw_centred(self._price, x, y + 14 * self._zoom)
        coins = text.count(text.COIN, text.COINS, chest.coins, view.locale.money.thousands)
        stage.draw_centred(letters.fitted(coins, 26, 130, GOLD, TITLE), x, y)
        if view.reels_bet is not None:
            amount = written(chest.coins * view.reels_bet.coin_value_cents, view.locale.money)
            stage.draw_centred(letters.text(amount, 18, WHITE), x, y + 28 * self._zoom)

    def _total(self, stage: Stage, act: TotalAct, director: Director, now: float) -> None:
        view = director.view
        value = 1 if view.reels_bet is None else view.reels_bet.coin_value_cents
        if act.climb is not None:
            self._fountain.climb(stage, self._context.shared, act.climb, now - act.began)
        zoom, letters = self._zoom, self._letters
        x, y = self._layout.either(*_TOTAL)
        stage.draw_centred(self._sprites.sprite("panel_dialog"), x, y)
        title = letters.fitted(text.say(text.TREASURE_TOTAL), 36, 620, WHITE, TITLE)
        stage.draw_centred(title, x, y - 154 * zoom)
        stage.draw_centred(self._large.sprite("total_win"), x, y - 46 * zoom)
        amount = written(act.shown_total(now) * value, view.locale.money)
        stage.draw_centred(letters.number(amount, "digits_gold", 1.7), x, y + 104 * zoom)

    def _breath(self, place: int, now: float) -> bool:
        """One chest after another lights up for a moment, to invite the hand."""
        return int(now / BREATH_S) * 5 % len(CHESTS) == place and now % BREATH_S < BREATH_S / 2

    def chest_box(self, place: int) -> Box:
        """Return the place of a chest."""
        width, height = (side * self._zoom for side in CHEST)
        return (*self._layout.either(CHESTS[place], PORTRAIT_CHESTS[place]), width, height)
