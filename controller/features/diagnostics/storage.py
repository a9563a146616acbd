"""T.15, journal's disk: whether the file is undamaged, the time of a commit, and the free space."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.journal.errors import JournalError
from controller.journal.latency import commit_latencies
from controller.journal.store import quick_check
from controller.service.page import DeviceAction, Line

_COMMITS = 20
_LOOK_S = 2.0
_MEGABYTE = 1_000_000
SLOWEST_S = 1.0
"""The time in seconds from which a single commit keeps a player waiting."""
WHOLE, NOT_MEASURED, WORKING = "whole", "not measured yet", "working"


class Space(NamedTuple):
    """Free and total space of a file system, in megabytes."""

    free_mb: int
    size_mb: int


def space(path: Path) -> Space:
    """Return the free space at `path` for the supervisor; raise `OSError` if it cannot be read."""
    found = os.statvfs(path.parent)
    return Space(found.f_bavail * found.f_frsize // _MEGABYTE, found.f_blocks * found.f_frsize // _MEGABYTE)


def is_enough(context: TestContext, found: Space) -> bool:
    """Whether there is as much free space as `[storage]` requires."""
    return found.free_mb >= context.machine.settings.config.storage.low_mb


def is_slow(context: TestContext, latencies_s: Sequence[float]) -> bool:
    """Whether the median commit is slower than `[storage]` allows, or any commit slower than `SLOWEST_S`."""
    return median(latencies_s) > context.machine.settings.config.storage.slow_ms / 1000 or max(latencies_s) >= SLOWEST_S


async def damage(context: TestContext) -> str:
    """Check the whole file; return the damage, empty if none. A damaged file locks the cabinet."""
    try:
        await asyncio.to_thread(quick_check, context.machine.journal.path)
    except JournalError as error:
        context.machine.journal.lock_up(error)
        return str(error)
    return ""


class StorageTest(DeviceTest):
    """The three figures, each measured on request; the free space is read again regularly."""

    patient = True

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.space: Space | None = None
        self.damage: str | None = None
        self.latencies_s: Sequence[float] = ()
        self.working = ""

    async def run(self) -> None:
        """Read the free space regularly."""
        while True:
            self._look()
            self.context.changed()
            await self.context.clock.sleep(_LOOK_S)

    def _look(self) -> None:
        try:
            self.space = space(self.context.machine.journal.path)
        except OSError:
            self.space = None

    def lines(self) -> Sequence[Line]:
        """Return the measurements and their results."""
        return (self._integrity(), *self._latency(), *self._free())

    def _integrity(self) -> Line:
        leads = DeviceAction(lambda _submission: self._check())
        if self.working == "integrity" or self.damage is None:
            return Line("Integrity of the books", WORKING if self.working == "integrity" else NOT_MEASURED, leads=leads)
        good = not self.damage
        words = WHOLE if good else ""
        return Line("Integrity of the books", words, detail=self.damage, tone="good" if good else "bad", leads=leads)

    def _latency(self) -> list[Line]:
        leads = DeviceAction(lambda _submission: self._measure())
        if self.working == "latency" or not self.latencies_s:
            return [Line("Commit latency", WORKING if self.working == "latency" else NOT_MEASURED, leads=leads)]
        slowest = max(self.latencies_s)
        slow = is_slow(self.context, self.latencies_s)
        return [
            Line(
                "Commit latency",
                f"{1000 * median(self.latencies_s):.1f} ms",
                tone="bad" if slow else "good",
                leads=leads,
            ),
            Line("Slowest of them", f"{1000 * slowest:.1f} ms", tone="good" if slowest < SLOWEST_S else "bad"),
            Line("Commits measured", count=len(self.latencies_s)),
        ]

    def _free(self) -> list[Line]:
        if self.space is None:
            return [Line("Free space", tone="bad")]
        return [
            Line(
                "Free space", f"{self.space.free_mb} MB", tone="good" if is_enough(self.context, self.space) else "bad"
            ),
            Line("Size of the disk", f"{self.space.size_mb} MB"),
        ]

    async def _check(self) -> str:
        self.working, self.damage = "integrity", None
        try:
            self.damage = await damage(self.context)
        finally:
            self.working = ""
        await self.context.record(DiagnosticEvent.INTEGRITY, result=self.damage or "whole")
        return ""

    async def _measure(self) -> str:
        self.working, self.latencies_s = "latency", ()
        try:
            self.latencies_s = await commit_latencies(self.context.machine.journal.do, _COMMITS, self.context.stopwatch)
        finally:
            self.working = ""
        slowest = 1000 * max(self.latencies_s)
        await self.context.record(DiagnosticEvent.COMMITS_TIMED, commits=_COMMITS, slowest=f"{slowest:.1f}")
        return ""


PAGES = (device_test_page("T.15", "Storage", StorageTest),)
