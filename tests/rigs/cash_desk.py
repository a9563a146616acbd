"""A hopper on a line in memory, with its driver, its books and a cash-out that outlives crashes, for tests."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Protocol, TypeVar

from controller.hardware.driver_tasks import fault_code
from drivers.capabilities import HopperListener, PayoutEnd, PayoutListener, PayoutOrder, PayoutOutcome
from drivers.cctalk.hopper import Hopper
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Piece, Way
from drivers.wiring import Hopper as Settings
from tests.rigs.cctalk_books import BooksLockedError, PayoutBooks


class Incident(Misbehaviour):
    """Calls `act` once, just before frame `at` (from 0) in direction `way` is carried; counts all frames."""

    def __init__(self) -> None:
        super().__init__()
        self.carried = dict.fromkeys(Way, 0)
        self.way = Way.TO_HOST
        self.at = -1
        self.act: Callable[[], object] = lambda: None

    def expect(self, way: Way, at: int, act: Callable[[], object]) -> None:
        self.way, self.at, self.act = way, at + self.carried[way], act

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        at = self.carried[way]
        self.carried[way] += 1
        if (way, at) == (self.way, self.at):
            self.act()
        return super().mangle(way, frame)


class DeskBooks(HopperListener, PayoutListener, Protocol):
    """Books that a desk pays by."""

    def order(self, coins: int) -> PayoutOrder:
        """The record of the order of so many coins."""

    async def ended(self, outcome: PayoutOutcome) -> None:
        """Write the order's end."""


B = TypeVar("B", bound=DeskBooks)


class CashDesk(Generic[B]):
    """A hopper, its line, its driver, its books, and a cash-out that is resumed until it has an end."""

    def __init__(self, device: SimulatedHopper, books: B, *, incident: Incident | None = None, serial: int = 0) -> None:
        self.tray: list[int] = []
        self.device = device
        self.device.coin_out = self.tray.append
        self.incident = incident or Incident()
        self.line = MemoryLine(self.device, self.incident)
        self.books = books
        self.settings = Settings(port="memory", coin_value_cents=100, serial=serial)
        self.falls: list[Exception] = []
        self.crashed = asyncio.Event()
        self.hopper = self.new_driver()

    def new_driver(self) -> Hopper:
        return Hopper(self.settings, self.line.port, LoopClock(), self.books, currency=EURO)

    async def serve(self) -> None:
        """Run the driver for ever and report its failures, as the supervisor does."""
        while True:
            try:
                await self.hopper.run()
            except DriverError as error:
                self.falls.append(error)
                await self.books.device_fault("hopper", fault_code(error), present=True, detail=str(error))
            except BooksLockedError:
                self.hopper.stop()
            await asyncio.sleep(0.5)

    async def cash_out(self, coins: int) -> PayoutEnd:
        """Pay an order through crashes and restarts, each time with what the books know."""
        while True:
            self.crashed = asyncio.Event()
            self.hopper = self.new_driver()
            serving = asyncio.create_task(self.serve())
            paying = asyncio.create_task(self.attempts(coins))
            crash = asyncio.create_task(self.crashed.wait())
            await asyncio.wait({paying, crash}, return_when=asyncio.FIRST_COMPLETED)
            ended = paying.done()
            if not ended:
                # As SIGKILL does: nothing more is said on the wire.
                self.line.port.close()
            for task in (serving, crash, *([] if ended else [paying])):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            if ended:
                return await paying
            await asyncio.sleep(0.3)

    async def attempts(self, coins: int) -> PayoutEnd:
        while True:
            if self.hopper.ready:
                with contextlib.suppress(DriverError, BooksLockedError):
                    outcome = await self.hopper.pay(self.books.order(coins), self.books)
                    await self.books.ended(outcome)
                    return outcome.end
            await asyncio.sleep(0.2)

    def misbehave(self, way: Way, kind: Kind) -> None:
        """The next frame goes wrong."""
        self.incident.inject(kind, way=way)

    def delay(self, way: Way, seconds: float) -> None:
        """The next frame comes later than any retry waits."""
        self.incident.delay_s = seconds
        self.incident.inject(Kind.DELAY, way=way)

    def cut_power(self) -> None:
        """The device loses power for a moment."""
        self.device.power(on=False)
        asyncio.get_running_loop().call_later(1.0, lambda: self.device.power(on=True))

    def cut_mains(self) -> None:
        """Cabinet and device lose power together."""
        self.cut_power()
        self.crashed.set()


class Desk(CashDesk[PayoutBooks]):
    """A desk whose books live in memory."""

    def __init__(self, device: SimulatedHopper | None = None, *, stock: int = 500, serial: int = 0) -> None:
        super().__init__(device or SimulatedHopper(stock=stock), PayoutBooks(), serial=serial)

    async def order(self, coins: int) -> PayoutOutcome:
        """Pay a new order with the driver that is being served, once."""
        books = self.books
        books.paid = books.paid_before = 0
        outcome = await self.hopper.pay(books.order(coins), books)
        await books.ended(outcome)
        return outcome


async def pay(desk: Desk, coins: int, prepare: Callable[[Desk], None] = lambda _desk: None) -> PayoutEnd:
    desk.device.power(on=True)
    prepare(desk)
    end = await desk.cash_out(coins)
    # Coins that fall after the end would be coins nobody counts.
    await asyncio.sleep(5.0)
    return end


async def served(desk: CashDesk[PayoutBooks], scene: Coroutine[Any, Any, None]) -> None:
    """Switch the device on and keep its driver running while the scene plays."""
    desk.device.power(on=True)
    serving = asyncio.create_task(desk.serve())
    try:
        await scene
    finally:
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
