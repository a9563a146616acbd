"""The font files of the bake: found in the `font-…` packages, never among the machine's own fonts."""

import shutil
from functools import cache
from importlib import metadata
from pathlib import Path

import pygame

from ui.own_files import refuse_foreign

# family and weight as an SVG names them: the file that holds them, and the distribution it comes with
FILES: dict[tuple[str, str], tuple[str, str]] = {
    ("Fredoka One", "400"): ("FredokaOne-Regular.ttf", "font-fredoka-one"),
    ("Manrope", "500"): ("Manrope-Medium.ttf", "font-manrope"),
    ("Manrope", "700"): ("Manrope-Bold.ttf", "font-manrope"),
    ("Manrope", "800"): ("Manrope-ExtraBold.ttf", "font-manrope"),
    ("Roboto", "400"): ("Roboto-Regular.ttf", "font-roboto"),
    ("Roboto", "500"): ("Roboto-Medium.ttf", "font-roboto"),
    ("Roboto", "700"): ("Roboto-Bold.ttf", "font-roboto"),
    ("Roboto", "900"): ("Roboto-Black.ttf", "font-roboto"),
    ("Source Serif Pro", "900"): ("SourceSerifPro-Black.ttf", "font-source-serif-pro"),
}

_NO_CHARACTER = "\uffff"


class MissingFontError(LookupError):
    """A picture needs a font or a character that the bake does not have."""


@cache
def path(family: str, weight: str) -> Path:
    """Return the file of `family` (such as `Roboto`) at `weight` (such as `900`)."""
    entry = FILES.get((family, weight))
    if entry is None:
        known = ", ".join(f"{name} {heft}" for name, heft in FILES)
        raise MissingFontError(f"no font {family} {weight}; use one of: {known}")
    name, distribution = entry
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        raise MissingFontError(f"{name} is missing: install {distribution} (pip install 'cabinet[bake]')") from None
    for file in files:
        if file.name == name:
            return Path(str(file.locate()))
    raise MissingFontError(f"{distribution} holds no {name}: reinstall it")


def paths() -> list[str]:
    """Return every font file."""
    return [str(path(family, weight)) for family, weight in FILES]


def named_in(svg: str) -> list[str]:
    """Return the files of the families that `svg` names; reading all nine takes longer than drawing a simple part."""
    return [str(path(family, weight)) for family, weight in FILES if family in svg]


def check(family: str, weight: str, text: str) -> None:
    """Raise `MissingFontError` if that font cannot draw all of `text`, which resvg would omit silently."""
    pygame.font.init()
    font = pygame.font.Font(path(family, weight), 20)

    def drawn(character: str) -> bytes:
        return pygame.image.tobytes(font.render(character, antialias=True, color="white"), "RGBA")

    nothing = drawn(_NO_CHARACTER)  # pygame reports no missing glyph; it draws the same box for each
    missing = [character for character in sorted(set(text) - set(" \n\t")) if drawn(character) == nothing]
    if missing:
        raise MissingFontError(f"{family} {weight} has no glyph for {''.join(missing)!r}")


def copy_to(folder: Path) -> list[str]:
    """Copy the font files into `folder` for the display; return the names of those that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for family, weight in FILES:
        source = path(family, weight)
        target = folder / source.name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            refuse_foreign(target)
            shutil.copyfile(source, target)
            changed.append(target.name)
    return changed
