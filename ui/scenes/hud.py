"""The bar under the reels and the buttons beside them: bet, balance and win, and the live controls."""

from functools import cached_property

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, put, put_centred
from ui.layout import Box, centre
from ui.lettering import FIGURES, GOLD, GREY, PEARL, WHITE
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.scenes.strip import Strip
from ui.stage import Stage

PRESSED_S = 0.16
LABEL_ROOM = 98
"""The greatest width of the words on a button."""
_RIM = 30
"""How much of a meter's width its rim and padding take."""

_SPRITES = {
    "max_bet": "button_max_bet",
    "auto": "button_auto",
    "collect": "button_collect",
    "info": "button_info",
    "home": "button_back",
}
_WORDLESS = {"coin_value": text.COIN_VALUE, "lines": text.LINES, "bet": text.LINE_BET}
_TOTAL_BET = {"coin_value": (text.LINES, "{lines}"), "lines": (text.BET, "\N{MINUS SIGN}"), "bet": (text.BET, "+")}
"""If the bet is chosen as a whole, its lines are fixed, LINES steps the bet down and BET steps it up."""
_CALLS_FOR_A_PRESS = ("spin", "collect", "auto")
_GAMBLE_STATES = ("gamble_offer",)
"""The states in which MAX BET is GAMBLE."""
_ROUND_STATES = ("round",)


def button_sprite(name: str, view: View) -> str:
    """Return the baked button of a control."""
    if name == "spin":
        stops = view.state in _ROUND_STATES and "spin" in view.controls  # where the house has no STOP it is a dead SPIN
        return "button_stop" if stops else "button_spin"
    if name == "max_bet" and view.state in _GAMBLE_STATES:
        return "button_gamble"
    if name == "sound":
        return "button_sound_off" if view.output.muted else "button_sound_on"
    if name == "service":
        return "button_service"
    if name == "auto" and view.round.autospin_of:
        return "button_blank"  # it shows the spins left, and STOP
    return _SPRITES.get(name, "button_blank")


def button_state(name: str, director: Director) -> str:
    """Return the suffix of the button's state: dead if the control is not live or the supervisor is away."""
    if name not in director.view.controls or not director.linked:
        return "_dead"
    gambles = name == "max_bet" and director.view.state in _GAMBLE_STATES
    return "_lit" if gambles or name in _CALLS_FOR_A_PRESS else ""


class Hud:
    """Paints the still parts (`paint`) on a backdrop, and draws the moving ones (`draw`)."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._layout = context.layout
        self._meters = context.sized(context.layout.hud.meter_zoom)
        self._knobs = context.sized(context.layout.hud.button_zoom)

    @cached_property
    def _strip(self) -> Strip:
        """The strip that replaces it in a demonstration, created on demand because few scenes need it."""
        return Strip(self._context)

    def key(self, director: Director) -> tuple[object, ...]:
        """Return everything that `paint` depends on; an equal key means an equal painting."""
        view = director.view
        auto = (view.round.autospin_left, view.round.autospin_of)
        stopping, gambling = view.state in _ROUND_STATES, view.state in _GAMBLE_STATES
        shown = (view.bet, bool(view.terms.bets_cents), view.locale.money, view.output.muted, stopping, gambling)
        return (view.controls, *shown, director.linked, auto, _win_label(view))

    def controls(self) -> list[Control]:
        """Return the buttons and their positions."""
        return list(self._layout.hud.buttons.items())

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint panel, boxes, labels and buttons on `plate`, or the strip that replaces them in a demonstration."""
        if director.demonstrates:
            self._strip.paint(plate)
            return
        scale, layout = self._context.scale, self._layout
        put(plate, self._context.shared.sprite(layout.hud.panel), scale, *layout.hud.box[:2])
        self.paint_meter(plate, layout.hud.credit, text.say(text.CREDIT))
        self.paint_meter(plate, layout.hud.bet, text.say(text.BET))
        self.paint_meter(plate, layout.hud.win, _win_label(director.view), "hud_box_win")
        for name, box in layout.hud.buttons.items():
            dead = button_state(name, director) == "_dead"
            if name == "coin_value" and director.view.terms.bets_cents:
                put_centred(plate, self._knobs.sprites.sprite("hud_box_small"), scale, *centre(box))
            else:
                self.paint_button(plate, name, director)
            for words, x, y in self._label(name, director, dead=dead):
                put_centred(plate, words, scale, x, y)

    def paint_meter(self, plate: pygame.Surface, box: Box, label: str, sprite: str = "hud_box") -> None:
        """Paint an empty box for a figure, with its label above it."""
        layout, (sprites, letters) = self._layout, self._meters
        middle, down = centre(box)
        put_centred(plate, sprites.sprite(sprite), self._context.scale, middle, down + 4 * layout.hud.meter_zoom)
        words = letters.fitted(label, 16, round(box[2] / layout.hud.meter_zoom), PEARL)
        put_centred(plate, words, self._context.scale, middle, layout.hud.label_y)

    def paint_button(self, plate: pygame.Surface, name: str, director: Director) -> None:
        """Paint a button, live or dead, without the words that are not baked."""
        sprite = f"{button_sprite(name, director.view)}{button_state(name, director)}"
        put_centred(
            plate, self._knobs.sprites.sprite(sprite), self._context.scale, *centre(self._layout.hud.buttons[name])
        )

    def draw_over(self, stage: Stage, director: Director, reached: pygame.Rect) -> None:
        """Draw the buttons again that a passing object has covered; `reached` is its rectangle in pixels."""
        if director.demonstrates:
            return
        for name, box in self._layout.hud.buttons.items():
            if stage.pixels(box).colliderect(reached):
                button = f"{button_sprite(name, director.view)}{button_state(name, director)}"
                stage.draw_centred(self._knobs.sprites.sprite(button), *centre(box))
                for label, x, y in self._label(name, director, dead=button.endswith("_dead")):
                    stage.draw_centred(label, x, y)

    def draw_lit(self, stage: Stage, name: str, director: Director) -> None:
        """Draw a button lit, because the finger or the cursor is on it."""
        button = self._knobs.sprites.sprite(f"{button_sprite(name, director.view)}_lit")
        stage.draw_centred(button, *centre(self._layout.hud.buttons[name]))
        for label, x, y in self._label(name, director, dead=False):
            stage.draw_centred(label, x, y)

    def _label(self, name: str, director: Director, *, dead: bool) -> list[tuple[pygame.Surface, float, float]]:
        """Return the words on a button that has none baked: surfaces and their centres."""
        view, letters, zoom, size = director.view, self._knobs.letters, self._layout.hud.button_zoom, 26
        if name == "auto" and view.round.autospin_of:
            label, figure = text.AUTO_STOP, str(view.round.autospin_left)
        elif name not in _WORDLESS:
            return []
        elif view.terms.bets_cents and view.bet is not None:
            label, figure = _TOTAL_BET[name]
            if name == "coin_value" and (ways := _ways(director)):
                label, figure = text.WAYS, str(ways)
            figure, size = figure.format(lines=view.bet.lines), 26 if name == "coin_value" else 40
            dead = dead and name != "coin_value"
        else:
            label, figure = _WORDLESS[name], _figure(name, view)
        x, y = centre(self._layout.hud.buttons[name])
        up, down = self._layout.hud.button_words
        colour = GREY if dead else WHITE
        return [
            (letters.fitted(self._worded(label), 14, LABEL_ROOM, colour), x, y + down * zoom),
            (letters.text(figure, size, colour), x, y + up * zoom),
        ]

    def _worded(self, label: str) -> str:
        """Return a button's words, or the shorter form if the others would have to be set too small."""
        words = text.say(label)
        shorter = label == text.COIN_VALUE and not self._knobs.letters.fits(words, 14, LABEL_ROOM)
        return text.say(text.COIN_VALUE_SHORT) if shorter else words

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the figures and the button under the finger, or the win in a demonstration."""
        if director.demonstrates:
            self._strip.draw(stage, director.view, director.win(now))
            return
        context, view, layout = self._context, director.view, self._layout
        letters, zoom = self._meters.letters, layout.hud.meter_zoom
        credit = director.credit(now)
        self.draw_money(stage, written(credit, view.locale.money), layout.hud.credit)
        if view.bet is not None:
            self.draw_money(stage, written(view.bet.cents, view.locale.money), layout.hud.bet)
            thousands = view.locale.money.thousands
            coins = text.count(text.COIN, text.COINS, credit // view.bet.coin_value_cents, thousands)
            self._draw_note(stage, coins, layout.hud.credit)
            words = text.count(text.LINE_COUNT, text.LINES_COUNT, view.bet.lines)
            if ways := _ways(director):
                words = text.count(text.WAY_COUNT, text.WAYS_COUNT, ways, thousands)
            if not view.terms.bets_cents:
                coins = text.count(text.COIN, text.COINS, view.bet.coins_per_line)
                words = text.say(text.BET_OF, lines=words, coins=coins)
            self._draw_note(stage, words, layout.hud.bet)
        win = director.win(now)
        if win:
            x, y = centre(layout.hud.win)
            figure = letters.fitted_number(
                written(win, view.locale.money), "digits_gold", layout.hud.win[2] / zoom - 26
            )
            stage.draw_centred(figure, x, y + 4 * zoom)
        if context.pressed in layout.hud.buttons and now < context.pressed_until:
            self.draw_lit(stage, context.pressed, director)

    def due(self, now: float) -> float:
        """Return when the pressed button must be drawn released."""
        return self._context.pressed_until if now < self._context.pressed_until else float("inf")

    def message(self, stage: Stage, words: str, *, gold: bool = False) -> None:
        """Draw one line of words under the reels."""
        if not words:
            return
        box, zoom = self._layout.hud.message, self._layout.hud.message_zoom
        letters = self._context.sized(zoom).letters
        plate = letters.lines(words, 21, round(box[2] / zoom) - 40, GOLD if gold else WHITE)
        stage.draw_centred(plate, *centre(box))

    def _draw_note(self, stage: Stage, words: str, box: Box) -> None:
        """Draw the small words under an amount, clear of the box's rim."""
        zoom = self._layout.hud.meter_zoom
        note = self._meters.letters.fitted(words, 17, round(box[2] / zoom) - _RIM, PEARL, FIGURES)
        stage.draw_centred(note, centre(box)[0], box[1] + 66 * zoom)

    def draw_money(self, stage: Stage, amount: str, box: Box, *, lone: bool = False) -> None:
        """Draw an amount into a box painted by `paint_meter`, in its middle if it is there `lone`."""
        inner = box[2] / self._layout.hud.meter_zoom - 36
        figure = self._meters.letters.fitted_number(amount, "digits_white", inner)
        stage.draw_centred(figure, centre(box)[0], box[1] + (46 if lone else 36) * self._layout.hud.meter_zoom)


def _win_label(view: View) -> str:
    """Return the label of the win, with its bet if another bet is chosen at present (L8)."""
    last = view.past.last_round
    if last is None or view.bet is None or view.round.played_bet in (None, view.bet):
        return text.say(text.WIN)
    if last.game != view.game or last.bet_cents == view.bet.cents:
        return text.say(text.WIN)
    return text.say(text.WIN_OF_BET, bet=written(last.bet_cents, view.locale.money))


def _ways(director: Director) -> int:
    """Return the number of ways of the current game; 0 for a game of lines and without a game."""
    return 0 if director.theme is None else director.theme.ways


def _figure(name: str, view: View) -> str:
    """Return the figure on a button that changes the bet."""
    if view.bet is None:
        return ""
    return {
        "coin_value": written(view.bet.coin_value_cents, view.locale.money),
        "lines": str(view.bet.lines),
        "bet": str(view.bet.coins_per_line),
    }[name]
