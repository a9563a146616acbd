"""The lobby: a tile for each game, with its jackpot, bets and highest win; a touch, or SPIN, opens it."""

import pygame

from controller.domain import written
from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE, Colour
from ui.messages import View
from ui.promises import highest_win
from ui.scenes.hud import Hud
from ui.scenes.message_line import news
from ui.scenes.tile_light import TileLight
from ui.stage import Stage

_BUTTONS = ("home", "spin", "collect", "info", "sound", "service")
_HOLE = (18, 18)
_AMBER: Colour = (255, 172, 72)
_PLAQUE: Box = (22, 4, 276, 46)
"""The plaque on a tile: the jackpot or the highest win, and below it the bet that wins it."""


class Lobby:
    """The choice of games."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._layout = context.layout
        self._tiles = context.sized(context.layout.tile_zoom)
        self._hud = Hud(context)
        width, height = (side * context.layout.tile_zoom for side in _PLAQUE[2:])
        self._plaque = pill((width, height), context.scale)
        self._light = TileLight(context.layout.tile_zoom, context.scale)
        self._pictures: dict[str, pygame.Surface] = {}
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return a tile for each game and the buttons."""
        games = director.view.games
        tiles = self._layout.tiles(len(games))
        placed: list[Control] = [(f"game:{name}", box) for name, box in zip(games, tiles, strict=True)]
        return [*placed, *((name, self._layout.buttons[name]) for name in _BUTTONS)]

    def due(self, director: Director, now: float) -> float:
        """A light runs over one tile after another; the button under the finger goes out."""
        due = self._context.pressed_until if now < self._context.pressed_until else float("inf")
        return due if self._context.calm else min(due, self._light.due(len(director.view.games), now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        context, view, layout = self._context, director.view, self._layout
        stage.begin(self._backdrop(director))
        if not self._context.calm:
            self._light.draw(stage, layout.tiles(len(view.games)), now)
        self._hud.draw_money(stage, written(view.credit_cents, view.money), layout.credit, lone=True)
        invitation = text.call_for_money(view) if view.credit_cents == 0 else text.say(text.TOUCH_A_GAME)
        words = text.message(view) or news(view) or invitation
        letters, zoom = context.sized(layout.message_zoom).letters, layout.message_zoom
        box = layout.lobby_words
        stage.draw_centred(letters.lines(words, 26, round(box[2] / zoom), WHITE), *centre(box))
        for name, box in self.controls(director):
            lit = name == view.focus or (name == context.pressed and now < context.pressed_until)
            if name.startswith("game:") and lit:
                stage.draw(self._tiles.sprites.sprite("lobby_tile_lit"), box[0], box[1])
            elif lit:
                self._hud.draw_lit(stage, name, director)
            if name.startswith("game:"):
                self._promise(stage, name.removeprefix("game:"), box, view)

    def _promise(self, stage: Stage, game: str, tile: Box, view: View) -> None:
        """Draw a game's jackpot, or what a play of it may win, on the upper edge of its tile, over the cursor's light.

        Below it is the bet that wins it, or why it is not played for now.
        """
        closed = ""
        if game in view.jackpots:
            closed = view.jackpots[game].closed
            jackpot = view.jackpots[game]
            words = text.say(text.JACKPOT_OF, amount=written(jackpot.cents, view.money))
            bet = text.say(text.CLOSED_TILE[closed]) if closed else text.won_with(jackpot)
        elif game in view.bet_ranges:
            highest = view.bet_ranges[game][1]
            cents, one_in = highest_win(game, highest)
            words = text.say(text.WIN_UP_TO_ONLY, amount=written(cents, view.money))
            bet = text.say(text.AT_BET_ODDS, bet=written(highest, view.money), one_in=text.whole(one_in))
        else:
            return
        zoom, letters, room = self._layout.tile_zoom, self._tiles.letters, round(_PLAQUE[2]) - 28
        left, top, width, height = (value * zoom for value in _PLAQUE)
        x, y = centre((tile[0] + left, tile[1] + top, width, height))
        stage.draw_centred(self._plaque, x, y)
        stage.draw_centred(letters.fitted(words, 19, room, PEARL if closed else GOLD), x, y - 10 * zoom)
        stage.draw_centred(letters.fitted(bet, 15, room, _AMBER if closed else PEARL), x, y + 11 * zoom)

    def _backdrop(self, director: Director) -> pygame.Surface:
        view = director.view
        chosen = (view.controls, view.games, view.money, view.muted, view.language, director.linked)
        key = (*chosen, tuple(view.bet_ranges.items()))
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        return self._plate

    def _painted(self, director: Director) -> pygame.Surface:
        context, view, scale, layout = self._context, director.view, self._context.scale, self._layout
        plate = context.dim(context.scenery(context.shared, "lobby"), 170)
        tiles = layout.tiles(len(view.games))
        top = tiles[0][1] if tiles else layout.at(0, 300)[1]
        title = self._tiles.letters.text(text.say(text.CHOOSE_GAME), 34, WHITE, TITLE)
        put_centred(plate, title, scale, layout.centre[0], top - 28 * layout.tile_zoom)
        for name, box in zip(view.games, tiles, strict=True):
            self._tile(plate, name, box, view)
        context.release()
        put(plate, context.shared.sprite(layout.hud_panel), scale, *layout.hud[:2])
        self._hud.paint_meter(plate, layout.credit, text.say(text.CREDIT))
        for name in _BUTTONS:
            self._hud.paint_button(plate, name, director)
        return plate

    def _tile(self, plate: pygame.Surface, game: str, box: Box, view: View) -> None:
        # A game and its world have the same name: the games themselves, slow to load, are not needed here.
        scale, zoom, letters = self._context.scale, self._layout.tile_zoom, self._tiles.letters
        if game not in self._pictures:
            self._pictures[game] = self._context.world_of(game, zoom).sprite("tile")
        put(plate, self._pictures[game], scale, box[0] + _HOLE[0] * zoom, box[1] + _HOLE[1] * zoom)
        put(plate, self._tiles.sprites.sprite("lobby_tile"), scale, box[0], box[1])
        if game in view.bet_ranges:
            lowest, highest = (written(cents, view.money) for cents in view.bet_ranges[game])
            words = text.say(text.BET_RANGE, lowest=lowest, highest=highest)
            range_ = letters.fitted(words, 18, round(box[2] / zoom), PEARL)
            put_centred(plate, range_, scale, box[0] + box[2] / 2, box[1] + box[3] + 18 * zoom)
