"""The cabinet's hardware as one object: built from the configuration, commanded by the machine."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from controller.configuration import Cabinet
from controller.machine import Machine
from controller.money_listener import MoneyListener
from drivers.bill_validator import BillValidator
from drivers.button_panel import ButtonPanel
from drivers.capabilities import Driver
from drivers.clock import Clock
from drivers.coin_acceptor import CoinAcceptor
from drivers.expander import Expander
from drivers.hard_meter import HardMeter
from drivers.hopper import Hopper
from drivers.lamps import LampPattern, Lamps
from drivers.pin_factory import PinHeader, open_header
from drivers.port import Port
from drivers.serial_port import Parity, SerialPort, StopBits
from drivers.switches import Switches
from drivers.tower_light import LightPattern, TowerLight
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


def _bill_port(settings: BillSettings, wires: Wires) -> Port:
    """Return the line as the validator's language has it: 8E1 for ID-003 (8N1 on a pty), 8N2 SSP, 8N1 ccTalk."""
    parity = settings.parity if settings.protocol == "id003" else "none"
    return wires.port(settings.port, parity, 2 if settings.protocol == "ssp" else 1)


class Outputs:
    """What the machine commands: remembered from the first word on, given to the drivers when they exist."""

    def __init__(self) -> None:
        self._hardware: Hardware | None = None
        self._lamps: Mapping[str, LampPattern] = {}
        self._tower: tuple[LightPattern, LightPattern] = ("off", "off")
        self._coins = False
        self._notes: frozenset[int] = frozenset()

    def connect(self, hardware: "Hardware") -> None:
        """Give everything that was commanded so far, and from now on, to `hardware`."""
        self._hardware = hardware
        self.lamps(self._lamps)
        self.tower(*self._tower)
        self.take_money(coins=self._coins, notes_cents=self._notes)

    def lamps(self, patterns: Mapping[str, LampPattern]) -> None:
        """Light the panel's buttons."""
        self._lamps = patterns
        if self._hardware is not None:
            self._hardware.lamps.set(patterns)

    def tower(self, top: LightPattern, bottom: LightPattern) -> None:
        """Light the tower."""
        self._tower = (top, bottom)
        if self._hardware is not None:
            tiers: dict[str, LightPattern] = {"top": top, "bottom": bottom}
            wired = self._hardware.cabinet.pins.tower
            self._hardware.tower.set({tier: pattern for tier, pattern in tiers.items() if tier in wired})

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Take coins and these notes."""
        self._coins, self._notes = coins, notes_cents
        if self._hardware is None:
            return
        if self._hardware.coin_acceptor is not None:
            self._hardware.coin_acceptor.accept(enabled=coins)
        if self._hardware.bill_validator is not None:
            self._hardware.bill_validator.accept(notes_cents)


class Hardware:
    """Every driver of one cabinet; `drivers` are to be kept running, `close` de-energises all outputs."""

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
        self.meters = {name: HardMeter(name, meter, self.header, clock) for name, meter in pins.meters.items()}
        self.coin_acceptor = (
            CoinAcceptor(cabinet.coin_acceptor, wires.port(cabinet.coin_acceptor.port, "none", 1), clock, listener)
            if cabinet.coin_acceptor
            else None
        )
        self.bill_validator = (
            BillValidator(cabinet.bill_validator, _bill_port(cabinet.bill_validator, wires), clock, listener)
            if cabinet.bill_validator
            else None
        )
        self.hopper = (
            Hopper(cabinet.hopper, wires.port(cabinet.hopper.port, "none", 1), clock, listener)
            if cabinet.hopper
            else None
        )
        self._inputs: list[Driver] = [
            ButtonPanel(
                {name: button.pin for name, button in pins.buttons.items()},
                self.header,
                clock,
                debounce_ms=pins.debounce_ms,
                on_press=lambda name, _at: machine.press(name),
                on_release=lambda _name, _at: None,
                faults=listener,
            ),
            Switches(
                "doors",
                pins.doors,
                self.header,
                clock,
                debounce_ms=pins.debounce_ms,
                on_change=lambda name, active: machine.door(name, is_open=active),
            ),
            Switches(
                "keys",
                pins.keys,
                self.header,
                clock,
                debounce_ms=pins.debounce_ms,
                on_change=lambda name, active: machine.key(name, turned=active),
            ),
        ]

    @property
    def drivers(self) -> list[Driver]:
        """All drivers, in the order they start: expanders first, since the others' pins may lie on them."""
        money = [device for device in (self.coin_acceptor, self.bill_validator, self.hopper) if device is not None]
        return [*self.expanders, self.lamps, self.tower, *self.meters.values(), *self._inputs, *money]

    def close(self) -> None:
        """Stop every driver and give the header back."""
        for driver in self.drivers:
            driver.stop()
        self.header.close()
