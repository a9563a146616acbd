"""Tests of drivers.pulse.acceptor against the simulated acceptor: what fell into the box is credit or an open item."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.hardware.driver_tasks import keep_running
from drivers.clock import LoopClock
from drivers.pulse.acceptor import PulseAcceptor
from drivers.simulated.pins.pulse_acceptor import PulseHabits, SimulatedPulseAcceptor
from drivers.wiring import PulseAcceptor as Settings
from drivers.wiring import PulseChannel
from tests.rigs.mock_header import MockHeader
from tests.rigs.pulse_books import PulseBooks
from tests.rigs.pulse_makes import MAKES
from tests.rigs.virtual_time import run_virtual

A, B, ENABLE = 5, 6, 26
LOOK_S = 0.005
ONE = {"a": PulseChannel(pin=A, values_cents={"2": 50, "4": 100, "8": 200})}
PARALLEL = {"a": PulseChannel(pin=A, values_cents={"1": 50}), "b": PulseChannel(pin=B, values_cents={"1": 100})}
LONGEST_BURST_S = 5.0
BURST_S = 1.6
"""The longest burst of the usual habits, from the slot to its booking."""


class Slot:
    """An acceptor and the driver that counts it, wired pin to pin; `boxed` and `back` are where the coins went."""

    def __init__(
        self,
        *,
        channels: dict[str, PulseChannel] = ONE,
        habits: PulseHabits | None = None,
        enable: bool = True,
        **lengths: int,
    ) -> None:
        self.header = MockHeader()
        self.books = PulseBooks()
        self.boxed: list[int] = []
        self.back: list[int] = []
        self.wired = Settings(currency="EUR", channels=channels, enable=ENABLE if enable else None, **lengths)
        self.device = SimulatedPulseAcceptor(
            self.wired, drive=self._drive, accepted=self.boxed.append, returned=self.back.append, habits=habits
        )
        self.driver = PulseAcceptor("coin", self.wired, self.header, LoopClock(), self.books)

    def _drive(self, pin: int | str, level: bool) -> None:  # noqa: FBT001 - the device's callback
        assert isinstance(pin, int)
        (self.header.let_go if level else self.header.ground)(pin)

    async def _enable_wire(self) -> None:
        while True:
            self.device.output(ENABLE, level=self.header.is_high(ENABLE))
            await asyncio.sleep(LOOK_S)

    @asynccontextmanager
    async def counting(self) -> AsyncIterator[None]:
        """Switch both on, wait until coins are let in, and at the end until every burst is over."""
        self.device.power(on=True)
        self.driver.accept(enabled=True)
        tasks = [
            asyncio.ensure_future(keep_running(self.driver, self.books, LoopClock())),
            asyncio.ensure_future(self._enable_wire()),
        ]
        try:
            await asyncio.sleep(1.5)
            yield
            await asyncio.sleep(LONGEST_BURST_S)
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task

    async def insert(self, cents: int, *, then_s: float = LONGEST_BURST_S) -> bool:
        """Put a coin in, and wait."""
        taken = self.device.insert(cents)
        await asyncio.sleep(then_s)
        return taken


@pytest.mark.parametrize("make", sorted(MAKES))
async def test_coins_of_each_make_are_credited_once(make: str) -> None:
    """With the pulse lengths of the makers' manuals, one coin after the other."""
    slot = Slot(habits=MAKES[make])
    async with slot.counting():
        for cents in (50, 100, 200, 50):
            assert await slot.insert(cents)
    assert slot.books.credited == slot.boxed == [50, 100, 200, 50]
    assert slot.books.items == []


async def test_each_output_is_a_coin() -> None:
    """One pulse on a line for each value."""
    slot = Slot(channels=PARALLEL)
    async with slot.counting():
        for cents in (50, 100, 100):
            await slot.insert(cents)
    assert slot.books.credited == [50, 100, 100]


async def test_two_coins_at_once() -> None:
    """An acceptor that pauses between them gives two bursts, one that does not a burst of the sum, or an open item."""
    slot = Slot()
    async with slot.counting():
        await slot.insert(50, then_s=0.05)
        await slot.insert(200)
    assert slot.books.credited == [50, 200]

    for second, credited, items in ((50, [100], []), (100, [], [200])):
        merging = Slot(habits=PulseHabits(merges=True))
        async with merging.counting():
            await merging.insert(50, then_s=0.05)
            await merging.insert(second)
        assert merging.boxed == [50, second]
        assert (merging.books.credited, merging.books.items) == (credited, items)


async def test_noise_is_no_money_and_spoils_none() -> None:
    """Spikes at rest, before a coin and after it."""
    slot = Slot()
    async with slot.counting():
        slot.device.spike(20)
        await asyncio.sleep(2.0)
        slot.device.insert(100)
        slot.device.spike(3)
        await asyncio.sleep(LONGEST_BURST_S)
    assert (slot.books.credited, slot.books.items) == ([100], [])


async def test_a_lost_or_added_pulse_is_an_item_where_counts_are_two_apart() -> None:
    """Three, five, seven or nine pulses are worth nothing that is known."""
    slot = Slot()
    async with slot.counting():
        for extra, lost, cents in ((1, 0, 50), (0, 1, 100), (0, 1, 200), (1, 0, 200)):
            slot.device.extra, slot.device.lost = extra, lost
            await slot.insert(cents)
    assert slot.books.credited == []
    assert slot.books.items == [200, 200, 200, None]


async def test_the_inhibit_line_keeps_coins_out_and_loses_none_that_were_inside() -> None:
    """What is on its way when the current goes is credited, and what comes afterwards falls back."""
    slot = Slot()
    async with slot.counting():
        assert await slot.insert(50, then_s=0.1)
        slot.driver.accept(enabled=False)
        await asyncio.sleep(0.01)
        assert not await slot.insert(100)
        slot.driver.accept(enabled=True)
        await asyncio.sleep(0.5)
        assert await slot.insert(200)
    assert (slot.books.credited, slot.back, slot.books.unasked) == ([50, 200], [100], 0)


async def test_a_line_that_sticks_keeps_coins_out_until_it_is_free() -> None:
    """It is a fault, and no money."""
    slot = Slot()
    async with slot.counting():
        slot.device.troubles()["stuck"](1)
        await asyncio.sleep(1.0)
        assert not await slot.insert(100)
        assert ("pulse_coin", "comm_error") in slot.books.present
        slot.device.troubles()["stuck"](0)
        await asyncio.sleep(1.0)
        assert ("pulse_coin", "comm_error") not in slot.books.present
        assert await slot.insert(100)
    assert slot.books.credited == [100]


@given(
    coins=st.lists(
        st.tuples(st.sampled_from((50, 100, 200)), st.booleans(), st.integers(0, 3), st.floats(0.0, 2.0)), max_size=8
    )
)
@settings(max_examples=15)
def test_any_coins_are_each_credited_once(coins: list[tuple[int, bool, int, float]]) -> None:
    """Any coins, wanted or not, with spikes and waits between them: what lies in the box is the credit."""

    async def put_in() -> None:
        slot = Slot()
        async with slot.counting():
            for cents, wanted, spikes, wait_s in coins:
                slot.driver.accept(enabled=wanted)
                slot.device.spike(spikes)
                await asyncio.sleep(0.5)
                await slot.insert(cents, then_s=BURST_S + wait_s)
        assert slot.books.credited == slot.boxed
        assert len(slot.boxed) + len(slot.back) == len(coins)
        assert slot.books.items == []

    run_virtual(put_in())
