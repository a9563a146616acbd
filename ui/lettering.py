"""Words and numbers: rasterised once and cached, or composed of the baked digits."""

import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path

import pygame
import pygame.font

from common.error_words import error_reason
from ui.atlas import ArtError, World, clear
from ui.frame_budget import FrameBudget
from ui.glyphs import glyph_name

KEPT = 400
"""How many rendered texts are cached; the least recently used is dropped first."""
KEPT_CANVASES = 1.25
"""The total size of all cached texts, in canvases of 1280x720 at the scale."""

SMALLEST = 10
"""The smallest legible size."""

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
PEARL: Colour = (232, 240, 246)
GOLD: Colour = (255, 214, 110)
GREY: Colour = (150, 166, 182)
INK: Colour = (8, 22, 38)

TITLE = "FredokaOne-Regular.ttf"
BOLD = "Manrope-ExtraBold.ttf"
PLAIN = "Manrope-Medium.ttf"
FIGURES = "Roboto-Bold.ttf"

_EVEN = 12
"""Lines are balanced until their width is within this many units of the least possible."""
_NARROWER = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)


class Lettering:
    """Texts at the canvas's scale. Sizes are in canvas units; surfaces are shared, so they must not be changed.

    A text requested smaller than `least` is set in that size; only a line that must fit its width is set smaller.
    """

    def __init__(
        self, baked: Path, shared: World, scale: float, least: int = 0, budget: FrameBudget | None = None
    ) -> None:
        pygame.font.init()
        self._least = least
        self._fonts_folder = baked / "fonts"
        self._shared = shared
        self._scale = scale
        self._fonts: dict[tuple[str, int], pygame.font.Font] = {}
        self._texts: OrderedDict[tuple[object, ...], pygame.Surface] = OrderedDict()
        self._room = round(KEPT_CANVASES * 1280 * 720 * scale * scale)
        self._broken: OrderedDict[tuple[str, int, int, str], list[str]] = OrderedDict()
        self._glyphs: dict[tuple[str, str, float], pygame.Surface] = {}
        self._budget = budget or FrameBudget()

    def text(self, words: str, size: int, colour: Colour = WHITE, font: str = BOLD) -> pygame.Surface:
        """Return one line of text with a soft dark edge that keeps it legible on any background."""
        return self._set(words, max(size, self._least), colour, font)

    def _set(self, words: str, size: int, colour: Colour, font: str) -> pygame.Surface:
        return self._kept(("text", words, size, colour, font), lambda: self._edged(words, size, colour, font))

    def paragraph(
        self, words: str, size: int, width: int, colour: Colour = PEARL, font: str = PLAIN, *, centred: bool = False
    ) -> pygame.Surface:
        """Return `words` wrapped at `width` canvas units."""
        size = max(size, self._least)
        key = ("paragraph", words, size, colour, font, width, centred)
        return self._kept(key, lambda: self._wrapped(words, size, width, colour, font, centred=centred))

    def wrapped(self, words: str, size: int, width: int, font: str = PLAIN) -> list[str]:
        """Return `words` as lines no wider than `width` canvas units; line breaks in them are kept."""
        key = (words, size, width, font)
        if key not in self._broken:
            self._broken[key] = self._budget.spend(lambda: self._break(words, size, width, font))
            if len(self._broken) > KEPT:
                self._broken.popitem(last=False)
        self._broken.move_to_end(key)
        return self._broken[key]

    def _break(self, words: str, size: int, width: int, font: str) -> list[str]:
        lines: list[str] = []
        letters = 2 * width // max(1, size)
        for part in words.split("\n"):
            rest = _unbroken(part.split())
            while len(rest) > 1:
                fits = self._fitting(rest, size, width, font, letters)
                lines.append(" ".join(rest[:fits]))
                rest = rest[fits:]
                letters = len(lines[-1]) if rest else letters
            lines += rest or ([""] if not part.split() else [])
        return lines

    def _balanced(self, words: str, size: int, width: int, font: str) -> list[str]:
        """Return `words` in as few lines as `wrapped` does, of similar length, so that no word is alone in the last."""
        lines = self.wrapped(words, size, width, font)
        if len(lines) == 1:
            return lines
        narrow = width // 2
        while width - narrow > _EVEN:
            middle = (narrow + width) // 2
            tried = self._break(words, size, middle, font)
            fits = len(tried) == len(lines) and all(self.width(line, size, font) <= middle for line in tried)
            narrow, width, lines = (narrow, middle, tried) if fits else (middle, width, lines)
        return lines

    def _fitting(self, words: Sequence[str], size: int, width: int, font: str, letters: int) -> int:
        """Return how many of `words`, at least one, fit into a line; the search begins at `letters` letters."""
        fits, length = 1, len(words[0])
        while fits < len(words) and length + 1 + len(words[fits]) <= letters:
            length += 1 + len(words[fits])
            fits += 1
        if self._wide(words[:fits], size, font) > width:
            while fits > 1 and self._wide(words[: fits - 1], size, font) > width:
                fits -= 1
            return max(1, fits - 1)
        while fits < len(words) and self._wide(words[: fits + 1], size, font) <= width:
            fits += 1
        return fits

    def _wide(self, words: Sequence[str], size: int, font: str) -> float:
        return self.width(" ".join(words), size, font)

    def fitted(self, words: str, size: int, width: int, colour: Colour = WHITE, font: str = BOLD) -> pygame.Surface:
        """Return one line of text, set smaller if it would be wider than `width` canvas units."""
        size = max(size, self._least)
        key = ("fitted", words, size, width, colour, font)
        return self._kept(key, lambda: self._fitted(words, size, width, colour, font))

    def lines(self, words: str, size: int, width: int, colour: Colour = WHITE, font: str = BOLD) -> pygame.Surface:
        """Return `words` in one line or, if legible letters need more, in several that break at dots.

        A row that must be wrapped is split into parts of similar length.
        """
        if not self._least:
            return self.fitted(words, size, width, colour, font)
        key = ("lines", words, size, width, colour, font)
        return self._kept(key, lambda: self._in_lines(words, size, width, colour, font))

    def _in_lines(self, words: str, size: int, width: int, colour: Colour, font: str) -> pygame.Surface:
        if self.width(words, self._least, font) <= width:
            return self.fitted(words, size, width, colour, font)
        size = self._least
        rows: list[str] = []
        for part in words.split("·"):
            longer = f"{rows[-1]} · {part.strip()}" if rows else part.strip()
            if rows and self.width(longer, size, font) <= width:
                rows[-1] = longer
            else:
                rows.append(part.strip())
        broken = self._balanced("\n".join(rows), size, width, font)
        room = min(width, ceil(max(self.width(line, size, font) for line in broken)) + 1)
        return self.paragraph("\n".join(broken), size, room, colour, font, centred=True)

    def width(self, words: str, size: int, font: str = BOLD) -> float:
        """Return the width of a line of text in canvas units."""
        return self._font(font, size).size(words)[0] / self._scale

    def fits(self, words: str, size: int, width: int, font: str = BOLD) -> bool:
        """Whether a line of text in that size fits into `width` without being set smaller."""
        return self.width(words, max(size, self._least), font) <= width

    def number(self, figures: str, digits: str, zoom: float = 1) -> pygame.Surface:
        """Return a figure (`1,234.50 €`) in a baked set of digits, enlarged by `zoom`; cached like a text."""
        return self._kept(("number", figures, digits, zoom), lambda: self._figure(figures, digits, zoom))

    def fitted_number(self, figures: str, digits: str, width: float, zoom: float = 1) -> pygame.Surface:
        """Return a figure as `number` does, set smaller in steps if it would be wider than `width` canvas units."""
        advances = self._shared.digits(digits).advance
        natural = zoom * sum(advances.get(char, advances["0"]) for char in figures) / self._scale
        step = next((step for step in _NARROWER if natural * step <= width), _NARROWER[-1])
        return self.number(figures, digits, zoom * step)

    def _fitted(self, words: str, size: int, width: int, colour: Colour, font: str) -> pygame.Surface:
        wide = self.width(words, size, font)
        if wide > width:
            # Each size that is tried rasterises its letters, so the search begins near its likely end.
            largest, size = size - 1, max(SMALLEST, min(size - 1, int(size * width / wide)))
            while size > SMALLEST and self.width(words, size, font) > width:
                size -= 1
            while size < largest and self.width(words, size + 1, font) <= width:
                size += 1
        return self._set(words, size, colour, font)

    def _kept(self, key: tuple[object, ...], make: Callable[[], pygame.Surface]) -> pygame.Surface:
        found = self._texts.get(key)
        if found is None:
            found = self._budget.spend(make)
            if key not in self._texts:  # a text from which another is made may be the same
                self._texts[key] = found
                self._room -= _pixels(found)
            while len(self._texts) > 1 and (len(self._texts) > KEPT or self._room < 0):
                _, oldest = self._texts.popitem(last=False)
                self._room += _pixels(oldest)
        else:
            self._texts.move_to_end(key)
        return found

    def _font(self, name: str, size: int) -> pygame.font.Font:
        key = (name, size)
        if key not in self._fonts:
            path = self._fonts_folder / name
            try:
                self._fonts[key] = pygame.font.Font(str(path), round(size * self._scale))
            except (OSError, pygame.error) as error:
                raise ArtError(f"{path}: {error_reason(error)}: run `cabinet bake`") from error
        return self._fonts[key]

    def _edged(self, words: str, size: int, colour: Colour, font: str) -> pygame.Surface:
        face = self._font(font, size).render(words, True, colour)  # noqa: FBT003  pygame's positional antialias
        edge = self._font(font, size).render(words, True, INK)  # noqa: FBT003  pygame's positional antialias
        edge.set_alpha(110)
        reach = max(1, round(size * self._scale / 22))
        whole = clear((face.get_width() + 2 * reach, face.get_height() + 2 * reach))
        for dx, dy in ((0, reach), (2 * reach, reach), (reach, 0), (reach, 2 * reach), (reach, 2 * reach)):
            whole.blit(edge, (dx, dy))
        whole.blit(face, (reach, reach))
        return whole

    def _wrapped(
        self, words: str, size: int, width: int, colour: Colour, font: str, *, centred: bool
    ) -> pygame.Surface:
        lines = self._balanced(words, size, width, font) if centred else self.wrapped(words, size, width, font)
        rendered = [self._edged(line, size, colour, font) for line in lines]
        step = round(size * 1.34 * self._scale)
        whole = clear((max(1, round(width * self._scale)), step * len(lines) + rendered[-1].get_height() - step))
        for row, line_surface in enumerate(rendered):
            left = (whole.get_width() - line_surface.get_width()) // 2 if centred else 0
            whole.blit(line_surface, (left, row * step))
        return whole

    def _figure(self, figures: str, digits: str, zoom: float) -> pygame.Surface:
        metrics = self._shared.digits(digits)
        glyphs = [(self._glyph(char, digits, zoom), metrics.advance.get(char)) for char in figures]
        pad, height = round(metrics.pad * zoom), round(metrics.height * zoom)
        advances = [
            glyph.get_width() - 2 * pad if advance is None else round(advance * zoom) for glyph, advance in glyphs
        ]
        whole = clear((sum(advances) + 2 * pad, height))
        pen = 0
        for (glyph, _), advance in zip(glyphs, advances, strict=True):
            # Glyphs overlap by their pads (shadow, glow), so they are blended, not copied.
            whole.blit(glyph, (pen, (height - glyph.get_height()) // 2))
            pen += advance
        return whole

    def _glyph(self, char: str, digits: str, zoom: float) -> pygame.Surface:
        """Return one character of a set in its size; a missing one (another currency's) is set in type."""
        key = (char, digits, zoom)
        if key not in self._glyphs:
            self._glyphs[key] = self._cut(char, digits, zoom)
        return self._glyphs[key]

    def _cut(self, char: str, digits: str, zoom: float) -> pygame.Surface:
        metrics = self._shared.digits(digits)
        pad = round(metrics.pad * zoom)
        if char not in metrics.advance:
            size = round(metrics.height * zoom * 0.55 / self._scale)
            face = self.text(char, size, GOLD if "gold" in digits else WHITE, FIGURES)
            padded = clear((face.get_width() + 2 * pad, face.get_height()))
            padded.blit(face, (pad, 0))
            return padded
        if char.isspace():
            return clear((1, 1))
        sprite = self._shared.sprite(f"{digits}_{glyph_name(char)}")
        return sprite if zoom == 1 else pygame.transform.smoothscale_by(sprite, zoom)


def _pixels(surface: pygame.Surface) -> int:
    return surface.get_width() * surface.get_height()


def _unbroken(words: Sequence[str]) -> list[str]:
    """Return `words` with each currency or percent sign joined to the preceding figure."""
    joined: list[str] = []
    for word in words:
        if joined and (unicodedata.category(word[0]) == "Sc" or word[0] == "%"):
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined
