"""How much of one frame may go into what has not been made before: words, painted grounds, scenes, pictures to decode.

A page that is first opened has thousands of letters to measure and to rasterise, which takes several frames' time.
What a frame has made is kept, so the same picture is tried again at the next turn and gets further each time; until it
is whole the former picture stays. A frame makes one thing at least, so it comes to an end. What a thread of its own
makes ready (an atlas, a game's module) a frame waits for a moment only, and not at the cost of an attempt.
"""

import math
import threading
from collections.abc import Callable
from typing import TypeVar

SHARE_S = 0.005
"""What a frame of the running display may spend on what is new; the rest of its 16 ms is for drawing."""
WAIT_S = 0.004
"""How long a frame of the running display waits for what a thread makes ready."""

Made = TypeVar("Made")


class BudgetSpentError(Exception):
    """The frame has made as much that is new as it may: its picture is not whole and must not be shown."""


class StillComingError(BudgetSpentError):
    """A thread has not made ready yet what the frame needs; the next attempt may find it."""


class FrameBudget:
    """The time that what is new may take between two calls of `renew`; without that it takes what it needs."""

    def __init__(self) -> None:
        self._clock: Callable[[], float] = lambda: 0.0
        self._left = math.inf
        self._busy = False

    def renew(self, seconds: float, clock: Callable[[], float]) -> None:
        """Allow `seconds` by `clock` from now on (infinity: whatever it takes)."""
        self._left, self._clock, self._busy = seconds, clock, False

    def spend(self, make: Callable[[], Made]) -> Made:
        """Return what `make` makes, and count the time; raises `BudgetSpentError` where none is left."""
        if self._busy:  # a part of what is being made
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
        """Return what `make` makes, as `spend` does, but with its parts refused where the time is spent meanwhile."""
        if self._left <= 0 and not self._busy:
            raise BudgetSpentError
        before, started = self._left, self._clock()
        try:
            return make()
        finally:
            self._left = before - (self._clock() - started)

    def wait(self, thread: threading.Thread) -> None:
        """Wait until `thread` has ended; raises `StillComingError` where that takes longer than a frame may wait."""
        thread.join(None if self._left == math.inf else WAIT_S)
        if thread.is_alive():
            raise StillComingError
