"""A SMART Hopper on virtual time: the device, its line, its driver, the books, and who pays by it."""

import asyncio
from collections.abc import Callable
from typing import Any

from drivers.capabilities import PayoutOutcome, StockCount, Stocktaking
from drivers.cctalk.hopper_wire import LIFETIME_SPAN
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.ssp.smart_hopper import SmartHopper
from drivers.wiring import Hopper as Settings
from tests.rigs.bill_rig import DyingPort, KilledError
from tests.rigs.cctalk_books import PayoutBooks

UNIT = 50


class LevelBooks(PayoutBooks):
    """A hopper's books where the count is made from what it holds: one that goes back is a refill."""

    def __init__(self) -> None:
        super().__init__()
        self.put_in = 0
        self.keep: int | None = None
        self.moves: list[str] = []
        self.said_boxed: list[dict[int, int] | None] = []
        self.boxed: dict[tuple[int, int], tuple[int, int]] = {}
        """What of each dispense fell into the cash box: booked, and how many of those were acknowledged."""
        self.calls = 0
        self.die_at = 0
        self.dies_after = False

    async def stock_counted(self, found: StockCount) -> Stocktaking:
        """Keep the count, but while an order is open; the move that is wanted takes what has left meanwhile."""
        settled = await self.hopper_counted(found.serial, found.lifetime)
        return Stocktaking(settled=settled, keep=self.keep)

    async def stock_moving(self, serial: int, boxed: dict[int, int] | None) -> None:
        del serial
        self.said_boxed.append(boxed)

    async def stock_moved(self, found: StockCount, refusal: str) -> None:
        self.lifetimes[found.serial] = found.lifetime
        self.keep = None
        self.moves.append(refusal)
        self.said_boxed.append(found.boxed)

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """Keep how many coins of the dispense announced at `lifetime` fell into the cash box."""
        self._commit()
        before, acknowledged = self.boxed.get((serial, lifetime), (0, 0))
        booked = max(before, acknowledged + coins)
        self.boxed[serial, lifetime] = booked, acknowledged
        self.lifetimes[serial] = (self.lifetimes[serial] + booked - before) % LIFETIME_SPAN
        return booked

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """What is booked of that dispense will not be reported again."""
        self._commit()
        booked, _ = self.boxed.get((serial, lifetime), (0, 0))
        self.boxed[serial, lifetime] = booked, booked

    async def coins_put_in(self, serial: int) -> int:
        del serial
        coins, self.put_in = self.put_in, 0
        return coins

    def _compare(self, serial: int, lifetime: int) -> None:
        strays = (lifetime - self.lifetimes.get(serial, lifetime)) % LIFETIME_SPAN
        if 0 < strays < LIFETIME_SPAN // 2:
            self.strays += strays
            self.present["hopper", "hopper_runaway"] = ""
        self.lifetimes[serial] = lifetime

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        await self._dying(lambda: super(LevelBooks, self).dispensing(serial, event_counter, lifetime))

    async def coin_paid(self, paid: int) -> None:
        await self._dying(lambda: super(LevelBooks, self).coin_paid(paid))

    async def _dying(self, commit: Callable[[], Any]) -> None:
        self.calls += 1
        dies = self.calls == self.die_at
        if dies and not self.dies_after:
            raise KilledError
        await commit()
        if dies:
            raise KilledError


class CashRig:
    """Everything around one hopper; `pay` pays to the end over kills, cuts and lost lines, as the cabinet does."""

    def __init__(self, device: Any, misbehaviour: Misbehaviour | None = None, **settings: Any) -> None:
        self.device = device
        self.line = MemoryLine(device, misbehaviour)
        self.port = DyingPort(self.line.port)
        self.books = LevelBooks()
        self.settings = Settings(port="memory", protocol="ssp", coin_value_cents=UNIT, **settings)
        self.deaths: list[Exception] = []
        self.hopper = self._new()
        self.task: asyncio.Task[None] | None = None

    def _new(self) -> SmartHopper:
        return SmartHopper(self.settings, self.port, LoopClock(), self.books, currency=EURO)

    async def start(self) -> None:
        self.device.power(on=True)
        self.run()
        await asyncio.sleep(3)

    def run(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self._supervise())

    async def _supervise(self) -> None:
        while True:
            self.hopper = self._new()
            try:
                await self.hopper.run()
            except (DriverError, KilledError) as death:
                self.deaths.append(death)
            await asyncio.sleep(0.5)

    async def kill(self) -> None:
        """End the driver at once, as a kill of the process does, and start another one."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.wait({self.task})
        self.run()

    async def end(self) -> None:
        assert self.task is not None
        self.task.cancel()
        await asyncio.wait({self.task})
        self.device.power(on=False)

    async def pay(self, units: int, *, longest_s: float = 900.0) -> PayoutOutcome:
        """Pay an order to its end."""
        async with asyncio.timeout(longest_s):
            while True:
                try:
                    outcome = await self.hopper.pay(self.books.order(units), self.books)
                except KilledError as death:
                    self.deaths.append(death)
                    await self.kill()
                except DriverError as error:
                    self.deaths.append(error)
                else:
                    await self.books.ended(outcome)
                    return outcome
                await asyncio.sleep(0.5)

    def check(self, units: int) -> None:
        """What lies in the tray was booked, once, and is no more than was ordered; nothing left it unordered."""
        assert sum(self.device.tray) == self.books.paid * UNIT
        assert self.books.paid <= units
        assert self.books.strays == 0
