"""The paytable read as a player does: what stands on each of its pages, taken from the letters that are drawn."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar, NamedTuple

import pygame

from tests.ui.rehearsal import BAKED, Rehearsal, game_view
from ui.atlas import World
from ui.draw_context import DrawContext
from ui.layout import SHAPES
from ui.lettering import GOLD, PEARL, WHITE, Colour, Lettering
from ui.protocol.values import Bet
from ui.scenes.paytable import Paytable
from ui.theme import Theme, load

Cells = frozenset[tuple[int, int]]


class Entry(NamedTuple):
    """A symbol of the paytable: its note, and each count of it with the words beside it."""

    note: str
    pays: Mapping[int, str]


class Page(NamedTuple):
    """What stands on a page: all its words, the symbols with what they pay, and the small windows with their cells."""

    words: Sequence[str]
    symbols: Mapping[str, Entry]
    windows: Mapping[str, Cells]


class _Letters(Lettering):
    """Letters that keep what they were asked for, in this order."""

    drawn: ClassVar[list[tuple[str, str, Colour]]] = []

    def text(self, words: str, size: int, colour: Colour = WHITE, *rest: str) -> pygame.Surface:
        self.drawn.append(("text", words, colour))
        return super().text(words, size, colour, *rest)

    def fitted(self, words: str, size: int, width: int, colour: Colour = WHITE, *rest: str) -> pygame.Surface:
        self.drawn.append(("fitted", words, colour))
        return super().fitted(words, size, width, colour, *rest)

    def lines(self, words: str, size: int, width: int, colour: Colour = WHITE, *rest: str) -> pygame.Surface:
        self.drawn.append(("lines", words, colour))
        return super().lines(words, size, width, colour, *rest)

    def paragraph(self, words: str, size: int, width: int, colour: Colour = PEARL, *rest: str) -> pygame.Surface:
        self.drawn.append(("paragraph", words, colour))
        return super().paragraph(words, size, width, colour, *rest)


class _Symbols(World):
    """A world; that a sprite of it was asked for stands among the letters."""

    def sprite(self, name: str) -> pygame.Surface:
        _Letters.drawn.append(("sprite", name, WHITE))
        return super().sprite(name)


class _Pages(Paytable):
    """A paytable whose small windows are kept."""

    windows: dict[str, Cells]

    def _cells(self, plate: pygame.Surface, words: str, lit: Cells, *rest: object, **named: object) -> None:
        self.windows[words] = lit
        super()._cells(plate, words, lit, *rest, **named)  # type: ignore[arg-type]


class Reader:
    """Reads a game's paytable at a bet, or in coins where there is none."""

    def __init__(self, game: str, language: str, shape: str = "wide") -> None:
        self._game = game
        self._rehearsal = Rehearsal(context=_context(shape), shape=shape, language=language)
        self._rehearsal.view(game_view(game, state="paytable"))
        self._pages = _Pages(self._rehearsal.context, load(game))

    def pages(self, bet: Bet | None) -> list[Page]:
        """Return all pages from the first to the last."""
        return [self._page(number, bet) for number in range(self._pages.pages)]

    def rules(self) -> list[tuple[str, str]]:
        """Return the headings of the rules and the text under each."""
        found: list[list[str]] = []
        before = False
        for line in (line for page in self._pages.rules_pages for line in page):
            if line.heading and not before:
                found.append(["", ""])
            place = 0 if line.heading else 1
            found[-1][place] = f"{found[-1][place]} {plain(line.words)}".strip()
            before = line.heading
        return [(heading, words) for heading, words in found]

    def _page(self, number: int, bet: Bet | None) -> Page:
        rehearsal, drawn = self._rehearsal, _Letters.drawn
        rehearsal.view(game_view(self._game, state="paytable", focus=f"page:{number}", bet=bet))
        drawn.clear()
        self._pages.windows = {}
        self._pages.draw(rehearsal.scene_manager.stage, rehearsal.director, rehearsal.now)
        words = [plain(words) for kind, words, _ in drawn if kind != "sprite"]
        return Page(words, self._symbols(), self._pages.windows)

    def _symbols(self) -> dict[str, Entry]:
        """A symbol is drawn, its note before it and after it the counts in gold, each before what it pays."""
        names, found = load(self._game).symbols, dict[str, Entry]()
        note, name, count = "", "", 0
        for kind, words, colour in _Letters.drawn:
            if kind == "paragraph":
                note = plain(words)
            elif kind == "sprite" and words in names:
                name, note, found[words] = words, "", Entry(note, {})
            elif name and kind == "text" and colour == GOLD and words.isdigit():
                count = int(words)
            elif name and kind == "fitted" and colour == WHITE and count:
                found[name] = found[name]._replace(pays={**found[name].pays, count: plain(words)})
                count = 0
        return found


def plain(words: str) -> str:
    """Return words with single spaces."""
    return " ".join(words.split())


@cache
def _context(shape: str) -> DrawContext:
    return _Context(BAKED, 1, SHAPES[shape], lettering=_Letters)


class _Context(DrawContext):
    """A context that says which symbols are drawn."""

    def world(self, theme: Theme, zoom: float = 1) -> World:
        world = super().world(theme, zoom)
        world.__class__ = _Symbols
        return world
