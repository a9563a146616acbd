"""How much of one frame may go into setting words that have not been set before.

A page that is first opened has thousands of letters to measure and to rasterise, which takes several frames' time.
What a frame has set is kept, so the same picture is tried again at the next turn and gets further each time; until it
is whole the former picture stands. A frame sets one text at least, so it comes to an end.
"""

import math
from collections.abc import Callable
from typing import TypeVar

SHARE_S = 0.005
"""What a frame of the running display may spend on new words; the rest of its 16 ms is for drawing."""

Made = TypeVar("Made")


class RationSpentError(Exception):
    """The frame has set as many new words as it may: its picture is not whole and must not be shown."""


class Ration:
    """The time that new words may take between two calls of `renew`; without that they take what they need."""

    def __init__(self) -> None:
        self._clock: Callable[[], float] = lambda: 0.0
        self._left = math.inf
        self._busy = False

    def renew(self, seconds: float, clock: Callable[[], float]) -> None:
        """Allow `seconds` by `clock` from now on (infinity: whatever it takes)."""
        self._left, self._clock, self._busy = seconds, clock, False

    def spend(self, make: Callable[[], Made]) -> Made:
        """Return what `make` sets, and count the time; raises `RationSpentError` where none is left."""
        if self._busy:  # a part of what is being set
            return make()
        if self._left <= 0:
            raise RationSpentError
        started = self._clock()
        self._busy = True
        try:
            return make()
        finally:
            self._busy = False
            self._left -= self._clock() - started
