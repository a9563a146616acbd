"""Autospin's settings: the number of spins and the stop conditions; amounts can be typed on a number pad."""

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, GREY, PEARL, TITLE, WHITE
from ui.page_layout import within
from ui.protocol.messages import AutospinPanel, View
from ui.protocol.values import Money, grouped, written
from ui.scenes.hud import Hud
from ui.stage import Stage
from ui.theme import Theme

PAD_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "clear", "0", "00")

_LABELS = {
    "spins": text.AUTO_SPINS,
    "loss_limit": text.AUTO_LOSS_LIMIT,
    "single_win": text.AUTO_SINGLE_WIN,
    "stop_on_jackpot": text.AUTO_ON_JACKPOT,
    "stop_on_feature": text.AUTO_ON_FEATURE,
}
_AMOUNTS = ("loss_limit", "single_win")
_SWITCHES = ("switch_off", "switch_on")
_SWITCH_ROOM, _SWITCH_ASIDE = 54, 17
"""The width of the word on a switch, and its distance from the switch's middle, away from the knob."""
_KEY_RISE = 3
"""How far above a number key's middle its face is centred, because of the shadow below it."""


class AutospinSettings:
    """The settings of one game's autospin, or the number pad in their place."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._layout = context.layout
        self._pages = context.layout.pages
        self._sprites, self._letters = context.sized(self._pages.zoom)
        self._hud = Hud(context)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return the controls of the settings, or those of the number pad."""
        panel = director.view.pages.autospin
        if panel is None:
            return []
        pages = self._pages
        buttons = self._hud.controls() if pages.hud else []
        if panel.typing:
            keys = [(f"auto:pad:{key}", pages.pad.box(_pad_place(place))) for place, key in enumerate(PAD_KEYS)]
            ends = (("auto:pad:ok", pages.answers[0]), ("auto:pad:cancel", pages.answers[1]))
        else:
            keys = [control for row, field in enumerate(_fields(panel)) for control in self._row_controls(row, field)]
            ends = (("auto:start", pages.answers[0]), ("auto:cancel", pages.answers[1]))
        return [*((name, pages.placed(box)) for name, box in (*keys, *ends)), *buttons]

    def _row_controls(self, row: int, field: str) -> list[Control]:
        box, parts = self._pages.autospin.box(row), self._pages.auto
        switch = (f"auto:{field}:toggle", within(box, parts.switch))
        steps = [(f"auto:{field}:-", within(box, parts.less)), (f"auto:{field}:+", within(box, parts.more))]
        if field == "spins":
            return steps
        return [switch, *steps, (f"auto:{field}:pad", within(box, parts.figure))] if field in _AMOUNTS else [switch]

    def due(self, _director: Director, now: float) -> float:
        """Return when to draw next; only the control under the finger changes."""
        return self._context.pressed_until if now < self._context.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the settings."""
        context, view = self._context, director.view
        key = (view.pages.autospin, view.focus, view.message, self._hud.key(director))
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        stage.begin(self._plate)
        if now < context.pressed_until:
            for name, box in self.controls(director):
                if name == context.pressed and name in view.controls and name.startswith("auto:"):
                    self._pressed(stage, name, box, view)
        if self._pages.hud:
            self._hud.draw(stage, director, now)

    def _pressed(self, stage: Stage, name: str, box: Box, view: View) -> None:
        """Show the control under the finger lit."""
        sprite = self._sprite(name, view.pages.autospin)
        if sprite:
            stage.draw_centred(self._baked(f"{sprite}_lit"), *centre(box))
        else:
            stage.draw_centred(_plate(box, self._context.scale, lit=True), *centre(box))
        for words, colour, size in self._words(name, view):
            room, x, y = self._room(sprite, box)
            stage.draw_centred(self._letters.fitted(words, size, room, colour), x, y)

    def _painted(self, director: Director) -> pygame.Surface:
        context, scale, view = self._context, self._context.scale, director.view
        plate = context.dim(context.scenery(context.world(self._theme), "background"), 110)
        pages, letters = self._pages, self._letters
        if pages.hud:
            self._hud.paint(plate, director)
        put_centred(plate, context.shared.sprite(pages.panel), scale, *centre(pages.placed(pages.box)))
        if pages.crest:
            logo = context.world(self._theme, self._layout.signs.logo_zoom).sprite("logo")
            put_centred(plate, logo, scale, self._layout.centre[0], pages.at(0, pages.crest)[1])
        panel = view.pages.autospin
        if panel is None:
            return plate
        title = text.say(_LABELS[panel.typing] if panel.typing else text.AUTO_TITLE)
        room = round(pages.box[2] / pages.zoom) - 60
        put_centred(plate, letters.fitted(title, pages.title, room, GOLD, TITLE), scale, *pages.at(*pages.heading))
        if panel.typing:
            self._typed(plate, panel, view.locale.money)
        else:
            self._rows(plate, panel, view)
        hint = text.say(text.AUTO_PAD_HINT if panel.typing else text.AUTO_HINT)
        put_centred(plate, letters.lines(hint, 18, pages.room, PEARL), scale, *pages.at(*pages.hint))
        for name, box in self.controls(director):
            if name.startswith("auto:"):
                self._control(plate, name, box, view, live=director.linked and name in view.controls)
        return plate

    def _baked(self, sprite: str) -> pygame.Surface:
        """Return a shared sprite, in the size of the page's letters if it was baked in that size."""
        drawn = self._sprites if sprite in self._sprites else self._context.shared
        return drawn.sprite(sprite)

    def _room(self, sprite: str, box: Box) -> tuple[int, float, float]:
        """Return the width for a control's words and their middle, which on a switch is beside the knob."""
        zoom, (x, y) = self._pages.zoom, centre(box)
        if sprite in _SWITCHES:
            return _SWITCH_ROOM, x + (-1 if sprite == _SWITCHES[1] else 1) * _SWITCH_ASIDE * zoom, y
        return round(box[2] / zoom) - 16, x, y - (_KEY_RISE * zoom if sprite == self._pages.pad_key else 0)

    def _rows(self, plate: pygame.Surface, panel: AutospinPanel, view: View) -> None:
        """Paint each setting's name, and the cursor of the panel's buttons."""
        scale, letters, pages, parts = self._context.scale, self._letters, self._pages, self._pages.auto
        for row, field in enumerate(_fields(panel)):
            box = pages.placed(pages.autospin.box(row))
            focused = view.focus == f"auto:{field}"
            if focused or parts.plated:
                put(plate, _plate(box, scale, lit=focused), scale, box[0], box[1])
            words = letters.fitted(text.say(_LABELS[field]), 25, parts.room, WHITE)
            middle = box[1] + parts.name[1]
            put(plate, words, scale, box[0] + parts.name[0], middle - words.get_height() / scale / 2)
            if field == "spins":
                figure_box = within(box, parts.figure)
                put(plate, _plate(figure_box, scale), scale, figure_box[0], figure_box[1])
                figure = letters.text(grouped(panel.spins, view.locale.money.thousands), 28)
                put_centred(plate, figure, scale, *centre(figure_box))

    def _typed(self, plate: pygame.Surface, panel: AutospinPanel, money: Money) -> None:
        """Paint what has been typed."""
        box = self._pages.placed(self._pages.pad_typed)
        put(plate, _plate(box, self._context.scale, lit=True), self._context.scale, box[0], box[1])
        amount = self._letters.number(written(panel.typed_cents, money), "digits_white")
        put_centred(plate, amount, self._context.scale, *centre(box))

    def _control(self, plate: pygame.Surface, name: str, box: Box, view: View, *, live: bool) -> None:
        scale = self._context.scale
        sprite = self._sprite(name, view.pages.autospin)
        if sprite:
            put_centred(plate, self._baked(sprite if live else f"{sprite}_dead"), scale, *centre(box))
        else:
            put(plate, _plate(box, scale), scale, box[0], box[1])
        for words, colour, size in self._words(name, view):
            room, x, y = self._room(sprite, box)
            put_centred(plate, self._letters.fitted(words, size, room, colour if live else GREY), scale, x, y)

    def _sprite(self, name: str, panel: AutospinPanel | None) -> str:
        """Return the baked button of a control, or an empty string for a plain plate."""
        if name in ("auto:start", "auto:pad:ok"):
            return "button_wide"
        if name in ("auto:cancel", "auto:pad:cancel"):
            return "button_wide_blue"
        _auto, field, kind = (*name.split(":"), "")[:3]
        if field == "pad":
            return self._pages.pad_key
        if kind == "toggle" and panel is not None:
            return _SWITCHES[_chosen(panel, field) > 0]
        return {"+": "button_plus", "-": "button_minus"}.get(kind, "")

    def _words(self, name: str, view: View) -> list[tuple[str, tuple[int, int, int], int]]:
        """Return the label of a control: words, colour and size."""
        panel = view.pages.autospin
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
            return [(kind, WHITE, self._pages.pad_size)]
        chosen = _chosen(panel, field)
        if kind == "toggle":
            return [(text.say(text.ON if chosen else text.OFF), WHITE if chosen else PEARL, 20)]
        return [
            (written(chosen, view.locale.money), WHITE, 26) if chosen else (text.say(text.AUTO_NO_LIMIT), PEARL, 20)
        ]


def _fields(panel: AutospinPanel) -> list[str]:
    """Return the settings from top to bottom."""
    return [field for field in _LABELS if field != "stop_on_jackpot" or panel.stop_on_jackpot is not None]


def _chosen(panel: AutospinPanel, field: str) -> int:
    """Return an amount in cents, or the state of a switch."""
    return {
        "loss_limit": panel.loss_limit_cents,
        "single_win": panel.single_win_cents,
        "stop_on_jackpot": int(panel.stop_on_jackpot or False),
        "stop_on_feature": int(panel.stop_on_feature),
    }[field]


def _pad_place(place: int) -> int:
    """Return the index of a number key in the pad's grid, which is filled by columns, while keys go by rows."""
    columns = 3
    return place % columns * (len(PAD_KEYS) // columns) + place // columns


def _plate(box: Box, scale: float, *, lit: bool = False) -> pygame.Surface:
    """Return the plate of a plain control or of the row under the cursor; brighter if `lit`."""
    surface = pill(box[2:], scale)
    if lit:
        surface.fill((26, 62, 92, 0), special_flags=pygame.BLEND_RGBA_ADD)
    return surface
