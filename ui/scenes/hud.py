"""The bar under the reels and the buttons beside them: what is bet, owned and won, and what may be pressed."""

import pygame

from ui import text
from ui.director import Director
from ui.layout import BET, BUTTONS, CREDIT, HUD, MESSAGE, WIN, centre
from ui.lettering import GOLD, GREY, PEARL, WHITE
from ui.messages import View
from ui.money import written
from ui.scenes.props import Control, Props, put, put_centred
from ui.stage import Stage

PRESSED_S = 0.16

_SPRITES = {
    "max_bet": "button_max_bet",
    "auto": "button_auto",
    "collect": "button_collect",
    "info": "button_info",
    "home": "button_back",
}
_WORDLESS = {"coin_value": text.COIN_VALUE, "lines": text.LINES, "bet": text.LINE_BET}
_CALLS_FOR_A_PRESS = ("spin", "collect", "auto")
_ROUND_STATES = ("round",)


def button_sprite(name: str, view: View) -> str:
    """Return the baked button of a control."""
    if name == "spin":
        return "button_stop" if view.state in _ROUND_STATES else "button_spin"
    if name == "sound":
        return "button_sound_off" if view.muted else "button_sound_on"
    if name == "service":
        return "button_service"
    if name == "auto" and view.autospin_of:
        return "button_blank"  # it bears the spins left, and STOP
    return _SPRITES.get(name, "button_blank")


def button_state(name: str, director: Director) -> str:
    """Return the suffix of the button's state: dead where the control is not live or nobody listens."""
    if name not in director.view.controls or not director.linked:
        return "_dead"
    return "_lit" if name in _CALLS_FOR_A_PRESS else ""


class Hud:
    """Paints what stands (`paint`) on a backdrop, and draws what moves (`draw`)."""

    def __init__(self, props: Props) -> None:
        self._props = props

    def key(self, director: Director) -> tuple[object, ...]:
        """Return all that `paint` depends on: an equal key means an equal painting."""
        view = director.view
        auto = (view.autospin_left, view.autospin_of)
        return (view.controls, view.bet, view.money, view.muted, view.state in _ROUND_STATES, director.linked, auto)

    def controls(self) -> list[Control]:
        """Return the buttons and their places."""
        return list(BUTTONS.items())

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint panel, boxes, labels and buttons on `plate`."""
        props, scale = self._props, self._props.scale
        put(plate, props.shared.sprite("hud_panel"), scale, HUD[0], HUD[1])
        boxes = ((CREDIT, text.CREDIT, "hud_box"), (BET, text.BET, "hud_box"), (WIN, text.WIN, "hud_box_win"))
        for box, label, sprite in boxes:
            middle, _ = centre(box)
            put_centred(plate, props.shared.sprite(sprite), scale, middle, box[1] + box[3] / 2 + 4)
            put_centred(plate, props.letters.text(text.say(label), 16, PEARL), scale, middle, HUD[1] + 17)
        for name, box in BUTTONS.items():
            state = button_state(name, director)
            button = props.shared.sprite(f"{button_sprite(name, director.view)}{state}")
            put_centred(plate, button, scale, *centre(box))
            for words, x, y in self._label(name, director, dead=state == "_dead"):
                put_centred(plate, words, scale, x, y)

    def _label(self, name: str, director: Director, *, dead: bool) -> list[tuple[pygame.Surface, float, float]]:
        """Return the words on a button that has none baked in: surfaces and their centres."""
        bet, letters = director.view.bet, self._props.letters
        label = text.AUTO_STOP if name == "auto" and director.view.autospin_of else _WORDLESS.get(name, "")
        if not label:
            return []
        figure = str(director.view.autospin_left) if name == "auto" else ""
        if bet is not None and name in _WORDLESS:
            figures = {
                "coin_value": written(bet.coin_value_cents, director.view.money),
                "lines": str(bet.lines),
                "bet": str(bet.coins_per_line),
            }
            figure = figures[name]
        x, y = centre(BUTTONS[name])
        return [
            (letters.text(text.say(label), 14, GREY if dead else WHITE), x, y + 19),
            (letters.text(figure, 26, GREY if dead else WHITE), x, y - 8),
        ]

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the figures and the button under the finger."""
        props, view = self._props, director.view
        letters = props.letters
        credit = director.credit(now)
        self._money(stage, written(credit, view.money), CREDIT)
        if view.bet is not None:
            self._money(stage, written(view.bet.cents, view.money), BET)
            thousands = view.money.thousands
            coins = text.count(text.COIN, text.COINS, credit // view.bet.coin_value_cents, thousands)
            x, _ = centre(CREDIT)
            stage.draw_centred(letters.text(coins, 17, PEARL), x, CREDIT[1] + 66)
            lines = text.count(text.LINE_COUNT, text.LINES_COUNT, view.bet.lines)
            coins = text.count(text.COIN, text.COINS, view.bet.coins_per_line)
            x, _ = centre(BET)
            stage.draw_centred(letters.text(text.say(text.BET_OF, lines=lines, coins=coins), 17, PEARL), x, BET[1] + 66)
        win = director.win(now)
        if win:
            x, y = centre(WIN)
            figure = letters.number(written(win, view.money), "digits_gold")
            stage.draw_centred(figure, x, y + 4)
        if props.pressed in BUTTONS and now < props.pressed_until:
            button = props.shared.sprite(f"{button_sprite(props.pressed, view)}_lit")
            stage.draw_centred(button, *centre(BUTTONS[props.pressed]))
            for label, x, y in self._label(props.pressed, director, dead=False):
                stage.draw_centred(label, x, y)

    def due(self, now: float) -> float:
        """Return when the pressed button must be drawn released."""
        return self._props.pressed_until if now < self._props.pressed_until else float("inf")

    def message(self, stage: Stage, words: str, *, gold: bool = False) -> None:
        """Draw one line of words under the reels."""
        if not words:
            return
        x, y = centre(MESSAGE)
        plate = self._props.letters.fitted(words, 21, round(MESSAGE[2]) - 40, GOLD if gold else WHITE)
        stage.draw_centred(plate, x, y)

    def _money(self, stage: Stage, amount: str, box: tuple[float, float, float, float]) -> None:
        x, _ = centre(box)
        stage.draw_centred(self._props.letters.number(amount, "digits_white"), x, box[1] + 36)
