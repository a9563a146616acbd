"""Count pulses into bursts, one per coin or note (protocols.md, 2.4).

Pure logic on debounced changes with timestamps, so a busy event loop does not affect the result.
"""

from enum import StrEnum
from typing import NamedTuple

from drivers.wiring import MOST_PULSES


class Doubt(StrEnum):
    """Why the value of a burst is uncertain."""

    CUT = "cut"
    """It may have started before counting began."""
    LONG = "long"
    """One of its pulses was too long: the line was stuck, or two pulses merged."""
    MANY = "many"
    """It has more pulses than any value."""


class Burst(NamedTuple):
    """A complete burst: number of pulses, start time `began` (the clock's seconds), and the gravest doubt."""

    pulses: int
    began: float
    doubt: Doubt | None


class BurstCounter:
    """Counts the pulses of one line.

    A pulse is `active` for at most `most_s`; a pause of `end_s` ends a burst. Changes are reported up to `hold_s` late.
    A burst that starts before `trusted_at` may be the rest of an interrupted one.
    """

    def __init__(self, *, most_s: float, end_s: float, hold_s: float, trusted_at: float) -> None:
        self._most_s = most_s
        self._end_s = end_s
        self._hold_s = hold_s
        self._trusted_at = trusted_at
        self._rose_at: float | None = None
        self._pulses = 0
        self._began = 0.0
        self._fell_at = 0.0
        self._doubt: Doubt | None = None

    def __repr__(self) -> str:
        return f"<BurstCounter {self._pulses} pulses{', active' if self._rose_at is not None else ''}>"

    @property
    def under_way(self) -> bool:
        """Whether a burst is in progress."""
        return self._rose_at is not None or self._pulses > 0

    @property
    def due(self) -> float | None:
        """When to call `settle`: at the end of the burst or when the pulse gets too long.

        None if neither can happen.
        """
        if self._rose_at is not None:
            return None if self._doubt is Doubt.LONG else self._rose_at + self._most_s + self._hold_s
        return self._fell_at + self._end_s + self._hold_s if self._pulses else None

    def stuck(self, now: float) -> bool:
        """Return whether the present pulse is longer than `most_s`."""
        return self._rose_at is not None and now - self._rose_at > self._most_s

    def change(self, *, active: bool, at: float) -> Burst | None:
        """Process a change of the line at `at`; return the burst that ended before it, if any."""
        ended = self._end() if self._pulses and self._rose_at is None and at - self._fell_at >= self._end_s else None
        if active and self._rose_at is None:
            if not self._pulses:
                self._began = at
                self._mark(Doubt.CUT if at < self._trusted_at else None)
            self._rose_at = at
        elif not active and self._rose_at is not None:
            if at - self._rose_at > self._most_s:
                self._mark(Doubt.LONG)
            self._pulses += 1
            if self._pulses > MOST_PULSES:
                self._mark(Doubt.MANY)
            self._rose_at, self._fell_at = None, at
        return ended

    def settle(self, now: float) -> Burst | None:
        """Return the burst that has ended by `now`, if any, once."""
        due = self.due
        if due is None or now < due:
            return None
        if self._rose_at is not None:
            self._mark(Doubt.LONG)
            return None
        return self._end()

    def _mark(self, doubt: Doubt | None) -> None:
        # `LONG` outranks the other doubts.
        self._doubt = doubt if doubt is Doubt.LONG else self._doubt or doubt

    def _end(self) -> Burst:
        burst = Burst(self._pulses, self._began, self._doubt)
        self._pulses, self._doubt = 0, None
        return burst
