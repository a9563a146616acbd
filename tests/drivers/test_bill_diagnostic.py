"""Notes in a service test: held, shown, returned, never stacked nor credited, in every language (T.9)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from drivers.bill_diagnostic import HOLD_S, NoteSight
from tests.rigs.bill_rig import ALL, NOTE, DeviceRig, until_stacking
from tests.rigs.validator_rigs import EACH, MakeRig

pytestmark = pytest.mark.requirement("M12")


async def in_escrow(rig: DeviceRig[Any]) -> None:
    """Push a note in, and wait until the driver has seen it in escrow."""
    rig.device.insert(NOTE)
    for _ in range(100):
        await asyncio.sleep(0.05)
        if rig.device.slot == "holding" or rig.device.escrow_cents:
            break
    await asyncio.sleep(0.5)


async def play(
    make: MakeRig, scene: Callable[[DeviceRig[Any]], Awaitable[None]]
) -> tuple[list[NoteSight], list[int], list[int], int]:
    """Boot a rig, begin a test, play; return sights, what was stacked and returned, and the credit."""
    rig = make(None)
    await rig.start()
    sights: list[NoteSight] = []
    assert rig.driver is not None
    rig.driver.test(sights.append)
    await scene(rig)
    await rig.end()
    assert rig.deaths == []
    assert rig.books.open_items == []
    return sights, rig.stacked, rig.returned, rig.books.credit_cents


@EACH
async def test_a_note_is_held_shown_and_returned(make: MakeRig) -> None:
    """It is in escrow for a while, long enough to be seen, and then comes back."""

    async def scene(rig: DeviceRig[Any]) -> None:
        await in_escrow(rig)
        await asyncio.sleep(HOLD_S / 2)
        assert rig.device.escrow_cents == NOTE
        await asyncio.sleep(20.0)

    sights, stacked, returned, credit = await play(make, scene)
    assert [sight.what for sight in sights] == ["escrow", "returned"]
    assert sights[0].value_cents == NOTE
    assert (stacked, returned, credit) == ([], [NOTE], 0)


@EACH
async def test_leaving_gives_a_held_note_back_and_the_next_one_is_credited(make: MakeRig) -> None:
    """The held one is no player's; the note after the test is taken as ever."""

    async def scene(rig: DeviceRig[Any]) -> None:
        await in_escrow(rig)
        assert rig.driver is not None
        rig.driver.test(None)
        await asyncio.sleep(20.0)
        rig.device.insert(500)
        await asyncio.sleep(20.0)

    _, stacked, returned, credit = await play(make, scene)
    assert (stacked, returned, credit) == ([500], [NOTE], 500)


@EACH
async def test_a_note_that_was_ordered_to_be_stacked_before_is_credited(make: MakeRig) -> None:
    """A test that begins while a player's note is on its way into the box takes nothing from it."""
    rig = make(None)
    await rig.start()
    assert rig.driver is not None
    await until_stacking(rig)
    rig.driver.test(lambda _sight: None)
    await asyncio.sleep(20.0)
    await rig.end()
    assert (rig.stacked, rig.books.credit_cents, rig.books.open_items) == ([NOTE], NOTE, [])


@pytest.mark.requirement("D8")
@EACH
async def test_rejected_notes_raise_no_alarm_in_a_test(make: MakeRig) -> None:
    """The alarms watch players; a technician's bad notes count for nothing, and good ones that are returned neither."""
    rig = make(None)
    rig.configure(yoyo_notes=1, rejected_notes=1)
    await rig.start()
    assert rig.driver is not None
    rig.driver.test(lambda _sight: None)
    rig.device.unreadable = 1
    for _ in range(2):
        rig.device.insert(NOTE)
        await asyncio.sleep(20.0)
    rig.driver.test(None)
    rig.driver.accept(ALL)
    await rig.end()
    assert rig.books.raised == []
    assert rig.returned == [NOTE, NOTE]
