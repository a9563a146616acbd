"""Alarms for notes that come back repeatedly (requirements.md, D8)."""

from collections import deque
from enum import Enum
from typing import Final

from drivers.capabilities import BILL_VALIDATOR, Faults
from drivers.clock import Clock
from drivers.wiring import BillValidator as Settings

YOYO: Final = "note_yoyo"
REJECTS: Final = "notes_rejected"


class Back(Enum):
    """How a note came back.

    `REJECTED`: the validator did not recognise it. `RETURNED`: the validator returned it, which counts only for a note
    in escrow that the cabinet had not refused. `PULLED`: it was pulled out of the device. `REFUSED`: such notes are
    inhibited, or the cabinet refused it; this never counts.
    """

    REJECTED = "rejected"
    RETURNED = "returned"
    PULLED = "pulled"
    REFUSED = "refused"


class NoteAlarms:
    """Counts notes that come back within a sliding window; it outlives the driver's sessions.

    An alarm resets its count. A limit of 0 switches an alarm off. While `paused`, as in a service test, nothing is
    counted.
    """

    def __init__(self, settings: Settings, clock: Clock, faults: Faults) -> None:
        self.paused = False
        self.given_up_at = float("-inf")
        """When a person last gave up the note in the device (`BillValidator.give_up`)."""
        self._clock = clock
        self._faults = faults
        self._window_s = settings.alarm_window_s
        self._limits = {YOYO: settings.yoyo_notes, REJECTS: settings.rejected_notes}
        self._times: dict[str, deque[float]] = {code: deque() for code in self._limits}

    def __repr__(self) -> str:
        counted = {code: len(times) for code, times in self._times.items()}
        return f"<NoteAlarms {counted} in {self._window_s} s>"

    async def came_back(self, how: Back, *, from_escrow: bool, reason: str) -> None:
        """Count a note that came back; `from_escrow` is true if it was in escrow and the cabinet had not refused it."""
        if self.paused or how is Back.REFUSED:
            return
        if how is Back.PULLED or from_escrow:
            await self._count(YOYO, reason)
        elif how is Back.REJECTED:
            await self._count(REJECTS, reason)

    async def _count(self, code: str, reason: str) -> None:
        now, times = self._clock.now(), self._times[code]
        times.append(now)
        while times[0] < now - self._window_s:
            times.popleft()
        limit = self._limits[code]
        if limit and len(times) >= limit:
            detail = f"{len(times)} notes came back within {self._window_s} s; the last one: {reason}"
            times.clear()
            await self._faults.device_fault(BILL_VALIDATOR, code, present=True, detail=detail)
            await self._faults.device_fault(BILL_VALIDATOR, code, present=False)
