import asyncio

import pytest

from drivers.cctalk.coin_acceptor import CHECK_EVERY_S, RECHECK_EVERY_S
from drivers.cctalk.coin_setup import wanted_interval_s
from drivers.cctalk.protocol import Header
from drivers.simulated.cctalk.coin_acceptor import COIN_VALUES_CENTS, SimulatedCoinAcceptor
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.misbehaviour import Kind
from tests.rigs.coin_slot import Slot, run_slot
from tests.rigs.stalled_line import StalledLine

SELF_CHECK = ("coin_acceptor", "self_check")


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        ((0, 0), None),
        ((0, 255), None),
        ((1, 0), None),
        ((1, 50), 0.05),
        ((2, 20), 0.2),
        ((3, 1), 1.0),
        ((4, 1), 60.0),
        ((6, 1), None),
        ((255, 255), None),
    ],
)
def test_the_polling_priority_is_read(answer: tuple[int, int], seconds: float | None) -> None:
    """Request 249: units and value; 0/0 is the manual's, 0/255 a hardware line's business."""
    assert wanted_interval_s(bytes(answer)) == seconds


@pytest.mark.parametrize(
    ("priority", "poll_s"),
    [
        (bytes((1, 50)), 0.05),
        (bytes((1, 5)), 0.02),
        (bytes((3, 2)), 0.2),
        (bytes((0, 0)), 0.2),
        (bytes((0, 255)), 0.2),
        (Refusal.SILENCE, 0.2),
        (Refusal.NAK, 0.2),
    ],
)
async def test_a_device_that_wants_more_is_polled_more(priority: bytes | Refusal, poll_s: float) -> None:
    """Polling slower than 249 says may lose coins: the configured 200 ms are sped up, and never slowed down."""
    slot = Slot()
    slot.device.priority = priority
    read_at: list[float] = []

    async def act(slot: Slot) -> None:
        assert slot.driver.poll_s == poll_s
        answer = slot.device.answer

        def watched(header: int, data: bytes) -> bytes | Refusal:
            if header == Header.READ_CREDIT:
                read_at.append(asyncio.get_running_loop().time())
            return answer(header, data)

        slot.device.answer = watched  # type: ignore[method-assign]
        await asyncio.sleep(2.0)
        slot.device.answer = answer  # type: ignore[method-assign]

    await run_slot(slot, act)
    assert slot.falls == []
    assert len(read_at) == pytest.approx(2.0 / poll_s, rel=0.1, abs=1)


@pytest.mark.requirement("D5")
async def test_a_device_that_fails_its_self_check_takes_no_coin_until_it_passes() -> None:
    """Found at the start and in plain words; coins are refused while it lasts, and taken when it is over."""
    slot = Slot()
    slot.device.self_check = b"\x03"

    async def act(slot: Slot) -> None:
        assert SELF_CHECK in slot.books.present
        assert slot.books.details["self_check"] == "the credit sensor has failed (code 3)"
        assert not slot.device.insert(100)
        slot.device.self_check = b"\x00"
        await asyncio.sleep(RECHECK_EVERY_S + 1)
        assert slot.books.present == {}
        assert slot.device.insert(100)

    await run_slot(slot, act)
    assert slot.books.credited == [100]
    assert slot.falls == []


async def test_a_device_that_rests_checks_itself_now_and_then() -> None:
    """A fault that comes later is found within the minute, and each new one is reported in its own words."""

    async def act(slot: Slot) -> None:
        slot.device.self_check = b"\x2a"
        await asyncio.sleep(CHECK_EVERY_S + 1)
        assert slot.books.details["self_check"] == "the gate has failed and is open (code 42)"
        assert slot.device.inhibited
        slot.device.self_check = b"\x2b"
        await asyncio.sleep(RECHECK_EVERY_S + 1)
        assert slot.books.details["self_check"] == "the gate has failed and stays shut (code 43)"

    slot = await run_slot(Slot(), act)
    assert SELF_CHECK in slot.books.present


async def test_coins_are_not_kept_waiting_for_a_self_check() -> None:
    """While coins come in, nobody asks for anything that takes long."""
    asked: list[int] = []

    class Listening(SimulatedCoinAcceptor):
        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            asked.append(header)
            return super().answer(header, data)

    slot = Slot(device=Listening)

    async def act(slot: Slot) -> None:
        before = asked.count(Header.SELF_CHECK)
        for _ in range(int(2 * CHECK_EVERY_S)):
            slot.device.insert(10)
            await asyncio.sleep(1.0)
        assert asked.count(Header.SELF_CHECK) == before
        await asyncio.sleep(5.0)
        assert asked.count(Header.SELF_CHECK) == before + 1

    await run_slot(slot, act)


async def test_one_spoilt_answer_to_a_self_check_is_no_fault() -> None:
    """A bad answer is believed when the next one says the same."""

    class Once(SimulatedCoinAcceptor):
        bad = 0

        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.SELF_CHECK and self.bad:
                self.bad -= 1
                return b"\x01"
            return super().answer(header, data)

    slot = Slot(device=Once)

    async def act(slot: Slot) -> None:
        assert isinstance(slot.device, Once)
        slot.device.bad = 1
        await asyncio.sleep(CHECK_EVERY_S + 5)

    await run_slot(slot, act)
    assert "self_check" not in slot.books.details


@pytest.mark.requirement("B6")
async def test_only_the_configured_coins_are_taken() -> None:
    """`coins_cents` enables each coin apart; a coin of another kind falls into the return."""

    async def act(slot: Slot) -> None:
        assert not slot.device.insert(50)
        assert slot.device.insert(100)
        assert slot.device.insert(200)

    slot = await run_slot(Slot(coins_cents=(100, 200)), act)
    assert slot.books.credited == [100, 200]
    assert slot.returned == [50]


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("kind", [Kind.DROP, Kind.CORRUPT])
async def test_what_is_refused_as_we_wish_is_no_event_of_the_log(kind: Kind) -> None:
    """Ignored codes are read and counted, and are in no report."""

    async def act(slot: Slot) -> None:
        slot.accept(enabled=False)
        await asyncio.sleep(0.5)
        slot.misbehaviour.inject(kind)
        assert not slot.device.insert(100)
        slot.device.reject(130)
        slot.device.reject(1)
        await asyncio.sleep(2.0)

    slot = await run_slot(Slot(), act)
    assert [code for report in slot.books.reports for code in report.rejects] == [1]
    assert slot.books.counters[4711] == 3


@pytest.mark.parametrize("seconds", [0.45, 0.9])
async def test_a_device_that_stood_still_keeps_its_name_and_its_coins_their_values(seconds: float) -> None:
    """Whichever answer comes late, with those to the same question behind it: no other device, no other coin."""
    for at in range(1, 60):
        slot = Slot()
        slot.line = line = StalledLine(slot.device)
        line.stall(seconds, at=at)
        slot.device.power(on=True)
        serving = asyncio.create_task(slot.serve())
        await asyncio.sleep(15.0)
        for value_cents in COIN_VALUES_CENTS:
            slot.device.insert(value_cents)
            await asyncio.sleep(0.5)
        serving.cancel()
        await asyncio.wait({serving})
        assert slot.books.credited == slot.accepted == list(COIN_VALUES_CENTS), at
        assert {*slot.books.found} == {"Open Cabinet SIMCOIN V01, serial number 4711, software SIM-V1.00"}, at
        assert "wrong_device" not in slot.books.raised, at
