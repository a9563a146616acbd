"""T.16, the service manager's watchdog: its interval, when it was last fed, and a deliberate test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.journal.diagnostics import Outcome, WatchdogResult, watchdog_diagnostic
from controller.service.page import DeviceAction, Line, Submission, Tone
from ui.protocol.values import moment

_GRACE_S = 15.0
_TONES: dict[Outcome, Tone] = {Outcome.ACTED: "good", Outcome.FAILED: "bad"}
NOT_SET, THERE, NOT_THERE, NOT_YET = "not set", "there", "not there", "not yet"
STARVE = "Stop feeding the watchdog"
ASK = "Let the watchdog bite? The program is started anew"
STARVED = "The watchdog is no longer fed"
STILL_HERE = "Nobody acted: it is fed again"
OUTCOMES = tuple(str(outcome) for outcome in Outcome)
"""The outcomes of a test."""


class WatchdogTest(DeviceTest):
    """The state of the watchdog; leaving the page resumes the feeding."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._newest: WatchdogResult | None = None

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Resume the feeding at the end, even if a test was started."""
        await self._read()
        try:
            yield
        finally:
            if self.context.machine.task_monitor.starved:
                self.context.machine.task_monitor.starve(starved=False)
                await self.context.machine.journal.do(lambda tx: watchdog_diagnostic.settle(tx, Outcome.LEFT))

    async def _read(self) -> None:
        self._newest = await self.context.machine.journal.do(watchdog_diagnostic.newest)

    def lines(self) -> Sequence[Line]:
        """Return the watchdog's settings and feeding, then the outcome of the newest test."""
        task_monitor = self.context.machine.task_monitor
        every_s = task_monitor.watchdog_s
        fed_s = None if task_monitor.fed_at is None else self.context.clock.now() - task_monitor.fed_at
        late = every_s is not None and (fed_s is None or fed_s > every_s)
        return (
            Line(
                "Service manager",
                THERE if task_monitor.managed else NOT_THERE,
                tone="good" if task_monitor.managed else "bad",
            ),
            Line(
                "Watchdog",
                NOT_SET if every_s is None else f"{every_s:g} s",
                tone="bad" if every_s is None else "good",
            ),
            Line(
                "Last fed, seconds ago",
                NOT_YET if fed_s is None else f"{fed_s:.1f}",
                tone="bad" if late else "plain",
            ),
            *([Line(STARVED, tone="bad")] if task_monitor.starved else []),
            *self._test_lines(),
        )

    def _test_lines(self) -> list[Line]:
        lines = [Line(STARVE, tone="bad", leads=DeviceAction(self._starve, question=ASK, confirmations=2))]
        newest = self._newest
        if newest is not None:
            lines.append(Line("The newest test", moment(newest.at_ms), tone="heading"))
            lines.append(Line("It ended", str(newest.outcome), tone=_TONES.get(newest.outcome, "plain")))
            lines.append(Line("After seconds", f"{newest.after_s:.0f}"))
        return lines

    async def _starve(self, submission: Submission) -> str:
        """Stop feeding; resume it if the program still runs long after the service manager had to act."""
        machine, task_monitor = self.context.machine, self.context.machine.task_monitor
        every_s = task_monitor.watchdog_s if task_monitor.managed else None
        await machine.journal.attempt(lambda tx: watchdog_diagnostic.begin(tx, submission.who, every_s))
        task_monitor.starve(starved=True)
        await self._read()
        self.context.changed()
        await self.context.clock.sleep(2 * (every_s or 0.0) + _GRACE_S)
        task_monitor.starve(starved=False)
        await machine.journal.do(lambda tx: watchdog_diagnostic.settle(tx, Outcome.FAILED))
        await self._read()
        return STILL_HERE


PAGES = (device_test_page("T.16", "Watchdog", WatchdogTest),)
