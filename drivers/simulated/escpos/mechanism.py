"""The printer mechanism, roll, head, cutter and cover: timed paper movement and the conditions that stop it.

A movement is one timer. Its progress follows from the clock, so that a power cut, an open cover or a paper jam stops it
at the exact row.
"""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import DOTS_PER_MM, HangingPaper, Piece, Strip, blank
from drivers.simulated.escpos.status import Conditions

# More than one press of the feed button ever feeds.
_FEED_DOTS: Final = 4000

FAULTS: Final = ("cover_open", "paper_jam", "cutter_jam", "overheated", "unrecoverable")


class Cut(NamedTuple):
    """A cut, `full` or `partial`, `past` dots in front of the paper that is at the cutter."""

    how: str
    past: int = 0


class Mechanism:
    """Moves, prints and cuts paper.

    `dropped` gets each piece that leaves it; `changed` is called whenever `conditions` may have changed.

    It does one movement or cut at a time: `print` and `cut` take a callback for their end.
    """

    def __init__(self, build: Build, *, dropped: Callable[[Piece], None], changed: Callable[[], None]) -> None:
        self._build = build
        self._dropped = dropped
        self._changed = changed
        self.paper = HangingPaper(build.width, build.cutter_gap)
        self._roll = build.roll_mm * DOTS_PER_MM
        self._powered = False
        self._faults: set[str] = set()
        self._stopped_by = ""
        self._cover_error = False
        self._strip: Strip | None = None
        self._done: Callable[[], None] | None = None
        self._speed = build.dots_s
        self._printed = self._noted = 0
        self._began: float | None = None
        self._cut: Cut | None = None
        self._feeding = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a movement or a cut is unfinished."""
        return self._strip is not None or self._cut is not None

    @property
    def roll_dots(self) -> int:
        """Paper left on the roll."""
        return self._roll - self._since()

    @property
    def conditions(self) -> Conditions:
        """The state of its sensors."""
        left = self.roll_dots
        return Conditions(
            cover_open="cover_open" in self._faults,
            feed_button=self._feeding,
            paper_end=left <= 0,
            near_end=left <= self._build.near_end_mm * DOTS_PER_MM,
            recoverable=self._stopped_by == "paper_jam",
            cutter=self._stopped_by == "cutter_jam",
            unrecoverable="unrecoverable" in self._faults,
            passing="overheated" in self._faults or self._cover_error,
        )

    # Commands of the printer's firmware.

    def print(self, strip: Strip, done: Callable[[], None]) -> None:
        """Print `strip`, and call `done` when its last row is on the paper."""
        self._begin(strip, done, self._build.dots_s)

    def cut(self, cut: Cut, done: Callable[[], None]) -> None:
        """Cut the paper, and call `done` when it is cut."""
        self._cut, self._done = cut, done
        self._go_on()

    def recover(self, *, restart: bool) -> None:
        """Recover from an error whose cause is gone: reprint the line that it stopped, or (not `restart`) drop it."""
        if self._stopped_by in self._faults:
            return
        if self._stopped_by == "paper_jam":
            self._note()
            self._printed = self._noted = 0
        self._stopped_by = ""
        if not restart:
            if self._strip is not None:
                self.broken_off("cleared")
            self.drop()
        self._changed()
        self._go_on()

    def drop(self) -> None:
        """Abandon the current print or cut."""
        self._halt()
        self._note()
        self._strip, self._done, self._cut = None, None, None

    def broken_off(self, cause: str) -> None:
        """Record on a begun ticket that the rest of it is lost."""
        if self.paper.inked:
            self.paper.broken_off(cause)

    # Physical actions, wear and mains.

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin one of `FAULTS`, or remove its cause."""
        if name not in FAULTS:
            raise ValueError(f"no such fault: {name}; there are {', '.join(FAULTS)}")
        if on == (name in self._faults):
            return
        self._halt()
        (self._faults.add if on else self._faults.discard)(name)
        if name == "cover_open":
            self._cover_moved(is_open=on)
        elif name == "paper_jam":
            self._jammed(on=on)
        self._changed()
        self._go_on()

    def load(self, roll_mm: int) -> None:
        """Insert a new roll, after pulling out the paper that hung from the old one."""
        self._halt()
        begun = self.paper.inked
        self._pull_out("paper end")
        if begun:
            self.paper.broken_off("new roll")
        self._roll = roll_mm * DOTS_PER_MM
        self._changed()
        self._go_on()

    def shorten(self, left_mm: int) -> None:
        """Shorten the roll to `left_mm`, unless it is already shorter."""
        self._halt()
        self._roll = min(self._roll, left_mm * DOTS_PER_MM)
        self._changed()
        self._go_on()

    def feed(self, *, on: bool) -> None:
        """Press or release the feed button; raise `ValueError` while it prints."""
        if on == self._feeding:
            return
        if on:
            if self.busy:
                raise ValueError("the printer is printing")
            self._feeding = True
            self._begin(blank(_FEED_DOTS, self._build.width), self._fed, self._build.feed_mm_s * DOTS_PER_MM)
        else:
            self.drop()
            self._feeding = False
        self._changed()

    def power(self, *, on: bool) -> None:
        """Switch the mains: off stops the paper where it is, and an unfinished ticket stays hanging."""
        if not on:
            self.drop()
            self.broken_off("power")
        self._powered = on
        self._stopped_by, self._cover_error, self._feeding = "", False, False

    # Movement.

    def _begin(self, strip: Strip, done: Callable[[], None], speed: float) -> None:
        self._strip, self._done, self._speed = strip, done, speed
        self._printed = self._noted = 0
        self._go_on()

    def _go_on(self) -> None:
        """Move or cut as far as possible, unless a condition stops it."""
        if not self._powered or self._timer is not None or self._faults & {"cover_open", "overheated", "unrecoverable"}:
            return
        if not self.busy or self._stopped_by or self._roll <= 0:
            return
        obstacle = {"paper_jam"} if self._strip is not None else {"cutter_jam"}
        if self._faults & obstacle:
            (self._stopped_by,) = obstacle
            self._changed()
            return
        loop = asyncio.get_running_loop()
        if self._strip is None:
            self._timer = loop.call_later(self._build.cut_s, self._cut_through)
            return
        self._began = loop.time()
        self._timer = loop.call_later(self._reach(self._strip) / self._speed, self._arrived)

    def _reach(self, strip: Strip) -> int:
        return min(strip.height - self._printed, self._roll)

    def _since(self) -> int:
        """Return the rows that the current movement has printed so far."""
        if self._began is None or self._strip is None:
            return 0
        passed = asyncio.get_running_loop().time() - self._began
        return min(self._reach(self._strip), int(passed * self._speed))

    def _halt(self) -> None:
        """Stop at the row under the head."""
        self._advance(self._since())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _advance(self, rows: int) -> None:
        if self._strip is not None and self._began is not None:
            width = self._build.width
            self.paper.move(self._strip.rows[self._printed * width // 8 : (self._printed + rows) * width // 8])
            self._printed += rows
            self._roll -= rows
        self._began = None

    def _note(self) -> None:
        """Record on the paper the marks of the movement that it carries so far."""
        if self._strip is not None and self._printed > self._noted:
            self.paper.note(self._strip, self._noted, self._printed)
        self._noted = self._printed

    def _arrived(self) -> None:
        self._timer = None
        if self._strip is None:
            return
        self._advance(self._reach(self._strip))
        if self._printed < self._strip.height:
            # the roll has run out
            self._changed()
            return
        self._note()
        self._strip = None
        self._finish()
        if self._roll <= 0:
            self._changed()

    def _cut_through(self) -> None:
        self._timer = None
        cut, self._cut = self._cut, None
        piece = None if cut is None else self.paper.cut(cut.how, past=cut.past)
        if piece is not None:
            self._dropped(piece)
        self._finish()

    def _finish(self) -> None:
        done, self._done = self._done, None
        if done is not None:
            done()

    def _fed(self) -> None:
        self._feeding = False
        self._changed()

    # Stop conditions.

    def _cover_moved(self, *, is_open: bool) -> None:
        if is_open and self._strip is not None:
            self._cover_error = True
            self.broken_off("cover")
        if not is_open:
            self._cover_error = False

    def _jammed(self, *, on: bool) -> None:
        if on and self._strip is not None and self._powered:
            self._stopped_by = "paper_jam"
            self.broken_off("paper jam")
        elif not on:
            begun = self.paper.inked
            self._pull_out("paper jam")
            if begun:
                self.paper.broken_off("paper jam")

    def _pull_out(self, cause: str) -> None:
        self._note()
        self.broken_off(cause)
        piece = self.paper.tear_out()
        if piece is not None:
            self._dropped(piece)
