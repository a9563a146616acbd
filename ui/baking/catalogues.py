"""Languages at bake time: gettext's catalogues, and pictures with translated words.

The catalogues are those of `ui/locale/*.po` and of each game's `display/locale`.

A `<text>` whose `data-room` states its greatest width (in its own units) contains words of the catalogue's context
`art`. So does a `<path id="…" data-words="…">` of letters drawn by hand; another language's words replace it as typeset
text, with `data-set` giving middle, baseline, size and room.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

import pygame
from babel.core import UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, denormalize, read_po

from gamekit import catalogue as games
from ui.baking import fonts
from ui.baking.sources import ArtError, Source, checked
from ui.languages import catalogue_path
from ui.own_files import refuse_foreign

LOCALE = Path(__file__).resolve().parent.parent / "locale"
CONTEXT = "art"
_TEXT = re.compile(r"<text\b([^>]*\bdata-room=\"[^>]*)>([^<]*)</text>")
_PATH = re.compile(r"<path\b([^>]*\bdata-words=\"([^\"]*)\"[^>]*)/>")
_ENTRY = re.compile(r'^(msgctxt ".*"\n)?msgid ((?:".*"(?:\n|\Z))+)', re.MULTILINE)
_ATTRIBUTE = re.compile(r"([\w-]+)=\"([^\"]*)\"")
_LINE = 0.8
"""The size of each of two lines, relative to the single line that they replace."""
_LEADING = 1.06
_MEASURE = 200
"""The size at which words are measured."""


class WordsError(ValueError):
    """A catalogue cannot be read, or two differ; the message names the file and the remedy."""


def locale_of(game: str) -> Path:
    """Return the folder of a game's own catalogues."""
    return games.folder_of(game) / "display" / "locale"


def read_catalogues(folders: Iterable[Path] | None = None) -> dict[str, Catalog]:
    """Return the catalogues of `folders` by language, by default those of the display and of all games.

    Raises `WordsError` if one cannot be read, or translates a text differently from another.
    """
    if folders is None:
        folders = (LOCALE, *map(locale_of, games.found()))
    found: dict[str, Catalog] = {}
    for folder in folders:
        for path in sorted(folder.glob("[!.]*.po")):
            _add(read_catalogue(path), path, found)
    return found


def read_catalogue(path: Path) -> Catalog:
    """Return the catalogue in a file that is named after its language.

    Raises `WordsError` if it is not a catalogue, or has two entries for a text.
    """
    try:
        source = path.read_bytes()
        found = read_po(io.BytesIO(source), locale=path.stem, abort_invalid=True)
    except (OSError, ValueError, UnknownLocaleError, PoFileError) as error:
        raise WordsError(f"{path} is no catalogue: {error}") from error
    if twice := translated_twice(source.decode(found.charset)):
        raise WordsError(f"{path}: '{twice[0]}' has two entries; leave one of them")
    return found


def translated_twice(source: str) -> list[str]:
    """Return the texts with several entries in a catalogue's source; Babel silently takes the last one."""
    entries = Counter((context, denormalize(text)) for context, text in _ENTRY.findall(source))
    return [text for (_, text), times in entries.items() if times > 1]


def _add(catalogue: Catalog, path: Path, found: dict[str, Catalog]) -> None:
    whole = found.setdefault(path.stem, catalogue)
    if whole is catalogue:
        return
    for message in catalogue:
        if not message.id:
            continue  # the header
        other = whole.get(message.id, context=message.context)
        if other is not None and other.string != message.string:
            raise WordsError(f"{path}: {message.id!r} is {other.string!r} elsewhere; take that, or say another text")
        if other is None:
            whole[message.id] = message


def compile_to(out: Path) -> list[str]:
    """Write each catalogue as the display reads it, below `out`; return the languages that changed."""
    changed = []
    for language, catalogue in read_catalogues().items():
        compiled = io.BytesIO()
        write_mo(compiled, catalogue)
        target = catalogue_path(out, language)
        if not target.exists() or target.read_bytes() != compiled.getvalue():
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = target.with_name(f"{target.name}.new")
            for written in (target, fresh):
                refuse_foreign(written)
            fresh.write_bytes(compiled.getvalue())
            fresh.replace(target)
            changed.append(language)
    return changed


def words_of(source: Source) -> list[str]:
    """Return the words in a picture that can be translated."""
    drawn = [match[2] for match in _PATH.finditer(source.svg) if _is_used(match[1], source.svg)]
    return list(dict.fromkeys([*(match[2] for match in _TEXT.finditer(source.svg)), *drawn]))


def in_language(source: Source, catalogue: Catalog) -> Source | None:
    """Return `source` with its words in the catalogue's language, or None if they are unchanged.

    Words that are too wide are set smaller; a line break in them makes two lines of one.
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
        raise ArtError(
            f"{source.path}: {words!r} has no {CONTEXT} entry in {catalogue.locale}.po of the display or of its game"
        )
    return str(message.string)


def _is_used(attributes: str, svg: str) -> bool:
    """Whether a definition, which may be in a shared file, is used in this picture."""
    return f'href="#{dict(_ATTRIBUTE.findall(attributes))["id"]}"' in svg


def _typeset(attributes: str, words: str) -> str:
    """Return these words as a `<text>` that replaces letters drawn by hand."""
    values = dict(_ATTRIBUTE.findall(attributes))
    middle, baseline, size, room = values["data-set"].split()
    face = {"font-family": "Source Serif Pro", "font-weight": "900", "font-size": size, "text-anchor": "middle"}
    return _set({"id": values["id"], "x": middle, "y": baseline, "data-room": room, **face}, words)


def _set(values: dict[str, str], words: str) -> str:
    """Return the `<text>` with these attributes and words, one line per line of the words."""
    lines = words.split("\n")
    size = float(values["font-size"]) * (_LINE if len(lines) > 1 else 1)
    spacing = float(values.get("letter-spacing", 0))
    widest = max(_width(line, size, spacing, values) for line in lines)
    shrink = min(1.0, float(values["data-room"]) / widest)
    size, spacing = size * shrink, spacing * shrink
    step = size * _LEADING
    # Smaller letters keep their middle; capitals are about 0.7 of the size high.
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
