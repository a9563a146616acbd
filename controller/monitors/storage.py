"""Monitors the media of the books and of their second copy (requirements.md C2, C6).

Faults are raised before space runs out or a medium fails.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

from common.error_words import error_reason
from controller.configuration.cabinet_toml import Storage
from controller.errors import LockingError
from controller.journal.archives import movable
from controller.journal.errors import LEAST_ROOM, JournalStorageError
from controller.journal.faults import fault_over, raise_fault
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from drivers.clock import Clock

LOOK_S = 30.0
PLACE = "storage"
MEGABYTE = 1_000_000
FEWEST_COMMITS = 10
ROOM_FAULTS = ("storage_full", "storage_low")
EASE = 1.25
"""The factor by which the free space must exceed its limit to end a fault, so that the fault does not flap."""


ROOM_LOOK_S = 2.0
"""The interval in seconds at which a disk that was full is checked."""


class DiskSpaceAgain(Exception):  # noqa: N818 - no error, but the end of one
    """The disk that was full has free space again; the serving code starts again on the same books."""


class Room(NamedTuple):
    """The free space of a file system for its files, in bytes, and whether it is read-only."""

    free: int
    read_only: bool


def room_at(path: Path) -> Room:
    """Return the free space of the file system of `path`; raise `OSError` if it is gone."""
    at = os.statvfs(path)
    return Room(at.f_bavail * at.f_frsize, bool(at.f_flag & os.ST_RDONLY))


async def leave_with_room(full_at: Path, limits: Storage, clock: Clock, look: Callable[[Path], Room] = room_at) -> None:
    """Raise `DiskSpaceAgain` once the disk of a full file is writable and has more free space than the reserve."""
    enough = max(limits.reserve_mb * MEGABYTE, LEAST_ROOM) * EASE
    while True:
        await clock.sleep(ROOM_LOOK_S)
        with suppress(OSError):  # a medium that is gone has no free space
            room = look(full_at.parent)
            if room.free > enough and not room.read_only:
                raise DiskSpaceAgain


def _to_be_moved(tx: Transaction, journal: Path) -> str:
    """Return a hint for the technician about low space: the size of the archives that can be moved off the card."""
    here = sum(archive.size for archive, _ in movable(tx, journal)) // MEGABYTE
    return f"; {here} MB of archives can be moved onto a stick (U.6)" if here else ""


class StorageWatch:
    """Checks the free space beside the journal every `LOOK_S` seconds; `look` returns it.

    Low space is a fault. When only the reserve is left, nothing new is begun, and running work ends within the reserve.
    A medium that became read-only, as the kernel makes a failing one, locks the machine at once. A medium whose commits
    become slower and slower is failing: this is a fault once half of the newest commits were slow.
    """

    def __init__(self, journal: JournalPort, clock: Clock, limits: Storage, look: Callable[[], Room]) -> None:
        self._journal = journal
        self._clock = clock
        self._slow_s = limits.slow_ms / 1000
        room = (limits.reserve_mb * MEGABYTE, limits.low_mb * MEGABYTE)
        self._limits = tuple(zip(ROOM_FAULTS, room, strict=True))
        self._look = look
        self._standing: set[str] = set()

    def __repr__(self) -> str:
        return f"<StorageWatch {', '.join(sorted(self._standing)) or 'room enough'}>"

    async def run(self) -> None:
        """Check repeatedly, until cancelled or until the machine is locked for good."""
        while self._journal.lock is None:
            self.look()
            self._look_at_commits()
            await self._look_at_second_copy()
            await self._clock.sleep(LOOK_S)

    def look(self) -> None:
        """Check once, and record faults that have come or gone."""
        path = self._journal.path
        try:
            room = self._look()
        except OSError as error:
            self._journal.lock_up(
                JournalStorageError(f"{path}: the medium is gone ({error_reason(error)}): call a technician")
            )
            return
        if room.read_only:
            words = f"{path}: its medium takes no more writes; it is failing, or was mounted read-only: replace it"
            self._journal.lock_up(JournalStorageError(words))
            return
        for code, limit in self._limits:
            if room.free < limit:
                self._begins(code, PLACE, f"{room.free // MEGABYTE} MB are free", _to_be_moved)
            elif room.free > limit * EASE:
                self._is_over(code, PLACE)

    def _look_at_commits(self) -> None:
        commits = self._journal.commits_s
        if len(commits) < FEWEST_COMMITS:
            return
        usual = median(commits)
        if usual > self._slow_s:
            self._begins("storage_slow", PLACE, f"half of the commits take more than {usual * 1000:.0f} ms")
        elif usual < self._slow_s / EASE:
            self._is_over("storage_slow", PLACE)

    async def _look_at_second_copy(self) -> None:
        """Try to resume a failed copy; until that works, the journal continues without it.

        A copy that comes back and is ahead of the books locks the machine, because the books are older ones.
        """
        try:
            copy = await self._journal.journal.mend_second_copy()
        except LockingError as error:
            self._journal.lock_up(error)
            return
        if copy.news is not None:
            self._journal.post(copy.news)
        if copy.failed and not copy.missing:
            self._begins("copy_lost", "second_copy", copy.failed)
        else:
            self._is_over("copy_lost", "second_copy")

    def _begins(
        self, code: str, place: str, detail: str, remedy: Callable[[Transaction, Path], str] = lambda _tx, _journal: ""
    ) -> None:
        if code not in self._standing:
            self._standing.add(code)
            journal = self._journal.path
            self._journal.post(lambda tx: raise_fault(tx, code, place, detail + remedy(tx, journal)))

    def _is_over(self, code: str, place: str) -> None:
        if code in self._standing:
            self._standing.discard(code)
            self._journal.post(lambda tx: fault_over(tx, code, place))
