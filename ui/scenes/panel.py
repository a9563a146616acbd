"""The common parts of pages with settings, menus, lists and questions: a panel over the darkened game, and its keys."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put, put_centred
from ui.layout import Box, Point, centre
from ui.lettering import GOLD, GREY, PEARL, TITLE, WHITE, Colour
from ui.scenes.hud import Hud
from ui.stage import Stage
from ui.theme import Theme

PLATE = ""
"""The `sprite` of a key on a plain plate."""

_ROW_GAP = 6
"""The gap between the plates of a list's rows, which themselves touch each other."""


class Key(NamedTuple):
    """A touch control with its words: its `box` on the page, the shared `sprite` of its states or `PLATE`, their size.

    A second line, `note`, is smaller and below the `words`, which are centred in the space right of `inset`. With an
    `aside` they begin at the left, and the `aside` ends at the right of the `note`. An `icon` is a shared sprite and
    the offset of its middle from the key's corner, on the key or beside it.
    """

    name: str
    box: Box
    sprite: str = PLATE
    words: str = ""
    size: int = 23
    note: str = ""
    inset: float = 0
    aside: str = ""
    icon: tuple[str, Point] | None = None


class Panel(ABC):
    """A page of the game that `theme` describes; each page defines what it shows and its keys."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self.context = context
        self.theme = theme
        self.layout = context.layout
        self.pages = context.layout.pages
        self.sprites, self.letters = context.sized(self.pages.zoom)
        self._hud = Hud(context)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        self._grounds: dict[str, pygame.Surface] = {}

    @abstractmethod
    def shown(self, director: Director) -> tuple[object, ...]:
        """Return what `paint` and `keys` depend on besides controls, focus and language."""

    @abstractmethod
    def keys(self, director: Director) -> Sequence[Key]:
        """Return the page's keys, live or dead."""

    @abstractmethod
    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the panel and its content, below the keys."""

    def controls(self, director: Director) -> list[Control]:
        """Return the keys, and the HUD's buttons if it is under the page, with their positions on the canvas."""
        buttons = self._hud.controls() if self.pages.hud else []
        return [*((key.name, self.pages.placed(key.box)) for key in self.keys(director)), *buttons]

    def due(self, _director: Director, now: float) -> float:
        """Return when to draw next; only the key under the finger changes."""
        return self.context.pressed_until if now < self.context.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page."""
        view = director.view
        key = (self._hud.key(director), view.focus, view.message, *self.shown(director))
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        stage.begin(self._plate)
        if now < self.context.pressed_until and self.context.pressed in view.controls:
            for each in self.keys(director):
                if each.name == self.context.pressed:
                    stage.draw_centred(self._face(each, "_lit"), *centre(self.pages.placed(each.box)))
                    for words, x, y in self._label(each, live=True):
                        stage.draw_centred(words, x, y)
        if self.pages.hud:
            self._hud.draw(stage, director, now)

    def put_panel(self, plate: pygame.Surface, title: str, *, crest: bool = True) -> None:
        """Paint the page's panel with its title, and the game's name above it if there is room and `crest` is set."""
        pages, scale = self.pages, self.context.scale
        put_centred(plate, self.context.shared.sprite(pages.panel), scale, *centre(pages.placed(pages.box)))
        if crest and pages.crest:
            self.put_crest(plate, pages.crest)
        heading = pages.heading if crest else pages.history_heading
        room = round(self.pages.box[2] / pages.zoom) - 60
        self.put_words(plate, self.letters.fitted(text.say(title), pages.title, room, GOLD, TITLE), *heading)

    def put_crest(self, plate: pygame.Surface, y: float) -> None:
        """Paint the game's name at height `y` of the page."""
        logo = self.context.world(self.theme, self.layout.signs.logo_zoom).sprite("logo")
        put_centred(plate, logo, self.context.scale, self.layout.centre[0], self.pages.at(0, y)[1])

    def put_hint(self, plate: pygame.Surface, said: str, colour: Colour = PEARL) -> None:
        """Paint the line that explains the buttons."""
        self.put_words(plate, self.letters.lines(said, 18, self.pages.room, colour), *self.pages.hint)

    def put_words(self, plate: pygame.Surface, words: pygame.Surface, x: float, y: float) -> None:
        """Paint words with their middle at a point of the page."""
        put_centred(plate, words, self.context.scale, *self.pages.at(x, y))

    def put_left(self, plate: pygame.Surface, words: pygame.Surface, x: float, y: float) -> None:
        """Paint words that begin at a point of the page, with their middle at its height."""
        left, middle = self.pages.at(x, y)
        put(plate, words, self.context.scale, left, middle - words.get_height() / self.context.scale / 2)

    def put_right(self, plate: pygame.Surface, words: pygame.Surface, x: float, y: float) -> None:
        """Paint words that end at a point of the page, with their middle at its height."""
        self.put_left(plate, words, x - words.get_width() / self.context.scale, y)

    def _painted(self, director: Director) -> pygame.Surface:
        view, scale = director.view, self.context.scale
        picture = director.picture
        name = "background" if picture is None else self.theme.scenery(picture)
        if name not in self._grounds:
            self._grounds = {name: self.context.dim(self.context.scenery(self.context.world(self.theme), name), 100)}
        plate = self._grounds[name].copy()
        if self.pages.hud:
            self._hud.paint(plate, director)
        self.paint(plate, director)
        for key in self.keys(director):
            live = director.linked and key.name in view.controls
            state = "_dead" if not live else "_lit" if key.name == view.focus else ""
            put_centred(plate, self._face(key, state), scale, *centre(self.pages.placed(key.box)))
            for words, x, y in self._label(key, live=live):
                put_centred(plate, words, scale, x, y)
        return plate

    def _face(self, key: Key, state: str) -> pygame.Surface:
        """Return a key without its words."""
        if key.sprite:
            drawn = self.sprites if key.sprite in self.sprites else self.context.shared
            return drawn.sprite(f"{key.sprite}{state}")
        spared = _ROW_GAP if key.aside else 0
        face = pill((key.box[2], key.box[3] - spared), self.context.scale)
        if state == "_lit":
            face.fill((30, 72, 106, 0), special_flags=pygame.BLEND_RGBA_ADD)
        return face

    def _label(self, key: Key, *, live: bool) -> list[tuple[pygame.Surface, float, float]]:
        """Return icon and words of a key, and where their middles are."""
        zoom = self.pages.zoom
        left, top, across, down = self.pages.placed(key.box)
        signs = []
        if key.icon is not None:
            sprite, (right, below) = key.icon
            signs.append((self.sprites.sprite(sprite), left + right, top + below))
        if not key.words:
            return signs
        x, y = left + key.inset + (across - key.inset) / 2, top + down / 2
        width = round((across - key.inset) / zoom) - 36
        face = self.letters.fitted(key.words, key.size, width, WHITE if live else GREY)
        if not key.note:
            return [*signs, (face, x, y - 3 * zoom if key.sprite else y)]
        if key.aside:
            return self._row(key, face, live=live)
        note = self.letters.fitted(key.note, 17, width, PEARL if live else GREY)
        return [*signs, (face, x, y - 13 * zoom), (note, x, y + 14 * zoom)]

    def _row(self, key: Key, face: pygame.Surface, *, live: bool) -> list[tuple[pygame.Surface, float, float]]:
        """Return the words of a key that begin at its left, and its aside that ends at its right."""
        zoom, scale = self.pages.zoom, self.context.scale
        left, top, across, down = self.pages.placed(key.box)
        note = self.letters.text(key.note, 17, PEARL if live else GREY)
        room = round((across - note.get_width() / scale) / zoom) - 46
        aside = self.letters.fitted(key.aside, 17, room, GOLD if live else GREY)
        left, right, y = left + 18 * zoom, left + across - 18 * zoom, top + down / 2
        return [
            (face, left + face.get_width() / scale / 2, y - 13 * zoom),
            (note, left + note.get_width() / scale / 2, y + 14 * zoom),
            (aside, right - aside.get_width() / scale / 2, y + 14 * zoom),
        ]
