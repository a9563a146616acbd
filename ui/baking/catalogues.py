"""Languages at bake time: gettext's catalogues from `ui/locale/*.po`, and pictures with their words translated.

A `<text>` whose `data-room` says how wide it may be (in its own units) bears words of the catalogue's context `art`.
So does a `<path id="…" data-words="…">`, letters drawn by hand; another language's are set in type in their place, with
`data-set` giving middle, baseline, size and room.
"""

import io
import re
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

import pygame
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from ui.baking import fonts
from ui.baking.sources import ArtError, Source, checked
from ui.languages import catalogue_path

LOCALE = Path(__file__).resolve().parent.parent / "locale"
CONTEXT = "art"
_TEXT = re.compile(r"<text\b([^>]*\bdata-room=\"[^>]*)>([^<]*)</text>")
_PATH = re.compile(r"<path\b([^>]*\bdata-words=\"([^\"]*)\"[^>]*)/>")
_ATTRIBUTE = re.compile(r"([\w-]+)=\"([^\"]*)\"")
_LINE = 0.8
"""How large each of two lines is, beside the one line that they replace."""
_LEADING = 1.06
_MEASURE = 200
"""The size at which words are measured."""


def read_catalogues(folder: Path = LOCALE) -> dict[str, Catalog]:
    """Return the catalogues of `folder` by language."""
    found = {}
    for path in sorted(folder.glob("*.po")):
        with path.open("rb") as file:
            found[path.stem] = read_po(file, locale=path.stem, abort_invalid=True)
    return found


def compile_to(out: Path) -> list[str]:
    """Write each catalogue as the display reads it, below `out`; return the languages that changed."""
    changed = []
    for language, catalogue in read_catalogues().items():
        compiled = io.BytesIO()
        write_mo(compiled, catalogue)
        target = catalogue_path(out, language)
        if not target.exists() or target.read_bytes() != compiled.getvalue():
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = target.with_suffix(".new")
            fresh.write_bytes(compiled.getvalue())
            fresh.replace(target)
            changed.append(language)
    return changed


def words_of(source: Source) -> list[str]:
    """Return the words in a picture that a language may have its own for."""
    drawn = [match[2] for match in _PATH.finditer(source.svg) if _is_used(match[1], source.svg)]
    return list(dict.fromkeys([*(match[2] for match in _TEXT.finditer(source.svg)), *drawn]))


def in_language(source: Source, catalogue: Catalog) -> Source | None:
    """Return `source` with its words in the catalogue's language, or None where they are the same in it.

    Words that would be wider than their room are set smaller; a line break in them makes two lines of one.
    """
    own = {words: _translated(words, catalogue, source) for words in words_of(source)}
    if all(words == translated for words, translated in own.items()):
        return None
    svg = _TEXT.sub(lambda match: _set(dict(_ATTRIBUTE.findall(match[1])), own[match[2]]), source.svg)
    svg = _PATH.sub(lambda match: _typeset(match[1], own[match[2]]) if match[2] in own else match[0], svg)
    checked(svg, source.path)
    return replace(source, svg=svg)


def _translated(words: str, catalogue: Catalog, source: Source) -> str:
    message = catalogue.get(words, context=CONTEXT)
    if message is None or not message.string:
        raise ArtError(f"{source.path}: {words!r} has no {CONTEXT} entry in ui/locale/{catalogue.locale}.po")
    return str(message.string)


def _is_used(attributes: str, svg: str) -> bool:
    """Whether a definition, which may be in a shared file, is drawn in this picture."""
    return f'href="#{dict(_ATTRIBUTE.findall(attributes))["id"]}"' in svg


def _typeset(attributes: str, words: str) -> str:
    """Return these words as a `<text>` in the place of letters drawn by hand."""
    values = dict(_ATTRIBUTE.findall(attributes))
    middle, baseline, size, room = values["data-set"].split()
    face = {"font-family": "Source Serif Pro", "font-weight": "900", "font-size": size, "text-anchor": "middle"}
    return _set({"id": values["id"], "x": middle, "y": baseline, "data-room": room, **face}, words)


def _set(values: dict[str, str], words: str) -> str:
    """Return the `<text>` of these attributes with these words, in as many lines as they have."""
    lines = words.split("\n")
    size = float(values["font-size"]) * (_LINE if len(lines) > 1 else 1)
    spacing = float(values.get("letter-spacing", 0))
    widest = max(_width(line, size, spacing, values) for line in lines)
    shrink = min(1.0, float(values["data-room"]) / widest)
    size, spacing = size * shrink, spacing * shrink
    step = size * _LEADING
    # Smaller letters keep their middle: capitals are about 0.7 of the size high.
    middle = float(values["y"]) - 0.35 * float(values["font-size"])
    values |= {"font-size": f"{size:.2f}", "letter-spacing": f"{spacing:.2f}"}
    drawn = " ".join(f'{name}="{value}"' for name, value in values.items() if name not in ("y", "data-room"))
    first = middle + 0.35 * size - step * (len(lines) - 1) / 2
    spans = "".join(
        f'<tspan x="{values["x"]}" y="{first + step * row:.2f}">{escape(line)}</tspan>'
        for row, line in enumerate(lines)
    )
    return f'<text {drawn} y="{first:.2f}">{spans}</text>'


def _width(words: str, size: float, spacing: float, values: dict[str, str]) -> float:
    pygame.font.init()
    font = pygame.font.Font(fonts.path(values["font-family"], values.get("font-weight", "400")), _MEASURE)
    return float(font.size(words)[0] / _MEASURE * size + spacing * len(words))
