"""A hard meter whose plug can be pulled: reported as a fault, given nothing meanwhile, never given a pulse twice."""

import asyncio

import pytest

from drivers.clock import LoopClock
from drivers.errors import DriverError, NotPulsedError
from drivers.pins.hard_meter import HardMeter
from drivers.wiring import Meter
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import MockHeader, running

COIL, SENSE = 22, 5
UNPLUGGED = {("meter_drop", "meter_unplugged"): ""}


class Plug:
    """A meter with its sense contact, plugged in."""

    def __init__(self) -> None:
        self.header = MockHeader()
        self.faults = FaultBook()
        settings = Meter(pin=COIL, sense=SENSE, pulse_ms=50, gap_ms=50)
        self.meter = HardMeter("drop", settings, self.header, LoopClock(), debounce_ms=8, faults=self.faults)
        self.header.ground(SENSE)

    async def pull(self) -> None:
        """Pull the plug and wait until that has settled."""
        self.header.let_go(SENSE)
        await asyncio.sleep(0.02)

    async def put_in(self) -> None:
        """Put it in again."""
        self.header.ground(SENSE)
        await asyncio.sleep(0.02)


async def test_an_unplugged_meter_is_a_fault_until_it_is_back() -> None:
    """Raised when its contact opens, cleared when it closes, and found at the start too."""
    plug = Plug()
    async with running(plug.meter.run()):
        await asyncio.sleep(0.02)
        assert (plug.faults.present, plug.meter.ready) == ({}, True)
        await plug.pull()
        assert (plug.faults.present, plug.meter.ready) == (UNPLUGGED, False)
        await plug.put_in()
        assert (plug.faults.present, plug.meter.ready) == ({}, True)
        await plug.pull()
    async with running(plug.meter.run()):
        await asyncio.sleep(0.02)
        assert (plug.faults.present, plug.meter.ready) == (UNPLUGGED, False)
        await plug.put_in()
        assert plug.faults.present == {}


async def test_an_unplugged_meter_gets_no_current() -> None:
    """A pulse asked for meanwhile is refused as not given, which is another thing than doubtful."""
    plug = Plug()
    async with running(plug.meter.run()):
        await plug.pull()
        pulse = asyncio.ensure_future(plug.meter.pulse())
        for _ in range(60):
            await asyncio.sleep(0.001)
            assert not plug.header.is_high(COIL)
        with pytest.raises(NotPulsedError, match="hard meter drop is unplugged, no pulse was given"):
            await pulse


@pytest.mark.parametrize("into_ms", [1, 25, 49])
async def test_a_plug_pulled_within_a_pulse_leaves_doubt(into_ms: int) -> None:
    """Nobody can say whether the armature had moved, also where the contact settles only after the pulse."""
    plug = Plug()
    async with running(plug.meter.run()):
        await asyncio.sleep(0.02)
        pulse = asyncio.ensure_future(plug.meter.pulse())
        await asyncio.sleep(into_ms / 1000)
        plug.header.let_go(SENSE)
        with pytest.raises(DriverError, match="unplugged within a pulse") as caught:
            await pulse
        assert not isinstance(caught.value, NotPulsedError)
        assert not plug.header.is_high(COIL)


async def test_a_plug_pulled_in_the_gap_takes_nothing_back() -> None:
    """The pulse had ended: it was given."""
    plug = Plug()
    async with running(plug.meter.run()):
        await asyncio.sleep(0.02)
        pulse = asyncio.ensure_future(plug.meter.pulse())
        await asyncio.sleep(0.052)
        plug.header.let_go(SENSE)
        await pulse
        assert not plug.meter.ready


async def test_a_loose_plug_that_only_bounces_is_no_fault() -> None:
    """The contact is debounced like any other."""
    plug = Plug()
    async with running(plug.meter.run()):
        await asyncio.sleep(0.02)
        for _ in range(5):
            plug.header.let_go(SENSE)
            await asyncio.sleep(0.003)
            plug.header.ground(SENSE)
            await asyncio.sleep(0.003)
        await asyncio.sleep(0.05)
        assert plug.faults.present == {}
        await plug.meter.pulse()
