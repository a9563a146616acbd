"""The cabinet's hardware as one object: built from the configuration, commanded by the machine."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from controller.configuration.cabinet_toml import Cabinet
from controller.hardware.hopper_test import HopperTest
from controller.hardware.input_watch import InputWatch
from controller.hardware.logic_door import LogicDoor
from controller.hardware.money_listener import MoneyListener
from controller.machine.machine import Machine
from drivers.bill_validator import BillValidator
from drivers.button_panel import ButtonPanel
from drivers.capabilities import Driver, Level
from drivers.cctalk_wire import Wire
from drivers.clock import Clock
from drivers.coin_acceptor import CoinAcceptor
from drivers.coin_gates import CoinGates
from drivers.door_latch import DoorLatch
from drivers.expander import Expander
from drivers.hard_meter import HardMeter
from drivers.hopper import Hopper
from drivers.lamps import LampPattern, Lamps
from drivers.pin_factory import PinHeader, open_header
from drivers.port import Port
from drivers.serial_port import Parity, SerialPort, StopBits
from drivers.switches import Switches
from drivers.tower_light import LightPattern, TowerLight
from drivers.wire_trace import TracedPort
from drivers.wiring import BillValidator as BillSettings


class Wires(NamedTuple):
    """Where the drivers' pins and ports come from: the header, and a port for a path, parity and stop bits."""

    header: PinHeader
    port: Callable[[str, Parity, StopBits], Port]


def serial_port(path: str, parity: Parity, stop_bits: StopBits) -> Port:
    """Return the serial port at `path`, which its driver opens."""
    return SerialPort(path, parity=parity, stop_bits=stop_bits)


def real_wires(cabinet: Cabinet, pins_socket: Path | None) -> Wires:
    """Open the header that the configuration names; serial ports are opened by their drivers."""
    return Wires(open_header(cabinet.pins.factory, pins_socket, cabinet.pins.expanders), serial_port)


class Lines:
    """The serial lines of one cabinet: a port for each device, one line for all ccTalk devices that name its path.

    `ports` are all of them, by path.
    """

    def __init__(self, port: Callable[[str, Parity, StopBits], Port], clock: Clock) -> None:
        self.ports: dict[str, TracedPort] = {}
        self._new_port = port
        self._clock = clock
        self._cctalk: dict[str, Wire] = {}

    def _port(self, path: str, parity: Parity, stop_bits: StopBits) -> Port:
        traced = TracedPort(self._new_port(path, parity, stop_bits), self._clock)
        self.ports[path] = traced
        return traced

    def cctalk(self, path: str) -> Port:
        """Return a device's share of the ccTalk line at `path`."""
        line = os.path.normpath(path)
        if line not in self._cctalk:
            self._cctalk[line] = Wire(self._port(path, "none", 1))
        return self._cctalk[line].tap()

    def bills(self, settings: BillSettings) -> Port:
        """Return the line as the validator's language has it: 8E1 for ID-003 (8N1 on a pty), 8N2 SSP, ccTalk's."""
        if settings.protocol == "cctalk":
            return self.cctalk(settings.port)
        if settings.protocol == "ssp":
            return self._port(settings.port, "none", 2)
        return self._port(settings.port, settings.parity, 1)


Held = Literal["lamps", "tower", "money"]


class Outputs:
    """What the machine commands: remembered from the first word on, given to the drivers when they exist.

    What is `held` is remembered only, so that whoever holds it can command the drivers themselves.
    """

    def __init__(self) -> None:
        self._hardware: Hardware | None = None
        self._lamps: Mapping[str, LampPattern] = {}
        self._tower: Mapping[str, LightPattern] = {}
        self._coins = False
        self._notes: frozenset[int] = frozenset()
        self._held: set[Held] = set()

    def connect(self, hardware: "Hardware") -> None:
        """Give everything that was commanded so far, and from now on, to `hardware`."""
        self._hardware = hardware
        self._command()

    @contextmanager
    def held(self, *what: Held) -> Iterator[None]:
        """Keep the machine's commands for `what` from the drivers; at the end they get its newest ones."""
        self._held.update(what)
        try:
            yield
        finally:
            self._held.difference_update(what)
            self._command()

    def _command(self) -> None:
        self.lamps(self._lamps)
        self.tower(self._tower)
        self.take_money(coins=self._coins, notes_cents=self._notes)

    def lamps(self, patterns: Mapping[str, LampPattern]) -> None:
        """Light the panel's buttons."""
        self._lamps = patterns
        if self._hardware is not None and "lamps" not in self._held:
            self._hardware.lamps.set(patterns)

    def tower(self, patterns: Mapping[str, LightPattern]) -> None:
        """Light the tower."""
        self._tower = patterns
        if self._hardware is not None and "tower" not in self._held:
            self._hardware.tower.set(patterns)

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Take coins and these notes."""
        self._coins, self._notes = coins, notes_cents
        if self._hardware is None or "money" in self._held:
            return
        if self._hardware.coin_acceptor is not None:
            self._hardware.coin_acceptor.accept(enabled=coins)
        if self._hardware.bill_validator is not None:
            self._hardware.bill_validator.accept(notes_cents)


class Hardware:
    """Every driver of one cabinet; `drivers` are to be kept running, `close` de-energises all outputs.

    `watch` sees every edge of `buttons`, `doors` and `keys`. A device that is not fitted is None. `ports` are the
    serial lines by path, whose frames can be watched.
    """

    def __init__(
        self,
        cabinet: Cabinet,
        machine: Machine,
        listener: MoneyListener,
        clock: Clock,
        wires: Wires,
    ) -> None:
        self.cabinet = cabinet
        pins = cabinet.pins
        self.header = wires.header
        self.expanders = [
            Expander(self.header.chips[name], wired, self.header, clock) for name, wired in pins.expanders.items()
        ]
        self.lamps = Lamps({name: button.lamp for name, button in pins.buttons.items()}, self.header, clock)
        self.tower = TowerLight(pins.tower, self.header, clock)
        self.meters = {
            name: HardMeter(name, meter, self.header, clock, debounce_ms=pins.debounce_ms, faults=listener)
            for name, meter in pins.meters.items()
        }
        self.coin_gates = CoinGates(pins.coin, self.header)
        lines = Lines(wires.port, clock)
        self.ports = lines.ports
        self.coin_acceptor = (
            CoinAcceptor(
                cabinet.coin_acceptor,
                lines.cctalk(cabinet.coin_acceptor.port),
                clock,
                listener,
                gates=self.coin_gates,
                hopper_takes=self.hopper_takes,
            )
            if cabinet.coin_acceptor
            else None
        )
        self.bill_validator = (
            BillValidator(cabinet.bill_validator, lines.bills(cabinet.bill_validator), clock, listener)
            if cabinet.bill_validator
            else None
        )
        self.hopper = (
            Hopper(cabinet.hopper, lines.cctalk(cabinet.hopper.port), clock, listener) if cabinet.hopper else None
        )
        self.hopper_test = HopperTest(machine, listener, self.hopper) if self.hopper else None
        self.watch = InputWatch()
        self.buttons = ButtonPanel(
            {name: button.pin for name, button in pins.buttons.items()},
            self.header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_press=lambda name, _at: machine.press(name),
            on_release=lambda _name, _at: None,
            faults=listener,
            on_edge=self.watch.of("buttons"),
        )
        self.doors = Switches(
            "doors",
            pins.doors,
            self.header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_change=lambda name, active: machine.door(name, is_open=active),
            on_edge=self.watch.of("doors"),
        )
        self.keys = Switches(
            "keys",
            pins.keys,
            self.header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_change=lambda name, active: machine.keys.take(name, turned=active),
            on_edge=self.watch.of("keys"),
        )
        logic_door = LogicDoor(machine, listener)
        self.latch = (
            DoorLatch(
                pins.logic_latch,
                self.header,
                clock,
                debounce_ms=pins.debounce_ms,
                is_open=logic_door.is_open,
                listener=logic_door,
            )
            if pins.logic_latch
            else None
        )

    @property
    def drivers(self) -> list[Driver]:
        """All drivers, in the order they start: expanders first, since the others' pins may lie on them."""
        money = [device for device in (self.coin_acceptor, self.bill_validator, self.hopper) if device is not None]
        gates = [self.coin_gates] if self.cabinet.pins.coin else []
        inputs: list[Driver] = [self.buttons, self.doors, self.keys, *([self.latch] if self.latch else [])]
        return [*self.expanders, self.lamps, self.tower, *self.meters.values(), *gates, *inputs, *money]

    def hopper_takes(self) -> int:
        """Return the value in cents of the coins that the hopper has room for now; 0 for none."""
        hopper = self.hopper
        if hopper is None or not hopper.ready or hopper.level is Level.FULL:
            return 0
        return hopper.coin_value_cents

    def close(self) -> None:
        """Stop every driver and give the header back; one that fails to stop keeps no other from it."""
        with ExitStack() as stopping:
            stopping.callback(self.header.close)
            for driver in reversed(self.drivers):
                stopping.callback(driver.stop)
