"""A payout, and what a hopper holds by level, over another hopper, another coin and another step in `cabinet.toml`.

Whole cabinets on virtual time. What left the hopper lies in the tray; what the player is still owed is credit, a
hand-pay that waits being part of it; what is in doubt is an open item with bounds.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.hardware import hopper_books
from controller.journal import refills
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.open_items import open_items
from controller.journal.store import Store
from drivers.capabilities import StockCount, Stocktaking
from drivers.cctalk.hopper_wire import LIFETIME_SPAN
from tests.rigs.books import laid
from tests.rigs.money_cabinets import COIN_UNIT, TUBE_UNIT, UNIT, MdbCabinet, RecyclerCabinet, SmartHopperCabinet
from tests.rigs.virtual_cabinet import VirtualCabinet, but_coins

CREDIT = 1000
MOMENTS = (0.06, 0.1, 0.12, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 4.0)
"""Seconds from the press of COLLECT to the kill: before the payout's row, before its order, and within it."""

Swap = Callable[[VirtualCabinet], None]


def step(cabinet: VirtualCabinet, cents: int) -> None:
    """Write another step into `cabinet.toml`."""
    assert cabinet.config.hopper is not None
    cabinet.config = replace(cabinet.config, hopper=replace(cabinet.config.hopper, coin_value_cents=cents))


def of_coins(value_cents: int, *, serial: int | None = None) -> Swap:
    """Another ccTalk hopper, of those coins, and its step in the file; `serial` None for one of its own."""

    def swap(cabinet: VirtualCabinet) -> None:
        cabinet.hopper.swap(value_cents, serial=cabinet.hopper.identity.serial if serial == 0 else serial)
        step(cabinet, value_cents)

    return swap


def naming(value_cents: int) -> Swap:
    """A ccTalk hopper of the same number that names other coins than the file does, which stays as it is."""
    return lambda cabinet: cabinet.hopper.swap(value_cents, serial=cabinet.hopper.identity.serial)


def filled_recycler(folder: Path) -> RecyclerCabinet:
    """A validator that pays, with notes of three kinds in its store."""
    return RecyclerCabinet(folder, stored={500: 10, 1000: 5, 2000: 3})


async def in_doubt(cabinet: VirtualCabinet) -> int:
    """The most that the open items leave in doubt, in cents.

    A hopper of the same number whose counter begins anew is the only item without an amount.
    """
    assert cabinet.supervisor is not None
    items = but_coins(await cabinet.supervisor.journal.do(open_items))
    assert {item.kind for item in items if item.amount_cents is None} <= {"hopper_recount"}, items
    return sum(item.amount_cents or 0 for item in items)


async def pressed(cabinet: VirtualCabinet, moment_s: float) -> asyncio.Task[None]:
    """Put 10.00 in, press COLLECT, and return the press at that moment."""
    await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    await asyncio.sleep(8.0)
    await cabinet.insert_note(CREDIT)
    await cabinet.until(lambda: cabinet.state == "idle")
    tap = asyncio.create_task(cabinet.tap("collect"))
    await asyncio.sleep(moment_s)
    return tap


async def collected(cabinet: VirtualCabinet, swap: Swap, moment_s: float, *, mains: bool) -> None:
    """Put 10.00 in, press COLLECT, kill the program at that moment, swap, and start again; let it come to rest."""
    tap = await pressed(cabinet, moment_s)
    await cabinet.crash()
    await tap
    if mains:
        cabinet.mains(on=False)
    swap(cabinet)
    await asyncio.sleep(5.0)
    await cabinet.start()
    await asyncio.sleep(30.0)


async def accounted(cabinet: VirtualCabinet) -> None:
    """Hold what the player got and is owed against what he put in."""
    got = cabinet.tray_cents + cabinet.credit
    assert got <= CREDIT <= got + await in_doubt(cabinet), (cabinet.tray_cents, cabinet.credit, cabinet.state)


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("moment_s", MOMENTS)
@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "swap",
    [of_coins(200), of_coins(50), of_coins(100), of_coins(200, serial=0), of_coins(50, serial=0), naming(200)],
    ids=["two", "half", "same coin", "two, same number", "half, same number", "two, same number, same file"],
)
async def test_no_hopper_goes_on_with_the_payout_of_another(
    tmp_path: Path, swap: Swap, moment_s: float, *, mains: bool
) -> None:
    """Of a payout that was not ordered yet nothing leaves the new hopper: the rest is paid by hand."""
    cabinet = VirtualCabinet(tmp_path)
    try:
        await collected(cabinet, swap, moment_s, mains=mains)
        await accounted(cabinet)
    finally:
        await cabinet.kill()


@pytest.mark.parametrize("moment_s", [0.1, *(pytest.param(at, marks=pytest.mark.proof) for at in MOMENTS[3:])])
@pytest.mark.parametrize("same", [True, False])
async def test_no_hopper_that_is_put_in_while_the_program_runs_goes_on(
    tmp_path: Path, moment_s: float, *, same: bool
) -> None:
    """A dead hopper is exchanged within its payout: for one of its number with other coins, or another one."""
    cabinet = VirtualCabinet(tmp_path)
    try:
        tap = await pressed(cabinet, moment_s)
        cabinet.lines["hopper"].unplug()
        await tap
        cabinet.hopper.swap(200 if same else 100, serial=cabinet.hopper.identity.serial if same else None)
        cabinet.lines["hopper"].plug()
        await asyncio.sleep(60.0)
        await accounted(cabinet)
    finally:
        await cabinet.kill()


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("moment_s", MOMENTS)
@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("made", "steps"), [(SmartHopperCabinet, (100, 200)), (MdbCabinet, (20, 50, 100))], ids=["smart", "changer"]
)
async def test_a_payout_does_not_go_on_in_another_step(
    tmp_path: Path,
    made: type[SmartHopperCabinet] | type[MdbCabinet],
    steps: tuple[int, ...],
    moment_s: float,
    *,
    mains: bool,
) -> None:
    """The same device with another step in the file: short, or an open item where an order was on its way."""
    for number, cents in enumerate(steps):
        (tmp_path / str(number)).mkdir()
        cabinet = made(tmp_path / str(number))
        try:
            await collected(cabinet, lambda one, cents=cents: step(one, cents), moment_s, mains=mains)
            await accounted(cabinet)
        finally:
            await cabinet.kill()


@pytest.mark.parametrize(
    ("made", "before", "steps"),
    [
        (SmartHopperCabinet, COIN_UNIT, (100, 200, 50)),
        (MdbCabinet, TUBE_UNIT, (20, 50, 100, 10)),
        (filled_recycler, UNIT, (1000, 2000, 500)),
    ],
    ids=["smart", "changer", "recycler"],
)
async def test_another_step_of_an_unchanged_hopper_is_no_discrepancy(
    tmp_path: Path, made: Callable[[Path], VirtualCabinet], before: int, steps: tuple[int, ...]
) -> None:
    """No item, no fault, no tilt; coins that leave unordered after it are found as before."""
    cabinet = made(tmp_path)
    for cents in (before, *steps):
        step(cabinet, cents)
        supervisor = await cabinet.start()
        await asyncio.sleep(20.0)
        assert await in_doubt(cabinet) == 0
        faults = {fault.code for fault in supervisor.machine.conditions.faults} - {"power_reset"}
        assert (faults, supervisor.machine.conditions.overlay) == (set(), None)
        await cabinet.stop()


@pytest.mark.parametrize("moment", ["with the change", "after it"])
@pytest.mark.parametrize("cents", [100, 200])
async def test_coins_that_leave_unordered_over_another_step_are_found(tmp_path: Path, cents: int, moment: str) -> None:
    """What was counted in the old step before is compared in that step, and what comes after it in the new one."""
    cabinet = SmartHopperCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(20.0)
    await cabinet.stop()
    step(cabinet, cents)
    if moment == "after it":
        await cabinet.start()
        await asyncio.sleep(20.0)
        await cabinet.stop()
    cabinet.payer.store.add(200, -3)
    await cabinet.start()
    await asyncio.sleep(20.0)
    assert await in_doubt(cabinet) == 600
    await cabinet.kill()


def test_coins_that_were_put_in_are_counted_once_over_another_step(tmp_path: Path) -> None:
    """What the hopper is told to have more is the amount since it was last told, in coins of the step of now."""
    with closing(Store(laid(tmp_path / "journal.sqlite"), lambda: 0, simulated=True)) as store:
        store.transact(lambda tx: refills.refill_hopper(tx, 10, 100, "attendant"))
        assert store.transact(lambda tx: refills.put_in_since(tx, 1, 100)) == 0
        store.transact(lambda tx: refills.refill_hopper(tx, 3, 100, "attendant"))
        assert store.transact(lambda tx: refills.put_in_since(tx, 1, 100)) == 3
        assert store.transact(lambda tx: refills.put_in_since(tx, 1, 50)) == 0
        store.transact(lambda tx: refills.refill_hopper(tx, 3, 50, "attendant"))
        assert store.transact(lambda tx: refills.put_in_since(tx, 1, 100)) == 1
        assert store.transact(lambda tx: refills.put_in_since(tx, 1, 50)) == 1


def test_a_test_s_dispense_that_was_cut_off_does_not_go_on_in_another_step(tmp_path: Path) -> None:
    """What left meanwhile was the test's, and is to be put back; no coin of it is a discrepancy."""
    serial, held = 7, {50: 20}
    with closing(Store(laid(tmp_path / "journal.sqlite"), lambda: 0, simulated=True)) as store:

        def count(pieces: dict[int, int], step_cents: int) -> Stocktaking:
            lifetime = -(sum(value * number for value, number in pieces.items()) // step_cents) % LIFETIME_SPAN
            found = StockCount(serial=serial, lifetime=lifetime, pieces=pieces)
            return store.transact(lambda tx: hopper_books.stock_counted(tx, found, step_cents, recycles=False))

        count(held, 50)
        store.transact(lambda tx: hopper_diagnostic.begin(tx, 5, 50))
        lifetime = -20 % LIFETIME_SPAN
        store.transact(lambda tx: hopper_books.dispensing_for_test(tx, serial, 0, lifetime, 50, by_level=True))
        assert count({50: 18}, 100).settled
        assert store.transact(hopper_diagnostic.running) is None
        out = store.transact(hopper_diagnostic.coins_out)
        assert (out.missing, out.value_cents) == (2, 50)
        assert store.transact(open_items) == []
