"""U.12: the list of licences, and a page with the text of each."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap

from controller.files.bounded import MOST_TEXT_BYTES, ForeignFileError, printable, read_bounded
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page
from controller.service.serviced_machine import ServicedMachine
from controller.system.licences import Licence, licences

NOT_INSTALLED = "not installed here"
UNSTATED = "not stated"
FURTHER = "Further"

_WIDTH = 88
_PAGE = 200


def _all(_tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
    return [_line(f"U.12.{number}", licence) for number, licence in enumerate(licences(), start=1)]


def _line(code: str, licence: Licence) -> Line:
    page = Page(code, "Licences", lambda _tx, _machine: _text(code, licence)) if licence.texts else None
    return Line(f"{licence.name} {licence.version}".strip(), _in_short(licence), leads=page)


def _in_short(licence: Licence) -> str:
    return licence.licence or (UNSTATED if licence.version else NOT_INSTALLED)


def _text(code: str, licence: Licence, first: int = 0) -> Sequence[Line]:
    """Return a package's licence text from line `first`; a long text continues on a further page."""
    words = [line for path in licence.texts if path.is_file() for line in _lines(path)]
    shown = words[first : first + _PAGE]
    lines = [Line(f"{licence.name} {licence.version}", _in_short(licence), tone="heading"), *map(Line, shown)]
    if (after := first + _PAGE) < len(words):
        page = Page(f"{code}.{after}", "Licences", lambda _tx, _machine: _text(code, licence, after))
        lines.append(Line(FURTHER, leads=page))
    return lines


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text, wrapped to the width of a row."""
    try:
        text = read_bounded(path, MOST_TEXT_BYTES, follow=True).decode(errors="replace")
    except (OSError, ForeignFileError) as error:
        text = printable(error)
    for line in text.splitlines():
        yield from wrap(line, _WIDTH)


PAGES = (Page("U.12", "Licences", _all, technician=True),)
