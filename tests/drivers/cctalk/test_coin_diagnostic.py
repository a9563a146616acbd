"""Coins that a service test takes: shown, journaled, never credited; those before and after it credited once."""

import asyncio

import pytest

from drivers.coin_diagnostic import FALL_S
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.coin_slot import SERIAL, Slot, run_slot

pytestmark = pytest.mark.requirement("M12")

TEST = "T.8"
TRAVEL_S = 0.3


def begin(slot: Slot) -> None:
    slot.driver.test(TEST)


async def settled(slot: Slot, test: str) -> None:
    """Wait until the driver, or the one after it where it fell, takes coins for that test, or for credit."""
    async with asyncio.timeout(20.0):
        while slot.driver.tests != test or not slot.driver.takes_coins:
            slot.driver.test(test)
            await asyncio.sleep(0.05)


async def test_a_tests_coins_are_not_credited() -> None:
    """They are reported as the test's, with their positions, and the counter goes on."""
    seen = []

    async def act(slot: Slot) -> None:
        begin(slot)
        slot.driver.on_report = seen.append
        await settled(slot, TEST)
        for value in (50, 200):
            assert slot.device.insert(value)
            await asyncio.sleep(0.5)
        slot.driver.test("")
        await settled(slot, "")
        assert slot.device.insert(100)

    slot = await run_slot(Slot(), act)
    assert (slot.books.credited, slot.books.tested) == ([100], [50, 200])
    assert [report.positions for report in seen] == [(3,), (5,), (4,)]
    assert slot.books.counters[SERIAL] == 3


@pytest.mark.parametrize("gap_s", [0.0, 0.1, 0.25, 0.5, 1.0])
async def test_coins_on_their_way_keep_the_meaning_they_were_taken_with(gap_s: float) -> None:
    """One that passes the gate right before the test begins is credited, one right before it ends is not."""

    async def act(slot: Slot) -> None:
        assert slot.device.insert(200)
        await asyncio.sleep(gap_s)
        begin(slot)
        await settled(slot, TEST)
        assert slot.device.insert(50)
        await asyncio.sleep(gap_s)
        slot.driver.test("")
        await settled(slot, "")
        assert slot.device.insert(100)
        await asyncio.sleep(1.0)

    slot = await run_slot(Slot(travel_s=TRAVEL_S), act)
    assert (slot.books.credited, slot.books.tested) == ([200, 100], [50])


async def test_no_coin_is_taken_while_the_meaning_changes() -> None:
    """From the wish until the change is written the device is inhibited, and a coin falls into the return."""

    async def act(slot: Slot) -> None:
        begin(slot)
        await asyncio.sleep(FALL_S / 2)
        assert slot.driver.tests == ""
        assert not slot.device.insert(100)
        await settled(slot, TEST)

    slot = await run_slot(Slot(), act)
    assert (slot.books.credited, slot.books.tested, slot.returned) == ([], [], [100])


async def test_coins_that_are_turned_away_keep_no_test_from_beginning() -> None:
    """A hand that feeds coin after coin while none is taken does not hold the change up."""

    async def act(slot: Slot) -> None:
        begin(slot)
        await asyncio.sleep(0.3)
        for _ in range(100):
            slot.device.insert(100)
            await asyncio.sleep(0.05)
        assert slot.driver.tests == TEST

    slot = await run_slot(Slot(), act)
    assert slot.books.credited == []
    assert slot.books.tested


@pytest.mark.parametrize("power_cut", [False, True])
async def test_a_start_after_a_cut_test_credits_none_of_its_coins(*, power_cut: bool) -> None:
    """What the buffer still holds was the test's; credit begins anew by itself, with the first coin after that."""
    slot = Slot()
    slot.device.power(on=True)
    serving = asyncio.create_task(slot.serve())
    await asyncio.sleep(2.0)
    begin(slot)
    await settled(slot, TEST)
    await slot.crash(serving)
    assert slot.device.insert(200)  # nobody polls, and the device still takes coins
    if power_cut:
        slot.device.power(on=False)
    async with slot.served():
        await settled(slot, "")
        assert slot.device.insert(100)
    assert slot.books.credited == [100]
    assert slot.books.tested == ([] if power_cut else [200])


async def test_a_device_that_is_lost_within_a_test_keeps_its_coins_apart() -> None:
    """Unplugged with the test on, left meanwhile, plugged in again: what it holds is the test's, and then credit."""

    async def act(slot: Slot) -> None:
        begin(slot)
        await settled(slot, TEST)
        slot.line.unplug()
        assert slot.device.insert(200)
        await asyncio.sleep(3.0)
        slot.line.plug()
        await settled(slot, "")
        assert slot.device.insert(100)

    slot = await run_slot(Slot(), act)
    assert (slot.books.credited, slot.books.tested) == ([100], [200])


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
async def test_no_line_fault_mixes_the_two(kind: Kind, way: Way) -> None:
    """Frames that get lost or spoilt on entering and leaving cost time, and no coin's meaning."""

    async def act(slot: Slot) -> None:
        assert slot.device.insert(200)
        slot.misbehaviour.inject(kind, 3, way=way)
        begin(slot)
        await settled(slot, TEST)
        assert slot.device.insert(50)
        slot.misbehaviour.inject(kind, 3, way=way)
        slot.driver.test("")
        await settled(slot, "")
        assert slot.device.insert(100)

    slot = await run_slot(Slot(travel_s=TRAVEL_S), act)
    assert (slot.books.credited, slot.books.tested) == ([200, 100], [50])
