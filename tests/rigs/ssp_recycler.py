"""A validator with a note recycler on virtual time: the simulated device, both drivers, and their books."""

import asyncio

from drivers.bill_validator import BillValidator
from drivers.capabilities import PayoutOutcome
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SspHabits
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.ssp.desk import RecyclerDesk
from drivers.ssp.recycler import Recycler
from drivers.wiring import BillValidator as BillSettings
from drivers.wiring import Hopper as HopperSettings
from tests.rigs.bill_rig import ALL, Books
from tests.rigs.ssp_cash import LevelBooks

UNIT = 500


class RecyclerRig:
    """Everything around one recycler; `tray` are the notes that it paid, `boxed` those in the cash box."""

    def __init__(
        self, stored: dict[int, int], *, float_coins: int = 0, misbehaviour: Misbehaviour | None = None
    ) -> None:
        self.tray: list[int] = []
        self.boxed: list[Paper] = []
        self.returned: list[Paper] = []
        self.device = SimulatedRecycler(
            returned=self.returned.append,
            stacked=self.boxed.append,
            note_out=self.tray.append,
            stored=stored,
            habits=SspHabits(encrypts=True, acknowledges=True),
        )
        self.line = MemoryLine(self.device, misbehaviour)
        self.notes, self.cash = Books(), LevelBooks()
        self.deaths: list[DriverError] = []
        self._settings = HopperSettings(port="memory", protocol="ssp", coin_value_cents=UNIT, float_coins=float_coins)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Switch the mains on and run both drivers until notes are taken."""
        self.device.power(on=True)
        self.run()
        await asyncio.sleep(10)

    def run(self) -> None:
        desk = RecyclerDesk("memory")
        self.validator = BillValidator(
            BillSettings(port="memory", protocol="ssp", encryption="on"),
            self.line.port,
            LoopClock(),
            self.notes,
            currency=EURO,
            recycler=desk,
        )
        self.validator.accept(ALL)
        self.recycler = Recycler(self._settings, desk, LoopClock(), self.cash, currency=EURO)
        self._tasks = [
            asyncio.get_running_loop().create_task(self._supervise(driver))
            for driver in (self.validator, self.recycler)
        ]

    async def _supervise(self, driver: BillValidator | Recycler) -> None:
        while True:
            try:
                await driver.run()
            except DriverError as death:
                self.deaths.append(death)
            await asyncio.sleep(0.7)

    async def kill(self) -> None:
        """End both drivers at once."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        self.line.port.close()

    async def pay(self, units: int) -> PayoutOutcome:
        """Pay an order to its end, over lost lines."""
        async with asyncio.timeout(600):
            while True:
                try:
                    outcome = await self.recycler.pay(self.cash.order(units), self.cash)
                except DriverError as error:
                    self.deaths.append(error)
                    await asyncio.sleep(0.5)
                else:
                    await self.cash.ended(outcome)
                    return outcome
