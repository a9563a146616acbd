"""Every text of the page that is translated, taken from its code and templates."""

import io
from pathlib import Path

from babel.messages.extract import extract
from django.utils.translation.template import templatize

import venue.page

FOLDER = Path(venue.page.__file__).parent
CATALOGUE = FOLDER / "locale" / "de" / "LC_MESSAGES" / "django.po"
_KEYWORDS = {"gettext": None, "gettext_lazy": None, "_": None, "ngettext": (1, 2)}

Words = set[str | tuple[str, str]]


def words() -> Words:
    """Return each English text, and pairs of one and many."""
    found: Words = set()
    for path in sorted(FOLDER.rglob("*.py")):
        found |= _of(path.read_text())
    for path in sorted((FOLDER / "templates").rglob("*.html")):
        found |= _of(templatize(path.read_text(), origin=str(path)))
    return found


def _of(code: str) -> Words:
    extracted = extract("python", io.BytesIO(code.encode()), keywords=_KEYWORDS)
    return {message if isinstance(message, str) else (message[0], message[1]) for _, message, _, _ in extracted}
