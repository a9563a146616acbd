"""The words of events in the reader's language, as the cabinets' own screens have them.

`locale/<language>/cabinet.json` is made by `python -m venue.page.catalogue` from the cabinets' catalogue. What it lacks
is shown in the English that the cabinet has sent.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import get_language

LOCALE = Path(__file__).parent / "locale"
MOST_WORDS = 8
"""The most words of one search; a longer text is looked for as it is."""
FEWEST_LETTERS = 3
"""Of a word that is looked for in translations: most of them hold any two letters."""


class Sought(NamedTuple):
    """A word that is looked for, and the English of all texts whose translation holds it."""

    word: str
    english: tuple[str, ...]


@cache
def _texts(language: str) -> Mapping[str, str]:
    path = LOCALE / language / "cabinet.json"
    found: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _own() -> Mapping[str, str]:
    return _texts((get_language() or "en")[:2])


def translated(text: str) -> str:
    """Return a template or a word of an event in the reader's language; unchanged where it has no translation."""
    return _own().get(text, text)


def sought(text: str) -> tuple[Sought, ...]:
    """Return the words of `text`, as a reader of another language than English writes them; none for English.

    A page shows an event in the reader's words, put together from a template and what is filled in: each word may be
    in another of these.
    """
    words = text.split()
    if not _own() or len(words) > MOST_WORDS:
        return ()
    return tuple(Sought(word, _english_of(word) if len(word) >= FEWEST_LETTERS else ()) for word in words)


def _english_of(word: str) -> tuple[str, ...]:
    wanted = word.casefold()
    return tuple(english for english, own in _own().items() if wanted in own.casefold())
