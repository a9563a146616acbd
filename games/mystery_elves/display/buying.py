"""The question before Hold and Win is bought: what is bought, what it costs, what it returns."""

import pygame

from games.mystery_elves.display import words
from games.mystery_elves.pays import BUY_PRICE, LEAST_BONUSES
from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, put, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.protocol.values import written
from ui.scenes.hud import Hud
from ui.stage import Stage
from ui.theme import Theme, shown

_SPRITES = {"buy:no": "button_wide_blue", "buy:yes": "button_wide_gold"}


class BuyQuestion:
    """The dialog over the darkened reels; `rtp` is what the bought feature returns, in words."""

    def __init__(self, context: DrawContext, theme: Theme, rtp: str) -> None:
        self._context = context
        self._theme = theme
        self._layout = context.layout
        self._pages = context.layout.pages
        self._places = context.layout.pages.question
        self._sprites, self._letters = context.sized(self._pages.zoom)
        self._world = context.world(theme)
        self._hud = Hud(context)
        self._rtp = rtp
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, _director: Director) -> list[Control]:
        """Return the two answers, and the HUD's buttons, two of which answer as well."""
        return [*((name, self._box(name)) for name in _SPRITES), *self._hud.controls()]

    def _box(self, name: str) -> Box:
        """Return where an answer lies."""
        return self._pages.placed(self._places.yes if name == "buy:yes" else self._places.no)

    def due(self, _director: Director, now: float) -> float:
        """Nothing moves; a pressed button is released."""
        return self._hud.due(now)

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the question."""
        view = director.view
        key = (self._hud.key(director), view.bet, view.terms.buy_cents, view.round.scene)
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._asked(director), key
        stage.begin(self._plate)
        for name, sprite in _SPRITES.items():
            if name == self._context.pressed and now < self._context.pressed_until:
                stage.draw_centred(self._sprites.sprite(f"{sprite}_lit"), *centre(self._box(name)))
                stage.draw_centred(self._label(name, director), *centre(self._box(name)))
        self._hud.draw(stage, director, now)

    def _reels(self, director: Director) -> pygame.Surface:
        """Return the darkened reels."""
        context, scale = self._context, self._context.scale
        picture = director.picture or self._theme.picture(self._theme.game.idle)
        plate = context.scenery(self._world, self._theme.scenery(picture))
        rows = self._theme.game.rows
        cells = self._context.cells(self._theme).of(picture)
        for reel, column in enumerate(shown(self._theme, picture)):
            for row, symbol in enumerate(column):
                put(plate, cells.cell(symbol), scale, *self._layout.cell_box(reel, row, rows)[:2])
        put(plate, context.on_reels(self._theme).sprite("frame"), scale, *self._layout.frame)
        return context.dim(plate)

    def _asked(self, director: Director) -> pygame.Surface:
        """Paint the dialog over the darkened reels, and the HUD, whose SPIN and COLLECT live."""
        scale, letters, view = self._context.scale, self._letters, director.view
        places, at = self._places, self._pages.at
        plate = self._reels(director)
        self._hud.paint(plate, director)
        panel = self._context.shared.sprite(places.panel)
        put_centred(plate, panel, scale, *centre(self._pages.placed(places.box)))
        if places.crest:
            logo = self._context.world(self._theme, self._layout.signs.logo_zoom).sprite("logo")
            put_centred(plate, logo, scale, *at(self._layout.centre[0], places.crest))
        title = letters.fitted(text.say(words.BUY_TITLE), 46, 620, GOLD, TITLE)
        put_centred(plate, title, scale, *at(*places.buy_title))
        put_centred(plate, self._world.sprite("bonus"), scale, *at(*places.buy_picture))
        price = letters.number(written(view.terms.buy_cents, view.locale.money), "digits_gold", 1.2)
        put_centred(plate, price, scale, *at(*places.price))
        bet = written(view.bet.cents, view.locale.money) if view.bet is not None else ""
        product = text.say(words.BUY_PRICE, times=BUY_PRICE, bet=bet)
        put_centred(plate, letters.fitted(product, 22, 440, WHITE), scale, *at(*places.product))
        what = letters.paragraph(
            text.say(words.BUY_WHAT, least=LEAST_BONUSES, bet=bet), places.size - 3, 640, PEARL, centred=True
        )
        put_centred(plate, what, scale, *at(*places.buy_words))
        returns = letters.fitted(text.say(words.BUY_RETURN, rtp=text.decimal(self._rtp)), 21, 620, GOLD)
        put_centred(plate, returns, scale, *at(*places.returns))
        for name, sprite in _SPRITES.items():
            live = name in view.controls and director.linked
            place = centre(self._box(name))
            put_centred(plate, self._sprites.sprite(sprite if live else f"{sprite}_dead"), scale, *place)
            put_centred(plate, self._label(name, director), scale, *place)
        put_centred(plate, letters.fitted(text.say(words.BUY_HINT), 16, 620, PEARL), scale, *at(*places.buy_hint))
        return plate

    def _label(self, name: str, director: Director) -> pygame.Surface:
        if name == "buy:no":
            return self._letters.fitted(text.say(words.BUY_NO), 24, 240)
        view = director.view
        said = f"{text.say(words.BUY_YES)}  {written(view.terms.buy_cents, view.locale.money)}"
        return self._letters.fitted(said, 24, 240)
