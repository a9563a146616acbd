"""A header with an expander, two buttons and a lamp on it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from controller.hardware.driver_tasks import keep_running
from drivers.clock import LoopClock
from drivers.expander.chip import ExpanderChip
from drivers.pins.button_panel import ButtonPanel
from drivers.pins.expander import Expander
from drivers.pins.lamps import Lamps
from drivers.simulated.expander.i2c_wire import ChipBus
from drivers.simulated.expander.mcp23017 import Mcp23017
from drivers.wiring import Expander as ExpanderSettings
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import MockHeader, running

SPIN, COLLECT, LAMP = 3, 12, 15


SPIN_PIN, COLLECT_PIN, LAMP_PIN = "x20.A3", "x20.B4", "x20.B7"


INTERRUPT, RESET = 20, 21


DEBOUNCE_S = 0.008


class CountingBus(ChipBus):
    """The chips' bus, with a count of its transfers."""

    transfers = 0

    def write(self, address: int, register: int, data: bytes) -> None:
        """Count and write."""
        self.transfers += 1
        super().write(address, register, data)

    def read(self, address: int, register: int, count: int) -> bytes:
        """Count and read."""
        self.transfers += 1
        return super().read(address, register, count)


class Board:
    """A header with one expander, two buttons and a lamp on it, and what they did."""

    def __init__(self, *, interrupt: bool = False, reset: bool = False, poll_ms: int = 5) -> None:
        self.wires: list[tuple[int, bool]] = []
        self.chip = Mcp23017(lambda bit, level: self.wires.append((bit, level)), self._interrupt)
        self.bus = CountingBus({0x20: self.chip})
        self.header = MockHeader({"x20": ExpanderChip("x20", self.bus)})
        settings = ExpanderSettings(
            interrupt=INTERRUPT if interrupt else None, reset=RESET if reset else None, poll_ms=poll_ms
        )
        self.expander = Expander(self.header.chips["x20"], settings, self.header, LoopClock())
        self.faults = FaultBook()
        self.reports: list[tuple[str, str, float]] = []
        self.reported = asyncio.Event()
        self.panel = ButtonPanel(
            {"spin": SPIN_PIN, "collect": COLLECT_PIN},
            self.header,
            LoopClock(),
            debounce_ms=round(DEBOUNCE_S * 1000),
            on_press=lambda name, at: self._report("press", name, at),
            on_release=lambda name, at: self._report("release", name, at),
            faults=self.faults,
        )
        self.lamps = Lamps({"spin": LAMP_PIN}, self.header, LoopClock())

    def _interrupt(self, pulled: bool) -> None:  # noqa: FBT001 - the chip's callback
        if pulled:
            self.header.ground(INTERRUPT)
        else:
            self.header.let_go(INTERRUPT)

    def _report(self, what: str, name: str, at: float) -> None:
        self.reports.append((what, name, at))
        self.reported.set()

    def press(self, bit: int = SPIN) -> None:
        """Close a contact to ground."""
        self.chip.drive(bit, level=False)

    def let_go(self, bit: int = SPIN) -> None:
        """Open it."""
        self.chip.drive(bit, level=None)

    @property
    def lit(self) -> bool:
        """Whether the lamp is lit."""
        return self.wires.count((LAMP, True)) > self.wires.count((LAMP, False))

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Expander, buttons and lamps run."""
        async with running(self.expander.run()), running(self.panel.run()), running(self.lamps.run()):
            await asyncio.sleep(0.05)
            yield

    @asynccontextmanager
    async def kept_running(self) -> AsyncIterator[None]:
        """All three run as the supervisor runs them: reported and started again."""
        drivers = (self.expander, self.panel, self.lamps)
        tasks = [asyncio.ensure_future(keep_running(driver, self.faults, LoopClock())) for driver in drivers]
        await asyncio.sleep(0.05)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
