"""The paytable, the lines and the rules, page by page, built from the game's own tables."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil, prod
from typing import NamedTuple, TypeVar

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, arrow, put, put_centred
from ui.layout import Box, centre
from ui.lettering import BOLD, GOLD, PEARL, PLAIN, TITLE, WHITE
from ui.promises import win_up_to
from ui.protocol.messages import View
from ui.protocol.values import grouped, written
from ui.scenes.shortcuts import shortcuts
from ui.stage import Stage
from ui.theme import Theme, printed_pays

_MENU = 64
"""The side length of the menu button in the page's upper right corner."""
_SYMBOL_HEIGHT = 150
_SYMBOL_ZOOM = 0.78
_ENTRY = 280
"""The width of a symbol with its pays; the rest of a column is left free on both sides."""
_LINE = 26
"""Distance between the lines of what a symbol pays."""
_MINI = (26, 20)
_MINI_STEP = (28, 24)
_WAYS_ZOOM = 1.35
_HEADING, _TEXT = 23, 19
_LEADING = 1.36
_TEXT_ZOOMS = (1.5, 1.35, 1.2, 1.1)
"""Factors by which the rules are enlarged if that needs no further page."""
_AFTER_HEADING, _AFTER_TEXT = 6, 14
_NAMES_ROOM = 140
"""The greatest width of the names of the panel's buttons."""
_FOOT = 30
"""How far below the other pages' content the rules may extend, because they have a foot only on portrait monitors."""
_ROOMY = 1.3
"""The greatest distance between rows, as a multiple of their height."""

Item = TypeVar("Item")
Painter = Callable[["Paytable", pygame.Surface, View], None]


class RulesLine(NamedTuple):
    """One line of the rules: its position on the canvas, its words, their size in units and their font."""

    left: float
    top: float
    words: str
    size: int
    font: str

    @property
    def heading(self) -> bool:
        """Whether it is a heading."""
        return self.font == BOLD


class Paytable:
    """The pages of one game.

    A view's `focus` of `page:<n>` (from 0) turns to that page, for the panel's buttons. From there the touch controls
    `paytable_next` and `paytable_previous` turn pages without the supervisor.
    """

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._layout = context.layout
        self._zoom = context.layout.book.zoom
        self._keys = context.sized(context.layout.hud.button_zoom)
        self._content = _content(context.layout.book.box, self._zoom)
        self._cap_cents = theme.game.gamble_cap_cents
        self.rules_pages = self._set_rules()
        self._pages = self._all_pages()
        self._page = 0
        self._asked: tuple[int, str] = (-1, "")
        self._plates: dict[tuple[object, ...], pygame.Surface] = {}

    @property
    def pages(self) -> int:
        """The number of pages: pays, lines and rules."""
        return len(self._pages)

    def controls(self, director: Director) -> list[Control]:
        """Return the arrows, the key that leads back, and the game's own choices here."""
        layout = self._layout
        choices = self._theme.paytable_choices(director.view)
        return [
            ("paytable_next", layout.book.arrows[1]),
            ("paytable_previous", layout.book.arrows[0]),
            ("paytable_close", layout.book.way_back),
            *([("menu", self._menu_box())] if "menu" in director.view.controls else []),
            *((choice.control, box) for choice, box in zip(choices, layout.book.choices, strict=False)),
        ]

    def due(self, _director: Director, now: float) -> float:
        """Return infinity: pages do not move."""
        return self._context.pressed_until if now < self._context.pressed_until else float("inf")

    def turn(self, control: str) -> bool:
        """Turn the page if `control` is an arrow; return whether it was."""
        step = {"paytable_next": 1, "paytable_previous": -1}.get(control, 0)
        self._page = (self._page + step) % len(self._pages)
        return step != 0

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page."""
        view = director.view
        if view.terms.gamble_cap_cents != self._cap_cents:
            self._cap_cents = view.terms.gamble_cap_cents
            self.rules_pages = self._set_rules()
            self._pages, self._plates = self._all_pages(), {}
        asked = (director.turn, view.focus)
        if asked != self._asked:
            self._asked = asked
            number = asked[1].removeprefix("page:")
            self._page = int(number) % len(self._pages) if number.isdigit() else 0
        key = (self._page, view.locale.money, view.bet, self._theme.paytable_choices(view), "menu" in view.controls)
        if key not in self._plates:
            self._plates = {key: self._painted(self._page, view)}
        stage.begin(self._plates[key])
        if now < self._context.pressed_until:
            for name, box in self.controls(director):
                if name == self._context.pressed:
                    self._pressed(stage, name, box, view)

    def _pressed(self, stage: Stage, name: str, box: Box, view: View) -> None:
        """Show the control under the finger lit."""
        if name in ("paytable_next", "paytable_previous"):
            stage.draw_centred(arrow(self._keys.sprites, "_lit", on=name == "paytable_next"), *centre(box))
            return
        if name == "menu":
            stage.draw_centred(self._keys.sprites.sprite("button_settings_lit"), *centre(box))
            return
        stage.draw_centred(self._keys.sprites.sprite("button_wide_lit"), *centre(box))
        stage.draw_centred(self._words(name, view), *centre(box))

    def _painted(self, page: int, view: View) -> pygame.Surface:
        context, scale, layout = self._context, self._context.scale, self._layout
        plate = context.dim(context.scenery(context.world(self._theme), "background"), 110)
        put_centred(plate, context.shared.sprite(layout.book.panel), scale, *centre(layout.book.box))
        self._pages[page](self, plate, view)
        for name, box in zip(("paytable_previous", "paytable_next"), layout.book.arrows, strict=True):
            put_centred(plate, arrow(self._keys.sprites, on=name == "paytable_next"), scale, *centre(box))
        if "menu" in view.controls:
            gear = self._keys.sprites.sprite("button_settings")
            put_centred(plate, gear, scale, *centre(self._menu_box()))
        put_centred(plate, self._keys.sprites.sprite("button_wide"), scale, *centre(layout.book.way_back))
        put_centred(plate, self._words("paytable_close", view), scale, *centre(layout.book.way_back))
        for choice, box in zip(self._theme.paytable_choices(view), layout.book.choices, strict=False):
            sprite = "button_wide_lit" if choice.chosen else "button_wide"
            put_centred(plate, self._keys.sprites.sprite(sprite), scale, *centre(box))
            put_centred(plate, self._words(choice.control, view), scale, *centre(box))
        number = context.letters.text(
            text.say(text.PAGE_OF, page=page + 1, pages=len(self._pages)), self._size(18), PEARL
        )
        put_centred(plate, number, scale, *layout.book.number)
        return plate

    def _all_pages(self) -> list[Painter]:
        rules = (partial(Paytable._rules, lines=page) for page in self.rules_pages)
        return [*self._pays_pages(), *self._lines_pages(), *self._shortcut_pages(), *rules]

    def _menu_box(self) -> Box:
        """Return the position of the menu button."""
        left, top, width, _ = self._layout.book.box
        side = _MENU * self._layout.hud.button_zoom
        return (left + width - side - 26, top + 20, side, side)

    def _words(self, name: str, view: View) -> pygame.Surface:
        words = text.say(text.CLOSE)
        for choice in self._theme.paytable_choices(view):
            words = choice.words if choice.control == name else words
        return self._keys.letters.fitted(words, 21, 240)

    def _size(self, size: float) -> int:
        return round(size * self._zoom)

    def _title(self, plate: pygame.Surface, title: str, foot: str) -> None:
        letters, scale, layout = self._context.letters, self._context.scale, self._layout
        left, top, width, height = layout.book.box
        middle = left + width / 2
        put_centred(
            plate,
            letters.text(title, self._size(38), GOLD, TITLE),
            scale,
            middle,
            top + layout.book.title_drop,
        )
        note = letters.lines(foot, self._size(18), layout.book.foot_room, PEARL)
        put_centred(plate, note, scale, middle, top + height - layout.book.foot_rise)

    def _pays_pages(self) -> list[Painter]:
        """Return as many pages as the symbols need, in the theme's order."""
        names = list(self._theme.symbols)
        columns = self._layout.book.columns
        rows = int(self._content[3] // (_SYMBOL_HEIGHT * self._zoom))
        return [
            partial(Paytable._pays, columns=columns, names=part) for part in _shares(names, columns * rows, columns)
        ]

    def _pays(self, plate: pygame.Surface, view: View, *, columns: int, names: Sequence[str]) -> None:
        self._title(plate, text.say(text.PAYTABLE), self._coins_foot() if view.bet is None else self._theme.foot())
        if view.bet is not None:
            self._beside_title(plate, win_up_to(self._theme.game.name, view.bet), portrait_top=108)
        left, _, width, _ = self._content
        rows = ceil(len(names) / columns)
        pitch, top = self._spread(rows, _SYMBOL_HEIGHT * self._zoom)
        notes = self._theme.notes()
        aside = max(0.0, (width / columns - _ENTRY * self._zoom) / 2)
        for place, name in enumerate(names):
            short = columns - min(columns, len(names) - place // columns * columns)
            x = left + width / columns * (place % columns + short / 2) + aside
            y = top + pitch * (place // columns + 0.5)
            lines = self._pay_lines(name, view)
            height = _LINE * self._zoom * self._layout.book.pays_zoom * len(lines)
            if name not in notes:
                self._symbol(plate, name, lines, (x, y, width / columns - aside, height), y - height / 2)
                continue
            # The pays and the note below them are centred on the symbol together.
            room = round(width / columns - 132 * self._zoom - aside)
            note = self._context.letters.paragraph(notes[name], self._size(16), room, PEARL)
            first = y - (height + note.get_height() / self._context.scale) / 2
            self._symbol(plate, name, lines, (x, y, width / columns - aside, height), first)
            put(plate, note, self._context.scale, x + 126 * self._zoom, first + height)

    def _coins_foot(self) -> str:
        """Return the explanation of the figures if they are in coins."""
        game = self._theme.game
        of_bet = text.say(text.PAYTABLE_COINS_BET, coins=game.line_counts[-1] * game.coins_per_line[-1])
        said = text.say(text.PAYTABLE_COINS) if game.total_bets is None else of_bet
        return "  ·  ".join([said, *([text.say(text.PAYTABLE_TIMES)] if self._theme.scatter_pays() else [])])

    def _beside_title(self, plate: pygame.Surface, words: str, *, portrait_top: float) -> None:
        """Paint words beside the title or, on a portrait monitor, which has no room there, below the panel's edge."""
        left, top, width, _ = self._layout.book.box
        portrait = self._layout.shape == "portrait"
        room = width - 300 if portrait else width / 2 - 190
        said = self._context.letters.fitted(words, self._size(21), round(room), GOLD)
        x, y = (width / 2, portrait_top) if portrait else (34 + room / 2, 48)
        put_centred(plate, said, self._context.scale, left + x, top + y)

    def _spread(self, rows: int, height: float) -> tuple[float, float]:
        """Return the distance of `rows` of that height and the position of the first, centred in the content."""
        pitch = min(self._content[3] / rows, height * _ROOMY)
        return pitch, self._content[1] + (self._content[3] - rows * pitch) / 2

    def _symbol(
        self, plate: pygame.Surface, name: str, lines: Sequence[tuple[str, str]], place: Box, first: float
    ) -> None:
        """Paint a symbol and beside it, from `first` down, its pays.

        `place` is the area of both: its left edge, the height of the symbol's middle, its width and height.
        """
        (x, middle, room, _), larger = place, self._layout.book.pays_zoom
        context, scale, zoom = self._context, self._context.scale, self._zoom
        sprite = pygame.transform.smoothscale_by(context.world(self._theme).sprite(name), min(1.0, _SYMBOL_ZOOM * zoom))
        put(plate, sprite, scale, x - 6 * zoom, middle - sprite.get_height() / scale / 2)
        beside = (126 + 24 * larger) * zoom
        for row, (count, words) in enumerate(lines):
            y = first + _LINE * row * zoom * larger
            put(plate, context.letters.text(count, self._size(20 * larger), GOLD), scale, x + 126 * zoom, y)
            amount = context.letters.fitted(words, self._size(20 * larger), round(room - beside), WHITE)
            put(plate, amount, scale, x + beside, y)

    def _pay_lines(self, name: str, view: View) -> list[tuple[str, str]]:
        """Return count and amount of each pay of a symbol, the highest first, in money if there is a bet."""
        if view.bet is None:
            lines = self._theme.line_pays(name)
            scatter: Mapping[int, int] = self._theme.scatter_pays() if name == self._theme.scatter else {}
            coins = {count: grouped(pay, view.locale.money.thousands) for count, pay in lines.items()}
            times = {count: f"× {grouped(pay, view.locale.money.thousands)}" for count, pay in scatter.items()}  # noqa: RUF001
            return [(str(count), words) for count, words in sorted((coins or times).items(), reverse=True)]
        said, pays = self._theme.pays_in_words(name, view.bet), printed_pays(self._theme, name, view.bet)
        return [
            (str(count), said or written(pay, view.locale.money)) for count, pay in sorted(pays.items(), reverse=True)
        ]

    def _lines_pages(self) -> list[Painter]:
        """Return the pages that show the lines, small enough for the fewest pages, or the page that shows ways."""
        if self._theme.ways:
            return [Paytable._ways]
        numbers = range(len(self._theme.lines))
        for zoom in self._layout.book.line_zooms:
            columns, rows = self._mini_grid(zoom)
            if len(numbers) <= columns * rows or zoom == self._layout.book.line_zooms[-1]:
                break
        return [
            partial(Paytable._lines, numbers=part, columns=min(columns, len(part)), zoom=zoom)
            for part in _shares(numbers, columns * rows, columns)
        ]

    def _mini_grid(self, zoom: float) -> tuple[int, int]:
        """Return the number of lines in a row and the number of rows."""
        reels, rows = self._theme.game.reels, self._theme.game.rows
        width, height = _MINI_STEP[0] * reels + 22, _MINI_STEP[1] * rows + 36
        zoom *= self._zoom
        return int(self._content[2] // (width * zoom)), int(self._content[3] // (height * zoom))

    def _lines(self, plate: pygame.Surface, _view: View, *, numbers: Sequence[int], columns: int, zoom: float) -> None:
        lines = self._theme.lines
        self._title(
            plate,
            text.say(text.PAYLINES, lines=len(lines)),
            text.say(text.PAYLINES_FOOT if len(self._theme.game.line_counts) > 1 else text.PAYLINES_FIXED),
        )
        left, _, width, _ = self._content
        rows = ceil(len(numbers) / columns)
        pitch, top = self._spread(rows, (_MINI_STEP[1] * self._theme.game.rows + 36) * zoom * self._zoom)
        for place, number in enumerate(numbers):
            short = columns - min(columns, len(numbers) - place // columns * columns)
            x = left + width / columns * (place % columns + (1 + short) / 2)
            y = top + pitch * (place // columns + 0.5)
            self._mini(plate, number, (x, y), zoom * self._zoom)

    def _ways(self, plate: pygame.Surface, _view: View) -> None:
        """Paint example windows with the number of ways of each winning symbol."""
        game = self._theme.game
        self._title(plate, text.say(text.WAYS_TITLE, ways=text.whole(self._theme.ways)), text.say(text.WAYS_FOOT))
        left, _, width, _ = self._content
        columns = 2 if self._layout.shape == "portrait" else 3
        zoom = _WAYS_ZOOM * self._zoom
        examples = examples_of_ways(game.reels, game.rows)
        pitch, top = self._spread(ceil(len(examples) / columns), (_MINI_STEP[1] * game.rows + 40) * zoom)
        for place, example in enumerate(examples):
            x = left + width / columns * (place % columns + 0.5)
            y = top + pitch * (place // columns + 0.5)
            counts = [sum(at == reel for at, _ in example) for reel in range(game.reels)]
            ways = prod(counts := [count for count in counts if count])
            said = text.count(text.WAY_COUNT, text.WAYS_COUNT, ways)
            words = text.say(text.WAYS_OF, places=" × ".join(map(str, counts)), ways=said)  # noqa: RUF001  the sign
            self._cells(plate, words, example, (x, y), zoom, room=width / columns - 20)

    def _mini(self, plate: pygame.Surface, number: int, middle: tuple[float, float], zoom: float) -> None:
        """Paint one line, and its number over it."""
        lit = frozenset(enumerate(self._theme.lines[number]))
        self._cells(plate, str(number + 1), lit, middle, zoom)

    def _cells(
        self,
        plate: pygame.Surface,
        words: str,
        lit: frozenset[tuple[int, int]],
        middle: tuple[float, float],
        zoom: float,
        *,
        room: float = 0,
    ) -> None:
        """Paint a small window with these cells lit, reel and row from 0, and the words above it, within `room`."""
        context, scale, game = self._context, self._context.scale, self._theme.game
        left = middle[0] - _MINI_STEP[0] * zoom * game.reels / 2
        top = middle[1] - (_MINI_STEP[1] * game.rows - 22) * zoom / 2
        room = max(room, _MINI_STEP[0] * zoom * game.reels)
        heading = context.letters.fitted(words, round(20 * zoom), round(room), GOLD)
        put_centred(plate, heading, scale, middle[0], top - 16 * zoom)
        for reel in range(game.reels):
            for row in range(game.rows):
                x, y = left + reel * _MINI_STEP[0] * zoom, top + row * _MINI_STEP[1] * zoom
                box = (x, y, _MINI[0] * zoom, _MINI[1] * zoom)
                rect = pygame.Rect(*(round(value * scale) for value in box))
                radius = round(4 * scale * zoom)
                pygame.draw.rect(
                    plate, (255, 206, 90) if (reel, row) in lit else (24, 62, 88), rect, border_radius=radius
                )

    def _shortcut_pages(self) -> list[Painter]:
        """Return the pages that explain the panel's buttons in this game: each button's name beside its words."""
        left, top, width, height = self._content
        size, beside = self._size(_TEXT), _NAMES_ROOM * self._zoom
        blocks = []
        for said in shortcuts(self._theme.game, gambles=self._cap_cents > 0):
            name, _, words = text.say(said).partition(": ")
            lines = self._context.letters.wrapped(words, size, round(width - beside), PLAIN)
            block = [(RulesLine(beside, 0, line, size, PLAIN), size * _LEADING) for line in lines]
            blocks.append([(RulesLine(0, 0, name, size, BOLD), 0.0), *block])
        pages = self._poured(blocks, left, top, top + height, whole=True)
        return [partial(Paytable._shortcuts, lines=page) for page in pages]

    def _shortcuts(self, plate: pygame.Surface, _view: View, *, lines: Sequence[RulesLine]) -> None:
        self._title(plate, text.say(text.SHORTCUTS), text.say(text.SHORTCUTS_FOOT))
        self._put_lines(plate, lines)

    def _put_lines(self, plate: pygame.Surface, lines: Sequence[RulesLine]) -> None:
        for line in lines:
            surface = self._context.letters.text(line.words, line.size, GOLD if line.heading else PEARL, line.font)
            put(plate, surface, self._context.scale, line.left, line.top)

    def _set_rules(self) -> list[list[RulesLine]]:
        """Set the rules on as few pages as possible, about equally full, and unsplit if that costs no page."""
        left, top, width, height = self._content
        bottom = top + height + (0 if self._layout.shape == "portrait" else _FOOT * self._zoom)
        blocks = self._set_blocks(round(width), 1)
        fewest = len(self._poured(blocks, left, top, bottom, whole=False))
        whole = len(self._poured(blocks, left, top, bottom, whole=True)) == fewest
        for zoom in _TEXT_ZOOMS:
            larger = self._set_blocks(round(width), zoom)
            if len(self._poured(larger, left, top, bottom, whole=whole)) == fewest:
                blocks = larger
                break
        pages = self._poured(blocks, left, top, bottom, whole=whole)
        while bottom > top + height / 2:
            bottom -= self._size(_TEXT)
            shorter = self._poured(blocks, left, top, bottom, whole=whole)
            if len(shorter) > len(pages):
                break
            pages = shorter
        return pages

    def _poured(
        self,
        blocks: Sequence[Sequence[tuple[RulesLine, float]]],
        left: float,
        top: float,
        bottom: float,
        *,
        whole: bool,
    ) -> list[list[RulesLine]]:
        """Return the pages filled by the blocks, each block on one page if it is kept `whole` and not too long.

        No line is cut, and no heading is separated from its text.
        """
        pages: list[list[RulesLine]] = [[]]
        y = top
        for block in blocks:
            kept = sum(step for _, step in (block if whole else block[:4]))
            if y > top and y + kept > bottom:
                pages.append([])
                y = top
            for line, step in block:
                if y + step > bottom:
                    pages.append([])
                    y = top
                pages[-1].append(line._replace(left=left + line.left, top=y))
                y += step
            y += _AFTER_TEXT * self._zoom
        return pages

    def _set_blocks(self, width: int, zoom: float) -> list[list[tuple[RulesLine, float]]]:
        """Return the lines of each heading with its text, enlarged by `zoom` from the least size."""
        rules = self._theme.rules(self._cap_cents)
        return [self._set_block(heading, words, width, zoom) for heading, words in rules]

    def _set_block(self, heading: str, words: str, width: int, zoom: float) -> list[tuple[RulesLine, float]]:
        """Return the lines of a heading and its text, each with its height."""
        letters = self._context.letters
        block: list[tuple[RulesLine, float]] = []
        for said, size, font in (
            (heading, self._size(_HEADING * zoom), BOLD),
            (words, self._size(_TEXT * zoom), PLAIN),
        ):
            lines = letters.wrapped(said, size, width, font)
            block += [(RulesLine(0, 0, line, size, font), size * _LEADING) for line in lines]
            if font == BOLD:
                block[-1] = (block[-1][0], block[-1][1] + _AFTER_HEADING * self._zoom)
        return block

    def _rules(self, plate: pygame.Surface, _view: View, *, lines: Sequence[RulesLine]) -> None:
        self._title(plate, text.say(text.RULES), "")
        edition = self._theme.edition
        since = text.day(edition.since.isoformat())
        words = text.say(text.RULES_EDITION, version=edition.version, since=since)
        self._beside_title(plate, words, portrait_top=self._layout.book.box[3] - self._layout.book.foot_rise)
        self._put_lines(plate, lines)


def examples_of_ways(reels: int, rows: int) -> list[frozenset[tuple[int, int]]]:
    """Return winning windows: one symbol on each of three reels, two on some of them, and on all reels."""
    last = rows - 1
    three = {(0, last), (1, 0), (2, 1)}
    twice = three | {(1, last)}
    more = twice | {(0, 0), (3, 1)}
    full = {(reel, row) for reel in range(reels) for row in range(rows)}
    five = {(reel, (reel * 2) % rows) for reel in range(reels)}
    return [frozenset(cells) for cells in (three, twice, more, five, five | {(1, last), (3, 1), (4, 0)}, full)]


def _content(page: Box, zoom: float) -> Box:
    """Return the box of a page's content: between title and foot, and between the arrows at its sides."""
    left, top, width, height = page
    side = 90 if zoom == 1 else 44
    return (left + side, top + 78 * zoom, width - 2 * side, height - 78 * zoom - 66 * zoom)


def _shares(items: Sequence[Item], most: int, columns: int) -> list[Sequence[Item]]:
    """Return `items` on as few pages of `most` as needed, with a similar number of whole rows on each."""
    pages = max(1, ceil(len(items) / most))
    each = ceil(ceil(len(items) / pages) / columns) * columns
    return [items[first : first + each] for first in range(0, max(1, len(items)), each)]
