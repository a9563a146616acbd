"""A bill validator's whole surroundings on virtual time: device, line, driver, supervisor and books."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Self, TypeVar

import msgspec

from drivers.bill_validator import BillValidator
from drivers.capabilities import Verdict
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.port import Port
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.ebds.bill_validator import SimulatedEbdsValidator
from drivers.simulated.id003.bill_validator import Habits, SimulatedBillValidator
from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator
from drivers.wiring import BillValidator as Settings
from tests.rigs.fault_book import FaultBook

ALL = frozenset({500, 1000, 2000, 5000})
NOTE = 2000
TICKET, TICKET_CENTS = "004759625755877102", 1234
SILENT = Habits(power_recovery=False)
STACKS = Habits(returns_after_cut=False)
RESTS = Habits(rest_before_repeat_s=2.0)


class KilledError(Exception):
    """The process dies here."""


class Books(FaultBook):
    """The journal's rule for notes: credit is keyed on the one open escrow, whatever the device repeats.

    `tickets` are the numbers that are worth something, in cents; `ticket` is the one that is the open escrow, which is
    not worth anything else until it is released. `redeemed` are those that were credited. `given_up` is the value of
    the newest open item whose note may still be reported as stacked: that report opens no second item.

    `at_call` is awaited with a call's number before and after its transaction.
    """

    reporters = ("bill_validator",)

    def __init__(self) -> None:
        super().__init__()
        self.credit_cents = 0
        self.open_items: list[int | None] = []
        self.reasons: list[str] = []
        self.calls: list[str] = []
        self.verdict = Verdict.STACK
        self.verdict_after_s = 0.0
        self.escrow: tuple[int, str] | None = None
        self.dialogue: str | None = None
        self.heard: str | None = None
        self.tickets: dict[str, int] = {}
        self.ticket: str | None = None
        self.redeemed: list[str] = []
        self.given_up: int | None = None
        self.at_call: Callable[[int, str], Awaitable[None]] | None = None

    async def _transaction(self, name: str, change: Callable[[], None]) -> None:
        self.calls.append(name)
        number = len(self.calls)
        if self.at_call is not None:
            await self.at_call(number, "before")
        change()
        if self.at_call is not None:
            await self.at_call(number, "after")

    async def bill_dialogue(self) -> str | None:
        return self.dialogue if self.escrow is not None else None

    async def bill_dialogue_at(self, words: str) -> None:
        def keep() -> None:
            self.dialogue = words if self.escrow is not None else None

        await self._transaction(f"dialogue {words}", keep)

    async def bills_heard(self) -> str | None:
        return self.heard

    async def bills_heard_at(self, words: str) -> None:
        def keep() -> None:
            self.heard = words

        await self._transaction(f"heard {words}", keep)

    async def bill_in_escrow(self, value_cents: int) -> Verdict:
        await asyncio.sleep(self.verdict_after_s)

        def stacking() -> None:
            if self.escrow is not None and self.escrow[1] == "stacking":
                self.open_items.append(self.escrow[0])
            self.escrow = (value_cents, "stacking")
            self.dialogue = self.ticket = self.given_up = None

        if self.verdict is Verdict.STACK:
            await self._transaction(f"escrow {value_cents}", stacking)
        return self.verdict

    async def ticket_in_escrow(self, number: str) -> Verdict:
        await asyncio.sleep(self.verdict_after_s)
        cents = self.tickets.get(number)

        def stacking() -> None:
            if self.escrow is not None and self.escrow[1] == "stacking":
                self.open_items.append(self.escrow[0])
            assert cents is not None
            del self.tickets[number]
            self.escrow, self.dialogue, self.ticket = (cents, "stacking"), None, number
            self.given_up = None

        if self.verdict is Verdict.STACK and cents is not None:
            await self._transaction(f"ticket {number}", stacking)
            return Verdict.STACK
        self.calls.append(f"refused {number}")
        return Verdict.RETURN

    async def ticket_stacked(self) -> None:
        def redeem() -> None:
            if self.escrow is None:
                self._unexpected(None)
            elif self.escrow[1] == "stacking" and self.ticket is None:
                self.open_items.append(self.escrow[0])
                self.escrow = None
            elif self.escrow[1] == "stacking" and self.ticket is not None:
                self.credit_cents += self.escrow[0]
                self.redeemed.append(self.ticket)
                self.escrow = (self.escrow[0], "credited")

        await self._transaction("ticket stacked", redeem)

    async def bill_stacked(self, value_cents: int | None) -> None:
        def credit() -> None:
            if self.escrow is None:
                self._unexpected(value_cents)
            elif self.escrow[1] == "stacking" and self.ticket is not None:
                self.open_items.append(self.escrow[0])
                self.escrow = None
            elif self.escrow[1] == "stacking":
                assert value_cents in {None, self.escrow[0]}
                self.credit_cents += self.escrow[0]
                self.escrow = (self.escrow[0], "credited")

        await self._transaction("stacked", credit)

    def _unexpected(self, value_cents: int | None) -> None:
        if self.given_up is None or value_cents not in {None, self.given_up}:
            self.open_items.append(value_cents)
        self.given_up = None

    async def bill_acknowledged(self) -> None:
        def close() -> None:
            if self.escrow is not None and self.escrow[1] == "credited":
                self.escrow = None

        await self._transaction("acknowledged", close)

    async def bill_returned(self, reason: str) -> None:
        def close() -> None:
            if self.escrow is not None and self.escrow[1] == "credited":
                self.open_items.append(-self.escrow[0])
            elif self.escrow is not None and self.ticket is not None:
                self.tickets[self.ticket] = self.escrow[0]
            self.escrow = None
            self.reasons.append(reason)

        await self._transaction("returned", close)

    async def bill_never_ordered(self) -> None:
        def close() -> None:
            if self.escrow is not None and self.escrow[1] == "stacking":
                if self.ticket is not None:
                    self.tickets[self.ticket] = self.escrow[0]
                self.escrow = None

        await self._transaction("never ordered", close)

    async def bill_unknown(self, reason: str) -> None:
        def give_up() -> None:
            if self.escrow is not None and self.escrow[1] == "stacking":
                self.open_items.append(self.escrow[0])
                self.reasons.append(reason)
                self.given_up, self.escrow = self.escrow[0], None

        await self._transaction("unknown", give_up)


class DyingPort:
    """A port that counts what its driver writes and lets the process die around one write."""

    def __init__(self, port: Port) -> None:
        self.path = port.path
        self.writes = 0
        self.written_at: list[float] = []
        self.die_at = 0
        self.die_sent = False
        self._port = port

    async def open(self) -> None:
        await self._port.open()

    async def write(self, data: bytes) -> None:
        self.writes += 1
        self.written_at.append(asyncio.get_running_loop().time())
        dies = self.writes == self.die_at
        if dies and not self.die_sent:
            raise KilledError
        await self._port.write(data)
        if dies:
            raise KilledError

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        return await self._port.read(timeout)

    def close(self) -> None:
        self._port.close()


Device = TypeVar(
    "Device",
    SimulatedBillValidator,
    SimulatedSspValidator,
    SimulatedCctalkBills,
    SimulatedEbdsValidator,
    SimulatedMdbBills,
)


class DeviceRig(Generic[Device]):
    """Builds everything around a device; `start` boots it, `settle` lets time pass.

    `build` makes the device of the two callables that take its returned and its stacked notes.
    """

    def __init__(
        self,
        protocol: str,
        build: Callable[[Callable[[Paper], None], Callable[[Paper], None]], Device],
        misbehaviour: Misbehaviour | None = None,
    ) -> None:
        self.stacked: list[Paper] = []
        self.returned: list[Paper] = []
        self.device = build(self.returned.append, self.stacked.append)
        self.line = MemoryLine(self.device, misbehaviour)
        self.port = DyingPort(self.line.port)
        self.books = Books()
        self.accepted = ALL
        self.currency = EURO
        self.deaths: list[Exception] = []
        self.down_s = 1.0
        self.driver: BillValidator | None = None
        self.task: asyncio.Task[None] | None = None
        self._settings = Settings(port=self.port.path, protocol=protocol)

    def configure(self, **settings: int) -> None:
        """Change keys of `[bill_validator]` for the drivers from now on."""
        self._settings = msgspec.structs.replace(self._settings, **settings)

    async def start(self) -> None:
        """Switch the mains on and run the driver until the validator takes notes."""
        self.device.power(on=True)
        self.run()
        await self.settle(6)

    def run(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self._supervise())

    async def _supervise(self) -> None:
        """What the supervisor does: a new driver after each loss, `down_s` later."""
        while True:
            self.driver = BillValidator(self._settings, self.port, LoopClock(), self.books, currency=self.currency)
            self.driver.accept(self.accepted)
            try:
                await self.driver.run()
            except (DriverError, KilledError) as death:
                self.deaths.append(death)
            await asyncio.sleep(self.down_s)

    def exchange(self, device: Device) -> None:
        """Put another validator at the line's end and switch it on."""
        self.device = self.line.device = device
        device.connect(self.line)
        device.power(on=True)

    async def kill(self) -> None:
        assert self.task is not None
        self.task.cancel()
        await asyncio.wait({self.task})

    async def settle(self, seconds: float = 20.0) -> None:
        await asyncio.sleep(seconds)

    async def end(self) -> Self:
        await self.kill()
        self.device.power(on=False)
        return self


class Rig(DeviceRig[SimulatedBillValidator]):
    """The surroundings of an ID-003 validator."""

    def __init__(self, habits: Habits | None = None, misbehaviour: Misbehaviour | None = None) -> None:
        super().__init__(
            "id003",
            lambda returned, stacked: SimulatedBillValidator(returned=returned, stacked=stacked, habits=habits),
            misbehaviour,
        )


async def run_rig(scene: Callable[[Rig], Awaitable[None]], habits: Habits | None = None) -> Rig:
    """Boot a rig, play the scene, end everything."""
    rig = Rig(habits)
    await rig.start()
    await scene(rig)
    return await rig.end()


def check_accounted(rig: "DeviceRig[Any]", *, open_items_allowed: bool = False) -> None:
    """One note: in the box and credited, or returned and not; an open item instead of a credit where allowed."""
    assert len(rig.stacked) + len(rig.returned) == 1
    credited = [rig.books.credit_cents] if rig.books.credit_cents else []
    assert rig.books.escrow is None
    if open_items_allowed and rig.books.open_items:
        # A note that was never in escrow has no value anybody could know.
        amount = NOTE if f"escrow {NOTE}" in rig.books.calls else None
        assert (credited, rig.books.open_items) == ([], [amount])
    else:
        assert (credited, rig.books.open_items) == (rig.stacked, [])


def check_ticket_accounted(rig: "DeviceRig[Any]", *, open_items_allowed: bool = False) -> None:
    """One ticket: in the box and redeemed, or returned and worth what it was; an open item instead where allowed."""
    assert len(rig.stacked) + len(rig.returned) == 1
    assert rig.books.escrow is None
    if open_items_allowed and rig.books.open_items:
        # A ticket that was never in escrow has no number anybody could know.
        read = f"ticket {TICKET}" in rig.books.calls
        left = ([TICKET_CENTS], {}) if read else ([None], {TICKET: TICKET_CENTS})
        assert (rig.books.open_items, rig.books.tickets, rig.books.redeemed) == (*left, [])
    elif rig.stacked:
        assert (rig.books.redeemed, rig.books.credit_cents) == ([TICKET], TICKET_CENTS)
        assert (rig.books.tickets, rig.books.open_items) == ({}, [])
    else:
        assert (rig.books.tickets, rig.books.credit_cents) == ({TICKET: TICKET_CENTS}, 0)
        assert (rig.books.redeemed, rig.books.open_items) == ([], [])


async def until_credited(rig: "DeviceRig[Any]") -> None:
    """Wait until the books have a note's credit."""
    while not rig.books.credit_cents:
        await rig.settle(0.05)


async def until_stacking(rig: "DeviceRig[Any]") -> None:
    """Push a note in and wait until the driver has had it stacked."""
    rig.device.insert(NOTE)
    while rig.device.slot != "stacking":
        await rig.settle(0.05)
