"""A line that was lost: how soon a device that takes money is looked for again, and what is asked of it first.

protocols.md, 1, request 229: five coins pass an acceptor in a second, and its buffer holds five.
"""

import asyncio
import contextlib
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.hardware.driver_tasks import keep_running
from drivers.bill_validator import BillValidator
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.cctalk.protocol import Header
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.event_buffer import BUFFERED
from drivers.id003 import protocol as id003
from drivers.port import Port
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.line import Line, LineDevice
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator
from drivers.ssp import protocol as ssp
from drivers.wiring import BillValidator as BillSettings
from drivers.wiring import CoinAcceptor as CoinSettings
from tests.rigs.bill_rig import Books
from tests.rigs.cctalk_books import CoinBooks

LOOK_S: Final = 1.0
"""The longest time in which nobody looks for a device that takes money."""
READ_S: Final = 1.2
"""Within this after the line is back the acceptor has been read and inhibited: a look, and three exchanges."""
GAP_S: Final = 0.2
"""Between coins: five a second."""
STARTED_S: Final = 15.0
STEP_S: Final = 0.01
BILLS: Final[tuple[str, ...]] = ("id003", "ssp", "cctalk")
KINDS: Final = ("coin", *BILLS)
EACH = pytest.mark.parametrize("kind", KINDS)


class Ear:
    """A device that can go deaf, and what it was sent when; it replaces `device` on the line."""

    def __init__(self, device: LineDevice) -> None:
        self.device = device
        self.deaf = False
        self.heard: list[tuple[float, bytes]] = []

    def connect(self, line: Line) -> None:
        self.device.connect(line)

    def power(self, *, on: bool) -> None:
        self.device.power(on=on)

    def receive(self, data: bytes) -> None:
        self.heard.append((now(), data))
        if not self.deaf:
            self.device.receive(data)


class WatchedPort:
    """A port that remembers when it was opened, or was to be."""

    def __init__(self, port: Port) -> None:
        self.path = port.path
        self.opened: list[float] = []
        self._port = port

    async def open(self) -> None:
        self.opened.append(now())
        await self._port.open()

    async def write(self, data: bytes) -> None:
        await self._port.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        return await self._port.read(timeout)

    def close(self) -> None:
        self._port.close()


class Money:
    """A device that takes money, its line, its driver, kept running as the supervisor does, and books."""

    def __init__(self, kind: str) -> None:
        self.accepted: list[float] = []
        self.books = CoinBooks()
        self.bills = Books()
        self.device = self._device(kind)
        self.ear = Ear(self.device)
        self.line = MemoryLine(self.ear)
        self.port = WatchedPort(self.line.port)
        self._task: asyncio.Task[None] | None = None
        self._kind = kind

    def _device(
        self, kind: str
    ) -> SimulatedCoinAcceptor | SimulatedBillValidator | SimulatedSspValidator | SimulatedCctalkBills:
        match kind:
            case "coin":
                return SimulatedCoinAcceptor(accepted=lambda _cents: self.accepted.append(now()))
            case "id003":
                return SimulatedBillValidator(returned=_ignore, stacked=_ignore)
            case "ssp":
                return SimulatedSspValidator(returned=_ignore, stacked=_ignore)
            case _:
                return SimulatedCctalkBills(returned=_ignore, stacked=_ignore)

    async def start(self) -> None:
        """Switch the device on, and have it take money."""
        self.device.power(on=True)
        if self._kind == "coin":
            coins = CoinAcceptor(CoinSettings(port="memory"), self.port, LoopClock(), self.books, currency=EURO)
            coins.accept(enabled=True)
            self._task = asyncio.create_task(keep_running(coins, self.books, LoopClock()))
        else:
            protocol: str = next(one for one in BILLS if one == self._kind)
            settings_of = BillSettings(port="memory", protocol=protocol, parity="none")
            bills = BillValidator(settings_of, self.port, LoopClock(), self.bills, currency=EURO)
            bills.accept(frozenset({500, 1000, 2000, 5000}))
            self._task = asyncio.create_task(keep_running(bills, self.bills, LoopClock()))
        await asyncio.sleep(STARTED_S)

    def lose(self, way: str) -> None:
        """Lose the line: the adapter is pulled out, or nothing reaches the device any more."""
        if way == "unplugged":
            self.line.unplug()
        else:
            self.ear.deaf = True

    def give_back(self) -> None:
        """Have the line again."""
        self.line.plug()
        self.ear.deaf = False

    async def end(self) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task


def _ignore(_cents: int) -> None:
    """Notes are of no interest here."""


def now() -> float:
    return asyncio.get_running_loop().time()


@EACH
@pytest.mark.parametrize("way", ["unplugged", "deaf"])
async def test_a_device_that_takes_money_is_looked_for_every_second(kind: str, way: str) -> None:
    """However long it is lost: its port is opened, or it is asked something."""
    money = Money(kind)
    await money.start()
    lost_at = now()
    money.lose(way)
    await asyncio.sleep(90.0)
    await money.end()
    looks = money.port.opened if way == "unplugged" else [at for at, _ in money.ear.heard]
    looks = [lost_at, *(at for at in looks if at > lost_at), now()]

    assert max(later - earlier for earlier, later in pairwise(looks)) <= LOOK_S


@pytest.mark.parametrize(
    ("kind", "at", "first"),
    [
        ("coin", 3, [Header.SERIAL_NUMBER, Header.READ_CREDIT, Header.MASTER_INHIBIT]),
        ("cctalk", 3, [Header.SERIAL_NUMBER, Header.READ_BILLS, Header.MASTER_INHIBIT]),
        (
            "ssp",
            3,
            [
                ssp.Command.SYNC,
                ssp.Command.SET_GENERATOR,
                ssp.Command.REJECT,
                ssp.Command.SERIAL_NUMBER,
                ssp.Command.DISABLE,
            ],
        ),
        ("id003", 2, [id003.Command.POLL, id003.Command.SET_INHIBIT]),
    ],
)
async def test_serial_number_buffered_credits_and_inhibit_come_first(kind: str, at: int, first: list[int]) -> None:
    """After each opening, before anything else is asked; `at` is where a frame has its command.

    An SSP validator is asked first whether it encrypts: what follows is sealed where it does.

    SSP and ID-003 have no buffer of credits: the note that a validator holds shows in its status, or is given back.
    ID-003 has no serial number.
    """
    money = Money(kind)
    await money.start()
    money.lose("unplugged")
    await asyncio.sleep(5.0)
    money.ear.heard.clear()
    money.give_back()
    await asyncio.sleep(5.0)
    await money.end()
    asked = [data[at] for _, data in money.ear.heard]

    once = [header for number, header in enumerate(asked) if header not in asked[:number]]
    assert once[: len(first)] == first
    assert len(once) > len(first)


@settings(max_examples=60)
@given(
    hundredths=st.integers(5, 1_200),
    way=st.sampled_from(["unplugged", "deaf"]),
    gap_s=st.sampled_from([GAP_S, 0.33, 0.5]),
    phase=st.integers(0, 19),
)
async def test_no_more_coins_are_lost_than_no_buffer_holds(hundredths: int, way: str, gap_s: float, phase: int) -> None:
    """Coins come without a pause while the line is lost and after it: all but those of the outage are credited.

    The tally is the device's own; what it can hold for a driver that is not there is five coins.
    """
    money = Money("coin")
    await money.start()
    assert isinstance(money.device, SimulatedCoinAcceptor)
    device = money.device

    async def feed() -> None:
        while True:
            device.insert(100)
            await asyncio.sleep(gap_s)

    feeding = asyncio.create_task(feed())
    await asyncio.sleep(2.0 + phase * STEP_S)
    read_until = now() - GAP_S  # polled every 200 ms
    money.lose(way)
    await asyncio.sleep(hundredths * STEP_S)
    money.give_back()
    back_at = now()
    await asyncio.sleep(10.0)
    feeding.cancel()
    await asyncio.sleep(5.0)
    await money.end()
    unread = sum(read_until <= at <= back_at + READ_S for at in money.accepted)
    accepted, credited = len(money.accepted), len(money.books.credited)

    assert credited <= accepted
    assert accepted - credited <= max(0, unread - BUFFERED)
