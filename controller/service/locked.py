"""What can be read while the cabinet is locked: the meters, and which of them are not to be trusted (C5).

The turn of either key opens it. A PIN can be neither proved nor its attempt be recorded by books that are not to be
written, and what stands here the attendant may read too. Only a restart leads out of the lock.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from controller.journal.readings import CREDIT, Reading, Readings, read_meters
from controller.machine.locking import LockingError
from controller.service.keys import KEYS
from controller.service.leaf import Line, Who
from controller.service.meters import BY_VALUE, COUNTS, MONEY, of_value
from ui.messages import ServicePage

TITLES = {"": "Meters, to be read only", "M.1": "Lifetime", "M.2": "Since last collection"}
IDLE_S = 180.0
"""Nobody touches it for so long: it closes itself."""
SUSPECT, GOOD = "suspect", "good"
UNREADABLE = "The books cannot be read"
BY_THE_LEDGER = "By the ledger"


class LockedMenu:
    """The meters of the journal at `path`, closed or open for whoever's key is turned; `changed` is told of changes."""

    def __init__(self, path: Path, error: LockingError, changed: Callable[[], None]) -> None:
        self._path = path
        self._error = error
        self._changed = changed
        self._who: Who | None = None
        self._at: list[tuple[str, int]] = []
        self._readings = Readings({}, ())
        self._reading: asyncio.Task[None] | None = None
        self._closing: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Whether it lies over the lock's screen."""
        return self._who is not None

    @property
    def page(self) -> ServicePage | None:
        """What is to be shown, None while it is closed."""
        if self._who is None:
            return None
        code, focus = self._at[-1]
        rows = tuple(line.row for line in self._lines)
        return ServicePage(code=code, title=TITLES[code], who=self._who, rows=rows, focus=focus)

    @property
    def controls(self) -> frozenset[str]:
        """The four keys, and the rows that lead somewhere."""
        rows = (f"service:row:{number}" for number, line in enumerate(self._lines) if line.leads)
        return frozenset({*KEYS, *(f"service:{key}" for key in KEYS.values()), *rows})

    def key(self, who: Who, *, turned: bool) -> None:
        """Take a key switch: turned on it opens the pages, off it closes them."""
        if turned and self._who is None:
            self._reading = asyncio.get_running_loop().create_task(self._open(who))
        elif not turned and who is self._who:
            self._close()

    def press(self, control: str, where: str = "") -> asyncio.Event:  # noqa: ARG002 - nothing is written down here
        """Take a press of a live control at once; the event is set already."""
        if self._who is not None:
            self._take(control)
            self._touched()
        done = asyncio.Event()
        done.set()
        return done

    def _take(self, control: str) -> None:
        code, focus = self._at[-1]
        key = KEYS.get(control, control.removeprefix("service:"))
        if key == "back":
            self._at.pop()
            if not self._at:
                self._close()
                return
        elif key in ("up", "down"):
            self._at[-1] = (code, max(0, min(len(self._lines) - 1, focus + (1 if key == "down" else -1))))
        else:
            number = focus if key == "enter" else int(key.removeprefix("row:"))
            self._at[-1] = (code, number)
            leads = self._lines[number].leads if number < len(self._lines) else None
            if isinstance(leads, str):
                self._at.append((leads, 0))
        self._changed()

    async def _open(self, who: Who) -> None:
        # a failing disk may take its time
        self._readings = await asyncio.to_thread(read_meters, self._path)
        self._who, self._at = who, [("", 0)]
        self._touched()
        self._changed()

    def _touched(self) -> None:
        """Count from now again how long nobody touches it."""
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
        if code == "M.1":
            return [line for name, label in _labels(meters) for line in _lines(name, label, meters[name])]
        if code == "M.2":
            return [
                _line(name, label, reading.since, suspect=reading.suspect)
                for name, label in _labels(meters)
                if (reading := meters[name]).since is not None
            ]
        ways = [Line(TITLES[way], leads=way) for way in ("M.1", "M.2")] if meters else [Line(UNREADABLE, tone="bad")]
        credit = _lines(CREDIT, "Credit", meters[CREDIT]) if CREDIT in meters else []
        return [
            *ways,
            *credit,
            *(Line(trouble, tone="bad") for trouble in (str(self._error), *self._readings.troubles)),
        ]


def _labels(meters: dict[str, Reading]) -> list[tuple[str, str]]:
    """Return the meters that were found, with their labels, in the order of the meters' pages."""
    known = [(name, label) for name, label in {**MONEY, **COUNTS}.items() if name in meters]
    for kind, label in BY_VALUE.items():
        known += [(name, label) for name in meters if of_value(name, kind)]
    named = {name for name, _ in known} | {CREDIT}
    return known + [(name, name) for name in meters if name not in named]


def _lines(name: str, label: str, reading: Reading) -> list[Line]:
    """Return a figure, and below a suspect one what the ledger makes it."""
    lines = [_line(name, label, reading.shown, suspect=reading.suspect)]
    if reading.suspect and reading.proved is not None and reading.proved != reading.shown:
        lines.append(_line(name, BY_THE_LEDGER, reading.proved, suspect=True))
    return lines


def _line(name: str, label: str, figure: int | None, *, suspect: bool) -> Line:
    value = int(name.rpartition("_")[2]) if label in BY_VALUE.values() else None
    cents = figure if name in MONEY or name == CREDIT else value
    count = None if name in MONEY or name == CREDIT else figure
    return Line(label, SUSPECT if suspect else GOOD, count=count, cents=cents, tone="bad" if suspect else "plain")
