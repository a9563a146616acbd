"""T.7, hard meters: one pulse on request, counted in the journal."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from controller.features.diagnostics.context import READY, TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.features.diagnostics.points import Point, outputs
from controller.journal.diagnostics import meter_diagnostic
from controller.service.meters import HARD_NAMES, NOT_FITTED
from controller.service.page import DeviceAction, Line
from drivers.errors import DriverError, NotPulsedError

QUESTION = "Give this meter one pulse? The books count it as a test"
GIVEN, NONE_GIVEN, DOUBTFUL = "One pulse was given", "No pulse was given", "Nobody can say whether it stepped"
NOT_READY = "cannot be pulsed"


class MeterPulse(DeviceTest):
    """T.7: each hard meter, whether it can be pulsed, and the number of its test pulses."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._points = {
            point.name: point for point in outputs(context.machine.settings.config.pins) if point.kind == "meters"
        }
        self._counts: dict[str, int] = {}

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Read the earlier counts; no meter is pulsed until requested."""
        self._counts = await self.context.machine.journal.do(meter_diagnostic.pulses)
        yield

    def lines(self) -> Sequence[Line]:
        """Return a row for each possible meter."""
        return [line for name, label in HARD_NAMES.items() for line in self._lines(name, label)]

    def _lines(self, name: str, label: str) -> list[Line]:
        point, meter = self._points.get(name), self.context.hardware.meters.get(name)
        if point is None or meter is None:
            return [Line(label, NOT_FITTED)]
        faults = [line for line in self.context.device_lines(f"meter_{name}", ready=meter.ready) if line.tone == "bad"]
        row = Line(
            label,
            READY if meter.ready else NOT_READY,
            count=self._counts.get(name, 0),
            mark=point.code,
            detail=point.detail,
            tone="good" if meter.ready else "bad",
            leads=DeviceAction(lambda _submission: self._pulse(point), question=QUESTION, confirmations=1),
        )
        return [row, *faults]

    async def _pulse(self, point: Point) -> str:
        """Send one pulse; once begun it is finished and counted even if the test is left."""
        pulsing = asyncio.ensure_future(self._given(point.name))
        try:
            return await asyncio.shield(pulsing)
        except asyncio.CancelledError:
            await asyncio.wait({pulsing})
            raise

    async def _given(self, name: str) -> str:
        machine = self.context.machine
        await machine.journal.do(lambda tx: meter_diagnostic.begin(tx, name))
        doubt = ""
        try:
            await self.context.hardware.meters[name].pulse()
        except NotPulsedError:
            await machine.journal.do(meter_diagnostic.take_back)
            await self.context.record(DiagnosticEvent.NO_PULSE, meter=name)
            return NONE_GIVEN
        except DriverError as error:
            doubt = str(error)
        await machine.journal.do(lambda tx: meter_diagnostic.pulse_given(tx, name, doubt=doubt))
        self._counts = await machine.journal.do(meter_diagnostic.pulses)
        return DOUBTFUL if doubt else GIVEN


PAGES = (device_test_page("T.7", "Hard-meter pulse", MeterPulse),)
