"""The bench of `test_tubes`, which others use too."""

import asyncio
import contextlib
import zlib

from drivers.capabilities import CoinMemory, PayoutEnd, PayoutOutcome
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.mdb.bridge import Bridge
from drivers.mdb.changer import Changer
from drivers.mdb.coin_changer import CoinChanger
from drivers.mdb.tubes import ChangerTubes
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.wiring import CoinAcceptor, Hopper
from tests.rigs.bill_rig import DyingPort, KilledError
from tests.rigs.mdb_books import ChangerBooks
from tests.rigs.mdb_peer import COIN_SETUP, peer_with_changer

SERIAL = 12345


class Till:
    """A changer with both drivers, each restarted whenever it falls; `pay` sees an order through to its end."""

    def __init__(self, *, unit_cents: int = 5, level: int = 3, features: int = 1) -> None:
        self.peer, self.changer = peer_with_changer()
        self.changer.setup = bytes((level,)) + COIN_SETUP[1:]
        self.changer.features = features
        self.misbehaviour = Misbehaviour(delay_s=1.3)
        self.line = MemoryLine(self.peer, self.misbehaviour)
        self.port = DyingPort(self.line.port)
        self.books = ChangerBooks()
        self.unit_cents = unit_cents
        self.falls: list[Exception] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.run()

    @property
    def serial(self) -> int:
        """What the books know the changer by."""
        return SERIAL if self.changer.setup[0] >= 3 else zlib.crc32(self.changer.setup)

    def run(self) -> None:
        """A new program."""
        bridge, meeting = Bridge(self.port, LoopClock()), Changer(pays=True)
        wired = CoinAcceptor(port="memory", protocol="mdb")
        self.acceptor = CoinChanger(wired, bridge.tap(), LoopClock(), self.books, currency=EURO, changer=meeting)
        self.acceptor.accept(enabled=True)
        pays = Hopper(port="memory", protocol="mdb", coin_value_cents=self.unit_cents)
        self.tubes = ChangerTubes(pays, meeting, LoopClock(), self.books)

    async def _serve(self, driver: CoinChanger | ChangerTubes) -> None:
        while True:
            try:
                await driver.run()
            except (DriverError, KilledError) as error:
                self.falls.append(error)
            await asyncio.sleep(0.5)

    async def start(self) -> None:
        self.books.memories.setdefault(self.serial, CoinMemory(counter=0, at_rest=True))
        loop = asyncio.get_running_loop()
        self.tasks = [loop.create_task(self._serve(one)) for one in (self.acceptor, self.tubes)]
        await asyncio.sleep(4)

    async def stop(self) -> None:
        for task in self.tasks:
            task.cancel()
        for task in self.tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def pay(self, coins: int) -> PayoutOutcome:
        """Pay until the order has an end, with what the books know each time."""
        for _ in range(60):
            try:
                outcome = await self.tubes.pay(self.books.order(coins), self.books)
            except (DriverError, KilledError) as error:
                self.falls.append(error)
                await asyncio.sleep(1)
            else:
                await self.books.ended(outcome)
                return outcome
        raise AssertionError(f"no end: {self.falls[-3:]}")

    def check(self, outcome: PayoutOutcome) -> None:
        """What was booked has left, unless nobody could know."""
        if outcome.end is not PayoutEnd.UNDECIDED:
            assert self.books.paid * self.unit_cents == sum(self.changer.paid)
        assert self.books.strays == 0
