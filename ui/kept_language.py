"""The language of a display's first picture, which is drawn before the supervisor's first message.

A language chosen in the service menu is stored only in the books, so that of the newest view is kept in a file for the
next start.
"""

import re
import sys
from pathlib import Path

from common.error_words import error_words
from ui.languages import SOURCE

_CODE = re.compile("[a-z]{2}")
MOST_BYTES = 16


class KeptLanguage:
    """The newest view's language from `file`, else the `configured` one; without a file it lasts for this process."""

    def __init__(self, file: Path | None = None, configured: str = SOURCE) -> None:
        self._file = file
        self.language = self._read() or configured

    def __repr__(self) -> str:
        return f"<KeptLanguage {self.language} in {self._file}>"

    def keep(self, language: str) -> None:
        """Store a view's language; if the file cannot be written, report it and keep the language for this process."""
        if language == self.language:
            return
        self.language = language
        if self._file is None:
            return
        fresh = self._file.with_name(f"{self._file.name}.new")
        try:
            fresh.write_text(language, "ascii")
            fresh.replace(self._file)
        except OSError as error:
            sys.stderr.write(f"display: the language cannot be kept for the next start ({error_words(error)})\n")

    def _read(self) -> str:
        """Return the language in the file, or an empty string if it is missing or invalid."""
        if self._file is None:
            return ""
        try:
            with self._file.open("rb") as file:
                said = file.read(MOST_BYTES).decode("ascii", "replace").strip()
        except OSError:
            return ""
        return said if _CODE.fullmatch(said) else ""
