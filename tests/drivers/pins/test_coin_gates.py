import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from controller.hardware.driver_tasks import keep_running
from drivers.capabilities import CoinWay
from drivers.cctalk.coin_ways import FALL_S, REST_S
from drivers.clock import LoopClock
from drivers.pins.coin_gates import CoinGates
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.wiring import Output
from tests.rigs.coin_slot import Slot
from tests.rigs.mock_header import MockHeader

LOCKOUT, DIVERTER = 20, 21
PINS = {"lockout": Output(pin=LOCKOUT), "diverter": Output(pin=DIVERTER)}
HOPPER, CASH_BOX, UNKNOWN = CoinWay.HOPPER, CoinWay.CASH_BOX, CoinWay.UNKNOWN


class Chutes(Slot):
    """A coin slot with gates on a mock header; what the pins do moves the chutes under it."""

    def __init__(self, *, hopper_path: int = 0, coins_cents: tuple[int, ...] = (100,), travel_s: float = 0.2) -> None:
        super().__init__(travel_s=travel_s, coins_cents=coins_cents, hopper_path=hopper_path)
        self.header = MockHeader()
        self.gates = CoinGates({} if hopper_path else PINS, self.header, LoopClock())
        self.hopper = SimulatedHopper(stock=0)
        self.hopper_cents = 100
        self.boxed: list[int] = []
        self.driver = self.new_driver()

        def fall(value_cents: int) -> None:
            self.accepted.append(value_cents)
            sorted_out = hopper_path and self.device.path_of(value_cents) == hopper_path
            if sorted_out or self.header.is_high(DIVERTER):
                self.hopper.stock += 1
            else:
                self.boxed.append(value_cents)

        self.device.accepted = fall

    def insert(self, value_cents: int = 100) -> bool:
        """A coin in the slot: past the lockout, if that is energised."""
        self.device.let_in = self.gates.has_diverter is False or self.header.is_high(LOCKOUT)
        return self.device.insert(value_cents)


async def run_chutes(chutes: Chutes, act: Callable[[Chutes], Coroutine[Any, Any, None]]) -> Chutes:
    gates = asyncio.create_task(keep_running(chutes.gates, chutes.books, LoopClock()))
    async with chutes.served():
        await act(chutes)
    assert not chutes.header.is_high(LOCKOUT)
    assert not chutes.header.is_high(DIVERTER)
    gates.cancel()
    await asyncio.wait({gates})

    return chutes


async def diverted() -> None:
    """The time that turning the diverter takes at the start."""
    await asyncio.sleep(FALL_S + 1.5)


@pytest.mark.requirement("P6")
async def test_the_lockout_lets_coins_in_only_while_the_device_is_enabled() -> None:
    """Energised means coins: it falls the moment coins are no longer wanted, before the device is inhibited."""

    async def act(chutes: Chutes) -> None:
        await diverted()
        assert chutes.header.is_high(LOCKOUT)
        chutes.accept(enabled=False)
        assert not chutes.header.is_high(LOCKOUT)
        assert not chutes.insert()
        await asyncio.sleep(1.0)
        chutes.accept(enabled=True)
        assert not chutes.header.is_high(LOCKOUT)
        await asyncio.sleep(0.5)
        assert chutes.header.is_high(LOCKOUT)
        assert chutes.insert()

    chutes = await run_chutes(Chutes(), act)
    assert chutes.books.credited == [100]
    assert chutes.returned == [100]


@pytest.mark.parametrize("end", ["crash", "unplug", "silence", "books", "gates"])
async def test_every_end_takes_the_current_off_both_gates(end: str) -> None:
    """However the driver ends, coins are turned away and fall into the cash box."""

    async def act(chutes: Chutes) -> None:
        await diverted()
        assert chutes.header.is_high(LOCKOUT)
        assert chutes.header.is_high(DIVERTER)
        if end == "crash":
            chutes.driver.stop()
        elif end == "unplug":
            chutes.line.unplug()
        elif end == "silence":
            chutes.device.power(on=False)
        elif end == "books":
            chutes.books.lock = 10**6
            assert chutes.insert()
        else:
            chutes.gates.stop()
        await asyncio.sleep(2.0)
        assert not chutes.header.is_high(LOCKOUT)
        assert not chutes.header.is_high(DIVERTER)
        chutes.books.lock = 0

    await run_chutes(Chutes(), act)


async def test_a_pin_that_breaks_is_a_fault_and_costs_no_coin() -> None:
    """The gates' own fault; the acceptor goes on, and what it has taken is credited."""

    async def act(chutes: Chutes) -> None:
        await diverted()
        chutes.insert()
        chutes.header.pin(LOCKOUT).broken = True
        chutes.accept(enabled=False)
        await asyncio.sleep(1.0)
        assert set(chutes.books.present) == {("coin_gates", "port_lost")}
        assert chutes.falls == []
        chutes.header.pin(LOCKOUT).broken = False
        await asyncio.sleep(30.0)
        chutes.accept(enabled=True)
        await asyncio.sleep(1.0)
        assert chutes.header.is_high(LOCKOUT)

    chutes = await run_chutes(Chutes(), act)
    assert chutes.books.credited == [100]
    assert chutes.books.present == {}


async def test_coins_fall_into_the_hopper_until_it_is_full() -> None:
    """What is booked of a coin's way is where it fell, through full, room again, and coins at every moment."""

    async def act(chutes: Chutes) -> None:
        for second in range(60):
            chutes.hopper_cents = 0 if 15 <= second < 30 else 100
            chutes.insert()
            await asyncio.sleep(1.0)
        await asyncio.sleep(1.0)

    chutes = await run_chutes(Chutes(), act)
    assert chutes.books.credited == chutes.accepted
    assert chutes.books.fell.count(HOPPER) == chutes.hopper.stock
    assert chutes.books.fell.count(CASH_BOX) == len(chutes.boxed)
    assert chutes.hopper.stock > 20
    assert 20 < len(chutes.boxed) < 30
    assert chutes.returned, "while the diverter turns, coins are returned"


async def test_the_diverter_does_not_follow_a_level_that_flickers() -> None:
    """Once full, coins go into the box for a while: each turn keeps coins waiting for a second."""

    async def act(chutes: Chutes) -> None:
        await diverted()
        for flicker in range(int(REST_S * 4)):
            chutes.hopper_cents = 100 * (flicker % 2)
            await asyncio.sleep(0.2)
        assert not chutes.header.is_high(DIVERTER)
        chutes.hopper_cents = 100
        await asyncio.sleep(REST_S + FALL_S + 1)
        assert chutes.header.is_high(DIVERTER)

    chutes = Chutes()
    ways: list[CoinWay] = []
    commit = chutes.books.coins_fall

    async def watched(way: CoinWay) -> None:
        ways.append(way)
        await commit(way)

    chutes.books.coins_fall = watched  # type: ignore[method-assign]
    await run_chutes(chutes, act)
    assert ways == [HOPPER, CASH_BOX, HOPPER]


async def test_a_diverter_never_turns_while_other_coins_are_taken() -> None:
    """A coil that moves before the coin is known would mix coins into the hopper: it stays at the cash box."""

    async def act(chutes: Chutes) -> None:
        await diverted()
        assert chutes.insert(50)
        assert chutes.insert(100)
        await asyncio.sleep(1.0)

    chutes = await run_chutes(Chutes(coins_cents=(50, 100)), act)
    assert chutes.hopper.stock == 0
    assert chutes.books.fell == [CASH_BOX, CASH_BOX]


async def test_the_acceptors_sorter_sends_the_hoppers_coins_to_the_hopper() -> None:
    """Any mix of coins may come: the hopper's go there while it has room, and each event names its path."""

    async def act(chutes: Chutes) -> None:
        for second in range(30):
            chutes.hopper_cents = 0 if second >= 20 else 100
            chutes.insert((10, 100, 200)[second % 3])
            await asyncio.sleep(1.0)

    chutes = await run_chutes(Chutes(hopper_path=4, coins_cents=()), act)
    assert chutes.returned == []
    assert chutes.hopper.stock == 7
    assert chutes.books.credited == chutes.accepted
    ways = list(zip(chutes.books.credited, chutes.books.fell, strict=True))
    assert ways.count((100, HOPPER)) == 7
    assert ways.count((100, CASH_BOX)) == 3
    assert {way for value, way in ways if value != 100} == {CASH_BOX}


async def test_a_sorter_that_was_reset_gets_its_paths_again() -> None:
    """Its paths may be forgotten with its counter; the coin after that goes to the hopper again."""

    async def act(chutes: Chutes) -> None:
        assert chutes.insert()
        await asyncio.sleep(1.0)
        chutes.device.power(on=False)
        chutes.device.power(on=True)
        await asyncio.sleep(5.0)
        assert chutes.insert()
        await asyncio.sleep(1.0)

    chutes = await run_chutes(Chutes(hopper_path=4, coins_cents=()), act)
    assert chutes.books.fell == [HOPPER, HOPPER]
    assert chutes.hopper.stock == 2


@pytest.mark.parametrize("before", [HOPPER, CASH_BOX])
async def test_the_way_of_coins_that_a_crash_caught_is_not_guessed(before: CoinWay) -> None:
    """Buffered while nobody ran: where the diverter pointed to the hopper before, their way is unknown."""
    chutes = Chutes()
    chutes.hopper_cents = 100 if before is HOPPER else 0
    gates = asyncio.create_task(keep_running(chutes.gates, chutes.books, LoopClock()))
    chutes.device.power(on=True)
    serving = asyncio.create_task(chutes.serve())
    await asyncio.sleep(5.0)
    assert chutes.books.way is before
    assert chutes.insert()
    await asyncio.sleep(0.1)
    await chutes.crash(serving)
    await asyncio.sleep(1.0)
    chutes.hopper_cents = 0
    async with chutes.served():
        assert chutes.books.way is CASH_BOX
        assert chutes.insert()
    gates.cancel()
    await asyncio.wait({gates})
    assert chutes.books.credited == [100, 100]
    assert chutes.books.fell == [UNKNOWN if before is HOPPER else CASH_BOX, CASH_BOX]


async def test_the_way_is_durable_before_the_diverter_turns() -> None:
    """A commit that fails leaves the diverter where it was, and the driver ends."""

    async def act(chutes: Chutes) -> None:
        await asyncio.sleep(REST_S)
        chutes.books.lock = 1
        chutes.hopper_cents = 100
        await asyncio.sleep(REST_S + FALL_S + 0.6)
        assert not chutes.header.is_high(DIVERTER)
        assert chutes.books.lock == 0
        await asyncio.sleep(REST_S)
        assert chutes.header.is_high(DIVERTER)

    chutes = Chutes()
    chutes.hopper_cents = 0
    await run_chutes(chutes, act)
    assert len(chutes.falls) == 1
