"""The drivers of eSSP and the simulated devices, written apart from each other, on one line."""

import asyncio
import random
from typing import Any

import pytest

from drivers.capabilities import PayoutEnd
from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.ssp.smart_hopper import HopperHabits, SimulatedSmartHopper
from tests.rigs.ssp_cash import UNIT, CashRig
from tests.rigs.ssp_recycler import UNIT as NOTE_UNIT
from tests.rigs.ssp_recycler import RecyclerRig

AFTER_CUT = ("back", "out", "cashbox")


def hopper(chance: random.Random, after_cut: str) -> SimulatedSmartHopper:
    """A simulated hopper with a tray, whose habits in a power cut are drawn."""
    tray: list[int] = []
    store = StoreHabits(after_cut=after_cut, counts_at_reset=chance.random() < 0.5, grip_s=chance.choice([0.05, 0.3]))
    device: Any = SimulatedSmartHopper(
        value_cents=UNIT,
        stock={20: 30, 50: 30, 100: 20, 200: 10},
        habits=HopperHabits(store=store, keeps_events=chance.random() < 0.5),
        coin_out=tray.append,
    )
    device.tray = tray
    return device  # type: ignore[no-any-return]


async def cut_in_a_payout(seed: int) -> None:
    """One payout of 11.50 with one or two power cuts: the tray, the books and the order are equal."""
    chance = random.Random(seed)
    after_cut = AFTER_CUT[seed % 3]
    desk = CashRig(hopper(chance, after_cut))
    await desk.start()
    paying = asyncio.ensure_future(desk.pay(23))
    for _ in range(chance.choice([1, 1, 2])):
        await asyncio.sleep(chance.uniform(0.05, 2))
        desk.device.power(on=False)
        await asyncio.sleep(chance.choice([0.2, 3, 20]))
        desk.device.power(on=True)
    outcome = await paying
    await asyncio.sleep(5)

    assert outcome.end is PayoutEnd.DONE, (seed, outcome)
    assert (sum(desk.device.tray), desk.books.paid) == (23 * UNIT, 23), seed
    # a coin that a cut has caught and that falls into the cash box has left the hopper unordered: an open item
    assert desk.books.strays == 0 or after_cut == "cashbox", seed
    await desk.end()


async def test_an_amount_is_paid() -> None:
    """Keys are agreed, coins are set on their ways, and 11.50 are paid and booked."""
    desk = CashRig(hopper(random.Random(0), "back"))
    await desk.start()
    outcome = await desk.pay(23)

    assert (outcome.end, outcome.faults) == (PayoutEnd.DONE, ())
    desk.check(23)
    assert desk.books.paid == 23
    await desk.end()


@pytest.mark.parametrize("seed", range(6))
async def test_power_cuts_in_a_payout(seed: int) -> None:
    """Wherever a cut catches a coin, and whatever becomes of that, each cent is paid once."""
    await cut_in_a_payout(seed)


@pytest.mark.proof
async def test_many_power_cuts_in_payouts() -> None:
    """The same for hundreds of drawn moments and habits."""
    for seed in range(6, 300):
        await cut_in_a_payout(seed)


async def test_a_note_is_stored_and_paid_out_again() -> None:
    """A note of 10 is credited once and raises the level; 35 are paid in notes; then notes are taken again."""
    rig = RecyclerRig({500: 3, 1000: 2})
    await rig.start()
    assert rig.notes.found == ["serial number 1873452, firmware SIM2000333000000, dataset EUR01610, encrypted"]
    rig.device.insert(1000)
    await asyncio.sleep(15)
    assert (rig.notes.credit_cents, rig.boxed, rig.returned) == (1000, [], [])

    outcome = await rig.pay(7)

    assert (outcome.end, outcome.faults) == (PayoutEnd.DONE, ())
    assert (sorted(rig.tray), rig.cash.paid, rig.cash.strays) == ([500, 1000, 1000, 1000], 7, 0)
    await asyncio.sleep(10)
    rig.device.insert(2000)
    await asyncio.sleep(15)
    assert (rig.notes.credit_cents, rig.notes.open_items, rig.cash.strays) == (3000, [], 0)
    assert rig.deaths == []
    await rig.kill()


async def test_a_full_store_sends_notes_to_the_cash_box() -> None:
    """Beyond `float_coins` nothing is stored."""
    rig = RecyclerRig({500: 3, 1000: 2}, float_coins=7)
    await rig.start()
    rig.device.insert(1000)
    await asyncio.sleep(15)
    assert (rig.notes.credit_cents, rig.boxed) == (1000, [1000])
    await rig.kill()


@pytest.mark.parametrize("at_s", [1.0, 1.6, 2.3])
async def test_a_power_cut_or_a_kill_while_notes_are_paid(at_s: float) -> None:
    """What left the store is booked once, and the rest is paid; a note is taken only after that."""
    for kill in (False, True):
        rig = RecyclerRig({500: 3, 1000: 4})
        await rig.start()
        paying = asyncio.ensure_future(rig.pay(9))
        await asyncio.sleep(at_s)
        if kill:
            paying.cancel()
            await asyncio.wait({paying})
            await rig.kill()
            rig.run()
            await asyncio.sleep(10)
            outcome = await rig.pay(9)
        else:
            rig.device.power(on=False)
            await asyncio.sleep(3)
            rig.device.power(on=True)
            outcome = await paying
        assert outcome.end is PayoutEnd.DONE, (kill, outcome)
        assert (sum(rig.tray), rig.cash.paid) == (9 * NOTE_UNIT, 9), kill
        await rig.kill()
