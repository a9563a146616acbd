"""The logic door from its latch to the journal: what was opened unseen is found, metered and shown."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.hardware.logic_door import LogicDoor
from drivers.clock import LoopClock
from drivers.pins.door_latch import DoorLatch
from drivers.pins.switches import Switches
from drivers.simulated.pins.panel import Panel
from drivers.wiring import Door, Latch, Pins
from tests.rigs.machine import Rig
from tests.rigs.mock_header import MockHeader, running

pytestmark = pytest.mark.requirement("P10")

DOOR, LATCH, RESET = 4, 5, 22
PINS = Pins(
    buttons={},
    doors={"logic": Door(pin=DOOR)},
    keys={},
    tower={},
    meters={},
    logic_latch=Latch(pin=LATCH, reset=RESET),
)


class Area:
    """The logic area of one cabinet: its door and latch live on while supervisors come and go."""

    def __init__(self, *, latched: bool = False) -> None:
        self.header = MockHeader()
        self.switch_works = self.reset_works = True
        self.panel = Panel(PINS, drive=self._drive, on_change=lambda: None, latched=latched)
        for pin, level in self.panel.inputs().items():
            self._drive(pin, level)

    def _drive(self, pin: int | str, level: bool) -> None:  # noqa: FBT001 - Panel's callback
        assert isinstance(pin, int)
        if pin == DOOR and not self.switch_works:
            return
        if level:
            self.header.let_go(pin)
        else:
            self.header.ground(pin)

    def swing(self, *, is_open: bool) -> None:
        """Open or shut the door."""
        self.panel.swing("logic", is_open=is_open)

    def open_and_shut(self) -> None:
        """What somebody does who thinks that nobody looks."""
        self.swing(is_open=True)
        self.swing(is_open=False)

    async def _wire(self) -> None:
        while True:
            self.panel.output(RESET, self.reset_works and self.header.is_high(RESET), 0.0)
            await asyncio.sleep(0.001)

    @asynccontextmanager
    async def under(self, rig: Rig) -> AsyncIterator[None]:
        """Its drivers run under that rig's machine."""
        assert PINS.logic_latch is not None
        logic_door = LogicDoor(rig.machine.journal, rig.machine.conditions, LoopClock(), rig.listener)
        latch = DoorLatch(
            PINS.logic_latch,
            self.header,
            LoopClock(),
            debounce_ms=8,
            is_open=logic_door.is_open,
            listener=logic_door,
        )
        doors = Switches(
            "doors",
            PINS.doors,
            self.header,
            LoopClock(),
            debounce_ms=8,
            on_change=lambda name, active: rig.machine.states.door(name, is_open=active),
        )
        async with running(self._wire()), running(latch.run()), running(doors.run()):
            await asyncio.sleep(2.0)
            yield


async def test_an_opening_without_power_locks_until_the_technician_has_seen_it(tmp_path: Path) -> None:
    """Found at the start, logged, metered, the latch reset; the attendant's key does not clear it."""
    area = Area()
    async with Rig(tmp_path) as rig:
        async with area.under(rig):
            assert rig.notices() == set()
        await rig.kill()
        area.open_and_shut()
        await rig.start(until=None)
        async with area.under(rig):
            assert (rig.shown, "logic_opened" in rig.notices()) == ("tilted", True)
            assert await rig.events("logic_access") == ["The logic door was opened while the power was off"]
            assert (await rig.meter("door_logic"), area.panel.latched) == (1, False)
            await rig.turn_key("attendant")
            assert "logic_opened" in rig.notices()
            await rig.turn_key("technician")
            assert "logic_opened" not in rig.notices()
        await rig.restart(until=None)
        async with area.under(rig):
            assert "logic_opened" not in rig.notices()
            assert await rig.meter("door_logic") == 1


async def test_each_opening_without_power_is_counted(tmp_path: Path) -> None:
    """Also while the fault of the last one is not cleared."""
    area = Area()
    async with Rig(tmp_path) as rig:
        for number in range(1, 4):
            await rig.kill()
            area.open_and_shut()
            await rig.start(until=None)
            async with area.under(rig):
                assert len(await rig.events("logic_access")) == number
                assert await rig.meter("door_logic") == number


async def test_a_door_that_stands_open_at_the_start_is_metered_once(tmp_path: Path) -> None:
    """Opened without power and left open: the latch reports it, the switch meters it; shut, the latch rests."""
    area = Area()
    async with Rig(tmp_path) as rig:
        await rig.kill()
        area.swing(is_open=True)
        await rig.start(until=None)
        async with area.under(rig):
            assert {"logic_opened", "door_open"} <= rig.notices()
            assert (await rig.meter("door_logic"), area.panel.latched) == (1, True)
            area.swing(is_open=False)
            await asyncio.sleep(2.0)
            assert not area.panel.latched
            assert await rig.meter("door_logic") == 1


async def test_an_opening_under_power_is_the_switch_s(tmp_path: Path) -> None:
    """It is logged and metered as a door, not as an access that nobody saw; and so is one that lasts over a restart."""
    area = Area()
    async with Rig(tmp_path) as rig:
        async with area.under(rig):
            area.swing(is_open=True)
            await asyncio.sleep(2.0)
            area.swing(is_open=False)
            await asyncio.sleep(2.0)
            area.swing(is_open=True)
            await asyncio.sleep(2.0)
            assert await rig.meter("door_logic") == 2
        await rig.kill()
        area.swing(is_open=False)
        await rig.start(until=None)
        async with area.under(rig):
            assert "logic_opened" not in rig.notices()
            assert await rig.events("logic_access") == []
            assert (await rig.meter("door_logic"), area.panel.latched) == (2, False)


async def test_a_door_shut_just_before_the_power_went_explains_nothing(tmp_path: Path) -> None:
    """The latch had no time to be reset, so it may remember another opening as well: that is logged."""
    area = Area()
    async with Rig(tmp_path) as rig:
        async with area.under(rig):
            area.swing(is_open=True)
            await asyncio.sleep(2.0)
            area.reset_works = False
            area.swing(is_open=False)
            await asyncio.sleep(0.02)
            assert area.panel.latched
        await rig.kill()
        area.reset_works = True
        await rig.start(until=None)
        async with area.under(rig):
            assert "logic_opened" in rig.notices()


async def test_an_opening_past_the_switch_is_logged(tmp_path: Path) -> None:
    """Somebody holds the switch down: the latch knows all the same."""
    area = Area()
    async with Rig(tmp_path) as rig, area.under(rig):
        area.switch_works = False
        area.open_and_shut()
        await asyncio.sleep(3.0)
        assert "logic_opened" in rig.notices()
        assert await rig.events("logic_access") == ["The logic door was opened, and its switch did not report it"]
        assert (await rig.meter("door_logic"), area.panel.latched) == (1, False)
