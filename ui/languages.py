"""The catalogues of the display's languages: baked (`cabinet bake`), each read when a view first names it."""

import struct
import sys
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

SOURCE = "en"
"""The language of the texts in the code; it needs no catalogue."""
DOMAIN = "cabinet"


def catalogue_path(baked: Path, language: str) -> Path:
    """Return the path of the baked catalogue of `language`."""
    return baked / "locale" / language / "LC_MESSAGES" / f"{DOMAIN}.mo"


class Languages:
    """The catalogues in the folder of baked files `baked`."""

    def __init__(self, baked: Path) -> None:
        self._baked = baked
        self._read: dict[str, NullTranslations] = {SOURCE: NullTranslations()}

    def catalogue(self, language: str) -> NullTranslations:
        """Return the texts of `language`; if they cannot be read, report it once on stderr and return English."""
        if language not in self._read:
            self._read[language] = self._found(catalogue_path(self._baked, language))
        return self._read[language]

    @staticmethod
    def _found(path: Path) -> NullTranslations:
        try:
            with path.open("rb") as file:
                return GNUTranslations(file)
        except (OSError, ValueError, struct.error) as error:
            cause = getattr(error, "strerror", None) or error
            sys.stderr.write(f"display: {path}: {cause}: run `cabinet bake`; until then the screen speaks English\n")
            return NullTranslations()
