"""Characters as dots: font A of 12x24 and font B of 9x17, drawn once each."""

from functools import cache, lru_cache
from importlib import resources
from typing import Final, NamedTuple

import msgspec
from PIL import Image, ImageChops, ImageDraw, ImageFont

_FONT: Final = ("fontpkg_roboto_mono", "files/RobotoMono[wght].ttf")


class Cell(NamedTuple):
    """A font's cell in dots; `points` is the size at which the drawn font's characters are as wide."""

    width: int
    height: int
    baseline: int
    points: int


FONTS: Final = {"A": Cell(12, 24, 19, 20), "B": Cell(9, 17, 13, 15)}


class Style(msgspec.Struct, kw_only=True):
    """The style of characters; `width` and `height` are multiples, `spacing` and `underline` are in dots."""

    font: str = "A"
    width: int = 1
    height: int = 1
    emphasized: bool = False
    double_strike: bool = False
    underline: int = 0
    reverse: bool = False
    spacing: int = 0

    @property
    def cell_width(self) -> int:
        """Dots from one character to the next."""
        return (FONTS[self.font].width + self.spacing) * self.width

    @property
    def cell_height(self) -> int:
        """Dots from the top of a character's cell to its bottom."""
        return FONTS[self.font].height * self.height


def drawn(character: str, style: Style) -> Image.Image:
    """Return a character's cell, black dots as 255."""
    bold = style.emphasized or style.double_strike
    return _cell(character, style.font, style.width, style.height, bold, style.underline, style.reverse, style.spacing)


@lru_cache(maxsize=4096)
def _cell(  # noqa: PLR0917 - the cache's key
    character: str,
    font: str,
    width: int,
    height: int,
    bold: bool,  # noqa: FBT001 - as above
    underline: int,
    reverse: bool,  # noqa: FBT001 - as above
    spacing: int,
) -> Image.Image:
    size = FONTS[font]
    cell = Image.new("1", (size.width + spacing, size.height))
    draw = ImageDraw.Draw(cell)
    draw.fontmode = "1"
    draw.text((0, size.baseline), character, font=_typeface(size.points), fill=255, anchor="ls")
    if bold:
        draw.text((1, size.baseline), character, font=_typeface(size.points), fill=255, anchor="ls")
    scaled = cell.resize((cell.width * width, cell.height * height), Image.Resampling.NEAREST)
    if underline:
        ImageDraw.Draw(scaled).rectangle((0, scaled.height - underline, scaled.width, scaled.height), fill=255)
    return ImageChops.invert(scaled) if reverse else scaled


@cache
def _typeface(points: int) -> ImageFont.FreeTypeFont:
    package, path = _FONT
    with resources.as_file(resources.files(package) / path) as file:
        return ImageFont.truetype(str(file), points)
