"""Runs the open device test: starts it, runs its rows' actions beside the menu, and ends it in order."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, DeviceTestPage
from controller.features.diagnostics.events import DiagnosticEvent
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import EventKind
from controller.service.live_pages import PageRunner
from controller.service.page import DeviceAction, Page, Submission
from drivers.errors import DriverError

BUSY = "Wait until the other one has ended"
FAILED = "The device has failed: the test has ended"


class TestRunner(PageRunner):
    """Runs the open device test of a menu; while `test` is not None it has taken over its devices."""

    def __init__(self, context: TestContext) -> None:
        super().__init__()
        self.context = context
        self.test: DeviceTest | None = None
        self._machine = context.machine
        self._page: Page | None = None
        self._live: asyncio.Task[None] | None = None
        self._running: asyncio.Task[str] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._page.code if self._page else 'free'}>"

    def fresh(self) -> None:
        """Forget the earlier movements of inputs when the menu is opened."""
        self.context.hardware.watch.begin()

    def connect(self, notify: Callable[[str], None]) -> None:
        """Set what the tests notify."""
        self.context.connect(notify)

    @property
    def live(self) -> DeviceTest | None:
        """The open test."""
        return self.test

    @property
    def busy(self) -> bool:
        """Whether an action is running."""
        return self._running is not None and not self._running.done()

    @property
    def keys(self) -> bool:
        """Whether the panel's four buttons operate the page."""
        return self.test is None or self.test.keys

    @property
    def idle(self) -> bool:
        """Whether the menu's idle timeout applies."""
        return self.test is None or not (self.test.patient or self.busy)

    async def open(self, page: Page | None) -> bool:
        """Open the test of `page`, and end any other; return False with `message` set if it cannot be opened.

        Errors other than a driver's are raised, in particular those of the journal.
        """
        if self.test is not None and (page is not self._page or self._failed):
            failed = self._failed
            await self.end()
            if failed and isinstance(page, DeviceTestPage):
                self.message = FAILED
                return False
        if not isinstance(page, DeviceTestPage) or self.test is not None:
            return True
        return await self._begin(page)

    async def end(self, *, record: bool = True) -> None:
        """Stop the open test and return its devices; if `record` is true, record the end as an event."""
        running, live, page, test = self._running, self._live, self._page, self.test
        self._running = self._live = self._page = self.test = None
        tasks = [task for task in (running, live) if task is not None]
        try:
            for task in tasks:
                task.cancel()
                await asyncio.wait({task})
        finally:  # nothing may continue if this task is itself cancelled
            for task in tasks:
                task.cancel()
        if page is not None and test is not None and record:
            await self._record(page, *test.result)
        for task in tasks:
            with suppress(asyncio.CancelledError, DriverError):
                task.result()

    def start(self, action: DeviceAction, submission: Submission) -> None:
        """Start a row's action; its message or refusal is shown when it has ended."""
        if self.busy:
            self.message = BUSY
            return
        self._running = asyncio.ensure_future(self._perform(action, submission))
        self._running.add_done_callback(self._finished)

    async def _begin(self, page: DeviceTestPage) -> bool:
        context = self.context
        context.code = page.code
        self._page, self.test = page, page.test(context)
        await self._record(page, DiagnosticEvent.TEST_BEGUN, {})
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
        """Whether the test or its action has failed."""
        done = [task for task in (self._live, self._running) if task is not None and task.done()]
        return any(task.cancelled() or task.exception() is not None for task in done)

    async def _perform(self, action: DeviceAction, submission: Submission) -> str:
        try:
            return await action.do(submission)
        except RefusedError as error:
            if self._machine.journal.lock is not None:  # its result had to be booked, and the journal has failed
                raise
            self.refusal = error
            return error.template

    def _finished(self, task: "asyncio.Task[str]") -> None:
        if task is self._running and not task.cancelled() and task.exception() is None:
            self.message = task.result()
        self.context.changed()

    async def _record(self, page: Page, event: EventKind, figures: Mapping[str, Any]) -> None:
        await self._machine.journal.do(lambda tx: tx.event(event, test=page.code, title=page.title, **figures))


async def _lived(test: DeviceTest, began: asyncio.Event) -> None:
    async with test.taken():
        began.set()
        await test.run()
        await asyncio.Event().wait()
