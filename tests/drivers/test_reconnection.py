"""Serial devices that come and go, on real ptys: drivers, ports and the supervisor's restarts, on virtual time."""

import asyncio
import fcntl
import os
import struct
import termios
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import pytest

from controller.hardware.driver_tasks import keep_running
from drivers import wiring
from drivers.bill_validator import BillValidator
from drivers.capabilities import Driver
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.cctalk.hopper import Hopper
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.port import Port
from drivers.serial_port import SerialPort
from drivers.simulated.cctalk import coin_acceptor, hopper
from drivers.simulated.cctalk.bill_validator import IDENTITY as BILL_IDENTITY
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.id003.bill_validator import VERSION, SimulatedBillValidator
from drivers.simulated.line import LineDevice
from drivers.simulated.pty_line import PtyLine
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator
from tests.rigs.bill_rig import ALL, NOTE, Books
from tests.rigs.cctalk_books import CoinBooks, PayoutBooks
from tests.rigs.validator_rigs import slices
from tests.rigs.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.sampled(3)

T = TypeVar("T")
COIN = 200
STARTED_S = 10.0
BACK_S = 45.0
"""The longest pause between a hopper's attempts is ten seconds; a validator wants its dialogue."""


class Way:
    """The bytes of one direction of a line: those put in, and those taken out at the other end."""

    def __init__(self) -> None:
        self.under_way = 0

    def put(self, count: int) -> None:
        """Take so many bytes to be under way; whatever came out uncounted before is not made up for by them."""
        self.under_way = max(self.under_way, 0) + count

    def taken(self, count: int) -> None:
        """Take so many bytes to have arrived."""
        self.under_way -= count


class CountingPort:
    """A port that counts what its driver does with it."""

    def __init__(self, port: Port, line: "WatchedLine") -> None:
        self.path = port.path
        self.opens = 0
        self.calls = 0
        self._port = port
        self._line = line

    async def open(self) -> None:
        self.opens += 1
        await self._port.open()

    async def write(self, data: bytes) -> None:
        self.calls += 1
        self._line.to_device.put(len(data))
        await self._port.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        self.calls += 1
        data = await self._port.read(timeout)
        self._line.to_host.taken(len(data))
        return data

    def close(self) -> None:
        self._port.close()


class WatchedLine(PtyLine):
    """A pty that knows which bytes the kernel still carries."""

    def __init__(self, device: LineDevice, link: Path) -> None:
        self.to_device, self.to_host = Way(), Way()
        super().__init__(device, link)

    def _write(self, data: bytes) -> None:
        if self._master is not None and not self.half_open:
            self.to_host.put(len(data))
        super()._write(data)

    def _readable(self) -> None:
        self.to_device.taken(ready(self._master))
        super()._readable()

    @property
    def in_flight(self) -> bool:
        """Whether the kernel has bytes that neither end can read yet."""
        return not self.half_open and (self.to_device.under_way > 0 or self.to_host.under_way > ready(self._slave))

    def forget(self) -> None:
        """What has not come until now was thrown away: by an opening, a closing or a plug pulled out."""
        self.to_device.under_way, self.to_host.under_way = 0, ready(self._slave)


def ready(fd: int | None) -> int:
    """How many bytes can be read from a terminal."""
    if fd is None:
        return 0
    (count,) = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))
    return int(count)


class Traffic:
    """The bytes that the kernel carries, for which virtual time waits."""

    def __init__(self) -> None:
        self.lines: list[WatchedLine] = []

    def in_flight(self) -> bool:
        """Whether any line has bytes under way."""
        return any(line.in_flight for line in self.lines)

    def nothing_came(self) -> None:
        """Take what was under way to be lost."""
        for line in self.lines:
            line.forget()


class Fitting:
    """A device on a pty, the driver that serves it through a link, and the books; made inside a running loop."""

    def __init__(self, kind: str, folder: Path, serial: int = 0, device_serial: int = 0) -> None:
        self.kind = kind
        self.link = folder / kind
        self.taken: list[int] = []
        self.returned: list[int] = []
        self.device: Any = self._device(device_serial)
        self.line = WatchedLine(self.device, self.link)
        self.port = CountingPort(SerialPort(str(self.link)), self.line)
        TRAFFIC.get().lines.append(self.line)
        self.books: Any = self._books()
        self.driver: Driver = self._driver(serial)
        self.task: asyncio.Task[None] | None = None

    def _device(self, serial: int) -> LineDevice:
        match self.kind:
            case "coin":
                identity = coin_acceptor.IDENTITY
                return SimulatedCoinAcceptor(
                    identity=identity._replace(serial=serial or identity.serial),
                    travel_s=0.15,
                    accepted=self.taken.append,
                    returned=self.returned.append,
                )
            case "hopper":
                identity = hopper.IDENTITY
                return SimulatedHopper(identity=identity._replace(serial=serial or identity.serial))
            case "id003":
                return SimulatedBillValidator(returned=self.returned.append, stacked=self.taken.append)
            case "ssp":
                return SimulatedSspValidator(
                    returned=self.returned.append, stacked=self.taken.append, serial=serial or 815
                )
            case _:
                return SimulatedCctalkBills(
                    returned=self.returned.append,
                    stacked=self.taken.append,
                    identity=BILL_IDENTITY._replace(serial=serial or BILL_IDENTITY.serial),
                )

    def _books(self) -> object:
        return CoinBooks() if self.kind == "coin" else PayoutBooks() if self.kind == "hopper" else Books()

    def _driver(self, serial: int) -> Driver:
        path, clock = str(self.link), LoopClock()
        if self.kind == "coin":
            coins = CoinAcceptor(
                wiring.CoinAcceptor(port=path, serial=serial), self.port, clock, self.books, currency=EURO
            )
            coins.accept(enabled=True)
            return coins
        if self.kind == "hopper":
            wired = wiring.Hopper(port=path, coin_value_cents=100, serial=serial)
            return Hopper(wired, self.port, clock, self.books, currency=EURO)
        protocol: Any = "cctalk" if self.kind == "cctalk" else self.kind
        bills = BillValidator(
            wiring.BillValidator(port=path, protocol=protocol, parity="none", serial=serial),
            self.port,
            clock,
            self.books,
            currency=EURO,
        )
        bills.accept(ALL)
        return bills

    def run(self) -> None:
        """Keep the driver running, as the supervisor does."""
        self.task = asyncio.create_task(keep_running(self.driver, self.books, LoopClock()))

    async def stop(self) -> None:
        """End the driver in order."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.wait({self.task})

    @property
    def faults(self) -> set[str]:
        """The codes of the present faults."""
        if isinstance(self.books, Books):
            return set(self.books.faults)
        return set(self.books.faults)

    @property
    def found(self) -> list[str]:
        """Who answered, each time the device was identified."""
        found: list[str] = self.books.found
        return found

    @property
    def credited(self) -> list[int]:
        """What was credited: coins in order, notes as one sum."""
        if isinstance(self.books, CoinBooks):
            return self.books.credited
        if isinstance(self.books, PayoutBooks):
            return []
        return [self.books.credit_cents] if self.books.credit_cents else []

    @property
    def serves(self) -> bool:
        """Whether the device would take money, or pay it out, now."""
        if isinstance(self.driver, Hopper):
            return self.driver.ready
        if isinstance(self.device, SimulatedCoinAcceptor):
            return not self.device.inhibited and self.device.enabled_mask != 0
        if isinstance(self.device, SimulatedBillValidator):
            return self.device.status.name == "IDLE"
        return bool(self.device._enabled)

    def insert(self) -> None:
        """Put a coin or a note in."""
        if self.kind != "hopper":
            self.device.insert(COIN if self.kind == "coin" else NOTE)


async def served(fitting: Fitting) -> None:
    """Switch the device on and wait until it serves."""
    fitting.device.power(on=True)
    fitting.run()
    await asyncio.sleep(STARTED_S)
    await back(fitting)


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds; a minute has room for a few attempts, ten seconds apart at the most."""
    for _ in range(60):
        if holds():
            return
        await asyncio.sleep(1)
    assert holds()


async def back(fitting: Fitting) -> None:
    """Wait until the device is served and no fault is present."""
    await until(lambda: (fitting.faults, fitting.serves) == (set(), True))


async def ended(*fittings: Fitting) -> None:
    """End drivers and lines."""
    for fitting in fittings:
        await fitting.stop()
        fitting.device.power(on=False)
        fitting.line.unplug()


async def still_works(fitting: Fitting) -> None:
    """After all that, the device is served, and money is credited once."""
    await back(fitting)
    before = sum(fitting.credited)
    taken = sum(fitting.taken)
    fitting.insert()
    await asyncio.sleep(12)
    assert sum(fitting.credited) - before == sum(fitting.taken) - taken
    assert fitting.kind == "hopper" or sum(fitting.taken) > taken


async def play(scene: Callable[[], Awaitable[T]]) -> T:
    """Run a scene whose bytes cross real ptys."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    traffic = Traffic()
    loop.in_flight, loop.nothing_came = traffic.in_flight, traffic.nothing_came
    TRAFFIC.set(traffic)
    return await scene()


TRAFFIC: ContextVar[Traffic] = ContextVar("TRAFFIC")


@contextmanager
def another_tty() -> Iterator[None]:
    """Take the number that the kernel would give to the next pty."""
    master, slave = os.openpty()
    try:
        yield
    finally:
        os.close(master)
        os.close(slave)


KINDS = ("coin", "hopper", "id003", "ssp", "cctalk")
EACH = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.requirement("B7")
@EACH
async def test_pulled_out_and_enumerated_anew(kind: str, tmp_path: Path) -> None:
    """Unplugged is a fault; the link leads to its new tty name, its identity is asked, and the fault is gone."""

    async def scene() -> None:
        fitting = Fitting(kind, tmp_path)
        await served(fitting)
        before = fitting.link.readlink()
        fitting.line.unplug()
        await asyncio.sleep(8)
        assert fitting.faults == {"port_lost"}
        with another_tty():
            fitting.line.plug()
            assert fitting.link.readlink() != before
            await asyncio.sleep(BACK_S)
            await still_works(fitting)
        assert len(fitting.found) == 2
        await ended(fitting)

    await play(scene)


@EACH
async def test_a_half_open_port_is_given_up_and_comes_back(kind: str, tmp_path: Path) -> None:
    """A port that opens and carries nothing is a silent device; what was written meanwhile never reaches it later."""

    async def scene() -> None:
        fitting = Fitting(kind, tmp_path)
        await served(fitting)
        heard = bytearray()
        fitting.line.half_open = True
        await asyncio.sleep(60)
        assert fitting.faults == {"no_reply"}
        opens = fitting.port.opens
        assert 2 < opens < (20 if kind == "hopper" else 60)
        receive = fitting.device.receive

        def listen(data: bytes) -> None:
            heard.extend(data)
            receive(data)

        fitting.device.receive = listen
        fitting.line.half_open = False
        await asyncio.sleep(0)
        assert len(heard) < 100
        await asyncio.sleep(BACK_S)
        await still_works(fitting)
        await ended(fitting)

    await play(scene)


@EACH
async def test_a_driver_opens_the_same_pty_again_and_again(kind: str, tmp_path: Path) -> None:
    """Ended and started anew on the same pty, as after each crash of the supervisor, the device is found each time."""

    async def scene() -> None:
        fitting = Fitting(kind, tmp_path)
        await served(fitting)
        for _ in range(3):
            await fitting.stop()
            await asyncio.sleep(1)
            fitting.run()
            await asyncio.sleep(STARTED_S)
            await still_works(fitting)
        assert (fitting.port.opens, len(fitting.found)) == (4, 4)
        await ended(fitting)

    await play(scene)


@EACH
@pytest.mark.parametrize("dead", ["unplugged", "half_open"])
async def test_no_busy_loop(kind: str, dead: str, tmp_path: Path) -> None:
    """A hopper's dead port is opened every ten seconds, one for money every second, and the drivers do little else."""

    async def scene() -> tuple[int, int]:
        fitting = Fitting(kind, tmp_path)
        await served(fitting)
        opens, calls = fitting.port.opens, fitting.port.calls
        if dead == "unplugged":
            fitting.line.unplug()
        else:
            fitting.line.half_open = True
        await asyncio.sleep(120)
        counted = fitting.port.opens - opens, fitting.port.calls - calls
        await ended(fitting)
        return counted

    opens, calls = await play(scene)

    if kind == "hopper":
        assert 5 <= opens <= 18 if dead == "unplugged" else 2 <= opens <= 18
    elif dead == "unplugged":
        assert 120 <= opens <= 180
    else:
        assert 2 <= opens <= 120
    assert calls <= (10 if dead == "unplugged" else 120 * 20)


SERIALS = {"coin": 4711, "hopper": hopper.IDENTITY.serial, "ssp": 815, "cctalk": BILL_IDENTITY.serial}


@pytest.mark.parametrize("kind", SERIALS)
async def test_another_device_in_its_place_is_refused(kind: str, tmp_path: Path) -> None:
    """With its serial number in cabinet.toml another device of the kind is not enabled, nor one coin or note taken."""

    async def scene() -> None:
        fitting = Fitting(kind, tmp_path, serial=SERIALS[kind])
        await served(fitting)
        right = fitting.device
        stranger = Fitting(kind, tmp_path / "..", device_serial=99).device
        fitting.line.unplug()
        fitting.line.device = fitting.device = stranger
        stranger.connect(fitting.line)
        stranger.power(on=True)
        fitting.line.plug()
        await asyncio.sleep(BACK_S)
        for _ in range(120):
            assert not fitting.serves
            if fitting.faults == {"wrong_device"}:
                break
            await asyncio.sleep(1)
        assert fitting.faults == {"wrong_device"}
        fitting.insert()
        await asyncio.sleep(5)
        assert (fitting.credited, len(fitting.found)) == ([], 1)
        fitting.line.unplug()
        fitting.line.device = fitting.device = right
        right.connect(fitting.line)
        fitting.line.plug()
        await asyncio.sleep(BACK_S)
        await still_works(fitting)
        assert fitting.found[0] == fitting.found[1]
        await ended(fitting)

    await play(scene)


async def test_an_id003_validator_is_known_by_its_version(tmp_path: Path) -> None:
    """ID-003 reports no serial number: another validator is taken, and its version reported for the books to log."""

    class Newer(SimulatedBillValidator):
        def _answer_request(self, code: int) -> None:
            if code == 0x88:
                self._send(code, b"NEWER(EUR)SIM-01")
            else:
                super()._answer_request(code)

    async def scene() -> None:
        fitting = Fitting("id003", tmp_path)
        await served(fitting)
        fitting.line.unplug()
        fitting.device.power(on=False)
        newer = Newer(returned=fitting.returned.append, stacked=fitting.taken.append)
        fitting.line.device = fitting.device = newer
        newer.connect(fitting.line)
        newer.power(on=True)
        fitting.line.plug()
        await asyncio.sleep(BACK_S)
        await still_works(fitting)
        assert fitting.found == [VERSION.decode(), "NEWER(EUR)SIM-01"]
        await ended(fitting)

    await play(scene)


SWAPS = [("coin", "hopper"), ("coin", "cctalk"), ("cctalk", "hopper"), ("coin", "id003"), ("ssp", "hopper")]


@pytest.mark.parametrize(("one", "other"), SWAPS)
async def test_two_plugs_swapped(one: str, other: str, tmp_path: Path) -> None:
    """Swapped while they run: each is a fault and nothing is enabled; swapped back, both are gone.

    Two ccTalk devices are distinguished by name. A device of another protocol is a silent one to this driver.
    """

    async def scene() -> None:
        pair = Fitting(one, tmp_path), Fitting(other, tmp_path)
        for fitting in pair:
            await served(fitting)

        def swap() -> None:
            for fitting in pair:
                fitting.line.unplug()
            first, second = pair
            first.line.device, second.line.device = second.line.device, first.line.device
            for fitting in pair:
                fitting.line.device.connect(fitting.line)
                fitting.line.plug()

        swap()
        cctalk = {"coin", "hopper", "cctalk"} >= {one, other}
        expected = {"wrong_device"} if cctalk else {"no_reply", "comm_error"}
        for fitting in pair:
            await until(lambda: bool(fitting.faults & expected))  # noqa: B023 - awaited within this pass
            assert not isinstance(fitting.driver, Hopper) or not fitting.driver.ready
            fitting.insert()
        await asyncio.sleep(5)
        for fitting in pair:
            assert sum(fitting.credited) == 0
        swap()
        await asyncio.sleep(BACK_S)
        for fitting in pair:
            # A coin that fell while nobody listened is in the device's own memory, and is credited now.
            await back(fitting)
            assert fitting.credited == fitting.taken
            await still_works(fitting)
        await ended(*pair)

    await play(scene)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "hopper"])
@pytest.mark.parametrize("away_s", [0.2, 12.0])
@pytest.mark.parametrize("phase", slices(3))
async def test_nothing_is_credited_twice_or_lost(kind: str, phase: int, away_s: float, tmp_path: Path) -> None:
    """Pulled out at any moment of a coin's or note's way: what the device kept is credited once, else nothing is."""

    async def scene(after_s: float) -> Fitting:
        folder = tmp_path / str(after_s)
        folder.mkdir()
        fitting = Fitting(kind, folder)
        await served(fitting)
        fitting.insert()
        await asyncio.sleep(after_s)
        fitting.line.unplug()
        await asyncio.sleep(away_s)
        with another_tty():
            fitting.line.plug()
            await asyncio.sleep(60)
        await back(fitting)
        await ended(fitting)
        return fitting

    steps = (0.05, 0.12, 0.3, 0.6) if kind == "coin" else (0.2, 0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2.0, 2.6)
    for after_s in steps[phase::3]:
        fitting = await play(lambda after_s=after_s: scene(after_s))  # type: ignore[misc]
        assert len(fitting.taken) + len(fitting.returned) == 1
        if fitting.kind == "coin" or not fitting.books.open_items:
            assert fitting.credited == fitting.taken
        else:
            # Given back, or stacked without a word, while nobody was there to hear it: nobody guesses.
            assert (fitting.credited, fitting.books.open_items) == ([], [NOTE])
