"""Where the one test that is open stands: it begins, what its rows do runs beside the menu, and it ends in order."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from controller.journal.errors import RefusedError
from controller.service.page import Deed, Drive, Leaf
from controller.service.testing.context import TEST, Bench
from controller.service.testing.device_test import Trial
from drivers.errors import DriverError

if TYPE_CHECKING:
    from controller.machine.machine import Machine

TICK_S = 0.25
"""How often an open test's page is looked at again."""
BUSY = "Wait until the other one has ended"
FAILED = "The device has failed: the test has ended"
NO_HARDWARE = "There is no hardware that could be tested"


class Stand:
    """The test of one menu, if one is open. `bench` is None until the drivers are there.

    While `trial` is not None it has taken its devices over. `message` is what is to be told next, `refusal` the newest
    refusal of a row, which has the figures of its words.
    """

    def __init__(self, machine: "Machine") -> None:
        self.bench: Bench | None = None
        self.trial: Trial | None = None
        self.message = ""
        self.refusal: RefusedError | None = None
        self._machine = machine
        self._leaf: Leaf | None = None
        self._live: asyncio.Task[None] | None = None
        self._driving: asyncio.Task[str] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._leaf.code if self._leaf else 'free'}>"

    def fresh(self) -> None:
        """The menu is opened: what has moved before is forgotten."""
        if self.bench is not None:
            self.bench.hardware.watch.begin()

    @property
    def busy(self) -> bool:
        """Whether what a row does is still going on."""
        return self._driving is not None and not self._driving.done()

    @property
    def keys(self) -> bool:
        """Whether the panel's four buttons move the page."""
        return self.trial is None or self.trial.keys

    @property
    def idle(self) -> bool:
        """Whether an untouched menu may close itself."""
        return self.trial is None or not (self.trial.patient or self.busy)

    async def open(self, leaf: Leaf | None) -> bool:
        """Have the test of `leaf` open, and no other; return False where it cannot be, with why in `message`.

        Raise what is no driver's trouble: a failing journal above all.
        """
        if self.trial is not None and (leaf is not self._leaf or self._failed):
            failed = self._failed
            await self.end()
            if failed and leaf is not None and leaf.trial is not None:
                self.message = FAILED
                return False
        if leaf is None or leaf.trial is None or self.trial is not None:
            return True
        return await self._begin(leaf)

    async def end(self, *, record: bool = True) -> None:
        """Stop what the open test does and give everything back; `record` that it has ended."""
        driving, live, leaf, trial = self._driving, self._live, self._leaf, self.trial
        self._driving = self._live = self._leaf = self.trial = None
        tasks = [task for task in (driving, live) if task is not None]
        try:
            for task in tasks:
                task.cancel()
                await asyncio.wait({task})
        finally:  # cancelled itself, it leaves nothing that goes on
            for task in tasks:
                task.cancel()
        if leaf is not None and trial is not None and record:
            await self._record(leaf, f"ended, {trial.result}" if trial.result else "ended")
        for task in tasks:
            with suppress(asyncio.CancelledError, DriverError):
                task.result()

    def drive(self, drive: Drive, deed: Deed) -> None:
        """Begin what a row does; what it returns, or why it was refused, is told when it has ended."""
        if self.busy or self.bench is None:
            self.message = BUSY
            return
        self._driving = asyncio.ensure_future(self._done(drive, deed))
        self._driving.add_done_callback(self._driven)

    async def _begin(self, leaf: Leaf) -> bool:
        bench = self.bench
        if bench is None or leaf.trial is None:
            self.message = NO_HARDWARE
            return False
        bench.code = leaf.code
        self._leaf, self.trial = leaf, leaf.trial(bench)
        await self._record(leaf, "begun")
        began = asyncio.Event()
        live = self._live = asyncio.ensure_future(_lived(self.trial, began))
        live.add_done_callback(lambda _task: bench.changed())
        taken = asyncio.ensure_future(began.wait())
        try:
            await asyncio.wait({live, taken}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            taken.cancel()
        return await self.open(leaf)

    @property
    def _failed(self) -> bool:
        """Whether it has come to an end that nobody asked for."""
        done = [task for task in (self._live, self._driving) if task is not None and task.done()]
        return any(task.cancelled() or task.exception() is not None for task in done)

    async def _done(self, drive: Drive, deed: Deed) -> str:
        try:
            return await drive.do(deed)
        except RefusedError as error:
            if self._machine.lock is not None:  # it was to be booked beyond doubt: the books are in trouble
                raise
            self.refusal = error
            return error.template

    def _driven(self, task: "asyncio.Task[str]") -> None:
        if task is self._driving and not task.cancelled() and task.exception() is None:
            self.message = task.result()
        if self.bench is not None:
            self.bench.changed()

    async def _record(self, leaf: Leaf, words: str) -> None:
        await self._machine.do(lambda tx: tx.event(TEST, f"{leaf.code} {leaf.title}: {words}"))


async def _lived(trial: Trial, began: asyncio.Event) -> None:
    async with trial.taken():
        began.set()
        await trial.run()
        await asyncio.Event().wait()
