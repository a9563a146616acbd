"""Exceptions that are reported again while their cause stands: a host that asked once and missed the answer asks again.

Nothing of it is in the books: the causes are, so that after a restart each that still stands is reported at once. Where
an exception only says that something can be read, it is not repeated once the host has asked for that.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from drivers.clock import Clock
from drivers.sas.exceptions import Code
from drivers.sas.link import Pending

AGAIN_S: Final = 15.0
"""How long after its acknowledgement an exception is reported again: so a real machine was seen to repeat 51."""
SOON_S: Final = 2.0
"""The same for what waits only a few seconds for the host (57 and 67)."""
NUMBER: Final = 0
"""The number of an exception that is no entry of the queue; those begin at 1."""


class Reminder:
    """One exception and the cause of it: `cause` returns what stands, another value for each, None for nothing.

    `read_by` is the poll with which a host that knows of the cause begins, None where only the cause's end shows that.
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
        """Whether the cause stands, and was not reported, or asked for, for a while."""
        self._look()
        return self._standing is not None and not self._is_read and now_s >= self._due_s

    def reported(self, now_s: float) -> None:
        """The host has acknowledged the exception."""
        self._look()
        self._due_s = now_s + self._every_s

    def read(self) -> None:
        """The host has asked for what the exception announces."""
        self._look()
        self._is_read = True

    def _look(self) -> None:
        standing = self._cause()
        if standing != self._standing:
            self._standing, self._due_s, self._is_read = standing, 0.0, False


class Reminders:
    """What is reported again to one host."""

    def __init__(self, clock: Clock, reminders: Sequence[Reminder]) -> None:
        self._clock = clock
        self._reminders = reminders

    def due(self) -> Pending | None:
        """Return what is to be reported again where nothing is queued, None for nothing."""
        now = self._clock.now()
        code = next((each.code for each in self._reminders if each.is_due(now)), None)
        return None if code is None else Pending(NUMBER, code)

    def reported(self, code: int) -> None:
        """The host has acknowledged an exception, queued or repeated."""
        for each in self._reminders:
            if each.code == code:
                each.reported(self._clock.now())

    def asked(self, command: int) -> None:
        """The host has sent that long poll."""
        for each in self._reminders:
            if each.read_by == command:
                each.read()
