"""A SMART Hopper's driver: amounts, ends, and what is known after kills, cuts and spoilt frames."""

import asyncio

import pytest

from drivers.capabilities import Level, PayoutEnd, PayoutOrder
from drivers.errors import CurrencyError, IdentityError, NoReplyError, SettingsError
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.ssp.stock import Level as Holding
from drivers.ssp.stock import Stock
from tests.rigs.ssp_cash import UNIT, CashRig
from tests.rigs.ssp_peer import HopperPeer

COINS = {20: 50, 50: 10, 100: 10, 200: 10}


async def rig(levels: dict[int, int] | None = None, misbehaviour: Misbehaviour | None = None) -> CashRig:
    made = CashRig(HopperPeer(COINS if levels is None else levels), misbehaviour)
    await made.start()
    return made


async def test_an_amount_is_paid_in_whatever_coins_it_has() -> None:
    """Coins of 50, 100 and 200 are kept for payouts, those of 20 are not; every 50 cents are booked as they leave."""
    desk = await rig()
    assert desk.hopper.ready
    assert desk.device.routes == {20: 1, 50: 0, 100: 0, 200: 0}
    assert str(desk.hopper.identity) == "SMART Hopper, serial number 4711, firmware SH0001"

    outcome = await desk.pay(9)

    assert (outcome.end, outcome.faults) == (PayoutEnd.DONE, ())
    assert (sorted(desk.device.tray), desk.books.paid) == ([50, 200, 200], 9)
    assert (desk.device.orders, desk.device.enabled) == (1, False)
    await asyncio.sleep(5)
    desk.check(9)
    await desk.end()


async def test_what_it_cannot_pay_is_left_to_others() -> None:
    """Two coins of 200 and an order of 4.50: 4.00 are paid, and the rest is reported."""
    desk = await rig({200: 2})
    outcome = await desk.pay(9)

    assert outcome.end is PayoutEnd.EMPTY
    assert dict(outcome.faults)["hopper_empty"].startswith("of the 50 cents that are to be paid: it holds too little")
    desk.check(9)
    assert desk.books.paid == 8
    await desk.end()


async def test_a_jam_ends_the_payout_with_what_was_paid() -> None:
    """It is halted, so that what it gave up does not begin again by itself."""
    desk = await rig()
    desk.device.jams_after = 2
    outcome = await desk.pay(20)

    assert outcome.end is PayoutEnd.JAMMED
    assert dict(outcome.faults)["hopper_jam"] == "it is jammed; 600 cents unpaid"
    desk.check(20)
    assert desk.books.paid == 8
    await desk.end()


@pytest.mark.parametrize("at_s", [0.1, 0.35, 0.5, 0.8, 1.2, 2.0])
@pytest.mark.parametrize("off_s", [0.5, 30.0])
async def test_a_power_cut_in_the_middle_pays_the_rest_once(at_s: float, off_s: float) -> None:
    """It reports an incomplete payout, or nothing that is heard; what left it is known by what it holds."""
    desk = await rig()
    paying = asyncio.ensure_future(desk.pay(30))
    await asyncio.sleep(at_s)
    desk.device.power(on=False)
    await asyncio.sleep(off_s)
    desk.device.power(on=True)
    outcome = await paying

    assert outcome.end is PayoutEnd.DONE
    desk.check(30)
    assert desk.books.paid == 30
    await desk.end()


@pytest.mark.parametrize("at_s", [0.05, 0.2, 0.4, 0.7, 1.1, 1.6, 2.2])
async def test_a_kill_in_the_middle_pays_the_rest_once(at_s: float) -> None:
    """The device is halted or goes on; the next driver counts first."""
    desk = await rig()
    paying = asyncio.ensure_future(desk.pay(30))
    await asyncio.sleep(at_s)
    paying.cancel()
    await asyncio.wait({paying})
    await desk.kill()
    await asyncio.sleep(3)
    outcome = await desk.pay(30)

    assert outcome.end is PayoutEnd.DONE
    desk.check(30)
    assert desk.books.paid == 30
    await desk.end()


async def writes_of_a_payout() -> int:
    desk = await rig()
    before = desk.port.writes
    await desk.pay(9)
    writes = desk.port.writes - before
    await desk.end()
    return writes


@pytest.mark.parametrize("sent", [False, True])
async def test_a_death_at_every_frame_pays_once(*, sent: bool) -> None:
    """The process dies before or after each frame of a payout is sent, and another one ends it."""
    for number in range(1, await writes_of_a_payout() + 1):
        desk = await rig()
        desk.port.die_at, desk.port.die_sent = desk.port.writes + number, sent
        outcome = await desk.pay(9)
        assert outcome.end is PayoutEnd.DONE, number
        desk.check(9)
        assert desk.books.paid == 9
        await desk.end()


@pytest.mark.parametrize("after", [False, True])
async def test_a_death_around_every_commit_pays_once(*, after: bool) -> None:
    """Before and after the announcement and each booking is durable."""
    for number in range(1, 12):
        desk = await rig()
        desk.books.die_at, desk.books.dies_after = number, after
        outcome = await desk.pay(9)
        assert outcome.end is PayoutEnd.DONE, number
        desk.check(9)
        await desk.end()


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
async def test_each_frame_of_a_payout_spoilt_in_turn(kind: Kind, way: Way) -> None:
    """Dropped, corrupted, cut, late, repeated or in noise: the amount is paid once."""
    for number in range(0, await writes_of_a_payout(), 2):
        misbehaviour = Misbehaviour()
        desk = await rig(misbehaviour=misbehaviour)
        paying = asyncio.ensure_future(desk.pay(9))
        await asyncio.sleep(number * 0.15)
        misbehaviour.inject(kind, 2, way=way)
        outcome = await paying
        assert outcome.end is PayoutEnd.DONE, number
        desk.check(9)
        assert desk.books.paid == 9
        await desk.end()


async def test_a_contradiction_is_over_once_it_is_reported() -> None:
    """Else no key could clear it, and no payout that would show it over may begin."""
    desk = await rig()
    await desk.books.device_fault("hopper", "hopper_memory", present=True, detail="an undecided payout")
    await asyncio.sleep(15)
    assert desk.books.present == {}
    await desk.end()


async def test_settling_stops_it_and_counts() -> None:
    """An order that nobody pays any more is halted, and what had left is booked."""
    desk = await rig()
    paying = asyncio.ensure_future(desk.hopper.pay(desk.books.order(40), desk.books))
    await asyncio.sleep(3)
    paying.cancel()
    await asyncio.wait({paying})
    outcome = await desk.hopper.settle(desk.books.order(40), desk.books)

    assert outcome.end is PayoutEnd.STOPPED
    assert 0 < desk.books.paid < 40
    await asyncio.sleep(5)
    desk.check(40)
    await desk.end()


async def test_what_leaves_unordered_is_halted_and_reported() -> None:
    """Somebody else's order on its line: the driver halts it, and the books find what left."""
    desk = await rig()
    desk.device.enabled = True
    desk.device.carry_out(0x33, (1000).to_bytes(4, "little") + b"EUR\x58")
    await asyncio.sleep(5)

    assert "hopper_runaway" in desk.books.faults
    assert sum(desk.device.tray) < 1000
    assert desk.books.strays * UNIT == sum(desk.device.tray)
    await desk.end()


async def test_coins_that_were_put_in_are_told_to_the_device() -> None:
    """A refill or coins through the acceptor raise its level, which is no stray."""
    desk = await rig({50: 0})
    assert desk.hopper.level is Level.LOW
    desk.books.put_in = 40
    await asyncio.sleep(5)

    assert desk.device.levels == {50: 40}
    assert (desk.hopper.level, desk.books.strays) == (Level.NORMAL, 0)
    await desk.end()


@pytest.mark.parametrize("knows", [True, False])
async def test_what_a_move_sent_into_the_cash_box_is_read(*, knows: bool) -> None:
    """GA138, "Cashbox Payout Operation Data": before the order what an older one sent, at the end what this one did."""
    desk = await rig()
    desk.device.boxed = {50: 3} if knows else None
    desk.books.keep = 0
    await asyncio.sleep(8)

    assert desk.books.moves == [""]
    assert desk.books.said_boxed == ([{50: 3}, {}, COINS] if knows else [None, {}, None])
    await desk.end()


async def test_it_is_full_at_its_float() -> None:
    """`float_coins` counts in steps of the value it pays in."""
    desk = CashRig(HopperPeer(COINS), float_coins=70)
    await desk.start()
    assert desk.hopper.level is Level.FULL  # 10 * 1 + 10 * 2 + 10 * 4
    await desk.end()


async def test_who_is_not_the_hopper_is_refused() -> None:
    """Another serial number, another fixed key, foreign coins, coins that are no multiple, a limit that cannot be."""
    for peer, settings, error in (
        (HopperPeer(COINS), {"serial": 1}, IdentityError),
        (HopperPeer(COINS, fixed=bytes(8)), {}, IdentityError),
        (HopperPeer({20: 5}), {}, SettingsError),
    ):
        desk = CashRig(peer, **settings)
        await desk.start()
        await asyncio.sleep(30)
        assert isinstance(desk.deaths[0], error)
        assert not isinstance(desk.deaths[0], CurrencyError)
        assert not desk.hopper.ready
        with pytest.raises(NoReplyError):
            await desk.hopper.pay(PayoutOrder(coins=1), desk.books)
        await desk.end()
    with pytest.raises(SettingsError, match="max_coins"):
        CashRig(HopperPeer(COINS), max_coins=256)


async def test_another_hopper_does_not_finish_an_order() -> None:
    """What one hopper began is that one's to count."""
    desk = await rig()
    desk.books.announce(815, 1, 1)
    with pytest.raises(IdentityError, match="hopper 815 began this payout, 4711 answers now"):
        await desk.hopper.pay(desk.books.order(3), desk.books)
    await desk.end()


def test_which_amounts_can_be_paid() -> None:
    """The most that whole coins make up, held against trying all of them."""
    levels = [Holding(3, 100, "EUR"), Holding(2, 250, "EUR"), Holding(4, 70, "EUR"), Holding(9, 100, "GBP")]
    stock = Stock(levels, 50, "EUR")
    sums = {2 * ones + 5 * fives for ones in range(4) for fives in range(3)}

    assert stock.units == 16
    for units in range(20):
        assert stock.payable(units) == max(each for each in sums if each <= units)
