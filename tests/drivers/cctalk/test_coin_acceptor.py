import asyncio
import contextlib

import pytest

from drivers import event_buffer
from drivers.capabilities import CoinReport
from drivers.cctalk import coin_setup
from drivers.cctalk.coin_acceptor import REAPPLY_S, CoinAcceptor
from drivers.cctalk.protocol import Header
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import IdentityError, NoReplyError, SettingsError
from drivers.event_buffer import Progress, Reading
from drivers.simulated.cctalk.coin_acceptor import COIN_VALUES_CENTS, SimulatedCoinAcceptor
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.wiring import CoinAcceptor as Settings
from tests.rigs.cctalk_books import BooksLockedError, CoinBooks
from tests.rigs.coin_slot import SERIAL, Slot, run_slot


@pytest.mark.parametrize("echo", [False, True])
async def test_a_coin_of_each_value_is_credited_once(*, echo: bool) -> None:
    """Each coin is credited with its own value, in order, with and without the line's echo."""

    async def act(slot: Slot) -> None:
        for value_cents in COIN_VALUES_CENTS:
            assert slot.device.insert(value_cents)
            await asyncio.sleep(0.3)

    slot = await run_slot(Slot(echo=echo), act)
    assert slot.books.credited == list(COIN_VALUES_CENTS)
    assert slot.books.counters == {SERIAL: 5}
    assert slot.books.lost == 0
    assert slot.falls == []


async def test_what_waits_in_the_device_is_read_before_anything_else_is_asked() -> None:
    """Serial number, buffered credits, inhibit come first: the device may be taking coins. Then app. 11's questions."""
    asked: list[int] = []

    class Listening(SimulatedCoinAcceptor):
        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            asked.append(header)
            return super().answer(header, data)

    device = Listening()
    line = MemoryLine(device)
    device.power(on=True)
    driver = CoinAcceptor(Settings(port="memory"), line.port, LoopClock(), CoinBooks(), currency=EURO)
    running = asyncio.create_task(driver.run())
    await asyncio.sleep(2.0)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    once = [header for at, header in enumerate(asked) if header not in asked[:at]]
    assert once == [
        Header.SERIAL_NUMBER,
        Header.READ_CREDIT,
        Header.MASTER_INHIBIT,
        Header.READ_INHIBITS,
        Header.CATEGORY,
        Header.PRODUCT_CODE,
        Header.BUILD_CODE,
        Header.MANUFACTURER,
        Header.SOFTWARE_REVISION,
        Header.COMMS_REVISION,
        Header.POLLING_PRIORITY,
        Header.COIN_ID,
        Header.SELF_CHECK,
        Header.INHIBITS,
    ]
    assert asked.count(Header.COIN_ID) == 2 * 16


async def test_a_counter_that_wraps_loses_nothing() -> None:
    """Past 255 the counter goes on at 1, and 300 coins are 300 credits."""

    async def act(slot: Slot) -> None:
        for at in range(300):
            assert slot.device.insert(COIN_VALUES_CENTS[at % 5])
            if at % 3 == 2:
                await asyncio.sleep(0.4)

    slot = await run_slot(Slot(), act)
    assert slot.books.credited == slot.accepted
    assert slot.books.counters == {SERIAL: 45}
    assert slot.books.lost == 0


@pytest.mark.parametrize(("coins", "lost"), [(0, 0), (1, 0), (5, 0), (6, 1), (9, 4)])
async def test_coins_taken_while_the_driver_was_dead_are_credited_from_the_buffer(coins: int, lost: int) -> None:
    """After a crash up to five waiting coins are credited; older ones are counted as lost."""
    slot = Slot()
    slot.device.power(on=True)
    serving = asyncio.create_task(slot.serve())
    await asyncio.sleep(2.0)
    assert slot.device.insert(200)
    await asyncio.sleep(0.5)
    await slot.crash(serving)
    for at in range(coins):
        assert slot.device.insert(COIN_VALUES_CENTS[at % 5])
    async with slot.served():
        pass
    assert slot.books.credited == [200, *slot.accepted[1 + lost :]]
    assert slot.books.lost == lost
    # coins in the buffer rule a reset out: so many events are lost, and each may be its most valuable coin
    assert [report.lost_cents for report in slot.books.reports if report.lost] == [200 * lost] * bool(lost)
    assert not any(report.reset or report.forgot for report in slot.books.reports)


async def test_a_device_that_lost_power_is_enabled_again() -> None:
    """A reset is reported, costs no credit that was booked, and coins are taken again soon."""

    async def act(slot: Slot) -> None:
        assert slot.device.insert(100)
        await asyncio.sleep(0.5)
        slot.device.power(on=False)
        slot.device.power(on=True)
        assert not slot.device.insert(50)
        await asyncio.sleep(3.0)
        assert slot.device.insert(20)

    slot = await run_slot(Slot(), act)
    assert slot.books.credited == [100, 20]
    assert [report.reset for report in slot.books.reports if report.reset] == [True]
    assert slot.books.lost == 0


@pytest.mark.parametrize("seconds", [0.1, REAPPLY_S + 1])
async def test_a_silently_inhibited_device_is_enabled_again(seconds: float) -> None:
    """A reset before the first event shows nowhere: a refused coin, or a few seconds, bring the inhibits back."""

    async def act(slot: Slot) -> None:
        assert slot.device.counter == 0
        slot.device.power(on=False)
        slot.device.power(on=True)
        await asyncio.sleep(seconds)
        if seconds < 1:
            assert not slot.device.insert(100)
            await asyncio.sleep(0.6)
        assert slot.device.insert(100)

    slot = await run_slot(Slot(), act)
    assert slot.books.credited == [100]


async def test_old_replies_are_no_reset() -> None:
    """Replies from before the last coin look like a reset; nothing is reported, and the coin counts once."""

    class Belated(SimulatedCoinAcceptor):
        stale = 0

        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.READ_CREDIT and self.stale:
                self.stale -= 1
                return bytes(event_buffer.READING_SIZE)
            return super().answer(header, data)

    device, books = Belated(), CoinBooks()
    line = MemoryLine(device)
    device.power(on=True)
    driver = CoinAcceptor(Settings(port="memory"), line.port, LoopClock(), books, currency=EURO)
    driver.accept(enabled=True)
    running = asyncio.create_task(driver.run())
    await asyncio.sleep(2.0)
    assert device.insert(100)
    await asyncio.sleep(1.0)
    device.stale = 3
    await asyncio.sleep(5.0)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert books.credited == [100]
    assert [report.reset for report in books.reports] == [False, False]


async def test_unwanted_coins_are_returned_and_a_coin_past_the_gate_is_credited() -> None:
    """Refusing coins works within one poll; what passed the gate before is money."""

    async def act(slot: Slot) -> None:
        assert slot.device.insert(200)
        slot.accept(enabled=False)
        await asyncio.sleep(0.3)
        assert not slot.device.insert(100)
        await asyncio.sleep(2.0)
        slot.accept(enabled=True)
        await asyncio.sleep(0.3)
        assert slot.device.insert(50)
        await asyncio.sleep(1.0)

    slot = await run_slot(Slot(travel_s=0.5), act)
    assert slot.books.credited == [200, 50]
    assert slot.returned == [100]


async def test_a_stopped_driver_leaves_the_device_inhibited() -> None:
    """An ordered end makes the device return coins, since nobody polls it any more."""
    slot = Slot()

    async def act(_slot: Slot) -> None:
        assert not slot.device.inhibited

    await run_slot(slot, act)
    assert slot.device.inhibited


async def test_a_commit_that_fails_is_tried_again_and_counts_once() -> None:
    """While the books are locked the counter stays; a commit whose success nobody heard is not repeated."""

    async def act(slot: Slot) -> None:
        slot.books.lock = 3
        assert slot.device.insert(50)
        await asyncio.sleep(10.0)
        slot.books.lose_reply = 1
        assert slot.device.insert(20)
        await asyncio.sleep(5.0)

    slot = await run_slot(Slot(), act)
    assert slot.books.credited == [50, 20]
    assert [type(error) for error in slot.falls] == [BooksLockedError] * 4


@pytest.mark.parametrize(
    ("code", "fault"), [(14, "coin_jam"), (17, "coin_reverse"), (20, "coin_string"), (40, "coin_alarm")]
)
async def test_tampering_is_a_fault_and_plain_rejects_are_not(code: int, fault: str) -> None:
    """Every error code is reported as a reject; those that a person must see raise a fault, too."""

    async def act(slot: Slot) -> None:
        slot.device.reject(1)
        await asyncio.sleep(0.5)
        assert slot.books.present == {}
        slot.device.reject(code)
        await asyncio.sleep(0.5)

    slot = await run_slot(Slot(), act)
    assert set(slot.books.present) == {("coin_acceptor", fault)}
    assert [code for report in slot.books.reports for code in report.rejects] == [1, code]
    assert slot.books.credited == []


async def test_another_device_is_refused() -> None:
    """A device with another serial number than the configured one is never polled, and enabled never."""

    async def act(_slot: Slot) -> None:
        await asyncio.sleep(1.0)

    slot = await run_slot(Slot(serial=4712), act)
    assert {type(error) for error in slot.falls} == {IdentityError}
    assert set(slot.books.present) == {("coin_acceptor", "wrong_device")}
    assert slot.device.inhibited
    assert "4712" in slot.books.details["wrong_device"]


async def test_a_device_never_seen_starts_without_credit() -> None:
    """What a device did before it came into this cabinet is not ours; its counter is committed first."""
    slot = Slot()
    slot.device.power(on=True)
    slot.device.inhibited = False
    slot.device.enabled_mask = 0xFFFF
    assert slot.device.insert(200)
    async with slot.served():
        assert slot.device.insert(10)
    assert slot.books.credited == [10]
    assert slot.books.reports[0] == CoinReport(serial=SERIAL, counter=1, events=((5, 1), *((0, 0),) * 4))


async def test_a_silent_device_is_a_fault_until_it_answers() -> None:
    """No answer ends the run with NoReplyError and a fault; both go when the device is back."""

    async def act(slot: Slot) -> None:
        slot.device.power(on=False)
        await asyncio.sleep(5.0)
        assert set(slot.books.present) == {("coin_acceptor", "no_reply")}
        slot.device.power(on=True)
        await asyncio.sleep(5.0)
        slot.line.unplug()
        await asyncio.sleep(1.0)
        assert set(slot.books.present) == {("coin_acceptor", "port_lost")}
        slot.line.plug()

    slot = await run_slot(Slot(), act)
    assert {NoReplyError} <= {type(error) for error in slot.falls}
    assert slot.books.present == {}


@pytest.mark.parametrize("echo", [False, True])
@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("kind", list(Kind))
async def test_no_misbehaviour_doubles_or_loses_a_coin(kind: Kind, way: Way, *, echo: bool) -> None:
    """One frame in four goes wrong while twenty coins come in: twenty credits, in order."""

    async def act(slot: Slot) -> None:
        while len(slot.accepted) < 20:
            slot.device.insert(COIN_VALUES_CENTS[len(slot.accepted) % 5])
            slot.misbehaviour.inject(kind, way=way)
            await asyncio.sleep(0.8)

    slot = await run_slot(Slot(echo=echo), act)
    assert slot.books.credited == slot.accepted
    assert slot.books.lost == 0


async def test_a_flood_of_noise_is_no_coin() -> None:
    """A million random bytes from the line credit nothing, and the driver is back when they end."""

    async def act(slot: Slot) -> None:
        slot.misbehaviour.inject(Kind.NOISE, 100)
        noise = slot.misbehaviour._chance
        for _ in range(1000):
            slot.line.port.arrive(noise.randbytes(1000))
            await asyncio.sleep(0.01)
        slot.misbehaviour.forget()
        await asyncio.sleep(10.0)
        assert slot.device.insert(100)

    slot = await run_slot(Slot(), act)
    assert slot.books.credited == [100]
    assert slot.books.lost == 0


@pytest.mark.parametrize("setting", [{"address": 1}, {"address": 256}, {"poll_ms": 0}, {"poll_ms": 1500}])
def test_settings_that_cannot_work_are_refused(setting: dict[str, int]) -> None:
    """An address that is no device's, and a poll so slow that coins are lost, name their key."""
    line = MemoryLine(SimulatedCoinAcceptor())
    with pytest.raises(SettingsError, match=rf"\[coin_acceptor\] {next(iter(setting))}"):
        CoinAcceptor(Settings(port="memory", **setting), line.port, LoopClock(), CoinBooks(), currency=EURO)


COIN, INHIBITED, NULL = (1, 1), (0, 2), (0, 0)
NULLS = ((0, 0),) * 5
FULL = ((1, 1),) * 5


@pytest.mark.parametrize(
    ("last", "counter", "events", "expected"),
    [
        (0, 0, NULLS, Progress(0, 0, reset=False)),
        (0, 1, FULL, Progress(1, 0, reset=False)),
        (48, 54, FULL, Progress(5, 1, reset=False)),
        (255, 1, FULL, Progress(1, 0, reset=False)),
        (253, 3, FULL, Progress(5, 0, reset=False)),
        (254, 254, FULL, Progress(0, 0, reset=False)),
        (7, 0, NULLS, Progress(0, 0, reset=True)),
        (200, 3, (*FULL[:3], *NULLS[:2]), Progress(3, 0, reset=True)),
        (200, 1, NULLS, Progress(1, 0, reset=True)),
        (200, 3, FULL, Progress(5, 53, reset=False)),
    ],
)
def test_the_counters_arithmetic(last: int, counter: int, events: event_buffer.Events, expected: Progress) -> None:
    """Appendix 4's arithmetic, its own examples among them, and the resets that the buffer betrays."""
    assert event_buffer.progress(last, Reading(counter, events)) == expected


REJECTS = ((0, 2),) * 5
MIXED = ((0, 2), (0, 1), (1, 1), (0, 2), (0, 2))


@pytest.mark.parametrize(
    ("last", "seen", "reading", "power_lost", "expected"),
    [
        pytest.param(8, None, Reading(6, REJECTS), False, Progress(5, 0, reset=True), id="coins in a dark acceptor"),
        pytest.param(8, FULL, Reading(6, REJECTS), False, Progress(5, 0, reset=True), id="the same, seen before"),
        pytest.param(3, None, Reading(9, REJECTS), True, Progress(5, 0, reset=True), id="a cut, counted further"),
        pytest.param(
            3, None, Reading(9, REJECTS), False, Progress(5, 1, reset=False, certain=False), id="no cut known"
        ),
        pytest.param(250, None, Reading(2, FULL), False, Progress(5, 2, reset=False), id="a wrapped counter"),
        pytest.param(250, None, Reading(3, MIXED), False, Progress(5, 3, reset=False), id="one coin rules a reset out"),
        pytest.param(
            250, None, Reading(7, FULL), True, Progress(5, 0, reset=True, contradiction=True), id="coins after a cut"
        ),
        pytest.param(
            250, FULL, Reading(3, FULL), True, Progress(5, 3, reset=False), id="wrapped while the Pi restarted"
        ),
        pytest.param(
            250, None, Reading(2, REJECTS), True, Progress(5, 2, reset=False, certain=False), id="wrapped with rejects"
        ),
        pytest.param(3, FULL, Reading(6, REJECTS), False, Progress(0, 0, reset=True), id="another past"),
        pytest.param(3, FULL, Reading(6, REJECTS), True, Progress(5, 0, reset=True), id="another past after a cut"),
        pytest.param(
            1, (COIN, *NULLS[1:]), Reading(1, (NULL,) * 5), True, Progress(1, 0, reset=True), id="stepped to 1"
        ),
        pytest.param(7, None, Reading(0, NULLS), True, Progress(0, 0, reset=True), id="0 after a cut"),
        pytest.param(0, NULLS, Reading(1, NULLS), True, Progress(1, 0, reset=False), id="steps by itself"),
    ],
)
def test_a_counter_that_began_again_is_distinguished_from_one_that_wrapped(
    last: int, seen: event_buffer.Events | None, reading: Reading, *, power_lost: bool, expected: Progress
) -> None:
    """A device that was reset takes no coin before the host enables it, so the buffer shows which of the two it is."""
    assert event_buffer.progress(last, reading, seen, power_lost=power_lost) == expected


@pytest.mark.parametrize(
    ("last", "seen", "reading", "expected"),
    [
        pytest.param(
            1,
            (COIN, NULL, NULL, NULL, NULL),
            Reading(1, (INHIBITED, NULL, NULL, NULL, NULL)),
            Progress(1, 0, reset=True),
            id="the same counter, other events",
        ),
        pytest.param(
            1,
            (COIN, NULL, NULL, NULL, NULL),
            Reading(2, (COIN, COIN, NULL, NULL, NULL)),
            Progress(1, 0, reset=False),
            id="one more coin",
        ),
        pytest.param(
            1,
            (COIN, NULL, NULL, NULL, NULL),
            Reading(2, (INHIBITED, INHIBITED, NULL, NULL, NULL)),
            Progress(2, 0, reset=True),
            id="a higher counter, other events",
        ),
        pytest.param(
            200,
            (COIN,) * 5,
            Reading(201, (COIN, COIN, COIN, (2, 1), COIN)),
            Progress(0, 0, reset=True, contradiction=True),
            id="a past that has changed",
        ),
    ],
)
def test_events_seen_before_betray_a_reset(
    last: int, seen: event_buffer.Events, reading: Reading, expected: Progress
) -> None:
    """A buffer must go on from the one seen before; what cannot be explained credits nothing."""
    assert event_buffer.progress(last, reading, seen) == expected


@pytest.mark.parametrize(
    ("coin_id", "cents"),
    [
        (b"EU200A", 200),
        (b"EU010A", 10),
        (b"......", None),
        (b"Token ", None),
        (b"GB200A", None),
        (b"EU000A", None),
        (b"EU025A", None),
    ],
)
def test_a_coin_id_means_a_value_or_nothing(coin_id: bytes, cents: int | None) -> None:
    """Only a coin that the cabinet's own currency has is worth something."""
    assert coin_setup.coin_value(coin_id, EURO) == cents


@pytest.mark.parametrize(
    ("before", "now", "fresh", "expected"),
    [
        pytest.param(Reading(7, FULL), Reading(7, FULL), 5, True, id="the same"),
        pytest.param(Reading(7, (COIN, *NULLS[1:])), Reading(8, (COIN, COIN, *NULLS[2:])), 1, True, id="one more"),
        pytest.param(Reading(255, FULL), Reading(2, ((2, 1), (3, 1), *FULL[2:])), 3, True, id="over the wrap"),
        pytest.param(Reading(7, FULL), Reading(8, FULL), 5, False, id="the oldest fell out"),
        pytest.param(Reading(7, FULL), Reading(12, FULL), 0, True, id="five more, nothing to confirm"),
        pytest.param(Reading(7, FULL), Reading(13, FULL), 0, False, id="six more"),
        pytest.param(Reading(7, FULL), Reading(8, ((2, 1), (2, 1), *FULL[2:])), 1, False, id="another past"),
        pytest.param(Reading(8, FULL), Reading(7, FULL), 1, False, id="back again"),
    ],
)
def test_a_reading_is_confirmed_by_what_comes_after_it(
    before: Reading, now: Reading, fresh: int, *, expected: bool
) -> None:
    """Coins that keep coming in confirm the ones before them; whatever fell out of sight is not confirmed."""
    assert event_buffer.confirms(now, before, fresh) is expected


async def test_coins_that_come_faster_than_readings_are_all_credited() -> None:
    """No two readings are alike while each takes as long as a coin: what they agree on is credited all the same."""

    class Slow(SimulatedCoinAcceptor):
        def receive(self, data: bytes) -> None:
            asyncio.get_running_loop().call_later(0.09, super().receive, data)

    async def act(slot: Slot) -> None:
        await asyncio.sleep(6.0)
        for at in range(100):
            assert slot.device.insert(COIN_VALUES_CENTS[at % 5])
            await asyncio.sleep(0.1)

    slot = await run_slot(Slot(device=Slow), act)
    assert slot.books.credited == slot.accepted
    assert (slot.books.lost, slot.falls) == (0, [])


class LostEnable(Misbehaviour):
    """A line that loses the ACK of the next command that lets coins in."""

    armed = False
    _hit = False

    def __init__(self) -> None:
        super().__init__()
        self.lost = asyncio.Event()

    def mangle(self, way: Way, frame: bytes) -> list[tuple[float, bytes]]:
        """Carry a frame, or lose it."""
        if way is Way.TO_DEVICE and len(frame) > 4:
            self._hit = self.armed and (frame[3], frame[4]) == (Header.MASTER_INHIBIT, 1)
        elif way is Way.TO_HOST and self._hit:
            self.armed = self._hit = False
            self.lost.set()
            return []
        return super().mangle(way, frame)


@pytest.mark.requirement("B3")
async def test_a_device_that_obeyed_unheard_is_inhibited_at_once() -> None:
    """Coins were let in, the reply was lost, and a door opens: within a second they are refused again."""
    slot = Slot()
    slot.wanted = False
    line = slot.misbehaviour = LostEnable()
    slot.line = MemoryLine(slot.device, line)

    slot.device.power(on=True)
    serving = asyncio.create_task(slot.serve())
    await asyncio.sleep(REAPPLY_S + 1.5)
    line.armed = True
    slot.accept(enabled=True)
    await line.lost.wait()
    assert not slot.device.inhibited
    slot.accept(enabled=False)
    await asyncio.sleep(1.0)
    assert slot.device.inhibited
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


async def test_an_acceptor_that_is_replaced_within_an_instant_takes_nothing_before_it_is_identified() -> None:
    """Its positions may be other coins; identified, it takes them."""
    slot = Slot()
    async with slot.served():
        slot.device.swap()
        await asyncio.sleep(10.0)
        assert [str(fall) for fall in slot.falls] == [
            f"memory: another device is in the place of {SERIAL}: {SERIAL + 1}"
        ]
        slot.device.insert(100)
        await asyncio.sleep(5.0)
    assert slot.books.credited == slot.accepted == [100]
    assert slot.books.reports[-1].serial == SERIAL + 1
