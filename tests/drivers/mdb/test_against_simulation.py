"""The MDB drivers and the simulated devices, which were written apart from each other, on one bus."""

import asyncio
from typing import Any

import pytest

from drivers.capabilities import PayoutEnd
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.mdb.bridge import Bridge
from drivers.mdb.changer import Changer
from drivers.mdb.coin_changer import CoinChanger
from drivers.mdb.tubes import ChangerTubes
from drivers.simulated.mdb.bill_validator import BillHabits
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.wiring import CoinAcceptor, Hopper
from tests.rigs.bill_rig import NOTE, DeviceRig, check_accounted
from tests.rigs.mdb_books import ChangerBooks
from tests.rigs.validator_rigs import mdb

Rig = DeviceRig[Any]


async def bills(misbehaviour: Misbehaviour | None = None) -> Rig:
    """A validator that takes bills."""
    rig = mdb(BillHabits(level=2))(misbehaviour)
    await rig.start()
    return rig


async def test_a_bill_is_credited_once() -> None:
    """In the box, and in the books."""
    rig = await bills()
    rig.device.insert(NOTE)
    await rig.settle()
    await rig.end()
    check_accounted(rig)
    assert rig.stacked == [NOTE]
    assert rig.books.faults == {}


@pytest.mark.parametrize("kind", [Kind.DROP, Kind.DELAY, Kind.CUT])
@pytest.mark.parametrize(
    "moments", [pytest.param(range(2, 40, 9), id="some"), pytest.param(range(60), id="every", marks=pytest.mark.proof)]
)
async def test_a_lost_line_credits_nothing_twice(kind: Kind, moments: range) -> None:
    """Whatever line is lost."""
    for after in moments:
        misbehaviour = Misbehaviour(delay_s=1.2)
        rig = await bills(misbehaviour)
        rig.device.insert(NOTE)
        await rig.settle(after * 0.04)
        misbehaviour.inject(kind, way=Way.TO_HOST)
        await rig.settle(60)
        await rig.end()
        check_accounted(rig, open_items_allowed=True)


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize(
    "moments", [pytest.param(range(2, 60, 12), id="some"), pytest.param(range(80), id="every", marks=pytest.mark.proof)]
)
async def test_a_killed_program_credits_nothing_twice(mains: bool, moments: range) -> None:  # noqa: FBT001 - a parameter
    """With the devices' power, or without."""
    for after in moments:
        rig = await bills()
        rig.device.insert(NOTE)
        await rig.settle(after * 0.04)
        if mains:
            rig.device.power(on=False)
        await rig.kill()
        rig.line.port.close()
        await rig.settle(1)
        if mains:
            rig.device.power(on=True)
        rig.run()
        await rig.settle(80)
        await rig.end()
        check_accounted(rig, open_items_allowed=True)


async def test_coins_come_in_and_are_paid_from_the_tubes() -> None:
    """A changer's whole day, in one minute."""
    out: list[int] = []
    device = SimulatedChanger(stock={10: 10, 20: 10, 50: 10, 100: 10}, coin_out=out.append)
    line = MemoryLine(MdbBridge([device]))
    bridge, meeting, books = Bridge(line.port, LoopClock()), Changer(pays=True), ChangerBooks()
    acceptor = CoinChanger(
        CoinAcceptor(port="memory", protocol="mdb"), bridge.tap(), LoopClock(), books, currency=EURO, changer=meeting
    )
    tubes = ChangerTubes(Hopper(port="memory", protocol="mdb", coin_value_cents=10), meeting, LoopClock(), books)
    line.device.power(on=True)
    acceptor.accept(enabled=True)
    tasks = [asyncio.ensure_future(one.run()) for one in (acceptor, tubes)]
    await asyncio.sleep(6)
    for cents in (200, 50, 10):
        device.insert(cents)
        await asyncio.sleep(2)
    assert books.credited == [200, 50, 10]
    outcome = await tubes.pay(books.order(27), books)
    await asyncio.sleep(3)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert outcome.end is PayoutEnd.DONE
    assert (books.paid, sum(out)) == (27, 270)
    assert (books.strays, books.present) == (0, {})
