"""T.18: the check-out: all automatic checks in order, PASS or FAIL with reasons; the result is an event."""

from collections.abc import Sequence

from controller.features.diagnostics.checks import CHECKS, Finding, Seen
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.service.page import DeviceAction, Line
from ui.protocol.messages import Frames

_FRAMES_S = 2.5
PASS, FAIL = "PASS", "FAIL"
RUN, AGAIN = "Run all checks", "Run all checks again"
WAITING, RUNNING = "waits", "is being checked"
OVERALL = "The cabinet"


class CheckOut(DeviceTest):
    """One run of all the checks at a time, started on request."""

    patient = True

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.findings: dict[str, Finding] = {}
        self._now = ""
        self._frames: Frames | None = None

    def frames(self, frames: Frames) -> None:
        """Keep the display's statistics."""
        self._frames = frames

    @property
    def passed(self) -> bool | None:
        """Whether all checks have passed; None until all have run."""
        if len(self.findings) < len(CHECKS):
            return None
        return all(finding.passed for finding in self.findings.values())

    def lines(self) -> Sequence[Line]:
        """Return the overall result, then each check with its reasons."""
        return (
            *(
                []
                if self._now
                else [Line(AGAIN if self.findings else RUN, leads=DeviceAction(lambda _submission: self._run()))]
            ),
            *([] if self.passed is None else [self._verdict(OVERALL, passed=self.passed)]),
            *(line for name in CHECKS for line in self._lines(name)),
        )

    def _verdict(self, label: str, *, passed: bool, detail: str = "") -> Line:
        return Line(label, PASS if passed else FAIL, detail=detail, tone="good" if passed else "bad")

    def _lines(self, name: str) -> list[Line]:
        finding = self.findings.get(name)
        if finding is None:
            return [Line(name, RUNNING if name == self._now else WAITING)]
        return [self._verdict(name, passed=finding.passed, detail=finding.figure), *finding.reasons]

    async def _run(self) -> str:
        self.findings = {}
        try:
            for name, check in CHECKS.items():
                self._now = name
                self.context.changed()
                if name == "Display":
                    await self.context.clock.sleep(_FRAMES_S)  # the display reports every second
                self.findings[name] = await check(Seen(self.context, lambda: self._frames))
        finally:
            self._now = ""
        await self._record()
        return ""

    async def _record(self) -> None:
        failed = {
            name: [f"{line.label.format(place=line.place)} {line.detail}".strip() for line in finding.reasons]
            for name, finding in self.findings.items()
            if not finding.passed
        }
        words = "; ".join(f"{name}: {', '.join(reasons)}" for name, reasons in failed.items())
        event, names = DiagnosticEvent.CHECK_OUT_FAILED if failed else DiagnosticEvent.CHECK_OUT_PASSED, sorted(failed)
        await self.context.machine.journal.do(lambda tx: tx.event(event, reason=words, failed=names))


PAGES = (device_test_page("T.18", "Check-out", CheckOut),)
