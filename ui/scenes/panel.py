"""What the pages of settings, menus, lists and questions share: a panel over the darkened game, and its keys."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import pygame

from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GREY, PEARL, WHITE
from ui.scenes.props import Control, Props, pill, put, put_centred
from ui.stage import Stage
from ui.worlds.look import Look

PLATE = ""
"""The `sprite` of a key that lies on a plain plate."""


class Key(NamedTuple):
    """A touch control with its words: `box` on the stage, the shared `sprite` of its states or `PLATE`, its size.

    A second line, `note`, stands smaller under the `words`.
    """

    name: str
    box: Box
    sprite: str = PLATE
    words: str = ""
    size: int = 23
    note: str = ""


class Panel(ABC):
    """A page of the game that `look` describes; each page says what it shows and which keys it has."""

    def __init__(self, props: Props, look: Look) -> None:
        self.props = props
        self.look = look
        self.layout = props.layout
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
        """Paint the panel and what stands on it, under the keys."""

    def controls(self, director: Director) -> list[Control]:
        """Return the keys and where they are on the canvas."""
        return [(key.name, self.layout.moved(key.box)) for key in self.keys(director)]

    def due(self, _director: Director, now: float) -> float:
        """It stands still but for the key under the finger."""
        return self.props.pressed_until if now < self.props.pressed_until else float("inf")

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page."""
        view = director.view
        key = (view.controls, view.focus, view.money, view.message, director.linked, *self.shown(director))
        if self._plate is None or key != self._plate_key:
            self._plate, self._plate_key = self._painted(director), key
        stage.begin(self._plate)
        if now < self.props.pressed_until and self.props.pressed in view.controls:
            for each in self.keys(director):
                if each.name == self.props.pressed:
                    stage.draw_centred(self._face(each, "_lit"), *centre(self.layout.moved(each.box)))
                    for words, x, y in self._label(each, live=True):
                        stage.draw_centred(words, x, y)

    def put_words(self, plate: pygame.Surface, words: pygame.Surface, x: float, y: float) -> None:
        """Paint words with their middle at a point of the stage."""
        put_centred(plate, words, self.props.scale, *self.layout.at(x, y))

    def put_left(self, plate: pygame.Surface, words: pygame.Surface, x: float, y: float) -> None:
        """Paint words that begin at a point of the stage, with their middle at its height."""
        left, middle = self.layout.at(x, y)
        put(plate, words, self.props.scale, left, middle - words.get_height() / self.props.scale / 2)

    def put_right(self, plate: pygame.Surface, words: pygame.Surface, x: float, y: float) -> None:
        """Paint words that end at a point of the stage, with their middle at its height."""
        self.put_left(plate, words, x - words.get_width() / self.props.scale, y)

    def _painted(self, director: Director) -> pygame.Surface:
        view, scale = director.view, self.props.scale
        picture = director.picture
        name = "background" if picture is None else self.look.scenery(picture)
        if name not in self._grounds:
            self._grounds = {name: self.props.dim(self.props.scenery(self.props.world(self.look), name), 100)}
        plate = self._grounds[name].copy()
        self.paint(plate, director)
        for key in self.keys(director):
            live = director.linked and key.name in view.controls
            state = "_dead" if not live else "_lit" if key.name == view.focus else ""
            put_centred(plate, self._face(key, state), scale, *centre(self.layout.moved(key.box)))
            for words, x, y in self._label(key, live=live):
                put_centred(plate, words, scale, x, y)
        return plate

    def _face(self, key: Key, state: str) -> pygame.Surface:
        """Return a key without its words."""
        if key.sprite:
            return self.props.shared.sprite(f"{key.sprite}{state}")
        face = pill(key.box[2:], self.props.scale)
        if state == "_lit":
            face.fill((30, 72, 106, 0), special_flags=pygame.BLEND_RGBA_ADD)
        return face

    def _label(self, key: Key, *, live: bool) -> list[tuple[pygame.Surface, float, float]]:
        """Return the words of a key, and where their middles are."""
        if not key.words:
            return []
        letters, (x, y), width = self.props.letters, centre(self.layout.moved(key.box)), round(key.box[2]) - 36
        face = letters.fitted(key.words, key.size, width, WHITE if live else GREY)
        if not key.note:
            return [(face, x, y - 3 if key.sprite else y)]
        note = letters.fitted(key.note, 17, width, PEARL if live else GREY)
        return [(face, x, y - 13), (note, x, y + 14)]
