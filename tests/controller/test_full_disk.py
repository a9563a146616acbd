"""The disk becomes full at any step of the books, and gets room again: play goes on by itself, every cent in place."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.monitors.storage import DiskSpaceAgain
from controller.system.starts import Start
from tests.rigs.full_disk import DEVICES_S, FullDiskCabinet, Room
from tests.rigs.money_cabinets import MdbCabinet, RecyclerCabinet, SmartHopperCabinet
from tests.rigs.power_cuts import CutStore
from tests.rigs.virtual_cabinet import VirtualCabinet, takes_coins

NOTE = 500
STEPS = range(1, 11)
"""Before each transaction and after it; what follows the last of an act is the same for all."""

ROUNDS = "SELECT state, win_cents, stake_cents FROM rounds ORDER BY id"


@asynccontextmanager
async def running(
    folder: Path, *, pays_tickets: bool = False, hopper_cents: int | None = None
) -> AsyncIterator[FullDiskCabinet]:
    """A cabinet that is up; its books are proved in the end. Its hopper pays `hopper_cents` at once, None for all."""
    cabinet = FullDiskCabinet(folder, pays_tickets=pays_tickets)
    if hopper_cents is not None:
        limits = replace(cabinet.config.limits, hopper_cents=hopper_cents)
        cabinet.config = replace(cabinet.config, limits=limits)
    await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    await asyncio.sleep(DEVICES_S)
    yield cabinet
    await cabinet.stop()
    cabinet.audited()


async def test_a_note_is_stacked_and_credited_or_given_back(tmp_path: Path) -> None:
    """A note whose step could not be written is never kept without its credit."""
    async with running(tmp_path) as cabinet:
        for step in STEPS:
            cabinet.power.comes_back(step)
            cabinet.bills.insert(NOTE)
            assert await cabinet.goes_on()
            assert (cabinet.stacked_cents + cabinet.returned_cents, cabinet.credit) == (
                NOTE * step,
                cabinet.stacked_cents,
            )
        assert cabinet.stacked_cents > 0
        assert cabinet.returned_cents > 0


async def test_a_payout_is_finished_to_the_coin(tmp_path: Path) -> None:
    """The hopper pays on while nothing can be written; its own counters say how much, and the rest follows."""
    async with running(tmp_path) as cabinet:
        for step in STEPS:
            if cabinet.credit == 0:
                await cabinet.insert_note(NOTE)
                await asyncio.sleep(3.0)
            cabinet.power.comes_back(step)
            await cabinet.tap("collect")
            assert await cabinet.goes_on()
            assert cabinet.tray_cents == cabinet.stacked_cents - cabinet.credit
            assert await cabinet.rows("SELECT coalesce(sum(paid_cents), 0) FROM payouts") == [(cabinet.tray_cents,)]
        assert cabinet.tray_cents > NOTE


PAYERS: dict[str, Callable[[Path], VirtualCabinet]] = {
    "SMART Hopper": SmartHopperCabinet,
    "recycler": partial(RecyclerCabinet, stored={500: 12}),
    "MDB changer": MdbCabinet,
}
FEW_STEPS = (1, 2, 5)
"""Nothing is durable yet, the payout is, and it is under way."""


@pytest.mark.parametrize("payer", PAYERS)
async def test_whatever_pays_finishes_its_payout(tmp_path: Path, payer: str) -> None:
    """As the hopper of the test before: what left the device and the credit that is left are what there was."""
    cabinet, power = PAYERS[payer](tmp_path), Room(tmp_path / "journal.sqlite")
    cabinet._store = type("PoweredStore", (CutStore,), {"power": power})
    await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    await asyncio.sleep(2 * DEVICES_S)
    for step in FEW_STEPS:
        if cabinet.credit == 0:
            cabinet.bills.insert(NOTE)
            await cabinet.until(lambda: cabinet.credit == NOTE)
            await asyncio.sleep(3.0)
        before = cabinet.tray_cents
        power.comes_back(step)
        await cabinet.tap("collect")
        await cabinet.until(lambda: not cabinet.running)
        left = await cabinet.ended()
        assert isinstance(left, BaseExceptionGroup)
        assert left.split(DiskSpaceAgain)[1] is None
        power.comes_back()
        await cabinet.start(was_full=True)
        await cabinet.until(lambda: cabinet.state == "idle")
        await asyncio.sleep(2 * DEVICES_S)
        assert cabinet.tray_cents - before == NOTE - cabinet.credit
    assert cabinet.tray_cents > NOTE
    await cabinet.stop()


async def test_a_ticket_is_worth_something_or_paid_by_hand(tmp_path: Path) -> None:
    """One that was printed counts; where nobody knows an attendant pays, and the paper is worth nothing."""
    async with running(tmp_path, pays_tickets=True) as cabinet:
        by_hand = 0
        for step in STEPS:
            if cabinet.credit == 0:
                await cabinet.insert_note(NOTE)
                await asyncio.sleep(3.0)
            cabinet.power.comes_back(step)
            await cabinet.tap("collect")
            assert await cabinet.goes_on()
            if cabinet.state == "handpay":
                by_hand += NOTE
                await cabinet.turn_key("attendant")
                await cabinet.until(lambda: cabinet.credit == 0 and takes_coins(cabinet))
            [(papers,)] = await cabinet.rows("SELECT coalesce(sum(cents), 0) FROM tickets WHERE state = 'printed'")
            assert cabinet.stacked_cents == cabinet.credit + papers + by_hand
            await asyncio.sleep(3.0)
        assert by_hand > 0
        assert papers > 0


BY_HAND = "SELECT coalesce(sum(paid_cents), 0) FROM payouts WHERE kind = 'hand_pay'"
COINS_CENTS = 200
"""What the hopper pays at once here; the rest of a note is paid by hand."""


@asynccontextmanager
async def paying_by_hand(folder: Path) -> AsyncIterator[FullDiskCabinet]:
    """A cabinet whose hopper pays two coins of a cash-out."""
    async with running(folder, hopper_cents=COINS_CENTS) as cabinet:
        yield cabinet


async def collected(cabinet: FullDiskCabinet, step: int | None = None) -> bool:
    """Put a note in where no credit is left, and press COLLECT with the disk full at a step of it.

    Return whether it became full.
    """
    if cabinet.credit == 0:
        await asyncio.sleep(3.0)
        await cabinet.insert_note(NOTE)
        await asyncio.sleep(3.0)
    cabinet.power.comes_back(step)
    await cabinet.tap("collect")
    return await cabinet.goes_on()


async def test_a_hand_pay_that_begins_at_a_full_disk_is_exact(tmp_path: Path) -> None:
    """What the hopper has paid is paid once, the rest by the attendant, once; without a press it waits as it was."""
    async with paying_by_hand(tmp_path) as cabinet:
        began = 0
        for step in STEPS:
            assert await collected(cabinet, step)
            [(by_hand,)] = await cabinet.rows(BY_HAND)
            assert cabinet.stacked_cents == cabinet.tray_cents + cabinet.credit + by_hand
            if cabinet.state != "handpay":
                continue
            began += 1
            owed = cabinet.credit
            await cabinet.turn_key("attendant")
            await cabinet.until(lambda: cabinet.credit == 0 and takes_coins(cabinet))
            assert await cabinet.rows(BY_HAND) == [(by_hand + owed,)]
        assert began > 0


async def test_a_hand_pay_that_is_reset_at_a_full_disk_is_paid_once(tmp_path: Path) -> None:
    """The attendant's key either ended it durably or it still waits: the screen after the restart says which."""
    async with paying_by_hand(tmp_path) as cabinet:
        ends = set()
        for step in STEPS:
            await collected(cabinet)
            await cabinet.until(lambda: cabinet.state == "handpay")
            owed, [(before,)] = cabinet.credit, await cabinet.rows(BY_HAND)
            assert owed == NOTE - COINS_CENTS
            cabinet.power.comes_back(step)
            await cabinet.turn_key("attendant")
            await cabinet.goes_on()
            waits = cabinet.state == "handpay"
            ends.add(waits)
            assert (cabinet.credit, await cabinet.rows(BY_HAND)) == (owed * waits, [(before + owed * (not waits),)])
            if waits:
                await cabinet.turn_key("attendant")
                await cabinet.until(lambda: cabinet.credit == 0 and takes_coins(cabinet))
                assert await cabinet.rows(BY_HAND) == [(before + owed,)]
            assert cabinet.stacked_cents == cabinet.tray_cents + before + owed
        assert ends == {True, False}


async def test_a_round_goes_on_where_it_was(tmp_path: Path) -> None:
    """Its outcome was drawn before it was shown: it is played to its end, once, and no other is begun."""
    async with running(tmp_path) as cabinet:
        await cabinet.insert_note(NOTE)
        await asyncio.sleep(3.0)
        for step in STEPS:
            begun, credit = len(await cabinet.rows(ROUNDS)), cabinet.credit
            cabinet.power.comes_back(step)
            await cabinet.tap("spin")
            assert await cabinet.goes_on()
            played = (await cabinet.rows(ROUNDS))[begun:]
            assert len(played) <= 1
            assert cabinet.credit == credit + sum(won - staked for _, won, staked in played)
            assert {state for state, _, _ in played} <= {"settled"}


async def test_a_menu_that_was_open_asks_for_its_key(tmp_path: Path) -> None:
    """What was typed is gone with the menu; the key that is still on is named, and turned back play goes on."""
    async with running(tmp_path) as cabinet:
        await cabinet.insert_note(NOTE)
        assert cabinet.supervisor is not None
        number = cabinet.config.pins.keys["attendant"].pin
        cabinet.closed.add(number)
        cabinet.factory.pin(number).drive_low()
        await cabinet.until(lambda: cabinet.supervisor is not None and cabinet.supervisor.service.is_open)
        cabinet.power.comes_back(1)
        assert await cabinet.goes_on()
        machine = cabinet.supervisor.machine
        await cabinet.until(lambda: ("key_turned", "attendant") in machine.conditions.found())
        cabinet.closed.discard(number)
        cabinet.factory.pin(number).drive_high()
        await cabinet.until(lambda: takes_coins(cabinet))
        assert cabinet.credit == NOTE


async def test_the_books_name_it_and_nobody_is_needed(tmp_path: Path) -> None:
    """It is no crash: the event says what it was, and no notice waits for an attendant."""
    async with running(tmp_path) as cabinet:
        await cabinet.insert_note(NOTE)
        cabinet.power.comes_back(1)
        await cabinet.tap("spin")
        assert await cabinet.goes_on()
        starts = await cabinet.rows(
            "SELECT data ->> '$.how' FROM events JOIN ledger USING (seq) WHERE code = 'power_up' ORDER BY seq"
        )
        assert starts == [(Start.FIRST,), (Start.ROOM,)]
