"""Where the one test that is open stands: it begins, what its rows do runs beside the menu, and it ends in order."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from controller.journal.errors import RefusedError
from controller.service.page import DeviceAction, Page, Submission
from controller.service.testing.context import TEST, TestContext
from controller.service.testing.device_test import DeviceTest
from drivers.errors import DriverError

if TYPE_CHECKING:
    from controller.machine.machine import Machine

TICK_S = 0.25
"""How often an open test's page is looked at again."""
BUSY = "Wait until the other one has ended"
FAILED = "The device has failed: the test has ended"
NO_HARDWARE = "There is no hardware that could be tested"


class TestRunner:
    """The test of one menu, if one is open. `context` is None until the drivers are there.

    While `test` is not None it has taken its devices over. `message` is what is to be told next, `refusal` the newest
    refusal of a row, which has the figures of its words.
    """

    def __init__(self, machine: "Machine") -> None:
        self.context: TestContext | None = None
        self.test: DeviceTest | None = None
        self.message = ""
        self.refusal: RefusedError | None = None
        self._machine = machine
        self._page: Page | None = None
        self._live: asyncio.Task[None] | None = None
        self._driving: asyncio.Task[str] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._page.code if self._page else 'free'}>"

    def fresh(self) -> None:
        """The menu is opened: what has moved before is forgotten."""
        if self.context is not None:
            self.context.hardware.watch.begin()

    @property
    def busy(self) -> bool:
        """Whether what a row does is still going on."""
        return self._driving is not None and not self._driving.done()

    @property
    def keys(self) -> bool:
        """Whether the panel's four buttons move the page."""
        return self.test is None or self.test.keys

    @property
    def idle(self) -> bool:
        """Whether an untouched menu may close itself."""
        return self.test is None or not (self.test.patient or self.busy)

    async def open(self, page: Page | None) -> bool:
        """Have the test of `page` open, and no other; return False where it cannot be, with why in `message`.

        Raise what is no driver's trouble: a failing journal above all.
        """
        if self.test is not None and (page is not self._page or self._failed):
            failed = self._failed
            await self.end()
            if failed and page is not None and page.test is not None:
                self.message = FAILED
                return False
        if page is None or page.test is None or self.test is not None:
            return True
        return await self._begin(page)

    async def end(self, *, record: bool = True) -> None:
        """Stop what the open test does and give everything back; `record` that it has ended."""
        driving, live, page, test = self._driving, self._live, self._page, self.test
        self._driving = self._live = self._page = self.test = None
        tasks = [task for task in (driving, live) if task is not None]
        try:
            for task in tasks:
                task.cancel()
                await asyncio.wait({task})
        finally:  # cancelled itself, it leaves nothing that goes on
            for task in tasks:
                task.cancel()
        if page is not None and test is not None and record:
            await self._record(page, f"ended, {test.result}" if test.result else "ended")
        for task in tasks:
            with suppress(asyncio.CancelledError, DriverError):
                task.result()

    def drive(self, drive: DeviceAction, submission: Submission) -> None:
        """Begin what a row does; what it returns, or why it was refused, is told when it has ended."""
        if self.busy or self.context is None:
            self.message = BUSY
            return
        self._driving = asyncio.ensure_future(self._done(drive, submission))
        self._driving.add_done_callback(self._driven)

    async def _begin(self, page: Page) -> bool:
        context = self.context
        if context is None or page.test is None:
            self.message = NO_HARDWARE
            return False
        context.code = page.code
        self._page, self.test = page, page.test(context)
        await self._record(page, "begun")
        began = asyncio.Event()
        live = self._live = asyncio.ensure_future(_lived(self.test, began))
        live.add_done_callback(lambda _task: context.changed())
        taken = asyncio.ensure_future(began.wait())
        try:
            await asyncio.wait({live, taken}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            taken.cancel()
        return await self.open(page)

    @property
    def _failed(self) -> bool:
        """Whether it has come to an end that nobody asked for."""
        done = [task for task in (self._live, self._driving) if task is not None and task.done()]
        return any(task.cancelled() or task.exception() is not None for task in done)

    async def _done(self, drive: DeviceAction, submission: Submission) -> str:
        try:
            return await drive.do(submission)
        except RefusedError as error:
            if self._machine.journal.lock is not None:  # it was to be booked beyond doubt: the books are in trouble
                raise
            self.refusal = error
            return error.template

    def _driven(self, task: "asyncio.Task[str]") -> None:
        if task is self._driving and not task.cancelled() and task.exception() is None:
            self.message = task.result()
        if self.context is not None:
            self.context.changed()

    async def _record(self, page: Page, words: str) -> None:
        await self._machine.journal.do(lambda tx: tx.event(TEST, f"{page.code} {page.title}: {words}"))


async def _lived(test: DeviceTest, began: asyncio.Event) -> None:
    async with test.taken():
        began.set()
        await test.run()
        await asyncio.Event().wait()
