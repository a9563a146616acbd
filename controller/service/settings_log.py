"""H.5: changes of settings: old and new value, by whom and when (requirements.md L6)."""

from collections.abc import Iterator, Sequence

from controller.journal.settings import Change, changes
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page, of_books
from ui.protocol.values import moment

MOST = 200
"""The most changes that the page lists; the export has all of them."""
_ON_A_LINE = 48


def _changed(tx: Transaction) -> Sequence[Line]:
    """Return the newest changes, each with a link to its page."""
    return [
        Line("{place}", moment(change.at_ms), place=change.key, leads=_page(number, change))
        for number, change in enumerate(changes(tx, MOST), start=1)
    ] or (Line("Nothing was changed yet"),)


def _page(number: int, change: Change) -> Page:
    def lines(_tx: Transaction) -> Sequence[Line]:
        return (
            Line("{place}", moment(change.at_ms), place=change.key, tone="heading"),
            *(Line("Until then", part) for part in _parts(change.old)),
            *(Line("From then on", part) for part in _parts(change.new)),
            Line("Changed by", change.by or change.who),
        )

    return of_books(f"H.5.{number}", "Setting", lines)


def _parts(value: str) -> Iterator[str]:
    """Yield a value in pieces that fit into a line."""
    part = ""
    for piece in value.split(","):
        if part and len(part) + len(piece) >= _ON_A_LINE:
            yield f"{part},"
            part = piece
        else:
            part = f"{part},{piece}" if part else piece
    yield part


PAGES = (of_books("H.5", "Settings changed", _changed),)
