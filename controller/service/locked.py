"""The pages of a locked cabinet: meters and history, with each meter marked good or suspect (C5, L1).

Either key opens them without a PIN: the journal cannot be written, so no attempt could be recorded, and the attendant
may read these pages anyway. Only a restart ends the lock.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from common.error_words import error_words
from controller.errors import LockingError
from controller.journal.actor import Role
from controller.journal.errors import UNREADABLE as UNREADABLE_BOOKS
from controller.journal.errors import JournalError
from controller.journal.readings import CREDIT, MODES, Reading, Readings, opened, read_meters
from controller.journal.transaction import Transaction
from controller.service import tree
from controller.service.keys import FRESH, LONG_PAGE, STEPS, first_of, keys_of_page, moved
from controller.service.meters import BY_VALUE, COUNTS, MONEY, of_value
from controller.service.page import Line, Page, RecallRound, bounded, rows
from ui.protocol.messages import ServicePage

TITLES = {"": "Meters and history, to be read only", "M.1": "Lifetime", "M.2": "Since last collection"}
IDLE_S = 180.0
"""The idle timeout after which the pages close."""
SUSPECT, GOOD = "suspect", "good"
UNREADABLE = "The books cannot be read"
BY_THE_LEDGER = "By the ledger"
ON_THE_REELS = "It can be shown on the reels after a restart"
NONSENSE = (JournalError, *UNREADABLE_BOOKS, ArithmeticError, LookupError, TypeError, ValueError)
"""The errors that reading a damaged journal can raise."""


def read_page(path: Path, read: Callable[[Transaction], Sequence[Line]]) -> tuple[Line, ...]:
    """Return a page's lines from the journal at `path`, opened read-only, or why it cannot be read."""
    troubles: dict[str, None] = {}
    for mode in MODES:
        try:
            with opened(path, mode) as connection:
                return bounded(list(map(_to_be_read, read(Transaction(connection, 0)))))
        except NONSENSE as error:
            troubles[error_words(error)] = None
    return (Line(UNREADABLE, tone="bad"), *(Line(trouble, tone="bad") for trouble in troubles))


def _to_be_read(line: Line) -> Line:
    """Return a line, with its link only if that leads to a page that is readable here."""
    leads = line.leads
    if isinstance(leads, RecallRound):
        return Line(ON_THE_REELS)
    if (isinstance(leads, Page) and leads.books is not None) or (isinstance(leads, str) and leads in _readable()):
        return line
    return replace(line, leads=None)


def _readable() -> dict[str, Page]:
    """Return the pages of meters and history that need only the journal, by code."""
    return {
        code: page for code, page in sorted(tree.pages().items()) if page.section in "MH" and page.books is not None
    }


class LockedMenu:
    """The pages of meters and history of the journal at `path`, closed or open for the key that is turned.

    `changed` is called after each change.
    """

    def __init__(self, path: Path, error: LockingError, changed: Callable[[], None]) -> None:
        self._path = path
        self._error = error
        self._changed = changed
        self._who: Role | None = None
        self._at: list[tuple[str, int]] = []
        self._readings = Readings({}, ())
        self._read: dict[str, tuple[Page, tuple[Line, ...]]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._closing: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Whether the pages cover the lock screen."""
        return self._who is not None

    @property
    def page(self) -> ServicePage | None:
        """The page to show, None while closed."""
        if self._who is None:
            return None
        code, focus = self._at[-1]
        page = self._read[code][0] if code in self._read else None
        return ServicePage(
            code=code,
            title=TITLES[code] if page is None else page.title,
            chart=page is not None and page.chart,
            who=self._who,
            rows=rows(self._lines),
            focus=focus,
        )

    @property
    def controls(self) -> frozenset[str]:
        """The live keys and rows."""
        keys = keys_of_page(len(self._lines), codes=False)
        found = (f"service:row:{number}" for number, line in enumerate(self._lines) if line.leads)
        return frozenset({*keys, *(f"service:{key}" for key in keys.values()), *found})

    def key(self, who: Role, *, turned: bool) -> None:
        """Take a key switch: on opens the pages, off closes them."""
        if turned and self._who is None:
            self._reading = asyncio.get_running_loop().create_task(self._open(who))
        elif not turned and who is self._who:
            self._close()

    def press(self, control: str, origin: str = "") -> asyncio.Event:  # noqa: ARG002 - nothing is written down here
        """Take a press of a live control, unless a page is being read; the event is set once the new page is shown."""
        done = asyncio.Event()
        reads = self._reading is not None and not self._reading.done()
        page = self._take(control) if self._who is not None and not reads else None
        self._touched()
        if page is None:
            done.set()
        else:
            self._reading = asyncio.get_running_loop().create_task(self._turn_to(page, done))
        return done

    def _take(self, control: str) -> Page | None:
        """Take a press; return the page to read for it, if any."""
        code, focus = self._at[-1]
        key = LONG_PAGE.get(control, control.removeprefix("service:"))
        leads = None
        if key == "back":
            self._at.pop()
            if not self._at:
                self._close()
                return None
        elif key in STEPS:
            self._at[-1] = (code, moved(focus, key, len(self._lines)))
        else:
            number = focus if key == "enter" else int(key.removeprefix("row:"))
            self._at[-1] = (code, number)
            leads = self._lines[number].leads if number < len(self._lines) else None
        if isinstance(leads, Page):
            return leads
        if isinstance(leads, str) and leads not in TITLES:
            return _readable()[leads]
        if isinstance(leads, str):
            self._enter(leads)
        self._changed()
        return None

    async def _turn_to(self, page: Page, done: asyncio.Event) -> None:
        """Read a page and open it, unless the key was turned back in between."""
        if page.books is not None:
            lines = await asyncio.to_thread(read_page, self._path, page.books)
            if self._who is not None:
                self._read[page.code] = (page, lines)
                self._enter(page.code)
                self._changed()
        done.set()

    def _enter(self, code: str) -> None:
        """Open a page that was read; another page of the same list is replaced."""
        if code == self._at[-1][0]:
            self._at.pop()
        self._at.append((code, FRESH))
        self._at[-1] = (code, first_of(self._lines))

    async def _open(self, who: Role) -> None:
        # a failing disk may be slow
        self._readings = await asyncio.to_thread(read_meters, self._path)
        self._who, self._at, self._read = who, [("", 0)], {}
        self._touched()
        self._changed()

    def _touched(self) -> None:
        """Restart the idle timeout."""
        if self._closing is not None:
            self._closing.cancel()
        self._closing = asyncio.get_running_loop().call_later(IDLE_S, self._close) if self.is_open else None

    def _close(self) -> None:
        self._who, self._at = None, []
        self._touched()
        self._changed()

    @property
    def _lines(self) -> Sequence[Line]:
        meters = self._readings.meters
        code = self._at[-1][0]
        if code in self._read:
            return self._read[code][1]
        if code == "M.1":
            return [line for name, label in _labels(meters) for line in _lines(name, label, meters[name])]
        if code == "M.2":
            return [
                _line(name, label, reading.since, suspect=reading.suspect)
                for name, label in _labels(meters)
                if (reading := meters[name]).since is not None
            ]
        ways = [Line(TITLES[way], leads=way) for way in ("M.1", "M.2")] if meters else [Line(UNREADABLE, tone="bad")]
        if meters:
            ways += [Line(page.title, leads=code) for code, page in _readable().items()]
        credit = _lines(CREDIT, "Credit", meters[CREDIT]) if CREDIT in meters else []
        return [
            *ways,
            *credit,
            *(Line(trouble, tone="bad") for trouble in (str(self._error), *self._readings.troubles)),
        ]


def _labels(meters: dict[str, Reading]) -> list[tuple[str, str]]:
    """Return the meters found, with their labels, in the order of the meters' pages."""
    known = [(name, label) for name, label in {**MONEY, **COUNTS}.items() if name in meters]
    for kind, label in BY_VALUE.items():
        known += [(name, label) for name in meters if of_value(name, kind)]
    named = {name for name, _ in known} | {CREDIT}
    return known + [(name, name) for name in meters if name not in named]


def _lines(name: str, label: str, reading: Reading) -> list[Line]:
    """Return a meter's line; a suspect one is followed by the ledger's figure."""
    lines = [_line(name, label, reading.shown, suspect=reading.suspect)]
    if reading.suspect and reading.proved is not None and reading.proved != reading.shown:
        lines.append(_line(name, BY_THE_LEDGER, reading.proved, suspect=True))
    return lines


def _line(name: str, label: str, figure: int | None, *, suspect: bool) -> Line:
    value = int(name.rpartition("_")[2]) if label in BY_VALUE.values() else None
    cents = figure if name in MONEY or name == CREDIT else value
    count = None if name in MONEY or name == CREDIT else figure
    return Line(label, SUSPECT if suspect else GOOD, count=count, cents=cents, tone="bad" if suspect else "plain")
