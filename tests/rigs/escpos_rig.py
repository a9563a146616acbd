"""A driver of a ticket printer on a line in memory, run like the supervisor runs it."""

import asyncio
import contextlib

from controller.hardware.driver_tasks import keep_running
from drivers.capabilities import Slip
from drivers.clock import LoopClock
from drivers.escpos.printer import EscposPrinter
from drivers.simulated.line import LineDevice
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.wiring import TicketPrinter as Settings
from tests.rigs.fault_book import FaultBook
from tests.rigs.network_line import NetworkLine

STARTED_S = 15.0
TICKET = Slip(title="CASH-OUT TICKET", amount="12,30 €", barcode="123456789012345678", lines=("Machine 12",))


class PrinterRig:
    """The driver with `device` at the far end of its line or network, and what it reported."""

    def __init__(
        self,
        device: LineDevice,
        *,
        poll_ms: int = 500,
        network: bool = False,
        misbehaviour: Misbehaviour | None = None,
    ) -> None:
        self.line = NetworkLine(device) if network else MemoryLine(device, misbehaviour)
        self.faults = FaultBook()
        self.clock = LoopClock()
        self.printer = EscposPrinter(
            Settings(port=self.line.port.path, link="network" if network else "serial", poll_ms=poll_ms),
            self.line.port,
            self.clock,
            self.faults,
            draw=lambda below: below - 3,
        )
        self._running: asyncio.Task[None] | None = None

    async def start(self, seconds: float = STARTED_S) -> None:
        """Run it for so long."""
        self._running = asyncio.create_task(keep_running(self.printer, self.faults, self.clock))
        await asyncio.sleep(seconds)

    async def end(self) -> None:
        """Cancel it, as a stop of the supervisor does."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
        if isinstance(self.line, NetworkLine):
            self.line.close()
