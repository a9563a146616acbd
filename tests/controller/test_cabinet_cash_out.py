"""Money out of the whole cabinet: the real hopper driver under doors, ends, swaps, faults and coins nobody ordered."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal.open_items import open_items
from controller.journal.periods import meter
from controller.settings.settings import Value, change
from drivers.cctalk.hopper_status import Flag
from drivers.simulated.cctalk.hopper import IDENTITY, SimulatedHopper
from tests.rigs.virtual_cabinet import VirtualCabinet, but_coins


@asynccontextmanager
async def playing(folder: Path, cents: int) -> AsyncIterator[VirtualCabinet]:
    """A cabinet with a note in it, ready to play; ended with the test."""
    cabinet = VirtualCabinet(folder)
    await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(8.0)
        await cabinet.insert_note(cents)
        await cabinet.until(lambda: cabinet.state == "idle")
        yield cabinet
    finally:
        await cabinet.kill()


async def test_an_open_door_stops_the_motor(tmp_path: Path) -> None:
    """The real hopper stops within three coins of the door's opening, and pays exactly the rest after it."""
    async with playing(tmp_path, 2000) as cabinet:
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.tray_cents >= 500)
        cabinet.door("main", is_open=True)
        await asyncio.sleep(2.0)
        tray = cabinet.tray_cents
        assert (tray <= 800, cabinet.hopper.remaining) == (True, 0)
        await asyncio.sleep(30.0)
        assert cabinet.tray_cents == tray
        cabinet.door("main", is_open=False)
        await cabinet.until(lambda: cabinet.credit == 0)
        await cabinet.until(lambda: cabinet.state == "idle")
        assert cabinet.tray_cents == 2000


@pytest.mark.requirement("P6")
async def test_a_supervisor_that_is_asked_to_end_stops_the_motor(tmp_path: Path) -> None:
    """On SIGTERM the hopper is off; what it had paid by then is booked by the next supervisor."""
    async with playing(tmp_path, 2000) as cabinet:
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.tray_cents >= 500)
        await cabinet.kill()
        tray = cabinet.tray_cents
        await asyncio.sleep(10.0)
        assert (cabinet.tray_cents, cabinet.hopper.remaining) == (tray, 0)
        await cabinet.start()
        await cabinet.until(lambda: cabinet.credit == 0)
        assert cabinet.tray_cents == 2000


async def test_a_runaway_within_a_payout_tilts_once_and_ends(tmp_path: Path) -> None:
    """Coins beyond the order are open items; the tilt they raise is cleared by one key, and the payout is over."""
    async with playing(tmp_path, 500) as cabinet:
        assert cabinet.supervisor is not None
        machine = cabinet.supervisor.machine
        cabinet.hopper.runaway = 2
        await cabinet.tap("collect")
        await cabinet.until(lambda: machine.conditions.overlay == "tilted")
        await asyncio.sleep(5.0)
        await cabinet.turn_key("attendant")
        await cabinet.until(lambda: cabinet.state == "idle")
        await asyncio.sleep(5.0)
        assert (machine.conditions.overlay, cabinet.credit, cabinet.tray_cents) == (None, 0, 700)


async def test_a_hopper_unplugged_within_a_payout_goes_on_when_it_is_back(tmp_path: Path) -> None:
    """Coins that fell while nobody heard them are booked when the hopper answers again; none is paid twice."""
    async with playing(tmp_path, 2000) as cabinet:
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.tray_cents >= 500)
        cabinet.lines["hopper"].unplug()
        await asyncio.sleep(10.0)
        assert cabinet.tray_cents == 2000
        assert (cabinet.state, cabinet.credit > 1000) == ("collecting", True)
        cabinet.lines["hopper"].plug()
        await cabinet.until(lambda: cabinet.credit == 0)
        await cabinet.until(lambda: cabinet.state == "idle")
        assert cabinet.tray_cents == 2000


async def until_collecting(cabinet: VirtualCabinet, coins: int) -> None:
    """Press COLLECT and let so many coins fall."""
    await cabinet.tap("collect")
    await cabinet.until(lambda: cabinet.tray_cents >= 100 * coins)


async def items(cabinet: VirtualCabinet) -> list[tuple[object, ...]]:
    """The open items: kind and amount."""
    assert cabinet.supervisor is not None
    found = but_coins(await cabinet.supervisor.journal.do(open_items))
    return [(item.kind, item.amount_cents) for item in found]


async def resolved(cabinet: VirtualCabinet) -> list[tuple[object, ...]]:
    """Every item that was ever opened: kind, and how it was resolved."""
    assert cabinet.supervisor is not None
    sql = "SELECT kind, resolution FROM open_items ORDER BY id"
    return await cabinet.supervisor.journal.do(lambda tx: tx.execute(sql).fetchall())


@pytest.mark.requirement("D5")
@pytest.mark.parametrize("mains", [True, False])
async def test_coins_that_left_while_the_supervisor_was_away_tilt_at_its_start(tmp_path: Path, *, mains: bool) -> None:
    """The journal knows each hopper's lifetime count: what it rose by unordered is an open item and a tilt."""
    async with playing(tmp_path, 500) as cabinet:
        await until_collecting(cabinet, 5)
        await cabinet.until(lambda: cabinet.state == "idle")
        await cabinet.kill()
        if mains:
            cabinet.mains(on=False)
        cabinet.hopper.slip(3)
        supervisor = await cabinet.start()
        await cabinet.until(lambda: supervisor.machine.conditions.overlay == "tilted")
        assert "hopper_runaway" in {fault.code for fault in supervisor.machine.conditions.faults}
        assert await items(cabinet) == [("hopper_overpaid", 300)]
        assert cabinet.credit == 0
        await cabinet.turn_key("attendant")
        await cabinet.until(lambda: supervisor.machine.conditions.overlay is None)
        await cabinet.kill()
        await cabinet.start()
        await asyncio.sleep(10.0)
        assert await items(cabinet) == [("hopper_overpaid", 300)]


def swapped(cabinet: VirtualCabinet) -> SimulatedHopper:
    """Take the hopper out and fit another one; return the one that was there."""
    line, before = cabinet.lines["hopper"], cabinet.hopper
    before.power(on=False)
    other = SimulatedHopper(stock=1000, identity=IDENTITY._replace(serial=99), coin_out=before.coin_out)
    other.security = (99).to_bytes(3, "little")
    other.lifetime = 5000
    put_back(cabinet, other)
    assert line.device is other
    return before


def put_back(cabinet: VirtualCabinet, hopper: SimulatedHopper) -> None:
    """Fit that hopper in place of the one that is there."""
    cabinet.hopper.power(on=False)
    cabinet.hopper = cabinet.lines["hopper"].device = hopper
    hopper.connect(cabinet.lines["hopper"])
    hopper.power(on=True)


async def test_another_hopper_cannot_finish_a_payout(tmp_path: Path) -> None:
    """Swapped within a payout, the other hopper pays nothing of it; the first one settles it when it is back.

    Between the two the payout is over: all that may have left the first is held, and the other pays new credit.
    """
    async with playing(tmp_path, 2000) as cabinet:
        await until_collecting(cabinet, 5)
        await cabinet.crash()
        await asyncio.sleep(0.7)
        paid = cabinet.tray_cents
        first = swapped(cabinet)
        supervisor = await cabinet.start()
        await cabinet.until(lambda: cabinet.state == "attract")
        booked = await supervisor.journal.do(lambda tx: meter(tx, "hopper_out"))
        assert await items(cabinet) == [("payout_held", 2000 - booked)]
        assert (cabinet.credit, cabinet.tray_cents) == (0, paid)
        await cabinet.turn_key("technician")
        await asyncio.sleep(2.0)
        await cabinet.insert_note(1000)
        await cabinet.until(lambda: cabinet.state == "idle")
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.credit == 0)
        await cabinet.until(lambda: cabinet.state == "idle")
        assert cabinet.tray_cents == paid + 1000
        cabinet.hopper.power(on=False)
        await asyncio.sleep(5.0)
        put_back(cabinet, first)
        await asyncio.sleep(20.0)
        assert await resolved(cabinet) == [("payout_held", "counted"), ("payout_rest", None)]
        assert await items(cabinet) == [("payout_rest", 2000 - paid)]


@pytest.mark.parametrize("key_s", [0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2.0])
@pytest.mark.parametrize("coins", [1, 4])
async def test_a_key_after_a_restart_pays_no_coin_by_hand_too(tmp_path: Path, coins: int, key_s: float) -> None:
    """Killed while the hopper pays on, and the key turned at once: every coin leaves the credit once."""
    async with playing(tmp_path, 2000) as cabinet:
        await until_collecting(cabinet, coins)
        await cabinet.crash()
        supervisor = await cabinet.start()
        await asyncio.sleep(key_s)
        await cabinet.turn_key("attendant")
        by_hand = 0
        for _ in range(300):
            payout = supervisor.machine.play.payout
            asked = payout.amount_cents if payout is not None and payout.by == "attendant" else 0
            assert cabinet.tray_cents + asked <= 2000
            if asked and not by_hand:
                await asyncio.sleep(10.0)
                await cabinet.turn_key("attendant")
                by_hand = asked
            await asyncio.sleep(0.1)
        assert (cabinet.tray_cents + by_hand, cabinet.credit) == (2000, 0)
        assert cabinet.hopper.remaining == 0
        assert await items(cabinet) == []


@pytest.mark.requirement("B8")
async def test_a_hopper_with_a_failed_sensor_is_not_asked(tmp_path: Path) -> None:
    """While its exit is blocked COLLECT is paid by hand; mended and cleared by the technician, it pays again."""
    async with playing(tmp_path, 500) as cabinet:
        assert cabinet.supervisor is not None
        machine = cabinet.supervisor.machine
        cabinet.hopper.conditions.add(Flag.BLOCKED_IDLE)
        await cabinet.until(lambda: "hopper_sensor" in {fault.code for fault in machine.conditions.faults})
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.state == "handpay")
        assert cabinet.hopper.dispenses == 0
        await cabinet.tap("collect")
        await cabinet.turn_key("technician")
        await asyncio.sleep(2.0)
        assert "hopper_sensor" in {fault.code for fault in machine.conditions.faults}
        cabinet.hopper.conditions.clear()
        await asyncio.sleep(3.0)
        await cabinet.turn_key("technician")
        await cabinet.until(lambda: "hopper_sensor" not in {fault.code for fault in machine.conditions.faults})
        await until_collecting(cabinet, 5)
        await cabinet.until(lambda: cabinet.credit == 0)


async def test_more_coins_of_one_payout_hold_from_the_next_start(tmp_path: Path) -> None:
    """What the menu allows now its driver does not: the hopper pays what that was started with, the attendant the rest.

    Else the order is refused again and again, and the screen says that the hopper does not answer.
    """
    cabinet = VirtualCabinet(tmp_path)
    assert cabinet.config.hopper is not None
    cabinet.config = replace(cabinet.config, hopper=replace(cabinet.config.hopper, max_coins=5))
    for coins in (5, 10):
        supervisor = await cabinet.start()
        machine, tray = supervisor.machine, cabinet.tray_cents
        try:
            await asyncio.sleep(8.0)
            if coins == 5:
                values: dict[str, Value] = {"hopper.max_coins": 10}
                await machine.journal.attempt(lambda tx: change(tx, machine.settings.file_config, values, "technician"))  # noqa: B023 - awaited here
                await machine.journal.reload()
            await cabinet.insert_note(2000)
            await cabinet.until(lambda: cabinet.state == "idle")
            await cabinet.tap("collect")
            await cabinet.until(lambda: cabinet.state == "handpay", 20.0)
            assert (cabinet.tray_cents - tray, cabinet.credit) == (100 * coins, 2000 - 100 * coins)
            assert [fault.code for fault in machine.conditions.faults if fault.place == "hopper"] == []
            await cabinet.turn_key("attendant")
            await cabinet.until(lambda: cabinet.state == "idle")
        finally:
            await cabinet.kill()


async def test_held_money_is_settled_by_a_hopper_that_may_pay_fewer_coins_since(tmp_path: Path) -> None:
    """The payout of 20 coins was announced before `max_coins` was 5: its coins are counted all the same."""
    cabinet = VirtualCabinet(tmp_path)
    assert cabinet.config.hopper is not None
    cabinet.config = replace(cabinet.config, payout=replace(cabinet.config.payout, hopper_away_s=5))
    supervisor = await cabinet.start()
    await asyncio.sleep(8.0)
    await cabinet.insert_note(2000)
    await cabinet.until(lambda: cabinet.state == "idle")
    await cabinet.collect_and_give_up_hopper()
    assert supervisor.machine.conditions.held_cents > 0
    await cabinet.stop()
    cabinet.config = replace(cabinet.config, hopper=replace(cabinet.config.hopper, max_coins=5))
    cabinet.lines["hopper"].plug()
    supervisor = await cabinet.start()
    try:
        await asyncio.sleep(20.0)
        assert (supervisor.machine.conditions.held_cents, cabinet.credit + cabinet.tray_cents) == (0, 2000)
        assert await supervisor.journal.do(open_items) == []
    finally:
        await cabinet.kill()
