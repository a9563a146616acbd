"""What drivers of coins report to, in tests: books that keep what a journal would keep, and can be locked."""

from msgspec.structs import replace

from drivers.capabilities import CoinMemory, CoinReport, CoinWay, PayoutOrder, PayoutOutcome
from drivers.cctalk.hopper_wire import LIFETIME_SPAN
from tests.rigs.coin_windows import WindowBook
from tests.rigs.fault_book import FaultBook


class BooksLockedError(Exception):
    """The books take nothing now, like a journal whose disk is full."""


class CoinBooks(WindowBook):
    """A `CoinListener` that remembers counters by serial number, and credited coins in order.

    The next `lock` commits fail; the next `lose_reply` ones are kept, but raise to the driver all the same.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counters: dict[int, int] = {}
        self.credited: list[int] = []
        self.reports: list[CoinReport] = []
        self.fell: list[CoinWay] = []
        self.way = CoinWay.CASH_BOX
        self.tests: dict[int, str] = {}
        self.tested: list[int] = []
        self.lost = 0
        self.lock = 0
        self.lose_reply = 0
        self.memories: dict[int, CoinMemory] = {}

    def mains_cut(self) -> None:
        """The computer is started anew: what is remembered is from before."""
        self.memories = {serial: replace(kept, power_lost=True) for serial, kept in self.memories.items()}

    async def coin_way(self) -> CoinWay:
        """Where coins were last said to fall."""
        return self.way

    async def coins_fall(self, way: CoinWay) -> None:
        """Commit where they fall from now on."""
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
        self.way = way

    async def coin_diagnostic(self, serial: int) -> str:
        """The test that the newest coins are taken for."""
        return self.tests.get(serial, "")

    async def set_coin_diagnostic(self, serial: int, test: str) -> None:
        """Commit which test coins are taken for."""
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
        self.tests[serial] = test

    async def coin_memory(self, serial: int) -> CoinMemory | None:
        """What was committed last."""
        return self.with_window(serial, self.memories.get(serial))

    async def coins_wanted(self, serial: int) -> None:
        """Commit that coins may come."""
        self._rest(serial, rest=False)

    async def coins_at_rest(self, serial: int) -> None:
        """Commit that none may."""
        self._rest(serial, rest=True)

    def _rest(self, serial: int, *, rest: bool) -> None:
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
        if serial in self.memories:
            self.memories[serial] = replace(self.memories[serial], at_rest=rest)

    async def coins(self, report: CoinReport) -> None:
        """Commit counter and credit together."""
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
        self.counters[report.serial] = report.counter
        before = self.memories.get(report.serial)
        rest = before is not None and before.at_rest
        self.memories[report.serial] = CoinMemory(counter=report.counter, events=report.events, at_rest=rest)
        (self.tested if self.tests.get(report.serial) else self.credited).extend(report.values_cents)
        self.fell += report.ways
        self.lost += report.lost
        self.reports.append(report)
        if self.lose_reply:
            self.lose_reply -= 1
            raise BooksLockedError


class PayoutBooks(FaultBook):
    """What a hopper needs: keeps one order, and each hopper's lifetime count, as the journal does.

    `strays` are coins that left a hopper and belong to no order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.serial: int | None = None
        self.event_counter: int | None = None
        self.lifetime: int | None = None
        self.paid = 0
        self.paid_before = 0
        self.announced = 0
        self.lifetimes: dict[int, int] = {}
        self.strays = 0
        self.lock = 0

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Commit the announcement."""
        self._commit()
        self._compare(serial, lifetime)
        self.announce(serial, event_counter, lifetime)
        self.paid_before = self.paid
        self.announced += 1

    async def coin_paid(self, paid: int) -> None:
        """Commit one more coin."""
        self._commit()
        assert paid == self.paid + 1, "coins are booked one by one"
        self.paid = paid
        assert self.serial is not None, "an announcement comes first"
        self.lifetimes[self.serial] = (self.lifetimes[self.serial] + 1) % LIFETIME_SPAN

    async def coins_boxed(self, serial: int, lifetime: int, coins: int) -> int:
        """No hopper on ccTalk has a cash box."""
        raise AssertionError((serial, lifetime, coins))

    async def boxes_acknowledged(self, serial: int, lifetime: int) -> None:
        """No hopper on ccTalk has a cash box."""
        raise AssertionError((serial, lifetime))

    async def hopper_counted(self, serial: int, lifetime: int) -> bool:
        """Compare with the count kept, and keep the new one."""
        self._commit()
        if serial == self.serial:
            return False
        self._compare(serial, lifetime)
        return True

    def announce(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Hold an announcement as if it had been made by a predecessor."""
        self.serial, self.event_counter, self.lifetime = serial, event_counter, lifetime
        self.lifetimes[serial] = lifetime

    def order(self, coins: int) -> PayoutOrder:
        """The record of an order of so many coins."""
        return PayoutOrder(
            coins=coins,
            serial=self.serial,
            event_counter=self.event_counter,
            lifetime=self.lifetime,
            paid_before=self.paid_before,
            paid=self.paid,
        )

    async def ended(self, outcome: PayoutOutcome) -> None:
        """Write the order's end, and the faults it ended with; with `recount` the next count is a new beginning."""
        if outcome.recount and self.serial is not None:
            self.lifetimes.pop(self.serial, None)
        self.serial = self.event_counter = self.lifetime = None
        for code, detail in outcome.faults:
            await self.device_fault("hopper", code, present=True, detail=detail)

    def _compare(self, serial: int, lifetime: int) -> None:
        strays = (lifetime - self.lifetimes.get(serial, lifetime)) % LIFETIME_SPAN
        if strays:
            self.strays += strays
            self.present["hopper", "hopper_runaway"] = ""
        self.lifetimes[serial] = lifetime

    def _commit(self) -> None:
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
