"""The medium of the books is watched: little room is reported, none stops play, one that takes no writes locks."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from controller.books.second_copy import SecondCopyError
from controller.configuration.cabinet_toml import Storage
from controller.faults import EVERYTHING
from controller.journal.errors import JournalStorageError
from controller.monitors.storage import (
    LOOK_S,
    MEGABYTE,
    ROOM_LOOK_S,
    Room,
    StorageWatch,
    leave_with_room,
    room_at,
)
from drivers.clock import LoopClock
from tests.rigs.machine import Rig

pytestmark = pytest.mark.requirement("C6")

LIMITS = Storage(low_mb=200, reserve_mb=50)


class Medium:
    """A file system of which a test says what is left."""

    def __init__(self) -> None:
        self.free_mb = 1000
        self.read_only = False
        self.gone = False

    def __call__(self) -> Room:
        if self.gone:
            raise OSError("no such device")
        return Room(self.free_mb * MEGABYTE, self.read_only)


async def watched(path: Path, scene: Callable[[Rig, Medium, StorageWatch], Coroutine[Any, Any, None]]) -> None:
    """Play `scene` on a machine that waits with credit."""
    async with Rig(path) as rig:
        await rig.game(500)
        medium = Medium()
        await scene(rig, medium, StorageWatch(rig.machine.journal, rig.machine.clock, LIMITS, medium))


async def looked(rig: Rig, watch: StorageWatch) -> set[str]:
    """Look once, and return the codes of the faults then."""
    watch.look()
    await rig.until_true(lambda: rig.machine.journal.posts.empty)
    return {str(code) for (code,) in await rig.rows("SELECT code FROM faults WHERE present")}


async def test_little_room_is_reported_and_none_stops_play(tmp_path: Path) -> None:
    """Each limit by itself; room that comes back by a hair does not make the fault flicker."""

    async def scene(rig: Rig, medium: Medium, watch: StorageWatch) -> None:
        found = []
        for free_mb in (200, 199, 210, 249, 251, 49, 51, 63, 1000):
            medium.free_mb = free_mb
            found.append((free_mb, sorted(await looked(rig, watch)), rig.machine.conditions.stopped == EVERYTHING))
        low, both = ["storage_low"], ["storage_full", "storage_low"]
        assert found == [
            (200, [], False),
            (199, low, False),
            (210, low, False),
            (249, low, False),
            (251, [], False),
            (49, both, True),
            (51, both, True),
            (63, low, False),
            (1000, [], False),
        ]
        assert await rig.events("storage_full") == ["49 MB are free"]
        assert (rig.shown, rig.credit) == ("idle", 500)

    await watched(tmp_path, scene)


@pytest.mark.parametrize("how", ["read_only", "gone"])
async def test_a_medium_that_takes_no_writes_locks_at_once(tmp_path: Path, how: str) -> None:
    """Nothing is staked that could not be written; the reason names the journal."""

    async def scene(rig: Rig, medium: Medium, watch: StorageWatch) -> None:
        setattr(medium, how, True)
        watch.look()
        assert rig.shown == "locked"
        assert isinstance(rig.machine.journal.lock, JournalStorageError)
        assert str(rig.path) in str(rig.machine.journal.lock)
        assert not rig.front.coins

    await watched(tmp_path, scene)


async def test_it_looks_again_and_again_until_the_machine_is_locked(tmp_path: Path) -> None:
    """A medium that fails later is found at the next look."""

    async def scene(rig: Rig, medium: Medium, watch: StorageWatch) -> None:
        watching = asyncio.create_task(watch.run())
        await rig.machine.clock.sleep(3 * LOOK_S)
        assert rig.machine.journal.lock is None
        medium.read_only = True
        await rig.machine.clock.sleep(LOOK_S + 1)  # the next look is due at the same moment as the third
        assert rig.machine.journal.lock is not None
        await rig.machine.clock.sleep(LOOK_S)
        assert watching.done()

    await watched(tmp_path, scene)


async def test_a_card_that_becomes_slow_is_reported_while_it_still_works(tmp_path: Path) -> None:
    """Half of the newest commits decide, not one that waited; play goes on."""

    async def scene(rig: Rig, _medium: Medium, watch: StorageWatch) -> None:
        watching = asyncio.create_task(watch.run())
        await rig.machine.clock.sleep(1.0)  # between two looks
        found = []
        for commit_s in (0.02, 0.49, 0.51, 0.45, 0.02):
            commits = rig.machine.journal.commits_s
            commits.extend([commit_s] * (commits.maxlen or 0))
            commits.append(30.0)
            await rig.machine.clock.sleep(LOOK_S)
            found.append([code for (code,) in await rig.rows("SELECT code FROM faults WHERE present")])
        assert found == [[], [], ["storage_slow"], ["storage_slow"], []]
        assert rig.shown == "idle"
        watching.cancel()

    await watched(tmp_path, scene)


class FailingCopy:
    """A second copy whose medium comes and goes."""

    def __init__(self) -> None:
        self.failed = ""
        self.missing = False
        self.gone = False

    def take_up(self, _connection: sqlite3.Connection) -> None:
        self.failed = "the stick is out" if self.gone else ""

    def follow(self, connection: sqlite3.Connection) -> None:
        if self.gone:
            self.take_up(connection)

    def close(self) -> None:
        pass


@pytest.mark.requirement("C2")
async def test_a_second_copy_that_cannot_be_written_is_reported_and_play_goes_on(tmp_path: Path) -> None:
    """The books go on alone; once the copy is in step again the fault is over."""

    async def scene(rig: Rig, _medium: Medium, watch: StorageWatch) -> None:
        copy = FailingCopy()
        rig.machine.journal.journal._store.follow_with(copy)
        watching = asyncio.create_task(watch.run())
        copy.gone = True
        assert await rig.note(500)
        await rig.machine.clock.sleep(2 * LOOK_S)
        assert await rig.rows("SELECT code, place, detail FROM faults WHERE present") == [
            ("copy_lost", "second_copy", "the stick is out")
        ]
        assert (rig.shown, rig.credit) == ("idle", 1000)
        copy.gone = False
        await rig.machine.clock.sleep(2 * LOOK_S)
        assert await rig.rows("SELECT code FROM faults WHERE present") == []
        watching.cancel()

    await watched(tmp_path, scene)


class NewerCopy(FailingCopy):
    """A second copy that is ahead of the books once its medium is there."""

    def __init__(self) -> None:
        super().__init__()
        self.failed, self.missing = "the stick is out", True

    def take_up(self, _connection: sqlite3.Connection) -> None:
        if not self.gone:
            raise SecondCopyError("rows are lost")


async def test_a_copy_that_comes_back_ahead_of_the_books_locks_at_once(tmp_path: Path) -> None:
    """Older books were put in while it was away: nothing more is staked on them."""

    async def scene(rig: Rig, _medium: Medium, watch: StorageWatch) -> None:
        copy = NewerCopy()
        copy.gone = True
        rig.machine.journal.journal._store.second_copy = copy
        watching = asyncio.create_task(watch.run())
        await rig.machine.clock.sleep(2 * LOOK_S)
        assert rig.shown == "idle"
        copy.gone = False
        await rig.machine.clock.sleep(2 * LOOK_S)
        assert (rig.shown, str(rig.machine.journal.lock)) == ("locked", "rows are lost")
        await watching

    await watched(tmp_path, scene)


def test_the_room_is_the_file_systems_own(tmp_path: Path) -> None:
    """A real file system answers with what it has left, and takes writes."""
    room = room_at(tmp_path)
    assert room.free > 0
    assert not room.read_only
    with pytest.raises(OSError, match="nowhere"):
        room_at(tmp_path / "nowhere")


@pytest.mark.parametrize(("free_mb", "ends"), [(50, False), (62, False), (63, True)])
async def test_a_full_disk_is_left_with_more_room_than_the_reserve(free_mb: int, *, ends: bool) -> None:
    """Not at the first byte; a medium that is gone or read-only has none."""
    medium, looked_at = Medium(), list[Path]()

    def look(path: Path) -> Room:
        looked_at.append(path)
        return medium()

    waiting = asyncio.create_task(leave_with_room(Path("/books/journal.sqlite"), LIMITS, LoopClock(), look))
    for medium.gone, medium.read_only in ((True, False), (False, True)):
        await asyncio.sleep(3 * ROOM_LOOK_S)
        assert not waiting.done()
    medium.read_only, medium.free_mb = False, free_mb
    await asyncio.sleep(3 * ROOM_LOOK_S)
    assert waiting.done() == ends
    assert set(looked_at) == {Path("/books")}
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
