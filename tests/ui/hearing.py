"""What the display says on a screen: the templates that it looks up while it draws."""

from gettext import NullTranslations

import pygame

from tests.ui.rehearsal import BAKED, Rehearsal
from ui.draw_context import DrawContext
from ui.languages import Languages
from ui.layout import SHAPES
from ui.lettering import Colour, Lettering
from ui.protocol.messages import View
from ui.protocol.values import Volumes


class _Noting(NullTranslations):
    """English, and a note of each text that was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()

    def gettext(self, message: str) -> str:
        """Note `message`."""
        self.said.add(message)
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Note both forms."""
        self.said |= {msgid1, msgid2}
        return super().ngettext(msgid1, msgid2, n)


def _reading(read: set[str]) -> type[Lettering]:
    """Return letters that note in `read` all words that are set of them."""

    class Reading(Lettering):
        def _edged(self, words: str, size: int, colour: Colour, font: str) -> pygame.Surface:
            read.add(words)
            return super()._edged(words, size, colour, font)

    return Reading


class Hearing(Languages):
    """Hears what a display says, on a monitor of one shape; `read` are the words that have been set, filled in."""

    def __init__(self, shape: str = "wide") -> None:
        super().__init__(BAKED)
        self._noting = _Noting()
        self.read: set[str] = set()
        self.context = DrawContext(BAKED, 1, SHAPES[shape], languages=self, lettering=_reading(self.read))

    def catalogue(self, language: str) -> NullTranslations:  # noqa: ARG002 - English, as it were
        """Return the catalogue that notes, whatever the language."""
        return self._noting

    @property
    def heard(self) -> set[str]:
        """The templates of all that has been said since `by` was last called, or since the start."""
        return self._noting.said

    def said(self, view: View) -> set[str]:
        """Return the templates of all that a fresh display says of this view."""
        rehearsal = Rehearsal(1, self.context.layout.shape, self.context)
        rehearsal.view(view)
        return self.by(rehearsal)

    def by(self, rehearsal: Rehearsal) -> set[str]:
        """Return the templates of all that a rehearsal with this context says for the first time as it draws now."""
        self._noting.said.clear()
        rehearsal.picture()
        return set(self._noting.said)


class Ear:
    """A player that only remembers what it was asked to play."""

    def __init__(self) -> None:
        self.muted = False
        self.world = ""
        self.volumes = Volumes()
        self.heard: list[str] = []
        self.looped: set[str] = set()

    def play(self, name: str) -> None:
        self.heard.append(name)

    def loop(self, names: frozenset[str]) -> None:
        self.looped |= names
