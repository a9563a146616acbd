"""The lobby: a tile for each game, with its jackpot, bets and highest win; a touch, or SPIN, opens it.

If there are too many games for one page, the lobby shows the page of the panel's cursor.
"""

from typing import NamedTuple

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, arrow, pill, put, put_centred
from ui.layout import Box, centre
from ui.lettering import BOLD, GOLD, PEARL, TITLE, WHITE, Colour
from ui.lobby_layout import Tiles, Tiling
from ui.promises import highest_win
from ui.protocol.messages import View
from ui.protocol.values import Money, written
from ui.protocol.view_parts import LobbyGames
from ui.scenes.hud import Hud, button_state
from ui.scenes.message_line import news
from ui.scenes.tile_life import Moving, TileLife, moving
from ui.scenes.tile_light import TileLight
from ui.stage import Stage

_BUTTONS = ("home", "spin", "collect", "info", "sound", "service")
_HOLE = (18, 18)
_AMBER: Colour = (255, 172, 72)
_SIGN: tuple[int, int] = (276, 46)
"""The sign on a tile: the jackpot or the highest win, and below it in one line the bet that wins it."""
_EDGE, _ENDS = 4, 16
"""The distance of a sign from a narrow tile's sides, and the width of its round ends."""
_AMOUNT = range(19, 12, -1)
"""Sizes of the amount's letters."""
_AMOUNT_HEIGHT = 28
"""The height of a sign without its bet."""
_BET = 15
"""The size of the bet's letters."""


class _Promise(NamedTuple):
    """The text and colours of a game's sign."""

    words: str
    bet: str
    colours: tuple[Colour, Colour]


class _Hung(NamedTuple):
    """The signs of a page: the plate and its height in units, and each game's words on it, amount and bet."""

    plate: pygame.Surface
    height: int
    words: dict[str, tuple[pygame.Surface, pygame.Surface]]


class _Page(NamedTuple):
    """The games on the page shown, its number from 0, the number of pages, and its tiles."""

    games: tuple[str, ...]
    number: int
    pages: int
    tiles: Tiles


class _Sized:
    """The parts of a tile in the size of a page's tiles."""

    def __init__(self, context: DrawContext, tiling: Tiling) -> None:
        self._baked = context.layout.lobby.zoom
        self._shrunk = tiling.zoom / self._baked
        self._context = context
        self.tiling = tiling
        self.light = TileLight(tiling.zoom, context.scale)
        self.life = TileLife(self._moving, (_HOLE[0] * tiling.zoom, _HOLE[1] * tiling.zoom))
        self._frames: dict[str, pygame.Surface] = {}
        self._baked_tiles: dict[str, pygame.Surface] = {}
        self._games: dict[str, pygame.Surface] = {}

    def frame(self, sprite: str) -> pygame.Surface:
        """Return a frame around a game's picture."""
        if sprite not in self._frames:
            self._frames[sprite] = self._small(self._context.sized(self._baked).sprites.sprite(sprite))
        return self._frames[sprite]

    def picture(self, game: str) -> pygame.Surface:
        """Return a game's picture."""
        # A game and its world have the same name, so the game itself, which is slow to load, is not needed here.
        if game not in self._games:
            self._baked_tiles[game] = self._context.world_of(game, self._baked).sprite("tile")
            self._games[game] = self._small(self._baked_tiles[game])
        return self._games[game]

    def _moving(self, game: str) -> Moving:
        world, tile = self._context.world_of(game, self._baked), self._baked_tiles[game]
        found = moving(world, tile, self._baked * self._context.scale, self._shrunk)
        self._context.release()
        del self._baked_tiles[game]
        return found

    def _small(self, sprite: pygame.Surface) -> pygame.Surface:
        return sprite if self._shrunk == 1 else pygame.transform.smoothscale_by(sprite, self._shrunk)


class Lobby:
    """The selection of games."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._layout = context.layout
        self._zoom = context.layout.lobby.zoom
        self._letters = context.sized(self._zoom).letters
        self._knobs = context.sized(context.layout.hud.button_zoom).sprites
        self._hud = Hud(context)
        self._drawn: _Sized | None = None
        self._said: dict[str, _Promise] = {}
        self._signs: _Hung | None = None
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return a tile for each game on the page, the buttons, and the arrows if there are several pages."""
        page = self._page(director.view)
        placed: list[Control] = [(f"game:{name}", box) for name, box in zip(page.games, page.tiles.boxes, strict=True)]
        return [*placed, *((name, self._layout.hud.buttons[name]) for name in _BUTTONS), *self._arrows(director.view)]

    def due(self, director: Director, now: float) -> float:
        """Return when to draw next: moving stars, a light over the tiles, or the release of a pressed button."""
        due = self._context.pressed_until if now < self._context.pressed_until else float("inf")
        if self._context.calm:
            return due
        page = self._page(director.view)
        sized, games = self._sized(page), len(page.games)
        return min(due, sized.light.due(games, now), sized.life.due(games, now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        context, view, layout = self._context, director.view, self._layout
        page = self._page(view)
        sized = self._sized(page)
        stage.begin(self._backdrop(director, page))
        if not self._context.calm:
            sized.life.draw(stage, page.games, page.tiles.boxes, now)
            sized.light.draw(stage, page.tiles.boxes, now)
        self._hud.draw_money(stage, written(view.balance.credit_cents, view.locale.money), layout.hud.credit, lone=True)
        invitation = text.call_for_money(view) if view.balance.credit_cents == 0 else text.say(text.TOUCH_A_GAME)
        words = text.message(view) or news(view) or invitation
        letters, zoom = context.sized(layout.hud.message_zoom).letters, layout.hud.message_zoom
        box = layout.lobby.words
        stage.draw_centred(letters.lines(words, 26, round(box[2] / zoom), WHITE), *centre(box))
        arrows = dict(self._arrows(view))
        for name, box in self.controls(director):
            lit = name == view.focus or (name == context.pressed and now < context.pressed_until)
            if not lit:
                continue
            if name.startswith("game:"):
                stage.draw(sized.frame("lobby_tile_lit"), box[0], box[1])
            elif name in arrows:
                stage.draw_centred(arrow(self._knobs, "_lit", on=box == layout.lobby.arrows[1]), *centre(box))
            else:
                self._hud.draw_lit(stage, name, director)
        self._draw_signs(stage, page, view)

    def _page(self, view: View) -> _Page:
        """Return the page that the cursor is on."""
        pages = self._layout.lobby.pages(len(view.lobby.games))
        focus = view.focus.removeprefix("game:")
        at = view.lobby.games.index(focus) if focus in view.lobby.games else 0
        number = next((number for number, places in enumerate(pages) if at in places), 0)
        games = tuple(view.lobby.games[place] for place in pages[number])
        return _Page(games, number, len(pages), self._layout.lobby.tiles(len(games)))

    def _arrows(self, view: View) -> list[Control]:
        """Return the arrows to the last game of the previous page and the first of the next, wrapping around."""
        pages = self._layout.lobby.pages(len(view.lobby.games))
        if len(pages) == 1:
            return []
        number = self._page(view).number
        places = pages[number - 1][-1], pages[(number + 1) % len(pages)][0]
        names = (f"cursor:{view.lobby.games[place]}" for place in places)
        return list(zip(names, self._layout.lobby.arrows, strict=True))

    def _sized(self, page: _Page) -> _Sized:
        if self._drawn is None or self._drawn.tiling != page.tiles.tiling:
            self._drawn = _Sized(self._context, page.tiles.tiling)
        return self._drawn

    def _draw_signs(self, stage: Stage, page: _Page, view: View) -> None:
        """Draw a sign on the upper edge of each tile, over the cursor's light."""
        zoom, hung = self._zoom, self._hung(page, view)
        for name, tile in zip(page.games, page.tiles.boxes, strict=True):
            if name in hung.words:
                height, middle = hung.height * zoom, tile[0] + tile[2] / 2
                top = tile[1] - page.tiles.tiling.rise + _EDGE * zoom
                stage.draw_centred(hung.plate, middle, top + height / 2)
                amount, bet = hung.words[name]
                stage.draw_centred(amount, middle, top + 13 * zoom)
                stage.draw_centred(bet, middle, top + (height + 22 * zoom) / 2)

    def _hung(self, page: _Page, view: View) -> _Hung:
        """Return the page's signs, all of one size, with amounts in one letter size."""
        said = {name: promise for name in page.games if (promise := _promise(name, view.lobby, view.locale.money))}
        if said == self._said and self._signs is not None:
            return self._signs
        letters, (width, height), least = self._letters, _SIGN, self._layout.lobby.least_bet
        width = min(width, int(page.tiles.tiling.tile[0] / self._zoom) - 2 * _EDGE)
        room = width - _ENDS
        amounts = [promise.words for promise in said.values()]
        fitting = (size for size in _AMOUNT if all(letters.fits(words, size, room) for words in amounts))
        size = next(fitting, _AMOUNT[-1])
        wrapped = any(letters.width(promise.bet, least) > room for promise in said.values())
        words = {
            name: (
                letters.fitted(promise.words, size, room, promise.colours[0]),
                letters.paragraph(promise.bet, least, room, promise.colours[1], BOLD, centred=True)
                if wrapped
                else letters.fitted(promise.bet, _BET, room, promise.colours[1]),
            )
            for name, promise in said.items()
        }
        if wrapped:
            highest = max(bet.get_height() for _, bet in words.values()) / (self._context.scale * self._zoom)
            height = round(_AMOUNT_HEIGHT + highest)
        plate = pill((width * self._zoom, height * self._zoom), self._context.scale)
        self._said, self._signs = said, _Hung(plate, height, words)
        return self._signs

    def _backdrop(self, director: Director, page: _Page) -> pygame.Surface:
        view = director.view
        chosen = (
            view.controls,
            page.games,
            view.lobby.games,
            view.locale.money,
            view.output.muted,
            view.locale.language,
            director.linked,
        )
        key = (*chosen, tuple(view.lobby.bet_ranges.items()))
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director, page), key
        return self._plate

    def _painted(self, director: Director, page: _Page) -> pygame.Surface:
        context, view, scale, layout = self._context, director.view, self._context.scale, self._layout
        plate = context.dim(context.scenery(context.shared, "lobby"), 170)
        title = self._letters.text(text.say(text.CHOOSE_GAME), 34, WHITE, TITLE)
        put_centred(plate, title, scale, *page.tiles.title)
        sized = self._sized(page)
        for name, box in zip(page.games, page.tiles.boxes, strict=True):
            self._paint_tile(plate, sized, name, box, view)
        context.release()
        put(plate, context.shared.sprite(layout.hud.panel), scale, *layout.hud.box[:2])
        self._hud.paint_meter(plate, layout.hud.credit, text.say(text.CREDIT))
        for name in _BUTTONS:
            self._hud.paint_button(plate, name, director)
        for name, box in self._arrows(view):
            state = button_state(name, director)
            put_centred(plate, arrow(self._knobs, state, on=box == layout.lobby.arrows[1]), scale, *centre(box))
        if page.pages > 1:
            words = text.say(text.PAGE_OF, page=page.number + 1, pages=page.pages)
            put_centred(plate, self._letters.text(words, 24, PEARL), scale, *layout.lobby.number)
        return plate

    def _paint_tile(self, plate: pygame.Surface, sized: _Sized, game: str, box: Box, view: View) -> None:
        scale, zoom = self._context.scale, sized.tiling.zoom
        put(plate, sized.picture(game), scale, box[0] + _HOLE[0] * zoom, box[1] + _HOLE[1] * zoom)
        put(plate, sized.frame("lobby_tile"), scale, box[0], box[1])
        if game in view.lobby.bet_ranges:
            lowest, highest = (written(cents, view.locale.money) for cents in view.lobby.bet_ranges[game])
            words = text.say(text.BET_RANGE, lowest=lowest, highest=highest)
            range_ = self._letters.fitted(words, 18, round(box[2] / self._zoom) - 2 * _EDGE, PEARL)
            put_centred(plate, range_, scale, box[0] + box[2] / 2, box[1] + box[3] + 17 * self._zoom)


def _promise(game: str, lobby: LobbyGames, money: Money) -> _Promise | None:
    """Return a game's jackpot or a play's possible win, with the bet that wins it, or why it is closed."""
    if game in lobby.jackpots:
        jackpot = lobby.jackpots[game]
        words = text.say(text.JACKPOT_OF, amount=written(jackpot.cents, money))
        if jackpot.closed:
            return _Promise(words, text.say(text.CLOSED_TILE[jackpot.closed]), (PEARL, _AMBER))
        return _Promise(words, text.won_with(jackpot), (GOLD, PEARL))
    if game in lobby.bet_ranges:
        highest = lobby.bet_ranges[game][1]
        cents, one_in = highest_win(game, highest)
        words = text.say(text.WIN_UP_TO_ONLY, amount=written(cents, money))
        bet = text.say(text.AT_BET_ODDS, bet=written(highest, money), one_in=text.whole(one_in))
        return _Promise(words, bet, (GOLD, PEARL))
    return None
