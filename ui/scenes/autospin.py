"""Autospin's settings: how many spins, and what stops them before; amounts can be typed on a number pad."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GOLD, GREY, PEARL, TITLE, WHITE
from ui.messages import AutospinPanel, View
from ui.money import grouped, written
from ui.scenes.props import Control, Props, pill, put, put_centred
from ui.stage import Stage
from ui.worlds.look import Look

START: Box = (348, 640, 280, 72)
CANCEL: Box = (652, 640, 280, 72)

ROW = (140, 148, 1000, 72)
"""The first row; the others follow `ROW_STEP` units lower each."""
ROW_STEP = 83
SWITCH = (620, 112)
LESS, FIGURE, MORE = (752, 64), (832, 204), (1052, 64)
"""Left edge and width of a row's controls."""
CONTROL_HEIGHT = 60

PAD_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "clear", "0", "00")
PAD_KEY: Box = (405, 262, 150, 68)
PAD_GAP = 10

_LABELS = {
    "spins": text.AUTO_SPINS,
    "loss_limit": text.AUTO_LOSS_LIMIT,
    "single_win": text.AUTO_SINGLE_WIN,
    "stop_on_jackpot": text.AUTO_ON_JACKPOT,
    "stop_on_feature": text.AUTO_ON_FEATURE,
}
_AMOUNTS = ("loss_limit", "single_win")


class AutospinSettings:
    """The settings of one game's autospin, or the number pad in their place."""

    def __init__(self, props: Props, look: Look) -> None:
        self._props = props
        self._look = look
        self._layout = props.layout
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return the controls of the settings, or those of the number pad."""
        panel = director.view.autospin
        if panel is None:
            return []
        if panel.typing:
            return self._placed([*_pad_keys(), ("auto:pad:ok", START), ("auto:pad:cancel", CANCEL)])
        rows = [control for row, field in enumerate(_fields(panel)) for control in _row_controls(row, field)]
        return self._placed([*rows, ("auto:start", START), ("auto:cancel", CANCEL)])

    def _placed(self, controls: Sequence[Control]) -> list[Control]:
        return [(name, self._layout.moved(box)) for name, box in controls]

    def due(self, _director: Director, now: float) -> float:
        """It stands still but for the control under the finger."""
        return self._props.pressed_until if now < self._props.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the settings."""
        props, view = self._props, director.view
        key = (view.autospin, view.focus, view.controls, view.money, director.linked)
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        stage.begin(self._plate)
        if now < props.pressed_until:
            for name, box in self.controls(director):
                if name == props.pressed and name in view.controls:
                    self._pressed(stage, name, box, view)

    def _pressed(self, stage: Stage, name: str, box: Box, view: View) -> None:
        """Show the control under the finger lit."""
        sprite = self._sprite(name)
        if sprite:
            stage.draw_centred(self._props.shared.sprite(f"{sprite}_lit"), *centre(box))
        else:
            stage.draw_centred(_plate(box, self._props.scale, lit=True), *centre(box))
        for words, colour, size in self._words(name, view):
            stage.draw_centred(self._props.letters.fitted(words, size, round(box[2]) - 16, colour), *centre(box))

    def _painted(self, director: Director) -> pygame.Surface:
        props, scale, view = self._props, self._props.scale, director.view
        plate = props.dim(props.scenery(props.world(self._look), "background"), 110)
        put_centred(plate, props.shared.sprite(self._layout.settings_panel), scale, *centre(self._layout.settings))
        panel = view.autospin
        if panel is None:
            return plate
        title = _LABELS[panel.typing] if panel.typing else text.AUTO_TITLE
        put_centred(plate, props.letters.text(text.say(title), 38, GOLD, TITLE), scale, *self._layout.at(640, 106))
        if panel.typing:
            self._typed(plate, panel, view)
        else:
            self._rows(plate, panel, view)
        hint = text.say(text.AUTO_PAD_HINT if panel.typing else text.AUTO_HINT)
        put_centred(plate, props.letters.fitted(hint, 18, 1000, PEARL), scale, *self._layout.at(640, 600))
        for name, box in self.controls(director):
            self._control(plate, name, box, view, live=director.linked and name in view.controls)
        return plate

    def _rows(self, plate: pygame.Surface, panel: AutospinPanel, view: View) -> None:
        """Paint each setting's name, and the cursor of the panel's buttons."""
        props, scale = self._props, self._props.scale
        for row, field in enumerate(_fields(panel)):
            left, top, width, height = self._layout.moved(_row(row))
            if view.focus == f"auto:{field}":
                put(plate, _plate((left, top, width, height), scale, lit=True), scale, left, top)
            words = props.letters.fitted(text.say(_LABELS[field]), 25, SWITCH[0] - ROW[0] - 40, WHITE)
            put(plate, words, scale, left + 24, top + height / 2 - words.get_height() / scale / 2)
            if field == "spins":
                box = self._layout.moved(_row_box(row, FIGURE))
                put(plate, _plate(box, scale), scale, box[0], box[1])
                figure = props.letters.text(grouped(panel.spins, view.money.thousands), 28)
                put_centred(plate, figure, scale, *centre(box))

    def _typed(self, plate: pygame.Surface, panel: AutospinPanel, view: View) -> None:
        """Paint what has been typed."""
        box = self._layout.moved((PAD_KEY[0], 172, 3 * PAD_KEY[2] + 2 * PAD_GAP, 76))
        put(plate, _plate(box, self._props.scale, lit=True), self._props.scale, box[0], box[1])
        amount = self._props.letters.number(written(panel.typed_cents, view.money), "digits_white")
        put_centred(plate, amount, self._props.scale, *centre(box))

    def _control(self, plate: pygame.Surface, name: str, box: Box, view: View, *, live: bool) -> None:
        props, scale = self._props, self._props.scale
        sprite = self._sprite(name)
        if sprite:
            put_centred(plate, props.shared.sprite(sprite if live else f"{sprite}_dead"), scale, *centre(box))
        else:
            put(plate, _plate(box, scale), scale, box[0], box[1])
        for words, colour, size in self._words(name, view):
            surface = props.letters.fitted(words, size, round(box[2]) - 16, colour if live else GREY)
            put_centred(plate, surface, scale, *centre(box))

    @staticmethod
    def _sprite(name: str) -> str:
        """Return the baked button of a control, or nothing where a plain plate is its place."""
        if name in ("auto:start", "auto:pad:ok"):
            return "button_wide"
        if name in ("auto:cancel", "auto:pad:cancel"):
            return "button_wide_blue"
        return {"+": "button_plus", "-": "button_minus"}.get(name.rsplit(":", 1)[-1], "")

    @staticmethod
    def _words(name: str, view: View) -> list[tuple[str, tuple[int, int, int], int]]:
        """Return what stands on a control: words, colour and size."""
        panel = view.autospin
        fixed = {
            "auto:start": text.AUTO_START,
            "auto:cancel": text.AUTO_CANCEL,
            "auto:pad:ok": text.AUTO_OK,
            "auto:pad:cancel": text.AUTO_CANCEL,
            "auto:pad:clear": text.AUTO_CLEAR,
        }
        _auto, field, kind = (*name.split(":"), "")[:3]
        if name in fixed:
            return [(text.say(fixed[name]), WHITE, 22)]
        if panel is None or kind in ("+", "-"):
            return []
        if field == "pad":
            return [(kind, WHITE, 30)]
        chosen = _chosen(panel, field)
        if kind == "toggle":
            return [(text.say(text.ON if chosen else text.OFF), GOLD if chosen else PEARL, 22)]
        return [(written(chosen, view.money), WHITE, 26) if chosen else (text.say(text.AUTO_NO_LIMIT), PEARL, 20)]


def _fields(panel: AutospinPanel) -> list[str]:
    """Return the settings from top to bottom."""
    return [field for field in _LABELS if field != "stop_on_jackpot" or panel.stop_on_jackpot is not None]


def _chosen(panel: AutospinPanel, field: str) -> int:
    """Return an amount in cents, or whether a switch is on."""
    return {
        "loss_limit": panel.loss_limit_cents,
        "single_win": panel.single_win_cents,
        "stop_on_jackpot": int(panel.stop_on_jackpot or False),
        "stop_on_feature": int(panel.stop_on_feature),
    }[field]


def _row(row: int) -> Box:
    return (ROW[0], ROW[1] + row * ROW_STEP, ROW[2], ROW[3])


def _row_box(row: int, place: tuple[int, int]) -> Box:
    _left, top, _width, height = _row(row)
    return (place[0], top + (height - CONTROL_HEIGHT) / 2, place[1], CONTROL_HEIGHT)


def _row_controls(row: int, field: str) -> list[Control]:
    switch = (f"auto:{field}:toggle", _row_box(row, SWITCH))
    steps = [(f"auto:{field}:-", _row_box(row, LESS)), (f"auto:{field}:+", _row_box(row, MORE))]
    if field == "spins":
        return steps
    return [switch, *steps, (f"auto:{field}:pad", _row_box(row, FIGURE))] if field in _AMOUNTS else [switch]


def _pad_keys() -> list[Control]:
    left, top, width, height = PAD_KEY
    return [
        (
            f"auto:pad:{key}",
            (left + place % 3 * (width + PAD_GAP), top + place // 3 * (height + PAD_GAP), width, height),
        )
        for place, key in enumerate(PAD_KEYS)
    ]


def _plate(box: Box, scale: float, *, lit: bool = False) -> pygame.Surface:
    """Return the plate of a plain control or of the row under the cursor; brighter where it is `lit`."""
    surface = pill(box[2:], scale)
    if lit:
        surface.fill((26, 62, 92, 0), special_flags=pygame.BLEND_RGBA_ADD)
    return surface
