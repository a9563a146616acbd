"""Limits how much time one frame may spend on new content: words, painted backgrounds, scenes, pictures to decode.

A page that is opened for the first time has thousands of letters to measure and rasterise, which takes several frames'
time. What a frame has made is cached, so the same picture is tried again at the next turn and progresses further each
time; until it is complete, the former picture stays. A frame makes at least one thing, so this terminates. For results
of a thread (an atlas, a game's module) a frame waits only a moment, and this does not count as an attempt.
"""

import math
import threading
from collections.abc import Callable
from typing import TypeVar

SHARE_S = 0.005
"""Seconds that a frame of the running display may spend on new content; the rest of its 16 ms is for drawing."""
WAIT_S = 0.004
"""Seconds that a frame of the running display waits for the result of a thread."""

Made = TypeVar("Made")


class BudgetSpentError(Exception):
    """The frame has used up its time for new content; its picture is incomplete and must not be shown."""


class StillComingError(BudgetSpentError):
    """A thread has not finished what the frame needs; the next attempt may find it."""


class FrameBudget:
    """The time for new content between two calls of `renew`; unlimited before the first call."""

    def __init__(self) -> None:
        self._clock: Callable[[], float] = lambda: 0.0
        self._left = math.inf
        self._busy = False

    def renew(self, seconds: float, clock: Callable[[], float]) -> None:
        """Allow `seconds` by `clock` from here on; infinity means no limit."""
        self._left, self._clock, self._busy = seconds, clock, False

    def spend(self, make: Callable[[], Made]) -> Made:
        """Return the result of `make` and count its time; raise `BudgetSpentError` if no time is left."""
        if self._busy:  # part of something that is being made
            return make()
        if self._left <= 0:
            raise BudgetSpentError
        started = self._clock()
        self._busy = True
        try:
            return make()
        finally:
            self._busy = False
            self._left -= self._clock() - started

    def charge(self, make: Callable[[], Made]) -> Made:
        """Return the result of `make` as `spend` does, but refuse its parts once the time is used up."""
        if self._left <= 0 and not self._busy:
            raise BudgetSpentError
        before, started = self._left, self._clock()
        try:
            return make()
        finally:
            self._left = before - (self._clock() - started)

    def wait(self, thread: threading.Thread) -> None:
        """Wait until `thread` has ended; raise `StillComingError` if that takes longer than a frame may wait."""
        thread.join(None if self._left == math.inf else WAIT_S)
        if thread.is_alive():
            raise StillComingError
