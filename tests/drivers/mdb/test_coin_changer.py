"""The MDB changer's acceptor on a bus of the tests' own: each coin is credited once, or may be in an open item."""

import asyncio
import contextlib
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from controller.hardware.driver_tasks import fault_code
from drivers.capabilities import CoinMemory, CoinWay
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.mdb.coin_changer import CoinChanger
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.wiring import CoinAcceptor as Settings
from tests.rigs.cctalk_books import BooksLockedError, CoinBooks
from tests.rigs.mdb_peer import COIN_SETUP, peer_with_changer

SERIAL = 12345


class Slot:
    """A changer, its bridge, the driver and its books, with the driver restarted whenever it falls."""

    def __init__(self, *, coins_cents: tuple[int, ...] = (), serial: int = 0) -> None:
        self.peer, self.changer = peer_with_changer()
        self.misbehaviour = Misbehaviour(delay_s=1.3)
        self.line = MemoryLine(self.peer, self.misbehaviour)
        self.books = CoinBooks()
        self.books.counters[SERIAL] = 0
        self.books.memories[SERIAL] = CoinMemory(counter=0, at_rest=True)
        self.settings = Settings(port="memory", protocol="mdb", coins_cents=coins_cents, serial=serial)
        self.falls: list[Exception] = []
        self.wanted = True
        self.driver = self.new_driver()
        self.task: asyncio.Task[None] | None = None

    def new_driver(self) -> CoinChanger:
        return CoinChanger(self.settings, self.line.port, LoopClock(), self.books, currency=EURO)

    async def serve(self) -> None:
        """Run the driver for ever and report its failures, as the supervisor does."""
        while True:
            self.driver.accept(enabled=self.wanted)
            try:
                await self.driver.run()
            except (DriverError, BooksLockedError) as error:
                self.falls.append(error)
                if isinstance(error, DriverError):
                    code = fault_code(error)
                    await self.books.device_fault("coin_acceptor", code, present=True, detail=str(error))
            await asyncio.sleep(0.5)

    def run(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self.serve())

    async def end(self) -> None:
        assert self.task is not None
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task

    async def crash(self) -> None:
        """The program dies: nothing more is said on the line."""
        self.line.port.close()
        await self.end()
        self.driver = self.new_driver()

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """Power on, and a driver that has had time to start."""
        self.peer.power(on=True)
        self.run()
        await asyncio.sleep(2)
        yield
        await asyncio.sleep(3)
        await self.end()

    @property
    def doubted_cents(self) -> int:
        """What the open items are worth at the most; each has a bound."""
        doubts = [report.forgot_cents for report in self.books.reports if report.forgot]
        assert None not in doubts
        return sum(cents or 0 for cents in doubts)

    def check(self) -> None:
        """No coin is credited twice; one that is not is within an open item."""
        missing = sum(self.changer.accepted) - sum(self.books.credited)
        assert 0 <= missing <= self.doubted_cents


async def test_it_says_who_it_is_and_takes_the_cabinets_coins() -> None:
    """Set up without a reset; its buttons for paying out are switched off."""
    slot = Slot(coins_cents=(50, 100))
    async with slot.served():
        assert slot.books.found == ["TST CHANGER, serial number 000000012345, software 0102"]
        assert (slot.changer.enabled, slot.changer.buttons) == (0b11000, 0)
        assert slot.driver.values_cents == {3: 50, 4: 100}
        slot.driver.accept(enabled=False)
        await asyncio.sleep(2)
        assert slot.changer.enabled == 0
        assert slot.driver.at_rest
        assert slot.books.memories[SERIAL].at_rest
    assert (slot.falls, slot.books.faults) == ([], {})


async def test_coins_are_credited_with_the_way_they_fell() -> None:
    """Into a tube, or into the cash box."""
    slot = Slot()
    async with slot.served():
        for cents in (20, 200, 50):
            assert slot.changer.insert(cents)
        await asyncio.sleep(1)
    assert slot.books.credited == [20, 200, 50]
    assert slot.books.fell == [CoinWay.HOPPER, CoinWay.CASH_BOX, CoinWay.HOPPER]
    assert slot.doubted_cents == 0


async def test_what_is_no_coin_is_logged_and_not_credited() -> None:
    """A coin that fell into the return, a slug, the lever, two coins too close."""
    slot = Slot()
    async with slot.served():
        slot.changer.events += [0x71, 20, 0x22, 0x01, 0x05]
        await asyncio.sleep(1)
    assert slot.books.credited == []
    (rejects,) = [report.rejects for report in slot.books.reports if report.rejects]
    assert sorted(rejects) == [1, 8, 25, 25, 254]


@pytest.mark.parametrize(("event", "fault"), [(0x09, "coin_alarm"), (0x0C, "coin_jam"), (0x0D, "coin_string")])
async def test_what_a_person_must_see(event: int, fault: str) -> None:
    """Raised when it is reported."""
    slot = Slot()
    async with slot.served():
        slot.changer.events.append(event)
        await asyncio.sleep(1)
    assert fault in slot.books.raised


@pytest.mark.parametrize(
    ("setup", "fault"),
    [
        (COIN_SETUP[:1] + bytes.fromhex("1826") + COIN_SETUP[3:], "wrong_currency"),
        (COIN_SETUP[:7] + b"\xff", "wrong_device"),
    ],
)
async def test_a_changer_that_cannot_be_used_is_refused(setup: bytes, fault: str) -> None:
    """Nothing is enabled."""
    slot = Slot()
    slot.changer.setup = setup
    async with slot.served():
        assert list(slot.books.faults) == [fault]
        assert slot.changer.enabled == 0


LEVEL_2 = b"\x02" + COIN_SETUP[1:]


@pytest.mark.parametrize(("question", "place"), [("R,0F,00", 14), ("R,0F,00", 20), ("R,09", 3), ("R,09", 10)])
async def test_a_flipped_bit_makes_no_other_changer(question: str, place: int) -> None:
    """Serial number, model, scaling and coins: the bridge's line bears no checksum, so two answers must agree."""
    slot = Slot()
    slot.peer.flipped[question] = place
    async with slot.served():
        slot.peer.flipped[question] = place
        slot.changer.power(on=False)
        slot.changer.power(on=True)
        await asyncio.sleep(2)
        assert slot.changer.insert(50)
    assert slot.books.found == ["TST CHANGER, serial number 000000012345, software 0102"]
    assert (slot.falls, slot.books.credited, slot.peer.flipped) == ([], [50], {})


async def test_a_level_2_changer_is_known_by_its_set_up() -> None:
    """It has no serial number: the CRC-32 of its set-up takes its place."""
    slot = Slot()
    slot.changer.setup = LEVEL_2
    number = zlib.crc32(LEVEL_2)
    slot.books.memories[number] = CoinMemory(counter=0, at_rest=True)
    async with slot.served():
        assert slot.books.found == [f"changer of level 2, known by its set-up as {number}"]
        assert slot.changer.insert(50)
        await asyncio.sleep(1)
    assert slot.books.credited == [50]


async def test_a_level_2_changer_of_another_set_up_is_another_one() -> None:
    """A swapped one with other tubes: what it still has to report is not ours, and `serial` keeps it out."""
    slot = Slot()
    slot.changer.setup = LEVEL_2[:6] + b"\x07" + LEVEL_2[7:]
    slot.books.memories[zlib.crc32(LEVEL_2)] = CoinMemory(counter=0, at_rest=True)
    slot.changer.events = [0x52, 9]
    async with slot.served():
        assert slot.books.found == [f"changer of level 2, known by its set-up as {zlib.crc32(slot.changer.setup)}"]
    assert slot.books.credited == []
    kept_out = Slot(serial=zlib.crc32(LEVEL_2))
    kept_out.changer.setup = slot.changer.setup
    async with kept_out.served():
        assert "put the right device back" in kept_out.books.faults["wrong_device"]


async def test_a_reset_changer_is_enabled_again() -> None:
    """It says that it was reset, and takes nothing until it is enabled."""
    slot = Slot()
    async with slot.served():
        slot.changer.power(on=False)
        slot.changer.power(on=True)
        await asyncio.sleep(1)
        assert slot.changer.enabled == 0b111111
    assert [report.reset for report in slot.books.reports if report.reset] == [True, True]


async def test_a_lost_answer_is_an_open_item() -> None:
    """The changer has forgotten what it held: no more than can have fallen since the answer before."""
    slot = Slot()
    async with slot.served():
        assert slot.changer.insert(200)
        slot.misbehaviour.inject(Kind.DROP)
        await asyncio.sleep(4)
        assert slot.changer.insert(100)
        await asyncio.sleep(1)
    assert slot.books.credited == [100]
    assert 200 <= slot.doubted_cents <= 3 * 200
    assert slot.falls == []


@pytest.mark.parametrize("cents", [50, 200], ids=["tube", "cash box"])
@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("second", [0, 50, 200, 100])
async def test_a_coin_that_is_told_twice_is_credited_once(cents: int, lost: int, second: int) -> None:
    """Its acknowledgement is lost; perhaps another coin falls before it is told again."""
    slot = Slot()
    async with slot.served():
        slot.changer.acks_lost = lost
        assert slot.changer.insert(cents)
        await asyncio.sleep(0.15)
        if second:
            assert slot.changer.insert(second)
        await asyncio.sleep(1)
        assert slot.changer.insert(cents)
    assert sum(slot.books.credited) <= sum(slot.changer.accepted)
    slot.check()


async def test_coins_of_a_kind_are_credited_however_soon_they_follow_in_a_tube() -> None:
    """The number of coins in the tube tells them apart."""
    slot = Slot()
    async with slot.served():
        for _ in range(5):
            assert slot.changer.insert(50)
            await asyncio.sleep(0.11)
    assert (slot.books.credited, slot.doubted_cents) == ([50] * 5, 0)


async def test_a_lost_answer_while_nothing_is_taken_is_nothing() -> None:
    """No coin can have been in it."""
    slot = Slot()
    slot.wanted = False
    async with slot.served():
        await asyncio.sleep(2)
        slot.misbehaviour.inject(Kind.DROP)
        await asyncio.sleep(3)
    assert slot.doubted_cents == 0


async def test_a_program_that_died_may_have_had_an_answer_in_its_hands() -> None:
    """At every moment of a poll: what it asked for and did not book is in doubt, and nothing else ever."""
    doubts = []
    for moment in range(30):
        slot = Slot()
        async with slot.served():
            assert slot.changer.insert(200)
            await asyncio.sleep(moment / 100)
            await slot.crash()
            slot.run()
            await asyncio.sleep(3)
        slot.check()
        doubts.append(slot.doubted_cents)
    assert max(doubts) <= 3 * 200
    assert min(doubts) == 0


async def test_crash_after_crash_no_doubt_grows_where_nothing_is_missing() -> None:
    """Six deaths between two polls: the changer keeps what it has not been asked for."""
    slot = Slot()
    async with slot.served():
        for _ in range(6):
            await asyncio.sleep(2.05)
            assert slot.books.windows[SERIAL].asked_at is None
            await slot.crash()
            assert slot.changer.insert(100)
            await asyncio.sleep(5)
            slot.run()
        await asyncio.sleep(2)
    assert slot.books.credited == 6 * [100]
    assert slot.doubted_cents == 0


async def test_a_changer_that_was_started_anew_has_forgotten_what_it_had_not_reported() -> None:
    """Enabled, a coin for the interval of a poll; alone for a time, as much as can fall in that; at rest, nothing."""
    slot = Slot()
    async with slot.served():
        assert slot.changer.insert(200)
        slot.changer.power(on=False)
        slot.changer.power(on=True)
        await asyncio.sleep(2)
        assert 200 <= slot.doubted_cents <= 3 * 200
        await slot.crash()
        for _ in range(20):
            assert slot.changer.insert(200)
            await asyncio.sleep(0.2)
        slot.changer.power(on=False)
        slot.changer.power(on=True)
        slot.run()
        await asyncio.sleep(2)
        slot.check()
        bounded = slot.doubted_cents
        assert bounded < 40 * 200
        slot.wanted = False
        slot.driver.accept(enabled=False)
        await asyncio.sleep(3)
        await slot.crash()
        slot.changer.power(on=False)
        slot.changer.power(on=True)
        slot.run()
        await asyncio.sleep(2)
    assert slot.doubted_cents == bounded


async def test_after_a_power_cut_nobody_knows_how_much_an_enabled_changer_took() -> None:
    """The program may have been dead for long before the mains went; one at rest took nothing."""
    slot = Slot()
    async with slot.served():
        await slot.crash()
        slot.books.mains_cut()
        slot.changer.power(on=False)
        slot.changer.power(on=True)
        slot.run()
        await asyncio.sleep(2)
        doubts = [report.forgot_cents for report in slot.books.reports if report.forgot]
        assert doubts == [None]


@pytest.mark.parametrize("lost_reply", [False, True])
async def test_books_that_take_nothing_lose_no_coin(lost_reply: bool) -> None:  # noqa: FBT001 - a parameter
    """The coin is committed when the books take it again, and once where they had taken it."""
    slot = Slot()
    async with slot.served():
        if lost_reply:
            slot.books.lose_reply = 1
        else:
            slot.books.lock = 1
        assert slot.changer.insert(200)
        await asyncio.sleep(5)
        assert slot.changer.insert(50)
        await asyncio.sleep(2)
    assert slot.books.credited == [200, 50]
    assert len(slot.falls) == 1


async def test_a_driver_that_is_cancelled_books_what_it_is_just_reading() -> None:
    """At every moment of a poll; what the changer says later waits for the next driver."""
    for moment in range(30):
        slot = Slot()
        async with slot.served():
            assert slot.changer.insert(200)
            await asyncio.sleep(moment / 100)
            await slot.end()
            slot.driver = slot.new_driver()
            slot.run()
            await asyncio.sleep(2)
        assert slot.books.credited == [200]
        assert slot.doubted_cents == 0


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.CORRUPT])
@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize(
    "moments", [pytest.param(range(0, 12, 4), id="some"), pytest.param(range(30), id="every", marks=pytest.mark.proof)]
)
async def test_every_line_goes_wrong(kind: Kind, way: Way, moments: range) -> None:
    """Whatever happens to a line, no coin is credited twice, and a missing one is within an open item."""
    for after in moments:
        for lines in (1, 3):
            slot = Slot()
            async with slot.served():
                assert slot.changer.insert(200)
                await asyncio.sleep(after * 0.02)
                slot.misbehaviour.inject(kind, lines, way=way)
                slot.changer.insert(50)
                await asyncio.sleep(12)
                slot.changer.insert(20)
                await asyncio.sleep(2)
            slot.check()
            assert 20 in slot.books.credited
