"""A full clear on a whole cabinet: what devices have counted by themselves goes on in the new books."""

import asyncio
from pathlib import Path

import pytest

from controller.journal.diagnostics import coin_diagnostic
from controller.journal.open_items import open_items
from tests.rigs.cleared_books import cleared
from tests.rigs.restored_books import bound
from tests.rigs.technician import WARM_S
from tests.rigs.virtual_cabinet import VirtualCabinet, takes_coins


def clear(folder: Path) -> None:
    """Clear the books in `folder`, and have the new ones take their place as the next start does."""
    cleared(folder)
    bound(folder).close()


@pytest.mark.parametrize("meant", ["credit", "a test"])
async def test_coins_that_were_not_read_before_a_clear_keep_their_meaning(tmp_path: Path, meant: str) -> None:
    """The acceptor's plug was out: a player's coin is credited in the new books, and one of T.8 never."""
    bound(tmp_path).close()

    cabinet = VirtualCabinet(tmp_path)
    supervisor = await cabinet.start()
    await cabinet.until(lambda: takes_coins(cabinet))
    await asyncio.sleep(1.0)
    if meant == "a test":
        serial = cabinet.coins.identity.serial
        await supervisor.machine.journal.do(lambda tx: coin_diagnostic.take_for(tx, serial, "T.8"))
    cabinet.lines["coin"].unplug()
    assert cabinet.coins.insert(200)
    await asyncio.sleep(1.0)
    await cabinet.kill()
    clear(tmp_path)
    cabinet.lines["coin"].plug()
    supervisor = await cabinet.start()
    await asyncio.sleep(WARM_S)
    assert cabinet.credit == (200 if meant == "credit" else 0)
    assert await supervisor.machine.journal.do(open_items) == []
    assert cabinet.coins.insert(100)
    await asyncio.sleep(1.0)
    assert cabinet.credit == (300 if meant == "credit" else 100)
    await cabinet.kill()


async def test_coins_that_leave_the_hopper_around_a_clear_show(tmp_path: Path) -> None:
    """Its lifetime count goes on: who empties it by hand while the books are new is no better off."""
    bound(tmp_path).close()

    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(WARM_S)
    await cabinet.kill()
    clear(tmp_path)
    cabinet.hopper.lifetime += 5
    supervisor = await cabinet.start()
    await cabinet.until(lambda: bool(supervisor.machine.conditions.open_items))
    (item,) = await supervisor.machine.journal.do(open_items)
    assert (item.kind, item.amount_cents) == ("hopper_overpaid", 500)
    await cabinet.kill()
