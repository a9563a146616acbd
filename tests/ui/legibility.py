"""How well the display's own words can be read: each word on a screen, with its size and its contrast to its ground.

A screen is drawn twice: as players see it, and with `Marked` letters, each text in a colour of its own. The second
picture says where each text has been drawn and not been covered or darkened since; the first one what lies round it.
"""

from collections.abc import Callable, Iterator
from math import hypot, radians, tan
from typing import NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from tests.ui.rehearsal import BAKED, Rehearsal
from ui.atlas import clear
from ui.contrast import LEAST, luminance, ratio
from ui.draw_context import DrawContext
from ui.layout import SHAPES, Layout
from ui.lettering import Colour, Lettering

_MARK = 253
"""The red of all marks; green and blue number them."""
_FIRST = 64
_LEAST_PIXELS = 12
_INNER, _OUTER = 2, 5
"""From where to where, in pixels from the letters, their ground is looked at: beyond the soft edge round them."""
_PARTS = 3
TARGET = 90
"""The least side of what a standing player touches, in canvas units of 1080x1920."""
LEAST_MINUTES = 16
"""The least height of capitals as an angle, in minutes of arc (ISO 9241-3 and 9241-303; 20 to 22 are preferred)."""
EYES_MM, DIAGONAL_MM = 600, 21 * 25.4
"""The viewing distance and the monitor's diagonal for which letters must be legible."""
CASES = [(shape, language) for shape in SHAPES for language in ("en", "de")]


class Text(NamedTuple):
    """A text that was set: its words, colour and font, and the height of its capitals in canvas units."""

    words: str
    colour: Colour
    font: str
    capitals: float


class Read(NamedTuple):
    """A text on a screen and its contrast there, the least of its left, middle and right parts."""

    text: Text
    ratio: float


class Marked(Lettering):
    """Letters without edge, smoothness and colour of their own: each text has its number's."""

    texts: list[Text] = []  # noqa: RUF012  what is kept is the class's: DrawContext makes one of each size

    def _edged(self, words: str, size: int, colour: Colour, font: str) -> pygame.Surface:
        plain = super()._edged(words, size, colour, font)
        face = self._font(font, size)
        number = len(Marked.texts) + _FIRST
        Marked.texts.append(Text(words, colour, font, self._capitals(font, size)))
        marked = clear(plain.get_size())
        letters = face.render(words, False, (_MARK, number >> 8, number & 255))  # noqa: FBT003  pygame's positional antialias
        reach = (plain.get_width() - letters.get_width()) // 2
        marked.blit(letters, (reach, reach))
        return marked

    def _capitals(self, font: str, size: int) -> float:
        """Return how high a capital is, in canvas units; `_scale` has how many times as large this lettering is."""
        height = self._font(font, size).render("H", True, (255, 255, 255)).get_bounding_rect().height  # noqa: FBT003
        return float(height)


class Reader:
    """Reads the screens of one monitor in one language."""

    def __init__(self, shape: str, language: str = "en") -> None:
        self._shape, self._language = shape, language
        layout = SHAPES[shape]
        self._plain = DrawContext(BAKED, 1, layout)
        self._marked = DrawContext(BAKED, 1, layout, lettering=Marked)

    def read(self, play: Callable[[Rehearsal], None]) -> Iterator[Read]:
        """Yield every text that can be seen on the screen that `play` leads to."""
        seen, marks = (self._picture(play, context) for context in (self._plain, self._marked))
        number = marks[..., 1].astype(np.int32) * 256 + marks[..., 2] - _FIRST
        marked = (marks[..., 0] == _MARK) & (number >= 0) & (number < len(Marked.texts))
        light = luminance(seen)
        for each in np.unique(number[marked]):
            found = self._measured(Marked.texts[each], marked & (number == each), marked, seen, light)
            if found is not None:
                yield found

    def _picture(self, play: Callable[[Rehearsal], None], context: DrawContext) -> NDArray[np.uint8]:
        rehearsal = Rehearsal(shape=self._shape, context=context, language=self._language)
        play(rehearsal)
        return pygame.surfarray.array3d(rehearsal.picture()).swapaxes(0, 1)

    @staticmethod
    def _measured(
        text: Text,
        letters: NDArray[np.bool_],
        marked: NDArray[np.bool_],
        seen: NDArray[np.uint8],
        light: NDArray[np.float64],
    ) -> Read | None:
        """Return a text's contrast, or None where nothing of it is drawn in its colour."""
        rows, columns = np.flatnonzero(letters.any(axis=1)), np.flatnonzero(letters.any(axis=0))
        top, left = max(0, rows[0] - _OUTER), max(0, columns[0] - _OUTER)
        box = (slice(top, rows[-1] + _OUTER + 1), slice(left, columns[-1] + _OUTER + 1))
        here, others = letters[box], marked[box]
        solid = here & (np.abs(seen[box].astype(int) - text.colour).max(axis=2) < 24)
        if np.count_nonzero(solid) < _LEAST_PIXELS:
            return None
        ring = _grown(here, _OUTER) & ~_grown(others, _INNER)
        face = float(luminance(np.array(text.colour, np.uint8)))
        worst = 21.0
        for part in np.array_split(np.arange(here.shape[1]), _PARTS):
            ground = light[box][:, part][ring[:, part]]
            if ground.size >= _LEAST_PIXELS:
                worst = min(worst, ratio(face, float(np.median(ground))))
        return Read(text, worst)


def _grown(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return `mask` with all pixels that are at most `reach` away, across and down."""
    for axis in (0, 1):
        padded = np.pad(mask, [(reach, reach) if each == axis else (0, 0) for each in (0, 1)])
        size = mask.shape[axis]
        mask = np.logical_or.reduce([padded.take(range(step, step + size), axis) for step in range(2 * reach + 1)])
    return mask


def poor(read: Read, shape: str) -> bool:
    """Whether a text is too small or too faint."""
    return read.ratio < LEAST or read.text.capitals < least_capitals(SHAPES[shape])


def least_capitals(layout: Layout) -> float:
    """The least height of capitals in canvas units: `LEAST_MINUTES` on the smallest monitor of this shape."""
    return EYES_MM * tan(radians(LEAST_MINUTES / 60)) * hypot(*layout.canvas) / DIAGONAL_MM
