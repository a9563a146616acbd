"""The supervisor with its devices missing, late, or saying what cannot be: it goes on, or locks; it never dies."""

import asyncio
from pathlib import Path

import pytest

from controller.journal.errors import RefusedError
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import VirtualCabinet

DEVICES = {"coin_acceptor", "bill_validator", "hopper"}


def lost(cabinet: VirtualCabinet) -> set[str]:
    """The devices that a present fault names."""
    assert cabinet.supervisor is not None
    return {fault.place for fault in cabinet.supervisor.machine.conditions.faults}


@pytest.mark.requirement("B7")
async def test_a_cabinet_without_its_devices_starts_and_takes_them_when_they_come(tmp_path: Path) -> None:
    """Each missing device is a fault that says so; plugged in, each serves, and its fault is gone by itself."""
    cabinet = VirtualCabinet(tmp_path)
    for line in cabinet.lines.values():
        line.unplug()
    supervisor = await cabinet.start()
    try:
        await cabinet.until(lambda: lost(cabinet) == DEVICES)
        assert (cabinet.state, supervisor.machine.conditions.overlay) == ("attract", None)
        await asyncio.sleep(120.0)
        assert (lost(cabinet), len(supervisor.machine.conditions.faults)) == (DEVICES, 3)
        for line in cabinet.lines.values():
            line.plug()
        await cabinet.until(lambda: not lost(cabinet))
        await asyncio.sleep(1.0)  # until they were enabled again
        await cabinet.insert_note(500)
        assert cabinet.coins.insert(100)
        await cabinet.until(lambda: cabinet.credit == 600)
    finally:
        await cabinet.kill()


async def test_a_device_lost_before_a_restart_is_forgiven_when_it_is_back(tmp_path: Path) -> None:
    """Unplugged as the supervisor died and plugged in before the next: no fault stays that nobody could clear."""
    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(8.0)
    for line in cabinet.lines.values():
        line.unplug()
    await cabinet.until(lambda: lost(cabinet) == DEVICES)
    await cabinet.kill()
    for line in cabinet.lines.values():
        line.plug()
    supervisor = await cabinet.start()
    try:
        await cabinet.until(lambda: lost(cabinet) == set(), 70.0)
        assert supervisor.machine.conditions.faults == []
    finally:
        await cabinet.kill()


async def test_a_money_message_that_cannot_be_locks_and_does_not_crash(tmp_path: Path) -> None:
    """A driver that reports a coin of a payout that nobody began breaks a rule of the books: locked, nothing booked."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        with pytest.raises(RefusedError, match="No payout is in progress"):
            await rig.listener.coin_paid(1)
        assert (rig.shown, rig.notices(), rig.credit) == ("locked", {"journal_refused"}, 500)
        for _ in range(100):
            await rig.door(is_open=True)
            await rig.door(is_open=False)
        assert rig.shown == "locked"
        await rig.restart(until="idle")
        assert (rig.credit, await rig.meter("hopper_out")) == (500, 0)


async def test_a_cancelled_flow_ends_even_as_an_input_comes(tmp_path: Path) -> None:
    """SIGTERM in the same moment as a press is not lost: whoever waited for the input ends."""
    async with Rig(tmp_path) as rig:
        await rig.kill()
        for turns in range(6):
            waiting = asyncio.create_task(rig.machine.states.next_input(5.0))
            await asyncio.sleep(0.1)
            rig.machine.states.money_came()
            for _ in range(turns):
                await asyncio.sleep(0)
            ended = waiting.done()
            waiting.cancel()
            await asyncio.wait({waiting})
            assert waiting.cancelled() is not ended
        await rig.start()
