"""The watchdog is fed only while every critical task ticks (issue 7): a crash is a fault, not a silence."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.system.notify import Notifier
from controller.system.watchdog import JOURNAL, PATIENCE_S, PLAYER, POSTS, TaskMonitor, WatchdogFeeder
from drivers.clock import LoopClock

pytestmark = pytest.mark.requirement("D6")


class Manager:
    """A service manager's socket, and how often its watchdog was fed."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "notify")
        self._meals = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)  # noqa: FBT003 - the standard library's signature
        self._socket.bind(self.path)
        asyncio.get_running_loop().add_reader(self._socket, self._take)
        self.notifier = Notifier(self.path, watchdog_s=15.0)

    def _take(self) -> None:
        assert self._socket.recv(100) == b"WATCHDOG=1"
        self._meals += 1

    def meals(self) -> int:
        """Return how often it was fed since the last look."""
        meals, self._meals = self._meals, 0
        return meals

    def close(self) -> None:
        """Close the socket."""
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()


async def turns() -> None:
    """Act as a writer thread that turns."""


async def for_ever() -> None:
    """Act as a task that goes on."""
    await asyncio.get_running_loop().create_future()


async def watched(
    folder: Path,
    story: Callable[[Manager, TaskMonitor, "asyncio.Task[None]"], Awaitable[None]],
    *,
    journal_turns: Callable[[], Awaitable[None]] = turns,
    locked: Callable[[], bool] = lambda: False,
) -> None:
    """Run `story` beside a watch over a monitor and one task."""
    manager, clock = Manager(folder), LoopClock()
    monitor = TaskMonitor(clock)
    task = asyncio.ensure_future(for_ever())
    watch = WatchdogFeeder(monitor, {"display link": task}, journal_turns=journal_turns, locked=locked, clock=clock)
    watching = asyncio.ensure_future(watch.run(manager.notifier))
    try:
        await story(manager, monitor, task)
    finally:
        for each in (watching, task):
            each.cancel()
        await asyncio.gather(watching, task, return_exceptions=True)
        manager.close()


async def test_a_watchdog_is_fed_three_times_as_often_as_it_asks_while_everybody_waits_for_work(tmp_path: Path) -> None:
    """A task may wait for work for ever: a cabinet that nobody plays is well."""

    async def story(manager: Manager, monitor: TaskMonitor, _task: object) -> None:
        with monitor.waiting(PLAYER), monitor.waiting(POSTS):
            await asyncio.sleep(3600.0)
            assert manager.meals() == 720

    await watched(tmp_path, story)


async def test_a_task_that_is_at_work_too_long_ends_the_feeding_until_it_ticks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Who hangs is named in the log once; a tick brings the feeding back."""

    async def story(manager: Manager, monitor: TaskMonitor, _task: object) -> None:
        with monitor.waiting(POSTS):
            pass
        await asyncio.sleep(PATIENCE_S[POSTS] - 1)
        assert manager.meals() > 0
        await asyncio.sleep(6.0)
        manager.meals()
        await asyncio.sleep(60.0)
        assert manager.meals() == 0
        with monitor.waiting(POSTS):
            await asyncio.sleep(10.0)
            assert manager.meals() == 2

    with caplog.at_level(logging.ERROR):
        await watched(tmp_path, story)
    assert caplog.messages == ["the watchdog is no longer fed: posts has been at work for more than 20 s"]


async def test_all_critical_tasks_are_at_work_from_the_start(tmp_path: Path) -> None:
    """A task that never gets as far as waiting for work is noticed too."""

    async def story(_manager: Manager, monitor: TaskMonitor, _task: object) -> None:
        monitor.begin()
        await asyncio.sleep(max(PATIENCE_S.values()) + 1)
        assert set(monitor.late()) == set(PATIENCE_S) - {JOURNAL}

    await watched(tmp_path, story)


async def test_a_writer_thread_that_hangs_ends_the_feeding(tmp_path: Path) -> None:
    """A disk that answers no more stops every money event, and the loop turns on as if nothing were."""

    async def story(manager: Manager, _task_monitor: TaskMonitor, _task: object) -> None:
        await asyncio.sleep(PATIENCE_S[JOURNAL] + 10)
        manager.meals()
        await asyncio.sleep(60.0)
        assert manager.meals() == 0

    await watched(tmp_path, story, journal_turns=for_ever)


async def test_a_task_that_has_ended_ends_the_feeding(tmp_path: Path) -> None:
    """A critical task never returns; one that does leaves a cabinet that only looks alive."""

    async def story(manager: Manager, _task_monitor: TaskMonitor, task: "asyncio.Task[None]") -> None:
        task.cancel()
        await asyncio.sleep(1.0)
        manager.meals()
        await asyncio.sleep(60.0)
        assert manager.meals() == 0

    await watched(tmp_path, story)


@pytest.mark.requirement("P5")
async def test_a_locked_cabinet_is_fed_without_its_tasks(tmp_path: Path) -> None:
    """Its flows have ended on purpose, and a restart would only hide the reason on the screen."""

    async def story(manager: Manager, monitor: TaskMonitor, task: "asyncio.Task[None]") -> None:
        monitor.begin()
        task.cancel()
        await asyncio.sleep(3600.0)
        assert manager.meals() == 720

    await watched(tmp_path, story, locked=lambda: True)
