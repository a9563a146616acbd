"""`python -m venue.page.catalogue`: compiles the page's translations from `django.po` to `django.mo`.

It also copies the cabinets' translations from `ui/locale` to `cabinet.json`, so that the page shows an event with the
same words as the cabinet's screen. The compiled files are stored beside their sources, so an installed page does not
need this program. A test checks that they are up to date.
"""

import io
import json
import sys
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
CABINETS = Path(__file__).parents[2] / "ui" / "locale"
"""Folder of the cabinets' catalogues in the source tree."""


def compiled(source: Path) -> bytes:
    """Compile a `.po` catalogue; return the content of its `.mo` file."""
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - a development dependency
    from babel.messages.pofile import read_po  # noqa: PLC0415

    with source.open("rb") as file:
        catalogue = read_po(file)
    content = io.BytesIO()
    write_mo(content, catalogue)
    return content.getvalue()


def copied(source: Path) -> str:
    """Return the texts of a cabinet's catalogue, English to translation, as JSON without the plural forms."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - a development dependency

    with source.open("rb") as file:
        catalogue = read_po(file)
    texts = {one.id: one.string for one in catalogue if isinstance(one.id, str) and one.id and one.string}
    return json.dumps(texts, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


if __name__ == "__main__":
    for path in sorted(CABINETS.glob("*.po")):
        target = LOCALE / path.stem / "cabinet.json"
        if target.parent.is_dir():
            target.write_text(copied(path), encoding="utf-8")
    for path in sorted(LOCALE.rglob("django.po")):
        path.with_suffix(".mo").write_bytes(compiled(path))
        sys.stdout.write(f"{path.with_suffix('.mo')}\n")
