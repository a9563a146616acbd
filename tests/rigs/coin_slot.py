"""A coin acceptor on a line in memory, with its driver and books, for tests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from controller.hardware.driver_tasks import fault_code
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.clock import LoopClock
from drivers.currency import EURO, Currency
from drivers.errors import DriverError
from drivers.pins.coin_gates import CoinGates
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.wiring import CoinAcceptor as Settings
from tests.rigs.cctalk_books import BooksLockedError, CoinBooks

SERIAL = 4711


class Slot:
    """A coin acceptor, its line, its driver and the books, with the driver restarted whenever it falls."""

    def __init__(
        self,
        *,
        echo: bool = False,
        travel_s: float = 0.0,
        serial: int = 0,
        coins_cents: tuple[int, ...] = (),
        hopper_path: int = 0,
        currency: Currency = EURO,
        device: type[SimulatedCoinAcceptor] = SimulatedCoinAcceptor,
    ) -> None:
        self.accepted: list[int] = []
        self.returned: list[int] = []
        self.books = CoinBooks()
        self.device = device(echo=echo, travel_s=travel_s, accepted=self.accepted.append, returned=self.returned.append)
        self.misbehaviour = Misbehaviour()
        self.line = MemoryLine(self.device, self.misbehaviour)
        self.settings = Settings(port="memory", serial=serial, coins_cents=coins_cents, hopper_path=hopper_path)
        self.currency = currency
        self.gates: CoinGates | None = None
        self.hopper_cents = 0
        self.driver = self.new_driver()
        self.falls: list[Exception] = []
        self.wanted = True

    def new_driver(self) -> CoinAcceptor:
        return CoinAcceptor(
            self.settings,
            self.line.port,
            LoopClock(),
            self.books,
            currency=self.currency,
            gates=self.gates,
            hopper_takes=lambda: self.hopper_cents,
        )

    async def serve(self) -> None:
        """Run the driver for ever and report its failures, as the supervisor does."""
        while True:
            self.driver = self.new_driver()
            self.driver.accept(enabled=self.wanted)
            try:
                await self.driver.run()
            except DriverError as error:
                self.falls.append(error)
                await self.books.device_fault("coin_acceptor", fault_code(error), present=True, detail=str(error))
            except BooksLockedError as error:
                self.falls.append(error)
            await asyncio.sleep(0.5)

    def accept(self, *, enabled: bool) -> None:
        self.wanted = enabled
        self.driver.accept(enabled=enabled)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """Power on, and a driver that has had time to start."""
        self.device.power(on=True)
        serving = asyncio.create_task(self.serve())
        await asyncio.sleep(2.0)
        yield
        await asyncio.sleep(2.0)
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving

    async def crash(self, serving: "asyncio.Task[None]") -> None:
        """End the driver as SIGKILL does: nothing more is said on the wire."""
        self.line.port.close()
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving


async def run_slot(slot: Slot, act: Callable[[Slot], Coroutine[Any, Any, None]]) -> Slot:
    async with slot.served():
        await act(slot)

    return slot
