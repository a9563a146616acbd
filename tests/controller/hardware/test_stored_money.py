"""What a recycler stores is no drop, what goes into the cash box is, once, wherever a kill or a cut comes.

Whole cabinets on virtual time: the cash box, the store and the tray are what the simulated devices hold.
"""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from controller.books.audit import audit
from drivers.simulated.ssp.payout_store import StoreHabits
from tests.rigs.money_cabinets import UNIT, RecyclerCabinet, SmartHopperCabinet
from tests.rigs.stored import START_UP_S, STORED, STORED_CENTS, Audited, end

AFTER_CUT = ("back", "out", "cashbox")


async def test_a_stored_note_is_no_drop_and_a_boxed_one_is(tmp_path: Path) -> None:
    """The recycler keeps notes up to its float; the collection expects those beyond it, and the hard meter too."""
    cabinet = RecyclerCabinet(tmp_path, stored=STORED, float_coins=14)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    assert (await books.read())["stored"] == STORED_CENTS
    await cabinet.insert_note(1000)
    await asyncio.sleep(4.0)
    figures = await books.read()
    assert (cabinet.stacked_cents, figures["drop"], figures["stored"]) == (0, 0, 7000)
    await cabinet.insert_note(2000)
    await asyncio.sleep(4.0)
    figures = await books.read()
    assert (cabinet.stacked_cents, figures["drop"], figures["stored"]) == (2000, 2000, 7000)
    assert figures["notes_in"] == 3000
    await cabinet.kill()
    assert audit(tmp_path / "journal.sqlite", lambda *_: None).failures == []


async def test_a_payout_leaves_the_drop_alone(tmp_path: Path) -> None:
    """What is paid with stored notes was never in the cash box."""
    cabinet = RecyclerCabinet(tmp_path)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    for _ in range(3):
        await cabinet.insert_note(1000)
        await asyncio.sleep(4.0)
    await cabinet.tap("collect")
    await cabinet.until(lambda: cabinet.tray_cents == 3000)
    await asyncio.sleep(5.0)
    figures = await books.read()
    assert (cabinet.stacked_cents, figures["drop"], figures["stored"], figures["items"]) == (0, 0, 0, 0)
    await cabinet.kill()


@pytest.mark.parametrize("keep", [0, 4])
async def test_the_store_goes_into_the_cash_box_once(tmp_path: Path, keep: int) -> None:
    """Emptied, or down to a float: drop, store and events say so."""
    cabinet = RecyclerCabinet(tmp_path, stored=STORED)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(keep)
    figures = await books.over()
    moved = STORED_CENTS - keep * UNIT
    assert (cabinet.stacked_cents, cabinet.stored_cents, cabinet.tray_cents) == (moved, keep * UNIT, 0)
    assert (figures["drop"], figures["stored"], figures["items"]) == (moved, keep * UNIT, 0)
    assert await books.events() == ["store_wanted", "store_moved"]
    await cabinet.kill()


async def test_the_hopper_is_emptied_into_its_cash_box(tmp_path: Path) -> None:
    """A SMART Hopper's coins become drop when they fall into the cash box."""
    cabinet = SmartHopperCabinet(tmp_path, stock={50: 6, 100: 4, 200: 1})
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(0)
    figures = await books.over()
    assert cabinet.coins_boxed_cents == figures["hopper_emptied"] == figures["drop"] == 900
    assert (figures["stored"], figures["items"], cabinet.tray_cents) == (0, 0, 0)
    await cabinet.kill()


async def test_a_jam_ends_the_move_with_what_came(tmp_path: Path) -> None:
    """It says why; it can be wanted again afterwards."""
    cabinet = RecyclerCabinet(tmp_path, stored=STORED)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(0)
    await cabinet.until(lambda: cabinet.stacked_cents > 0)
    cabinet.payer.store.jammed = True
    figures = await books.over()
    assert 0 < figures["drop"] == cabinet.stacked_cents < STORED_CENTS
    assert await books.events() == ["store_wanted", "store_not_moved"]
    cabinet.payer.store.jammed = False
    await books.want(0)
    figures = await books.over()
    assert figures["drop"] == cabinet.stacked_cents == STORED_CENTS
    await cabinet.kill()


async def _cut(
    folder: Path, moment_s: float, *, mains: bool, keep: int, habits: StoreHabits, again_s: float | None = None
) -> None:
    """End the program, or the power, `moment_s` after the move was wanted, and `again_s` later: it is made once."""
    cabinet = RecyclerCabinet(folder, stored=STORED, store=habits)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(keep)
    await asyncio.sleep(moment_s)
    await end(cabinet, mains=mains)
    if again_s is not None:
        await asyncio.sleep(again_s)
        await end(cabinet, mains=mains)
    await asyncio.sleep(START_UP_S)
    figures = await books.over()
    assert cabinet.stacked_cents + cabinet.stored_cents + cabinet.tray_cents == STORED_CENTS
    assert figures["drop"] == cabinet.stacked_cents, "a collection expects what is in the cash box"
    assert figures["stored"] == cabinet.stored_cents
    assert figures["items"] == cabinet.tray_cents, "a note that a cut let out is an open item"
    assert cabinet.stored_cents <= keep * UNIT
    assert (await books.events()).count("store_moved") == 1
    await cabinet.kill()
    assert audit(folder / "journal.sqlite", lambda *_: None).failures == []


async def _cut_payout(
    folder: Path, moment_s: float, *, mains: bool, habits: StoreHabits, again_s: float | None = None
) -> None:
    """Cash out 30.00 with notes, and cut, twice with `again_s`; all is paid, and what fell into the box is drop."""
    cabinet = RecyclerCabinet(folder, stored=STORED, store=habits)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    for value in (2000, 1000):
        await cabinet.insert_note(value)
        await asyncio.sleep(4.0)
    await cabinet.tap("collect")
    await asyncio.sleep(moment_s)
    await end(cabinet, mains=mains)
    if again_s is not None:
        await asyncio.sleep(again_s)
        await end(cabinet, mains=mains)
    await asyncio.sleep(40.0)
    figures = await books.read()
    assert cabinet.stacked_cents + cabinet.stored_cents + cabinet.tray_cents == STORED_CENTS + 3000
    assert figures["hopper_out"] == cabinet.tray_cents == 3000
    assert (figures["drop"], figures["stored"]) == (cabinet.stacked_cents, cabinet.stored_cents)
    assert (figures["items"], cabinet.credit) == (0, 0)
    await cabinet.kill()


@pytest.mark.parametrize(("moment_s", "after_cut"), [(3.4, "cashbox"), (3.4, "out"), (2.0, "back")])
async def test_a_power_cut_within_a_payout(tmp_path: Path, moment_s: float, after_cut: str) -> None:
    """A note that the cut caught falls to the player, back, or into the cash box: there it is drop, and not paid."""
    await _cut_payout(tmp_path, moment_s, mains=True, habits=StoreHabits(grip_s=0.5, exit_s=1.0, after_cut=after_cut))


@pytest.mark.parametrize("again_s", [3.0, 4.0])
async def test_a_second_power_cut_soon_after_the_first(tmp_path: Path, again_s: float) -> None:
    """The device repeats what became of the caught note until that is booked, over the second cut too."""
    habits = StoreHabits(grip_s=0.5, exit_s=1.0, after_cut="cashbox")
    await _cut_payout(tmp_path, 3.4, mains=True, habits=habits, again_s=again_s)


@pytest.mark.proof
@pytest.mark.parametrize("after_cut", AFTER_CUT)
@pytest.mark.parametrize("moment_s", [2.2, 3.4, 4.9])
async def test_a_second_power_cut_at_each_step_after_the_first(tmp_path: Path, after_cut: str, moment_s: float) -> None:
    """Every quarter of a second, within a payout and within a move."""
    for step in range(32):
        for name, cut in (("payout", _cut_payout), ("move", partial(_cut, keep=0))):
            folder = tmp_path / f"{name}{step}"
            folder.mkdir()
            habits = StoreHabits(grip_s=0.5, exit_s=1.0, after_cut=after_cut)
            await cut(folder, moment_s, mains=True, habits=habits, again_s=step / 4)


@pytest.mark.proof
@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("counts_at_reset", [False, True])
@pytest.mark.parametrize("after_cut", AFTER_CUT)
async def test_a_cut_at_each_step_of_a_payout(
    tmp_path: Path, after_cut: str, *, counts_at_reset: bool, mains: bool
) -> None:
    """Every tenth of a second of it."""
    for step in range(60):
        folder = tmp_path / str(step)
        folder.mkdir()
        habits = StoreHabits(grip_s=0.5, exit_s=1.0, after_cut=after_cut, counts_at_reset=counts_at_reset)
        await _cut_payout(folder, 0.1 + step / 10, mains=mains, habits=habits)


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize(("moment_s", "after_cut"), [(0.2, "back"), (2.2, "out"), (3.1, "cashbox"), (6.4, "out")])
async def test_a_cut_within_a_move(tmp_path: Path, moment_s: float, after_cut: str, *, mains: bool) -> None:
    """At a few moments of an emptying."""
    await _cut(tmp_path, moment_s, mains=mains, keep=0, habits=StoreHabits(grip_s=0.5, exit_s=1.0, after_cut=after_cut))


@pytest.mark.proof
@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("after_cut", AFTER_CUT)
@pytest.mark.parametrize("keep", [0, 5])
async def test_a_cut_at_each_step_of_a_move(tmp_path: Path, after_cut: str, keep: int, *, mains: bool) -> None:
    """Every fifth of a second of it."""
    for step in range(60):
        folder = tmp_path / str(step)
        folder.mkdir()
        habits = StoreHabits(grip_s=0.5, exit_s=1.0, after_cut=after_cut)
        await _cut(folder, step / 5, mains=mains, keep=keep, habits=habits)
