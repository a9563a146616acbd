"""Event texts in the reader's language, translated as on the cabinets' own screens.

`python -m venue.page.catalogue` makes `locale/<language>/cabinet.json` from the cabinets' catalogue. A text without a
translation is shown in English, as the cabinet sent it.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import get_language

LOCALE = Path(__file__).parent / "locale"
MOST_WORDS = 8
"""Maximum number of words searched in translations; a longer text is searched only as typed."""
FEWEST_LETTERS = 3
"""Minimum length of a word searched in translations, because most translations contain any two letters."""


class Sought(NamedTuple):
    """A search word, and the English originals of all texts whose translation contains it."""

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
    """Translate an event's template or word into the reader's language; without a translation return it unchanged."""
    return _own().get(text, text)


def sought(text: str) -> tuple[Sought, ...]:
    """Split a search text into words with the English texts they may stand for; an empty tuple for English readers.

    The page builds an event's text from a translated template and translated figures, so each word may come from a
    different one of them.
    """
    words = text.split()
    if not _own() or len(words) > MOST_WORDS:
        return ()
    return tuple(Sought(word, _english_of(word) if len(word) >= FEWEST_LETTERS else ()) for word in words)


def _english_of(word: str) -> tuple[str, ...]:
    wanted = word.casefold()
    return tuple(english for english, own in _own().items() if wanted in own.casefold())
