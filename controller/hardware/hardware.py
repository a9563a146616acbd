"""The cabinet's hardware as one object: built from the configuration, commanded by the machine."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from controller.configuration.cabinet_toml import Config
from controller.hardware.coin_acceptors import coin_acceptor_of
from controller.hardware.driver_log import DriverLog
from controller.hardware.hoppers import hopper_of, is_recycler
from controller.hardware.input_watch import InputWatch
from controller.hardware.logic_door import LogicDoor
from controller.hardware.money_listener import MoneyListener
from controller.hardware.wires import Lines, Wires
from controller.machine.key_switches import KeySwitches
from controller.machine.view import MachineParts
from drivers.bill_validator import BillValidator
from drivers.capabilities import Driver, Level
from drivers.clock import Clock
from drivers.pins.button_panel import ButtonPanel
from drivers.pins.coin_gates import CoinGates
from drivers.pins.door_latch import DoorLatch
from drivers.pins.expander import Expander
from drivers.pins.hard_meter import HardMeter
from drivers.pins.header import PinHeader
from drivers.pins.lamps import Lamps
from drivers.pins.switches import Switches
from drivers.pins.tower_light import TowerLight
from drivers.wiring import Pins, TicketPrinter

if TYPE_CHECKING:
    from drivers.escpos.printer import EscposPrinter
    from drivers.mdb.changer import Changer
    from drivers.pulse.acceptor import PulseAcceptor
    from drivers.ssp.desk import RecyclerDesk


REST_S: Final = 5.0
"""The maximum wait in seconds for coins in transit at a stop."""
REST_LOOK_S: Final = 0.1


class Hardware:
    """Every driver of one cabinet; `drivers` must be kept running, and `close` de-energises all outputs.

    `cards` receives staff cards from their reader. `watch` sees every edge of `buttons`, `doors` and `keys`. A device
    that is not fitted is None. `ports` are the serial lines by path; their frames can be watched.
    """

    def __init__(
        self,
        config: Config,
        machine: MachineParts,
        listener: MoneyListener,
        *,
        keys: KeySwitches,
        clock: Clock,
        wires: Wires,
    ) -> None:
        self.config = config
        self._clock = clock
        pins = config.pins
        self.driver_log = DriverLog(clock)
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
        self.coin_gates = CoinGates(pins.coin, self.header, clock)
        self.pulse_acceptors = _pulse_acceptors(pins, self.header, clock, listener) if pins.pulse else {}
        lines = Lines(wires, clock)
        self.ports = lines.ports
        changer = _changer_that_pays(config)
        self.coin_acceptor = (
            coin_acceptor_of(
                config.coin_acceptor,
                config,
                lines.coins(config.coin_acceptor),
                clock,
                listener,
                gates=self.coin_gates,
                hopper_takes=self.hopper_takes,
                changer=changer,
            )
            if config.coin_acceptor
            else None
        )
        recycler = _recycler_desk(config)
        self.bill_validator = (
            BillValidator(
                config.bill_validator,
                lines.bills(config.bill_validator),
                clock,
                listener,
                currency=config.cabinet.money.tender,
                recycler=recycler,
            )
            if config.bill_validator
            else None
        )
        self.hopper = hopper_of(config, lines, clock, listener, recycler=recycler, changer=changer)
        self.ticket_printer = (
            _ticket_printer(config.ticket_printer, lines, clock, listener) if config.ticket_printer else None
        )
        self.added: list[Driver] = []
        """The drivers of features' devices, which start last."""
        self.watch = InputWatch()
        self.buttons = ButtonPanel(
            {name: button.pin for name, button in pins.buttons.items()},
            self.header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_press=lambda name, _at: machine.states.press(name),
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
            on_change=lambda name, active: machine.states.door(name, is_open=active),
            on_edge=self.watch.of("doors"),
        )
        self.keys = Switches(
            "keys",
            pins.keys,
            self.header,
            clock,
            debounce_ms=pins.debounce_ms,
            on_change=lambda name, active: keys.take(name, turned=active),
            on_edge=self.watch.of("keys"),
        )
        logic_door = LogicDoor(machine.journal, machine.conditions, clock, listener)
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
        """All drivers in the order of their start: expanders first, because the others' pins may be on them."""
        devices: tuple[Driver | None, ...] = (self.coin_acceptor, self.bill_validator, self.hopper)
        money = [device for device in devices if device is not None]
        printers: list[Driver] = [self.ticket_printer] if self.ticket_printer else []
        gates = [self.coin_gates] if self.config.pins.coin else []
        inputs: list[Driver] = [self.buttons, self.doors, self.keys, *([self.latch] if self.latch else [])]
        return [
            *self.expanders,
            self.lamps,
            self.tower,
            *self.meters.values(),
            *gates,
            *inputs,
            *money,
            *self.pulse_acceptors.values(),
            *printers,
            *self.added,
        ]

    def hopper_takes(self) -> int:
        """Return the denomination in cents of the coins that the hopper has room for now, 0 if it has none."""
        hopper = self.hopper
        if hopper is None or not hopper.ready or hopper.level is Level.FULL:
            return 0
        return hopper.coin_value_cents

    async def money_rests(self) -> None:
        """Inhibit all acceptors, and return once their coins and pulses are booked, or after a short timeout."""
        coins = self.coin_acceptor
        found = [] if coins is None or coins.identity is None else [coins]
        taking = [*found, *(acceptor for acceptor in self.pulse_acceptors.values() if acceptor.can_rest)]
        for acceptor in taking:
            acceptor.accept(enabled=False)
        if self.bill_validator is not None:
            self.bill_validator.accept(frozenset())
        until = self._clock.now() + REST_S
        while self._clock.now() < until and not all(acceptor.at_rest for acceptor in taking):
            await self._clock.sleep(REST_LOOK_S)

    def close(self) -> None:
        """Stop every driver and release the header; a driver that fails to stop does not prevent the others."""
        with ExitStack() as stopping:
            stopping.callback(self.header.close)
            for driver in reversed(self.drivers):
                stopping.callback(driver.stop)


# Drivers that few cabinets need are imported only if configured, which keeps the start fast.


def _pulse_acceptors(
    pins: Pins, header: PinHeader, clock: Clock, listener: MoneyListener
) -> dict[str, "PulseAcceptor"]:
    """Return the drivers of the acceptors that report by pulses, by kind."""
    from drivers.pulse.acceptor import PulseAcceptor  # noqa: PLC0415 - only where one is wired

    return {kind: PulseAcceptor(kind, wired, header, clock, listener) for kind, wired in pins.pulse.items()}


def _changer_that_pays(config: Config) -> "Changer | None":
    """Return the meeting point of the drivers of a changer whose tubes pay, or None."""
    if config.hopper is None or config.hopper.protocol != "mdb":
        return None
    from drivers.mdb.changer import Changer  # noqa: PLC0415 - only where one pays

    return Changer(pays=True)


def _recycler_desk(config: Config) -> "RecyclerDesk | None":
    """Return the meeting point of the drivers of a validator and its recycler, or None without a recycler."""
    if config.hopper is None or not is_recycler(config):
        return None
    from drivers.ssp.desk import RecyclerDesk  # noqa: PLC0415 - only where there is one

    return RecyclerDesk(config.hopper.port)


def _ticket_printer(settings: TicketPrinter, lines: Lines, clock: Clock, listener: MoneyListener) -> "EscposPrinter":
    """Return the driver of the ticket printer."""
    from drivers.escpos.printer import EscposPrinter  # noqa: PLC0415 - only where there is one

    return EscposPrinter(settings, lines.printer(settings), clock, listener)
