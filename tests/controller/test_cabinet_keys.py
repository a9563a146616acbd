"""Keys of the whole cabinet: real switches, panel and devices while a key is on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.machine.view import view_of
from drivers.wiring import KEYS
from tests.rigs.virtual_cabinet import PRESS_S, VirtualCabinet, takes_coins

pytestmark = pytest.mark.requirement("S1")

TYPED = ("auto", "lines", "spin")
"""The buttons by which a page's code is typed, and by which autospin is chosen and begun in a game."""


@asynccontextmanager
async def playing(folder: Path) -> AsyncIterator[VirtualCabinet]:
    """A cabinet with 20.00 in it, ready to play."""
    cabinet = VirtualCabinet(folder)
    await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(8.0)
        await cabinet.insert_note(2000)
        await cabinet.until(lambda: cabinet.state == "idle")
        yield cabinet
    finally:
        await cabinet.kill()


def notices(cabinet: VirtualCabinet) -> list[tuple[str, str]]:
    """What the screen says, and whom it asks."""
    assert cabinet.supervisor is not None
    return [(notice.text, notice.who) for notice in view_of(cabinet.supervisor.machine.parts).notices]


async def test_back_with_the_key_still_on_leaves_no_way_to_the_credit(tmp_path: Path) -> None:
    """One BACK shuts the menu; the buttons play nothing, pay nothing and take no money until the key is back."""
    async with playing(tmp_path) as cabinet:
        cabinet.key("attendant", is_on=True)
        assert cabinet.supervisor is not None
        machine = cabinet.supervisor.machine
        await cabinet.until(lambda: machine.conditions.overlay == "service_menu")
        await cabinet.tap("collect")
        for button in (*TYPED, "collect"):
            await cabinet.tap(button)
            await asyncio.sleep(3.0)
        assert (cabinet.credit, machine.play.autospin, takes_coins(cabinet)) == (2000, None, False)
        assert ("The key of the attendant is on: turn the key back", "attendant") in notices(cabinet)
        cabinet.key("attendant", is_on=False)
        await cabinet.until(lambda: takes_coins(cabinet))
        await cabinet.tap("spin")
        await cabinet.until(lambda: cabinet.credit < 2000)


@pytest.mark.parametrize("key", KEYS)
async def test_a_key_that_the_switches_find_on_at_the_start_is_named(tmp_path: Path, key: str) -> None:
    """The first report of a real switch opens no menu and stops play, with the key's name on the screen."""
    async with playing(tmp_path) as cabinet:
        await cabinet.kill()
        cabinet.key(key, is_on=True)
        await cabinet.start()
        words = f"The key of the {key} is on: turn the key back"
        await cabinet.until(lambda: (words, key) in notices(cabinet))
        await cabinet.tap("spin")
        assert cabinet.supervisor is not None
        assert (cabinet.credit, cabinet.supervisor.service.is_open) == (2000, False)
        cabinet.key(key, is_on=False)
        await asyncio.sleep(PRESS_S)
        assert (words, key) not in notices(cabinet)
