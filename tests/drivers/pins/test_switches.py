import asyncio
import sys
from pathlib import Path

import pytest

from drivers.clock import LoopClock
from drivers.errors import SettingsError
from drivers.gpio import open_header
from drivers.pins.switches import Switches
from drivers.wiring import Input
from tests.rigs.mock_header import MockHeader, running
from tests.rigs.needing import skipped_where

DOORS = {"main": Input(pin=5, active=1), "cash_box": Input(pin=6, active=0)}


class Doors:
    """Two door switches of either kind, and what they reported."""

    def __init__(self) -> None:
        self.header = MockHeader()
        self.reports: list[tuple[str, bool]] = []
        self.switches = Switches(
            "doors",
            DOORS,
            self.header,
            LoopClock(),
            debounce_ms=8,
            on_change=lambda *report: self.reports.append(report),
        )


@pytest.mark.requirement("P10")
async def test_first_levels_are_reported() -> None:
    """A door that is open at the start is reported, and so is one that is shut."""
    doors = Doors()
    doors.header.ground(DOORS["cash_box"].pin)
    async with running(doors.switches.run()):
        assert doors.reports == [("main", True), ("cash_box", True)]
        assert doors.switches.active == {"main": True, "cash_box": True}


@pytest.mark.requirement("D1")
async def test_each_settled_change_is_reported_once() -> None:
    """Opening and closing are one report each, however the contact rattles, for both wirings."""
    doors = Doors()
    doors.header.ground(DOORS["main"].pin)
    async with running(doors.switches.run()):
        assert doors.reports == [("main", False), ("cash_box", False)]
        doors.reports.clear()
        for _ in range(10):
            doors.header.let_go(DOORS["main"].pin)
            await asyncio.sleep(0.001)
            doors.header.ground(DOORS["main"].pin)
            await asyncio.sleep(0.001)
        doors.header.let_go(DOORS["main"].pin)
        doors.header.ground(DOORS["cash_box"].pin)
        await asyncio.sleep(1)
        assert sorted(doors.reports) == [("cash_box", True), ("main", True)]


async def test_restart_reports_all_levels_again() -> None:
    """A restarted driver reports the present state, also what changed while it was away."""
    doors = Doors()
    async with running(doors.switches.run()):
        pass
    doors.header.ground(DOORS["main"].pin)
    doors.reports.clear()
    async with running(doors.switches.run()):
        assert doors.reports == [("main", False), ("cash_box", False)]


def test_unknown_factory_is_refused() -> None:
    """A factory that does not exist is refused with those that do, never replaced in silence."""
    with pytest.raises(SettingsError, match="'mock'; use one of lgpio, simulated"):
        open_header("mock")


def test_simulated_pins_are_refused_in_production() -> None:
    """A production cabinet cannot run on pins that are not there."""
    with pytest.raises(SettingsError, match="cabinet demo"):
        open_header("simulated")


@skipped_where(Path("/dev/gpiochip0").exists(), "this machine has a GPIO header", "run it on one without")
def test_lgpio_without_a_header_is_refused() -> None:
    """Without the library or the header there is a clear error, and no other library is tried."""
    with pytest.raises((SettingsError, OSError), match=r"cabinet\[pi\]|Raspberry Pi"):
        open_header("lgpio").input(17, "button spin", lambda _level: None)
    assert not [name for name in sys.modules if name in ("RPi.GPIO", "pigpio", "gpiozero.pins.native")]
