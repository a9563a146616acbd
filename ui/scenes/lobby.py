"""The lobby: a tile for each game, with its bet range; a touch, or SPIN, opens it."""

import pygame

from ui import text
from ui.director import Director
from ui.layout import BUTTONS, CENTRE, CREDIT, TILE, Box, centre, tiles
from ui.lettering import PEARL, TITLE, WHITE
from ui.messages import View
from ui.money import written
from ui.scenes.attract import call_for_money
from ui.scenes.hud import button_sprite, button_state
from ui.scenes.props import Control, Props, put, put_centred
from ui.stage import Stage
from ui.worlds.look import Look, load

_BUTTONS = ("home", "spin", "collect", "info", "sound", "service")
_HOLE = (18, 18, 284, 204)


class Lobby:
    """The choice of games."""

    def __init__(self, props: Props) -> None:
        self._props = props
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return a tile for each game and the buttons."""
        games = director.view.games
        placed: list[Control] = [(f"game:{name}", box) for name, box in zip(games, tiles(len(games)), strict=True)]
        return [*placed, *((name, BUTTONS[name]) for name in _BUTTONS)]

    def due(self, _director: Director, now: float) -> float:
        """It stands still but for the button under the finger."""
        return self._props.pressed_until if now < self._props.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        props, view = self._props, director.view
        stage.begin(self._backdrop(director))
        x, y = centre(CREDIT)
        amount = props.letters.number(written(view.credit_cents, view.money), "digits_white")
        stage.draw_centred(amount, x, y + 4)
        words = text.message(view.message) or (
            call_for_money(view) if view.credit_cents == 0 else text.say(text.TOUCH_A_GAME)
        )
        stage.draw_centred(props.letters.fitted(words, 26, 620, WHITE), CENTRE[0], 662)
        for name, box in self.controls(director):
            lit = name == view.focus or (name == props.pressed and now < props.pressed_until)
            if name.startswith("game:") and lit:
                stage.draw(props.shared.sprite("lobby_tile_lit"), box[0], box[1])
            elif lit:
                stage.draw_centred(props.shared.sprite(f"{button_sprite(name, view)}_lit"), *centre(box))

    def _backdrop(self, director: Director) -> pygame.Surface:
        view = director.view
        key = (view.controls, view.games, view.money, view.muted, view.coin_values_cents, director.linked)
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        return self._plate

    def _painted(self, director: Director) -> pygame.Surface:
        props, view, scale = self._props, director.view, self._props.scale
        plate = props.dim(props.plate(props.shared.sprite("attract")), 120)
        top = tiles(len(view.games))[0][1] if view.games else 300
        title = props.letters.text(text.say(text.CHOOSE_GAME), 44, WHITE, TITLE)
        put_centred(plate, title, scale, CENTRE[0], top - 34)
        for name, box in zip(view.games, tiles(len(view.games)), strict=True):
            self._tile(plate, load(name), box, view)
        put(plate, props.shared.sprite("hud_panel"), scale, 0, 600)
        put_centred(plate, props.shared.sprite("hud_box"), scale, centre(CREDIT)[0], centre(CREDIT)[1] + 4)
        put_centred(plate, props.letters.text(text.say(text.CREDIT), 14, PEARL), scale, centre(CREDIT)[0], 615)
        for name in _BUTTONS:
            sprite = f"{button_sprite(name, view)}{button_state(name, director)}"
            put_centred(plate, props.shared.sprite(sprite), scale, *centre(BUTTONS[name]))
        return plate

    def _tile(self, plate: pygame.Surface, look: Look, box: Box, view: View) -> None:
        props, scale = self._props, self._props.scale
        world = props.world(look)
        size = (round(_HOLE[2] * scale), round(_HOLE[3] * scale))
        put(plate, pygame.transform.smoothscale(world.sprite("background"), size), scale, box[0] + 18, box[1] + 18)
        star = world.sprite(next(iter(look.symbols)))
        put_centred(plate, star, scale, box[0] + TILE[0] / 2, box[1] + 96)
        logo = world.sprite("logo")
        width = round(264 * scale)
        logo = pygame.transform.smoothscale(logo, (width, round(width * logo.get_height() / logo.get_width())))
        put_centred(plate, logo, scale, box[0] + TILE[0] / 2, box[1] + 190)
        put(plate, props.shared.sprite("lobby_tile"), scale, box[0], box[1])
        stakes = [stake.coins for stake in look.game.stakes()]
        if view.coin_values_cents:
            lowest = min(stakes) * min(view.coin_values_cents)
            highest = max(stakes) * max(view.coin_values_cents)
            words = text.say(text.BET_RANGE, lowest=written(lowest, view.money), highest=written(highest, view.money))
            put_centred(plate, props.letters.text(words, 17, PEARL), scale, box[0] + TILE[0] / 2, box[1] + 254)
