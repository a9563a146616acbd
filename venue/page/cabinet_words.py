"""The words of events in the reader's language, as the cabinets' own screens have them.

`locale/<language>/cabinet.json` is made by `python -m venue.page.catalogue` from the cabinets' catalogue. What it lacks
is shown in the English that the cabinet has sent.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.utils.translation import get_language

LOCALE = Path(__file__).parent / "locale"
MOST_FOUND = 60
"""The most texts that one search looks for."""


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


def english_of(text: str) -> list[str]:
    """Return the English of up to `MOST_FOUND` texts whose translation holds `text`, the shortest translation first."""
    wanted = text.casefold()
    found = ((len(own), english) for english, own in _own().items() if wanted in own.casefold()) if wanted else ()
    return [english for _, english in sorted(found)[:MOST_FOUND]]
