"""What an acceptor has kept since it was read is credit, or in an open item whose bounds contain it.

Over coins, doors, crashes, locks, full disks, and the power of the device and of the computer, in any order.
"""

import asyncio
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal import money
from controller.journal.open_items import PULSES, open_items
from drivers.capabilities import CoinReport
from drivers.simulated.cctalk.coin_acceptor import IDENTITY, SimulatedCoinAcceptor
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.coin_histories import SLOTS, History, Slot, cctalk, mdb
from tests.rigs.money_cabinets import PulseCabinet
from tests.rigs.virtual_cabinet import VirtualCabinet

ACTS = 10
HISTORIES = [
    *range(8),
    *(pytest.param(seed, marks=pytest.mark.proof) for seed in range(8, 200)),
]


@pytest.mark.requirement("B4")
@pytest.mark.parametrize("seed", HISTORIES)
@pytest.mark.parametrize("kind", SLOTS)
async def test_every_coin_is_credit_or_within_an_item(kind: str, seed: int, tmp_path: Path) -> None:
    """Where neither power nor program failed there is no item; where the computer stayed on, each has a bound.

    A burst of more pulses than any coin gives is the exception: it proves no amount.
    """
    slot = SLOTS[kind](tmp_path)
    history = History(slot, random.Random(seed))
    items = await history.run(ACTS)
    missing = slot.taken_cents() - slot.cabinet.credit
    bounds = [item.amount_cents for item in items]
    assert missing >= sum(item.least_cents for item in items), history.told
    assert None in bounds or missing <= sum(cents or 0 for cents in bounds), history.told
    unbounded = {item.kind for item in items if item.amount_cents is None}
    assert history.boots_anew or unbounded <= {PULSES}, history.told
    if not (history.power_failed or history.overflowed) and (kind == "cctalk" or not history.died):
        assert items == [], history.told
    await slot.cabinet.kill()


async def in_doubt(cabinet: VirtualCabinet) -> list[tuple[str, int | None]]:
    """The open items: kind, and what they are worth at the most."""
    assert cabinet.supervisor is not None
    return [(item.kind, item.amount_cents) for item in await cabinet.supervisor.journal.do(open_items)]


async def handful(slot: Slot, count: int) -> None:
    """Coins of 2.00 into it."""
    for _ in range(count):
        slot.device.insert(200)
        await asyncio.sleep(0.6)


async def test_a_start_that_dies_leaves_the_proof_of_a_reset(tmp_path: Path) -> None:
    """Its coins' inhibits are gone until the reset is in the books: a kill at any moment of the start hides nothing."""
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        slot = cctalk(folder)
        await slot.cabinet.start()
        await asyncio.sleep(8.0)
        await slot.cabinet.crash()
        await handful(slot, 2)
        slot.device.power(on=False)
        slot.device.power(on=True)
        await slot.cabinet.start()
        await asyncio.sleep(number / 10)
        await slot.cabinet.crash()
        await slot.cabinet.start()
        await asyncio.sleep(8.0)
        ((kind, most),) = await in_doubt(slot.cabinet)
        assert kind == "coins_forgotten"
        assert most is None or most >= slot.taken_cents() - slot.cabinet.credit > 0
        await slot.cabinet.kill()


async def test_an_answer_that_is_lost_may_hide_a_reset(tmp_path: Path) -> None:
    """A changer says once that it has started anew; whoever hears it may die before that is booked."""
    slot = mdb(tmp_path)
    await slot.cabinet.start()
    await asyncio.sleep(8.0)
    await slot.cabinet.crash()
    await handful(slot, 12)
    slot.device.power(on=False)
    slot.device.power(on=True)
    supervisor = await slot.cabinet.start()

    async def never(report: CoinReport) -> None:
        del report
        await asyncio.Event().wait()

    setattr(supervisor.listener, "coins", never)  # noqa: B010 - the program dies in this commit
    await asyncio.sleep(8.0)
    await slot.cabinet.crash()
    await slot.cabinet.start()
    await asyncio.sleep(8.0)
    ((_, most),) = await in_doubt(slot.cabinet)
    assert slot.taken_cents() == 12 * 200
    assert most is None or most >= 12 * 200
    await slot.cabinet.kill()


async def test_another_acceptor_in_its_place_leaves_what_the_first_had_taken_in_doubt(tmp_path: Path) -> None:
    """Nobody will ever read it; one that was at rest is forgotten in peace."""
    slot = cctalk(tmp_path)
    cabinet = slot.cabinet
    await cabinet.start()
    await asyncio.sleep(8.0)
    await cabinet.crash()
    await handful(slot, 3)
    for serial, stops in ((9998, True), (9999, False)):
        cabinet.coins.power(on=False)
        cabinet.coins = SimulatedCoinAcceptor(identity=IDENTITY._replace(serial=serial))
        cabinet.lines["coin"] = MemoryLine(cabinet.coins, path="coin")
        cabinet.coins.power(on=True)
        await cabinet.start()
        await asyncio.sleep(10.0)
        assert await in_doubt(cabinet) == [("coins_forgotten", None)]
        assert cabinet.coins.insert(50)
        await asyncio.sleep(2.0)
        await (cabinet.stop() if stops else cabinet.crash())


@pytest.mark.parametrize("enable", [True, False])
async def test_pulses_are_in_doubt_where_nothing_inhibits_their_acceptor(tmp_path: Path, *, enable: bool) -> None:
    """After a stop in order one with an `enable` rests; one without goes on taking coins."""
    cabinet = PulseCabinet(tmp_path, enable=enable)
    await cabinet.start()
    await asyncio.sleep(8.0)
    await cabinet.stop()
    cabinet.pulses["coin"].insert(200)
    await asyncio.sleep(5.0)
    await cabinet.start()
    await asyncio.sleep(8.0)
    assert [kind for kind, _ in await in_doubt(cabinet)] == ([] if enable else ["pulses_missed"])
    await cabinet.kill()


async def test_an_acceptor_that_is_taken_out_of_the_file_leaves_its_doubt(tmp_path: Path) -> None:
    """By pulses, and on a line."""
    cabinet = PulseCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(8.0)
    await cabinet.crash()
    cabinet.config = replace(cabinet.config, pins=replace(cabinet.config.pins, pulse={}))
    await cabinet.start()
    await asyncio.sleep(8.0)
    assert await in_doubt(cabinet) == [("pulses_missed", None)]
    await cabinet.kill()


async def test_a_note_is_no_longer_waited_for_where_no_validator_answers(tmp_path: Path) -> None:
    """Unplugged after the order to stack: an open item some minutes later."""
    cabinet = VirtualCabinet(tmp_path)
    supervisor = await cabinet.start()
    await asyncio.sleep(12.0)
    cabinet.bills.mishaps.next("jam_in_stacker")
    cabinet.bills.insert(1000)
    await asyncio.sleep(10.0)
    note = await supervisor.journal.do(money.note_in_hand)
    assert note is not None
    assert note.state == "stacking"
    cabinet.lines["bill"].unplug()
    await asyncio.sleep(600.0)
    assert await supervisor.journal.do(money.note_in_hand) is None
    assert await in_doubt(cabinet) == [("note_unknown", 1000)]
    await cabinet.kill()
