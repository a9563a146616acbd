"""Moves into the cash box that are wanted in the menu, over kills and restores, of all that a hopper holds.

Whole cabinets on virtual time: the cash box, the store and the tray are what the simulated devices hold.
"""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.books.rotation import no_step
from controller.journal.stored_money import want
from drivers.capabilities import StockCount
from drivers.cctalk.hopper_wire import LIFETIME_SPAN
from drivers.simulated.ssp.frames import Event
from drivers.simulated.ssp.payout_store import Happening, Step, StoreHabits
from tests.rigs.cleared_books import cleared
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.money_cabinets import UNIT, RecyclerCabinet, SmartHopperCabinet
from tests.rigs.restored_books import bound, copied, decided, lost_and_restored
from tests.rigs.stored import START_UP_S, STORED, STORED_CENTS, Audited, end
from tests.rigs.technician import Technician
from tests.rigs.virtual_cabinet import configuration

pytestmark = pytest.mark.sampled(3)

PULSES_S = 300.0
"""By then the hard meters have their pulses."""
WANTED_S = {0: 6.1, 5: 6.3}
"""By then the menu's way to the move is gone, and it is durable."""
SLOW = StoreHabits(grip_s=0.5, exit_s=1.0, after_cut="cashbox")


async def asked_for(cabinet: RecyclerCabinet, keep: int) -> None:
    """Have the technician want the move on U.15: everything, or all but so many units."""
    technician = Technician(cabinet)
    await technician.open(door=False)
    await technician.go("U.15")
    if keep:
        await technician.enter("Keep a float, the rest into the cash box")
        for control in (*(f"service:digit:{digit}" for digit in str(keep * UNIT)), "service:done"):
            await technician.touch(control)
    else:
        await technician.enter("Empty into the cash box")
    while technician.page.question:
        await technician.key("up")
        await technician.key("enter")
    assert technician.page.message == "It will be moved into the cash box"
    technician.turn(on=False)


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("keep", [0, 5])
@pytest.mark.parametrize("moment_s", [3.0, 6.1, 6.2, 6.6, 8.6, 9.4, 13.0])
async def test_a_move_wanted_in_the_menu_is_made_once_or_never(
    tmp_path: Path, keep: int, moment_s: float, *, mains: bool
) -> None:
    """The program, or the power, ends somewhere from the key's turn to the last note."""
    cabinet = RecyclerCabinet(tmp_path, stored=STORED, store=SLOW)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    wanting = asyncio.create_task(asked_for(cabinet, keep))
    await asyncio.sleep(moment_s)
    wanting.cancel()
    await asyncio.wait({wanting})
    Technician(cabinet).turn(on=False)
    await end(cabinet, mains=mains)
    await asyncio.sleep(START_UP_S)
    figures = await books.over()
    events = await books.events()
    assert events in ([], ["store_wanted", "store_moved"])
    assert (events == []) is (moment_s < WANTED_S[keep])
    assert cabinet.stored_cents == (keep * UNIT if events else STORED_CENTS)
    assert cabinet.stacked_cents + cabinet.stored_cents == STORED_CENTS
    assert (figures["drop"], figures["stored"], figures["items"]) == (cabinet.stacked_cents, cabinet.stored_cents, 0)
    await cabinet.kill()
    assert audit(tmp_path / "journal.sqlite", lambda *_: None).failures == []


async def test_a_backup_in_which_a_move_was_wanted_moves_nothing_anew(tmp_path: Path) -> None:
    """The move was made before the books were cleared and restored: later notes stay, and each is in the box once."""
    bound(tmp_path).close()
    cabinet = RecyclerCabinet(tmp_path, stored=STORED, store=SLOW)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(0)
    await cabinet.kill()
    copy = copied(tmp_path)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    assert (await books.over())["drop"] == STORED_CENTS == cabinet.stacked_cents
    await asyncio.sleep(PULSES_S)
    await cabinet.kill()
    cleared(tmp_path)
    bound(tmp_path).close()
    decided(tmp_path, copy, no_step)
    bound(tmp_path).close()
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await cabinet.insert_note(1000)
    await asyncio.sleep(20.0)
    figures = await books.over()
    assert (cabinet.stacked_cents, cabinet.stored_cents) == (STORED_CENTS, 1000)
    assert (figures["drop"], figures["stored"], figures["items"]) == (STORED_CENTS, 1000, 0)
    await cabinet.kill()
    assert audit(tmp_path / "journal.sqlite", lambda *_: None).failures == []


async def test_a_backup_of_lost_books_moves_nothing_that_was_wanted_in_it(tmp_path: Path) -> None:
    """What left the device since may have been paid: it is an open item, and what players put in since stays."""
    bound(tmp_path).close()
    cabinet = RecyclerCabinet(tmp_path, stored=STORED, store=SLOW)
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(0)
    await cabinet.kill()
    copy = copied(tmp_path)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.over()
    await cabinet.insert_note(1000)
    await asyncio.sleep(4.0)
    await cabinet.kill()
    lost_and_restored(tmp_path, copy)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    figures = await books.over()
    assert (cabinet.stacked_cents, cabinet.stored_cents) == (STORED_CENTS, 1000)
    assert (figures["drop"], figures["stored"], figures["items"]) == (0, 1000, STORED_CENTS - 1000)
    assert await books.events() == ["store_wanted", "store_not_moved"]
    await cabinet.kill()


@pytest.mark.parametrize("keep", [0, 4])
async def test_coins_that_are_never_paid_are_drop_in_the_cash_box(tmp_path: Path, keep: int) -> None:
    """A hopper that pays in steps of 0.50 holds coins of 0.20 and 0.10 too: an emptying takes them along."""
    cabinet = SmartHopperCabinet(tmp_path, stock={10: 3, 20: 7, 50: 6, 100: 4})
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    assert (await books.read())["stored"] == 870
    await books.want(keep)
    figures = await books.over()
    assert cabinet.coins_boxed_cents == figures["hopper_emptied"] == figures["drop"] == 870 - keep * 50
    assert (figures["stored"], figures["items"], cabinet.tray_cents) == (keep * 50, 0, 0)
    await cabinet.kill()


async def test_coins_that_a_payout_sorts_out_are_drop(tmp_path: Path) -> None:
    """On its way to the coins that it pays the hopper sends the others into its cash box."""
    cabinet = SmartHopperCabinet(tmp_path, stock={20: 7, 50: 6, 100: 4})
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await cabinet.insert_note(500)
    await asyncio.sleep(4.0)
    await cabinet.tap("collect")
    await asyncio.sleep(30.0)
    figures = await books.over()
    assert cabinet.tray_cents == figures["hopper_out"] == 500
    assert cabinet.coins_boxed_cents == figures["hopper_emptied"] > 0
    assert (figures["stored"], figures["items"]) == (cabinet.payer.store.held[20] * 20 + 200, 0)
    await cabinet.kill()


@pytest.mark.parametrize(("second_s", "kill_s"), [(5.0, 1.0), (6.5, 0.0), (7.0, 0.4), (7.5, 0.0), (7.5, 1.0)])
async def test_two_notes_of_a_payout_in_the_cash_box_with_a_kill_between(
    tmp_path: Path, second_s: float, kill_s: float
) -> None:
    """A power cut lets one note fall there, its clearing a second of the same value: both are owed to the player."""
    cabinet = RecyclerCabinet(tmp_path, stored=STORED, store=SLOW)
    books, store = Audited(cabinet), cabinet.payer.store
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    for value in (2000, 1000):
        await cabinet.insert_note(value)
        await asyncio.sleep(4.0)
    await cabinet.tap("collect")
    await asyncio.sleep(3.4)
    await end(cabinet, mains=True)
    await asyncio.sleep(second_s)
    first = cabinet.stacked_cents
    assert first > 0
    store.held[first] -= 1
    store.levels[first] -= 1
    cabinet._note_stacked(first)
    cabinet.payer.happened(Happening(Event.TO_STACKER_AT_RESET, first))
    await asyncio.sleep(kill_s)
    await end(cabinet, mains=False)
    await asyncio.sleep(60.0)
    figures = await books.read()
    assert figures["hopper_out"] == cabinet.tray_cents == 3000
    assert (figures["drop"], figures["stored"]) == (cabinet.stacked_cents, cabinet.stored_cents)
    assert figures["drop"] == 2 * first
    await cabinet.kill()


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("keep", [0, 4])
@pytest.mark.parametrize("poured", [1, 2, 30])
async def test_coins_poured_in_hide_nothing_that_an_interrupted_move_took(
    tmp_path: Path, keep: int, poured: int, *, mains: bool
) -> None:
    """The restarted cabinet counts as many as before, or more: the hopper's figure of the move says what it took."""
    cabinet = SmartHopperCabinet(tmp_path, stock={20: 2, 50: 6, 100: 4}, store=StoreHabits(grip_s=0.5, exit_s=0.5))
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(keep)
    await asyncio.sleep(4.2)
    assert 0 < cabinet.coins_boxed_cents < 740 - keep * 50
    await cabinet.crash()
    if mains:
        cabinet.mains(on=False)
        await asyncio.sleep(1.0)
        cabinet.mains(on=True)
    else:
        await asyncio.sleep(30.0)
    cabinet.payer.store.add(50, poured)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    figures = await books.over()
    assert cabinet.coins_boxed_cents == figures["hopper_emptied"] == figures["drop"]
    assert (figures["stored"], figures["items"], cabinet.tray_cents) == (keep * 50, 0, 0)
    await cabinet.kill()


@pytest.mark.parametrize("cuts", [1, 2])
async def test_a_coin_that_a_cut_lets_out_of_a_move_is_one_in_the_books(tmp_path: Path, cuts: int) -> None:
    """The hopper repeats what it let out until that is acknowledged: one coin in the tray is one in the items."""
    cabinet = SmartHopperCabinet(tmp_path, stock={50: 20}, store=replace(SLOW, after_cut="out"))
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(0)
    await asyncio.sleep(5.0)
    for cut in range(1, cuts + 1):
        for _ in range(300):
            operation = cabinet.payer.store.operation
            if operation is not None and operation.step is Step.ON_ITS_WAY:
                break
            await asyncio.sleep(0.1)
        await end(cabinet, mains=True)
        assert cabinet.tray_cents == cut * 50
    await asyncio.sleep(START_UP_S)
    figures = await books.over()
    assert cabinet.tray_cents == figures["items"] == cuts * 50
    assert cabinet.coins_boxed_cents == figures["hopper_emptied"] == figures["drop"] == 1000 - cuts * 50
    await cabinet.kill()


async def test_coins_poured_in_while_a_move_is_made_hide_nothing(tmp_path: Path) -> None:
    """As many come in as the move takes, in a cabinet that goes on, twice: each move says the same."""
    cabinet = SmartHopperCabinet(tmp_path, stock={50: 6}, store=StoreHabits(grip_s=0.5, exit_s=0.5))
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    for boxed in (200, 400):
        await books.want(2)
        await asyncio.sleep(4.2)
        cabinet.payer.store.add(50, 4)
        figures = await books.over()
        assert cabinet.coins_boxed_cents == figures["drop"] == boxed
        assert (figures["items"], figures["wanted"]) == (0, False)
    await cabinet.kill()


@pytest.mark.parametrize("poured", [5, 6, 8])
async def test_coins_poured_in_after_a_move_like_the_one_before_it_hide_nothing(tmp_path: Path, poured: int) -> None:
    """The hopper's figure is the same before and after; that the move has begun is durable."""
    cabinet = SmartHopperCabinet(tmp_path, stock={50: 6}, store=StoreHabits(grip_s=0.5, exit_s=0.5))
    books = Audited(cabinet)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    await books.want(0)
    await books.over()
    cabinet.payer.store.add(50, 6)
    await asyncio.sleep(3.0)
    await books.want(0)
    await asyncio.sleep(4.2)
    await cabinet.crash()
    await asyncio.sleep(30.0)
    assert cabinet.coins_boxed_cents == 600
    cabinet.payer.store.add(50, poured)
    await cabinet.start()
    await asyncio.sleep(START_UP_S)
    figures = await books.over()
    assert cabinet.coins_boxed_cents == figures["drop"] == 600 + poured * 50
    assert (figures["items"], figures["stored"]) == (0, 0)
    await cabinet.kill()


SAID = {20: 1, 50: 6}
"""What the hopper says of its newest operation, 3.20."""


@pytest.mark.parametrize(
    ("said", "held", "drop", "item"),
    [
        ((SAID, SAID), 8, 0, [("hopper_recount", 320)]),
        ((SAID, SAID), 6, 0, []),
        ((SAID, SAID), 4, 320, []),
        ((SAID, {50: 2}), 9, 100, []),
        (({}, SAID), 9, 320, []),
        (({}, {}), 9, 0, [("hopper_recount", None)]),
        ((None, None), 9, 0, [("hopper_recount", None)]),
        ((None, None), 2, 200, []),
    ],
)
async def test_what_nobody_can_know_of_a_move_is_an_open_item(
    tmp_path: Path,
    said: tuple[dict[int, int] | None, dict[int, int] | None],
    held: int,
    drop: int,
    item: list[tuple[str, int | None]],
) -> None:
    """A kill around the order, six coins of 50 before it and `held` at the next count; the hopper `said` at both."""
    config = configuration(tmp_path)
    assert config.hopper is not None
    config = replace(config, hopper=replace(config.hopper, protocol="ssp", coin_value_cents=50))

    def count(units: int, boxed: dict[int, int] | None) -> StockCount:
        return StockCount(serial=7, lifetime=-units % LIFETIME_SPAN, pieces={50: units}, boxed=boxed)

    async with Rig(tmp_path, hopper=PlainHopper(), config=config) as rig:
        await rig.listener.stock_counted(count(6, None))
        await rig.journal.do(lambda tx: want(tx, 0, "technician"))
        await rig.listener.stock_moving(7, said[0])
        assert await rig.listener.stock_counted(count(held, said[1])) == (True, 0)
        assert await rig.meter("hopper_emptied") == drop
        assert await rig.rows("SELECT kind, amount_cents FROM open_items") == item
        assert await rig.listener.stock_counted(count(held, said[1])) == (True, 0)
        assert await rig.meter("hopper_emptied") == drop
