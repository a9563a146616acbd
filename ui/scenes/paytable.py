"""The paytable, the lines and the rules, page by page, made from the game's own tables."""

from collections.abc import Mapping, Sequence

import pygame

from ui import text
from ui.director import Director
from ui.layout import CENTRE, PAGE, Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.messages import View
from ui.money import grouped
from ui.scenes.props import Control, Props, put, put_centred
from ui.stage import Stage
from ui.worlds.look import Look

NEXT: Box = (1122, 326, 64, 64)
PREVIOUS: Box = (94, 326, 64, 64)
CLOSE: Box = (500, 640, 280, 72)
PAGES = 3
"""Pays, lines, rules."""

_MINI = (26, 20)


class Paytable:
    """The pages of one game.

    A view's `focus` of `page:<n>` (from 0) turns to that page, so that the panel's buttons can; from there the touch
    controls `paytable_next` and `paytable_previous` turn on, here and without the supervisor.
    """

    def __init__(self, props: Props, look: Look) -> None:
        self._props = props
        self._look = look
        self._page = 0
        self._asked: tuple[int, str] = (-1, "")
        self._plates: dict[tuple[object, ...], pygame.Surface] = {}

    def controls(self, _director: Director) -> list[Control]:
        """Return the arrows and the way back."""
        return [("paytable_next", NEXT), ("paytable_previous", PREVIOUS), ("paytable_close", CLOSE)]

    def due(self, _director: Director, now: float) -> float:
        """Pages stand still."""
        return self._props.pressed_until if now < self._props.pressed_until else float("inf")

    def turn(self, control: str) -> bool:
        """Turn the page where `control` is an arrow; tell whether it was."""
        step = {"paytable_next": 1, "paytable_previous": -1}.get(control, 0)
        self._page = (self._page + step) % PAGES
        return step != 0

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page."""
        asked = (director.turn, director.view.focus)
        if asked != self._asked:
            self._asked = asked
            number = asked[1].removeprefix("page:")
            self._page = int(number) % PAGES if number.isdigit() else 0
        page = self._page
        key = (page, director.view.money)
        if key not in self._plates:
            self._plates = {key: self._painted(page, director.view)}
        stage.begin(self._plates[key])
        pressed = self._props.pressed if now < self._props.pressed_until else ""
        for name, box in self.controls(director):
            if name == pressed:
                sprite = "button_wide_lit" if name == "paytable_close" else "button_back_lit"
                surface = self._props.shared.sprite(sprite)
                if name == "paytable_next":
                    surface = pygame.transform.flip(surface, flip_x=True, flip_y=False)
                stage.draw_centred(surface, *centre(box))

    def _painted(self, page: int, view: View) -> pygame.Surface:
        props, scale = self._props, self._props.scale
        plate = props.dim(props.plate(props.world(self._look).sprite("background")), 110)
        put_centred(plate, props.shared.sprite("panel_page"), scale, *centre(PAGE))
        (self._pays, self._lines, self._rules)[page](plate, view)
        back = props.shared.sprite("button_back")
        put_centred(plate, back, scale, *centre(PREVIOUS))
        put_centred(plate, pygame.transform.flip(back, flip_x=True, flip_y=False), scale, *centre(NEXT))
        put_centred(plate, props.shared.sprite("button_wide"), scale, *centre(CLOSE))
        put_centred(plate, props.letters.text(text.say(text.CLOSE), 21), scale, *centre(CLOSE))
        number = text.say(text.PAGE_OF, page=page + 1, pages=PAGES)
        put_centred(plate, props.letters.text(number, 18, PEARL), scale, 1130, 616)
        return plate

    def _title(self, plate: pygame.Surface, title: str, foot: str) -> None:
        letters, scale = self._props.letters, self._props.scale
        put_centred(plate, letters.text(title, 38, GOLD, TITLE), scale, CENTRE[0], 106)
        put_centred(plate, letters.text(foot, 18, PEARL), scale, CENTRE[0], 616)

    def _pays(self, plate: pygame.Surface, view: View) -> None:
        self._title(plate, text.say(text.PAYTABLE), text.say(text.PAYTABLE_FOOT))
        symbols = [name for name in self._look.symbols if self._look.line_pays(name)]
        specials = [name for name in self._look.symbols if name not in symbols]
        places = [(170 + 240 * (place % 4), 130 + 158 * (place // 4)) for place in range(12)]
        for name, (left, top) in zip([*symbols, *specials], places, strict=False):
            pays = self._look.line_pays(name)
            lines = _pay_lines(pays, view)
            if name == self._look.scatter:
                lines = _pay_lines(self._look.scatter_pays(), view, "× ")  # noqa: RUF001  the multiplication sign
            self._symbol(plate, name, lines, left, top)

    def _symbol(
        self, plate: pygame.Surface, name: str, lines: Sequence[tuple[str, str]], left: float, top: float
    ) -> None:
        props, scale = self._props, self._props.scale
        sprite = props.world(self._look).sprite(name)
        small = pygame.transform.smoothscale_by(sprite, 0.78)
        put(plate, small, scale, left - 6, top + 14)
        for row, (count, words) in enumerate(lines):
            height = top + 74 - 13 * len(lines) + 26 * row
            put(plate, props.letters.text(count, 20, GOLD), scale, left + 126, height)
            put(plate, props.letters.text(words, 20, WHITE), scale, left + 150, height)
        if name == self._look.bonus:
            note = props.letters.paragraph(text.say(text.PAYTABLE_BONUS), 17, 150, PEARL)
            put(plate, note, scale, left + 124, top + 42)

    def _lines(self, plate: pygame.Surface, _view: View) -> None:
        lines = self._look.lines
        self._title(plate, text.say(text.PAYLINES, lines=len(lines)), text.say(text.PAYLINES_FOOT))
        for place, line in enumerate(lines):
            left, top = 200 + 185 * (place % 5), 160 + 148 * (place // 5)
            self._mini(plate, place + 1, line, left, top)

    def _mini(self, plate: pygame.Surface, number: int, line: Sequence[int], left: float, top: float) -> None:
        props, scale = self._props, self._props.scale
        put_centred(plate, props.letters.text(str(number), 20, GOLD), scale, left + 68, top + 2)
        for reel in range(self._look.game.reels):
            for row in range(self._look.game.rows):
                lit = line[reel] == row
                box = (left + reel * (_MINI[0] + 2), top + 20 + row * (_MINI[1] + 4), *_MINI)
                rect = pygame.Rect(*(round(value * scale) for value in box))
                pygame.draw.rect(plate, (255, 206, 90) if lit else (24, 62, 88), rect, border_radius=round(4 * scale))

    def _rules(self, plate: pygame.Surface, _view: View) -> None:
        self._title(plate, text.say(text.RULES), "")
        letters, scale = self._props.letters, self._props.scale
        top = 136.0
        for heading, words in self._look.rules():
            put(plate, letters.text(heading, 23, GOLD), scale, 190, top)
            paragraph = letters.paragraph(words, 19, 900, PEARL)
            put(plate, paragraph, scale, 190, top + 32)
            top += 32 + paragraph.get_height() / scale + 12


def _pay_lines(pays: Mapping[int, int], view: View, sign: str = "") -> list[tuple[str, str]]:
    falling = sorted(pays.items(), reverse=True)
    return [(str(count), f"{sign}{grouped(pay, view.money.thousands)}") for count, pay in falling]
