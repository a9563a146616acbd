"""A hopper while nothing is ordered: its level, coins that leave it all the same, and payouts that nobody claims."""

import asyncio

import pytest

from drivers.capabilities import Level, PayoutEnd, PayoutOrder
from drivers.cctalk.protocol import Header
from drivers.errors import IdentityError, WireError
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.cctalk.hopper import IDENTITY, SimulatedHopper
from tests.rigs.cash_desk import Desk, served

SETTLED_S = 12.0  # two looks at the level, whenever the first one comes


@pytest.mark.requirement("D9")
@pytest.mark.parametrize(
    ("stock", "low", "high", "level"),
    [
        (10, 50, 400, Level.LOW),
        (50, 50, 400, Level.NORMAL),
        (400, 50, 400, Level.FULL),
        (10, None, 400, Level.NORMAL),
        (500, 50, None, Level.NORMAL),
        (0, None, None, Level.UNKNOWN),
    ],
)
async def test_the_level_is_read_where_there_are_sensors(
    stock: int, low: int | None, high: int | None, level: Level
) -> None:
    """Low and full are raised as faults of the attendant's, each by the sensor that is fitted."""
    desk = Desk(stock=stock)
    desk.device.low_mark, desk.device.high_mark = low, high

    async def scene() -> None:
        assert desk.hopper.level is Level.UNKNOWN
        await asyncio.sleep(3.0)
        assert desk.hopper.level is level
        assert set(desk.books.present) == {("hopper", f"hopper_{level.value}") for _ in [level] if level in FAULTS}
        assert desk.falls == []

    await served(desk, scene())


FAULTS = {Level.LOW, Level.FULL}


async def test_the_level_follows_the_coins() -> None:
    """Filled, emptied and filled again: each level's fault comes and goes with it."""
    desk = Desk(stock=100)
    desk.device.low_mark, desk.device.high_mark = 50, 200

    async def scene() -> None:
        levels = []
        for stock in (100, 20, 100, 300, 100):
            desk.device.stock = stock
            await asyncio.sleep(SETTLED_S)
            levels.append((desk.hopper.level, set(desk.books.faults)))
        assert levels == [
            (Level.NORMAL, set()),
            (Level.LOW, {"hopper_low"}),
            (Level.NORMAL, set()),
            (Level.FULL, {"hopper_full"}),
            (Level.NORMAL, set()),
        ]

    await served(desk, scene())


async def test_coins_that_slide_do_not_change_the_level() -> None:
    """A sensor that wavers between two looks leaves the level as it was."""

    class Sliding(SimulatedHopper):
        looks = 0

        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.PAYOUT_LEVEL and self.looks is not None:
                self.looks += 1
                self.stock = 40 if self.looks > 4 and self.looks % 2 else 100
            return super().answer(header, data)

    device = Sliding(stock=100)
    desk = Desk(device=device)
    device.low_mark = 50

    async def scene() -> None:
        await asyncio.sleep(3.0)
        for _ in range(40):
            await asyncio.sleep(1.0)
            assert desk.hopper.level is Level.NORMAL
            assert desk.books.present == {}
        assert device.looks > 10

    await served(desk, scene())


async def test_a_hopper_that_does_not_know_the_question_has_no_level() -> None:
    """It is silent: the level is unknown, the hopper is no less ready, and it is seldom asked again."""

    class Older(SimulatedHopper):
        asked = 0

        def answer(self, header: int, data: bytes) -> bytes | Refusal:
            if header == Header.PAYOUT_LEVEL:
                self.asked += 1
                return Refusal.SILENCE
            return super().answer(header, data)

    device = Older()
    desk = Desk(device)

    async def scene() -> None:
        await asyncio.sleep(30.0)
        assert (desk.hopper.ready, desk.hopper.level, desk.falls) == (True, Level.UNKNOWN, [])
        assert device.asked <= 4
        assert (await desk.order(2)).end is PayoutEnd.DONE

    await served(desk, scene())


async def test_a_lost_hopper_has_no_level() -> None:
    """Nobody knows how full a hopper is that does not answer."""
    desk = Desk(stock=10)
    desk.device.low_mark = 50

    async def scene() -> None:
        levels = []
        for on in (True, False):
            desk.device.power(on=on)
            await asyncio.sleep(3.0)
            levels.append(desk.hopper.level)
        assert levels == [Level.LOW, Level.UNKNOWN]

    await served(desk, scene())


@pytest.mark.parametrize("powered", [True, False])
async def test_coins_that_left_while_we_were_away_are_found_at_the_next_start(*, powered: bool) -> None:
    """The journal's count is the measure, not what the driver saw last: a crash or a power cut hides no coin."""
    desk = Desk()

    async def before() -> None:
        await asyncio.sleep(1.0)
        assert (await desk.order(3)).end is PayoutEnd.DONE
        await asyncio.sleep(2.0)

    async def after() -> None:
        await asyncio.sleep(2.0)
        assert (desk.books.strays, set(desk.books.present)) == (2, {("hopper", "hopper_runaway")})

    await served(desk, before())
    desk.device.power(on=powered)
    desk.device.slip(2)
    desk.hopper = desk.new_driver()
    await served(desk, after())


async def test_coins_that_leave_just_before_a_dispense_are_not_the_orders() -> None:
    """The count is compared once more with the announcement, so that no coin hides between watch and dispense."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(1.5)
        desk.device.slip()
        assert (await desk.order(3)).end is PayoutEnd.DONE
        assert (desk.books.paid, desk.books.strays, len(desk.tray)) == (3, 1, 4)

    await served(desk, scene())


async def test_another_hopper_is_counted_by_itself() -> None:
    """A replaced hopper's count is a new beginning; put back, the first one is compared with where it was."""
    first = Desk()
    other = Desk(SimulatedHopper(identity=IDENTITY._replace(serial=99)))
    other.device.lifetime = 5000
    other.books = first.books

    async def look() -> None:
        await asyncio.sleep(2.0)

    for desk in (first, other, first):
        desk.hopper = desk.new_driver()
        await served(desk, look())
    assert (first.books.strays, first.books.present) == (0, {})
    first.device.slip()
    first.hopper = first.new_driver()
    await served(first, look())
    assert first.books.strays == 1


async def test_an_order_that_another_hopper_began_is_left_to_people() -> None:
    """Two hoppers swapped within a payout: the second one's counters say nothing, so nothing is paid or booked."""
    desk = Desk()
    order = PayoutOrder(coins=5, serial=99, event_counter=0, lifetime=0)

    async def scene() -> None:
        await asyncio.sleep(1.0)
        with pytest.raises(IdentityError, match="hopper 99 began this payout, 815 answers now: put it back"):
            await desk.hopper.pay(order, desk.books)
        assert (desk.device.dispenses, desk.books.paid) == (0, 0)

    await served(desk, scene())


async def test_a_payout_that_nobody_ordered_is_stopped() -> None:
    """A hopper that is found paying without an order is stopped and tilts; what fell is counted."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(2.0)
        someone_elses(desk.device, 50)
        await asyncio.sleep(10.0)
        assert desk.device.remaining == 0
        assert len(desk.tray) == desk.books.strays < 10
        assert set(desk.books.present) == {("hopper", "hopper_runaway")}

    await served(desk, scene())


@pytest.mark.requirement("D2")
async def test_a_predecessors_payout_is_stopped_while_it_cannot_go_on() -> None:
    """Found paying at the start behind an open door, it is off within moments; its coins stay the order's."""
    desk = Desk()
    desk.device.power(on=True)
    desk.books.announce(desk.device.identity.serial, 0, 0)

    async def scene() -> None:
        someone_elses(desk.device, 50)
        await asyncio.sleep(10.0)
        fallen = len(desk.tray)
        assert 0 < fallen < 25
        assert desk.device.remaining == 0
        assert (desk.books.strays, desk.books.present) == (0, {})
        books = desk.books
        order = PayoutOrder(coins=50, serial=books.serial, event_counter=0, lifetime=0)
        assert (await desk.hopper.pay(order, books)).end is PayoutEnd.DONE
        assert (books.paid, len(desk.tray)) == (50, 50)

    await served(desk, scene())


class DeafToStop(SimulatedHopper):
    """A hopper that acknowledges the emergency stop and goes on paying."""

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        return bytes((self.remaining,)) if header == Header.EMERGENCY_STOP else super().answer(header, data)


async def test_a_hopper_that_goes_on_after_the_stop_is_not_paid_with() -> None:
    """Nothing is announced and nothing dispensed: its coins could not be distinguished from the order's."""
    desk = Desk(DeafToStop(stock=500))

    async def scene() -> None:
        await asyncio.sleep(2.0)
        someone_elses(desk.device, 50)
        with pytest.raises(WireError, match="the hopper goes on after an emergency stop: switch it off"):
            await desk.order(5)
        assert desk.device.remaining > 0
        assert (desk.books.announced, desk.device.dispenses, desk.books.paid) == (0, 1, 0)

    await served(desk, scene())


async def test_a_hopper_that_is_replaced_within_an_instant_pays_nothing_before_it_is_identified() -> None:
    """It may hold another coin; once it is identified it pays, and no fault remains."""
    desk = Desk()

    async def scene() -> None:
        await asyncio.sleep(3.0)
        replaced = desk.device.identity.serial
        desk.device.swap(200)
        with pytest.raises(WireError, match=f"another device is in the place of {replaced}"):
            await desk.order(3)
        assert desk.tray == []
        await asyncio.sleep(3.0)
        desk.device.swap(100)
        await asyncio.sleep(3.0)
        assert (await desk.order(3)).end is PayoutEnd.DONE
        assert desk.tray == [100] * 3
        assert desk.books.present == {}

    await served(desk, scene())


def someone_elses(device: SimulatedHopper, coins: int) -> None:
    """Have the hopper pay, as whoever else speaks to it could."""
    device.answer(Header.ENABLE_HOPPER, b"\xa5")
    device.answer(Header.DISPENSE, device.security + bytes((coins,)))
