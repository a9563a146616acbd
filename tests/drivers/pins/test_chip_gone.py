"""The header's chip goes and comes back: every driver on it says so, and each plays on with the pins of the new one."""

import asyncio
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from controller.hardware.driver_tasks import keep_running
from drivers.capabilities import Driver
from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.pins.button_panel import ButtonPanel
from drivers.pins.coin_gates import CoinGates
from drivers.pins.hard_meter import HardMeter
from drivers.pins.header import PinHeader
from drivers.pins.lamps import Lamps
from drivers.pins.switches import Switches
from drivers.wiring import Input, Meter, Output
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import ContactPin

SPIN, LAMP, METER, LOCKOUT, DOOR = 5, 17, 22, 23, 24


class LibraryError(Exception):
    """What the pin library raises: neither gpiozero's nor the operating system's, as lgpio's."""


class ChipPin(ContactPin):
    """A pin that refuses everything once its chip is gone, to be given back as well, until its factory is released."""

    def _look(self) -> None:
        if self.factory.gone and not self.factory.released:
            raise LibraryError("unexpected error")

    def _get_state(self) -> bool:
        self._look()
        return super()._get_state()

    def _set_state(self, value: float) -> None:
        self._look()
        super()._set_state(value)

    def _set_function(self, value: str) -> None:
        self._look()
        super()._set_function(value)

    def _set_when_changed(self, value: Any) -> None:
        self._look()
        super()._set_when_changed(value)

    def close(self) -> None:
        self._look()
        if not self.factory.released:
            super().close()


class ChipFactory(MockFactory):
    """The library's handle of one chip."""

    def __init__(self) -> None:
        super().__init__(revision="a02082", pin_class=ChipPin)
        self.gone = self.released = False

    def close(self) -> None:
        if self.gone and not self.released:
            raise LibraryError("unexpected error")
        super().close()


class BusyFactory(MockFactory):
    """A chip of which another program has a line."""

    busy = True

    def pin(self, name: Any) -> Any:
        if self.busy:
            raise LibraryError("GPIO busy")
        return super().pin(name)


class Board:
    """A board whose chip can be taken away, and the header on it."""

    def __init__(self) -> None:
        self.chip: ChipFactory | None = ChipFactory()
        self.header = PinHeader(self._opened, (LibraryError,), is_gone=self._is_gone)

    def _opened(self) -> ChipFactory:
        if self.chip is None:
            raise PortError("the GPIO header does not open")
        return self.chip

    @staticmethod
    def _is_gone(factory: ChipFactory) -> bool:
        factory.released = factory.gone
        return factory.gone

    def take_away(self) -> None:
        """Take the chip away."""
        assert self.chip is not None
        self.chip.gone = True
        self.chip = None

    def put_back(self) -> None:
        """Put one back."""
        self.chip = ChipFactory()


class Cabinet:
    """Drivers of each kind on a board, kept running."""

    def __init__(self) -> None:
        self.board, self.faults, self.presses, self.doors = Board(), FaultBook(), [], []
        header, clock = self.board.header, LoopClock()
        self.lamps = Lamps({"spin": LAMP}, header, clock)
        self.meter = HardMeter("games", Meter(pin=METER), header, clock, debounce_ms=8, faults=self.faults)
        self.gates = CoinGates({"lockout": Output(pin=LOCKOUT)}, header, clock)
        self.buttons = ButtonPanel(
            {"spin": SPIN},
            header,
            clock,
            debounce_ms=8,
            on_press=lambda name, _at: self.presses.append(name),
            on_release=lambda _name, _at: None,
            faults=self.faults,
        )
        self.switches = Switches(
            "doors",
            {"main": Input(pin=DOOR, active=1)},
            header,
            clock,
            debounce_ms=8,
            on_change=lambda name, active: self.doors.append((name, active)),
        )
        self.drivers: list[Driver] = [self.lamps, self.meter, self.gates, self.buttons, self.switches]
        self.tasks = [asyncio.ensure_future(keep_running(driver, self.faults, clock)) for driver in self.drivers]

    @property
    def lost(self) -> set[str]:
        """The drivers whose pins are missed."""
        return {name for name, code in self.faults.present if code == "port_lost"}

    async def end(self) -> None:
        """End every driver, and the header."""
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks)
        assert all(task.cancelled() for task in self.tasks)
        for driver in self.drivers:
            driver.stop()
        self.board.header.close()


async def test_every_driver_misses_a_chip_that_is_gone() -> None:
    """Idle ones too, within seconds; none ends, and what they hold is given back without an error."""
    cabinet = Cabinet()
    await asyncio.sleep(1)
    assert cabinet.lost == set()
    cabinet.board.take_away()
    await asyncio.sleep(2)
    assert cabinet.lost == {driver.name for driver in cabinet.drivers}
    assert not any(task.done() for task in cabinet.tasks)
    await cabinet.end()


async def test_they_play_on_when_it_is_back() -> None:
    """With the pins of the new chip: presses, lamps, pulses and gates; a door that moved meanwhile is reported."""
    cabinet = Cabinet()
    await asyncio.sleep(1)
    cabinet.lamps.set({"spin": "on"})
    cabinet.board.take_away()
    await asyncio.sleep(60)
    cabinet.board.put_back()
    chip = cabinet.board.chip
    assert chip is not None
    cabinet.doors.clear()
    chip.pin(DOOR).grounded = True
    await asyncio.sleep(30)
    assert cabinet.lost == set()
    assert cabinet.doors == [("main", False)]
    assert chip.pin(LAMP).state
    chip.pin(SPIN).drive_low()
    await asyncio.sleep(0.1)
    assert cabinet.presses == ["spin"]
    cabinet.gates.let_in(coins=True)
    assert chip.pin(LOCKOUT).state
    pulse = asyncio.ensure_future(cabinet.meter.pulse())
    await asyncio.sleep(0.01)
    assert chip.pin(METER).state
    await pulse
    await cabinet.end()


async def test_a_write_finds_it_at_once() -> None:
    """Whoever writes or reads before anybody looked gets a `PortError` that names the pin, never the library's own."""
    board = Board()
    lamp = board.header.output(LAMP, "lamp spin")
    button = board.header.input(SPIN, "button spin", lambda _level: None)
    board.take_away()
    with pytest.raises(PortError, match=r"lamp spin \(GPIO 17\): unexpected error"):
        lamp.set(on=True)
    with pytest.raises(PortError, match=r"button spin \(GPIO 5\): the GPIO header's chip is gone"):
        _ = button.level
    with pytest.raises(PortError, match="does not open"):
        board.header.output(METER, "meter")
    lamp.close()
    button.close()
    board.header.close()
    assert lamp.closed


@pytest.mark.parametrize("kind", ["input", "output"])
def test_a_line_that_was_taken_can_be_claimed_once_it_is_given_back(kind: str) -> None:
    """Also while somebody still holds the error of the first try, in whose frames the half-made device lives."""
    factory = BusyFactory(revision="a02082", pin_class=ContactPin)
    header = PinHeader(lambda: factory, (LibraryError,))

    def claim() -> None:
        if kind == "input":
            header.input(SPIN, "button spin", lambda _level: None)
        else:
            header.output(SPIN, "lamp spin")

    with pytest.raises(PortError, match="busy") as held:
        claim()
    factory.busy = False
    claim()
    assert held.value.__traceback__ is not None


async def test_a_start_without_a_chip_waits_for_one() -> None:
    """The drivers miss it, and run as soon as it is there."""
    cabinet = Cabinet()
    cabinet.board.chip = None
    await asyncio.sleep(20)
    assert cabinet.lost == {driver.name for driver in cabinet.drivers}
    cabinet.board.put_back()
    await asyncio.sleep(30)
    assert cabinet.lost == set()
    await cabinet.end()
