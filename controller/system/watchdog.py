"""Monitors the critical tasks, and feeds the service manager's watchdog only while all of them make progress.

A task may wait for work for any time. A task that is at work must wait again within its patience, and no task may end.
A violation is logged; the service manager, whose watchdog is no longer fed, restarts the supervisor.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

from controller.system.notify import Notifier
from drivers.clock import Clock

_log = logging.getLogger(__name__)

PLAYER, POSTS, METERS, JOURNAL = "player", "posts", "hard meters", "journal"

PATIENCE_S: Mapping[str, float] = {
    PLAYER: 600.0,  # a hopper that dispenses 255 coins, with a jam or two
    POSTS: 20.0,
    METERS: 60.0,  # meters of 500 ms a pulse, waiting for a slow card at both ends
    JOURNAL: 20.0,  # a worn card may need seconds for a commit
}
"""How long each critical task may be at work before it counts as hung, in seconds."""

USUAL_WATCHDOG_S = 10.0


class TaskMonitor:
    """Records since when each critical task has been at work, and the state of the service manager's watchdog.

    `managed` is whether there is a service manager, `watchdog_s` its timeout in seconds or None without a watchdog, and
    `fed_at` the clock's time of the last feed. While `starved`, it deliberately is not fed, as a test.
    """

    def __init__(self, clock: Clock) -> None:
        self.managed = False
        self.watchdog_s: float | None = None
        self.fed_at: float | None = None
        self.starved = False
        self._clock = clock
        self._at_work: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"<TaskMonitor at work: {', '.join(self._at_work) or 'none'}>"

    def starve(self, *, starved: bool) -> None:
        """Stop feeding the watchdog, or resume."""
        self.starved = starved

    def begin(self) -> None:
        """Start timing all critical tasks."""
        self._at_work = dict.fromkeys(PATIENCE_S, self._clock.now())

    @contextmanager
    def waiting(self, name: str) -> Iterator[None]:
        """Mark the task `name` as waiting inside this block, and as at work after it; that is its tick."""
        self._at_work.pop(name, None)
        try:
            yield
        finally:
            self._at_work[name] = self._clock.now()

    def late(self) -> dict[str, float]:
        """Return the tasks that have been at work longer than their patience, with the seconds."""
        now = self._clock.now()
        return {name: now - since for name, since in self._at_work.items() if now - since > PATIENCE_S[name]}


class WatchdogFeeder:
    """Feeds the service manager's watchdog while every critical task ticks and none has ended.

    `journal_turns` returns once the journal's writer thread has run a call. A locked cabinet (`locked`) is fed without
    its tasks: they ended on purpose, and its screen must keep showing the reason.
    """

    def __init__(
        self,
        task_monitor: TaskMonitor,
        tasks: Mapping[str, "asyncio.Task[None]"],
        *,
        journal_turns: Callable[[], Awaitable[None]],
        locked: Callable[[], bool],
        clock: Clock,
    ) -> None:
        self._task_monitor = task_monitor
        self._tasks = tasks
        self._journal_turns = journal_turns
        self._locked = locked
        self._clock = clock
        self._logged = ""

    async def run(self, notifier: Notifier) -> None:
        """Feed the watchdog three times per timeout, until cancelled."""
        pause_s = (notifier.watchdog_s or USUAL_WATCHDOG_S) / 3
        task_monitor = self._task_monitor
        task_monitor.managed, task_monitor.watchdog_s = notifier.managed, notifier.watchdog_s
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._ask_the_journal(pause_s), name="journal's sign of life")
            while True:
                wrong = "" if self._locked() else self._wrong()
                if not wrong and not task_monitor.starved and notifier.watchdog():
                    task_monitor.fed_at = self._clock.now()
                if wrong and wrong != self._logged:
                    _log.error("the watchdog is no longer fed: %s", wrong)
                self._logged = wrong
                await self._clock.sleep(pause_s)

    async def _ask_the_journal(self, pause_s: float) -> None:
        while True:
            with self._task_monitor.waiting(JOURNAL):
                await self._clock.sleep(pause_s)
            await self._journal_turns()

    def _wrong(self) -> str:
        """Return which tasks do not tick, or an empty string if all do."""
        ended = [f"{name} has ended" for name, task in self._tasks.items() if task.done()]
        late = [f"{name} has been at work for more than {PATIENCE_S[name]:g} s" for name in self._task_monitor.late()]
        return ", ".join(ended + late)
