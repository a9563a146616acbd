"""The latch that remembers an opening without power: reported first, reset afterwards, only while the door is shut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from drivers.clock import LoopClock
from drivers.pins.door_latch import DoorLatch
from drivers.simulated.pins.panel import Panel
from drivers.wiring import Door, Latch, Pins
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import MockHeader, running

DOOR, LATCH, RESET = 4, 5, 22
STUCK = ("logic_latch", "latch_stuck")


class LatchedDoor(FaultBook):
    """A logic door with a real latch on a mock header, and a listener that takes `writes_s` to write anything."""

    def __init__(self, *, latched: bool = False, active: int = 1, writes_s: float = 0.0) -> None:
        super().__init__()
        self.header = MockHeader()
        wired = Latch(pin=LATCH, reset=RESET, active=active, reset_ms=50)
        pins = Pins(buttons={}, doors={"logic": Door(pin=DOOR)}, keys={}, tower={}, meters={}, logic_latch=wired)
        self.panel = Panel(pins, drive=self._drive, on_change=lambda: None, latched=latched)
        self.writes_s = writes_s
        self.stuck = False
        self.reported: list[str] = []
        self.pulses: list[str] = []
        for pin, level in self.panel.inputs().items():
            self._drive(pin, level)
        self.driver = DoorLatch(
            wired,
            self.header,
            LoopClock(),
            debounce_ms=8,
            is_open=lambda: self.panel.doors["logic"],
            listener=self,
        )

    def _drive(self, pin: int | str, level: bool) -> None:  # noqa: FBT001 - Panel's callback
        assert isinstance(pin, int)
        if level:
            self.header.let_go(pin)
        else:
            self.header.ground(pin)

    async def logic_opened(self, *, at_start: bool) -> None:
        """Write an opening down, slowly."""
        await asyncio.sleep(self.writes_s)
        self.reported.append("at start" if at_start else "opened")

    async def latch_reset(self) -> None:
        """Write a reset down."""
        self.reported.append("reset")

    def swing(self, *, is_open: bool) -> None:
        """Open or shut the door."""
        self.panel.swing("logic", is_open=is_open)

    async def wire(self) -> None:
        """Carry the reset to the latch, as copper does, and note what was reported when it came."""
        high = False
        while True:
            if self.header.is_high(RESET) != high:
                high = not high
                if high:
                    self.pulses.append(" ".join(self.reported))
                if not self.stuck:
                    self.panel.output(RESET, high, asyncio.get_running_loop().time())
            await asyncio.sleep(0.001)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """The driver runs."""
        async with running(self.wire()), running(self.driver.run()):
            yield


@pytest.mark.requirement("P10")
@pytest.mark.parametrize("active", [0, 1])
async def test_an_opening_found_at_the_start_is_reported_before_the_latch_is_reset(active: int) -> None:
    """However long the journal takes: the first pulse comes after its word, and then the latch is at rest."""
    door = LatchedDoor(latched=True, active=active, writes_s=3.0)
    async with door.serving():
        await asyncio.sleep(2.9)
        assert (door.reported, door.pulses, door.panel.latched) == ([], [], True)
        await asyncio.sleep(1.0)
        assert (door.reported, door.pulses) == (["at start", "reset"], ["at start"])
        assert not door.panel.latched
        assert not door.header.is_high(RESET)


async def test_a_cut_before_the_word_is_written_loses_nothing() -> None:
    """The supervisor dies while it writes: the latch still remembers, and the next one reports it."""
    door = LatchedDoor(latched=True, writes_s=3.0)
    async with door.serving():
        await asyncio.sleep(2.9)
    assert (door.reported, door.panel.latched) == ([], True)
    async with door.serving():
        await asyncio.sleep(4.0)
    assert door.reported == ["at start", "reset"]


async def test_a_latch_at_rest_reports_nothing() -> None:
    """And gets no pulse."""
    door = LatchedDoor()
    async with door.serving():
        await asyncio.sleep(10.0)
    assert (door.reported, door.pulses) == ([], [])


async def test_an_open_door_s_latch_is_left_alone_until_it_is_shut() -> None:
    """Each opening under power is reported once, and the latch made ready for the next one when the door is shut."""
    door = LatchedDoor()
    async with door.serving():
        for number in range(1, 3):
            await asyncio.sleep(1.0)
            door.swing(is_open=True)
            await asyncio.sleep(60.0)
            assert (door.reported, len(door.pulses)) == (["opened", "reset"] * (number - 1) + ["opened"], number - 1)
            door.swing(is_open=False)
            await asyncio.sleep(1.0)
            assert (door.reported, door.panel.latched) == (["opened", "reset"] * number, False)


async def test_a_door_opened_again_within_the_reset_is_not_forgotten() -> None:
    """The latch is set anew while its reset still settles: it is reset again only once the door is shut."""
    door = LatchedDoor(latched=True)
    async with door.serving():
        await asyncio.sleep(0.08)
        assert not door.panel.latched
        door.swing(is_open=True)
        await asyncio.sleep(5.0)
        assert (door.reported, door.panel.latched) == (["at start"], True)
        door.swing(is_open=False)
        await asyncio.sleep(1.0)
        assert (door.reported, door.panel.latched) == (["at start", "reset"], False)


async def test_a_latch_that_will_not_forget_is_a_fault() -> None:
    """Three pulses, then no more: the fault stays until a reset works."""
    door = LatchedDoor(latched=True)
    door.stuck = True
    async with door.serving():
        await asyncio.sleep(60.0)
        assert (len(door.pulses), set(door.present)) == (3, {STUCK})
        assert door.reported == ["at start"]
    door.stuck = False
    async with door.serving():
        await asyncio.sleep(1.0)
        assert (door.present, door.panel.latched) == ({}, False)


async def test_stopping_within_the_pulse_leaves_no_current() -> None:
    """The reset's output is off on every path."""
    door = LatchedDoor(latched=True)
    async with door.serving():
        await asyncio.sleep(0.03)
        assert door.header.is_high(RESET)
        door.driver.stop()
        door.driver.stop()
        assert not door.header.is_high(RESET)
