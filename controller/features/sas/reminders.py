"""Repeats an exception while its cause lasts, because a host may miss the answer to its only query.

Reminders are not stored. Their causes are, so each one that still lasts is reported again right after a restart. An
exception that only announces something to read is not repeated once the host has sent that query.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from drivers.clock import Clock
from drivers.sas.exceptions import PRIORITY, Code
from drivers.sas.link import Pending

AGAIN_S: Final = 15.0
"""Seconds from the acknowledgement to the repetition; a real machine was seen to repeat 51 at this interval."""
SOON_S: Final = 2.0
"""The interval for exceptions that wait only a few seconds for the host (57 and 67)."""
NUMBER: Final = 0
"""The number of an exception that is not in the queue; queue numbers start at 1."""


class Reminder:
    """One exception and its cause: `cause` returns a different value for each occurrence, None while there is none.

    `read_by` is the poll by which the host shows that it knows of the cause; None if only the end of the cause shows
    it.
    """

    def __init__(
        self, code: Code, cause: Callable[[], Hashable | None], *, every_s: float = AGAIN_S, read_by: int | None = None
    ) -> None:
        self.code = code
        self.read_by = read_by
        self._cause = cause
        self._every_s = every_s
        self._standing: Hashable | None = None
        self._due_s = 0.0
        self._is_read = False

    def __repr__(self) -> str:
        return f"<Reminder {self.code:02X} of {self._standing}>"

    def is_due(self, now_s: float) -> bool:
        """Whether the cause lasts, the host has not queried it, and the interval since the last report is over."""
        self._look()
        return self._standing is not None and not self._is_read and now_s >= self._due_s

    def reported(self, now_s: float) -> None:
        """Restart the interval after the host has acknowledged the exception."""
        self._look()
        self._due_s = now_s + self._every_s

    def read(self) -> None:
        """Stop repeating: the host has queried what the exception announces."""
        self._look()
        self._is_read = True

    def _look(self) -> None:
        standing = self._cause()
        if standing != self._standing:
            self._standing, self._due_s, self._is_read = standing, 0.0, False


class Reminders:
    """The reminders of one host."""

    def __init__(self, clock: Clock, reminders: Sequence[Reminder]) -> None:
        self._clock = clock
        self._reminders = reminders

    def due(self, *, has_priority: bool = False) -> Pending | None:
        """Return the first reminder that is due, or None; with `has_priority` only of an exception with priority."""
        now = self._clock.now()
        asked = [each for each in self._reminders if each.code in PRIORITY or not has_priority]
        code = next((each.code for each in asked if each.is_due(now)), None)
        return None if code is None else Pending(NUMBER, code)

    def reported(self, code: int) -> None:
        """Note that the host has acknowledged an exception, queued or repeated."""
        for each in self._reminders:
            if each.code == code:
                each.reported(self._clock.now())

    def asked(self, command: int) -> None:
        """Note that the host has sent this long poll."""
        for each in self._reminders:
            if each.read_by == command:
                each.read()
