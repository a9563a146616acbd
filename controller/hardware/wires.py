"""The sources of the drivers' pins and ports: the header, and the serial lines; ccTalk devices share one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from controller.configuration.cabinet_toml import Config
from drivers.cctalk.scan import possible_addresses
from drivers.cctalk.wire import Wire
from drivers.clock import Clock
from drivers.gpio import open_header
from drivers.input_port import InputPort
from drivers.pins.header import PinHeader
from drivers.port import Port
from drivers.serial_port import Parity, SerialPort, StopBits
from drivers.validator_protocols import validator_protocols
from drivers.wire_trace import TracedPort
from drivers.wiring import BillValidator as BillSettings
from drivers.wiring import CoinAcceptor as CoinSettings
from drivers.wiring import TicketPrinter as PrinterSettings

if TYPE_CHECKING:
    from drivers.cards.terminal import Terminal
    from drivers.mdb.bridge import Bridge
    from drivers.sas.line import Line


class HostLine(Protocol):
    """The settings of a host's line."""

    @property
    def port(self) -> str:
        """The path of its serial port."""

    @property
    def link(self) -> str:
        """`wakeup` where the port carries the wake-up bit, else `timed`."""


def host_line(settings: HostLine) -> "Line":
    """Return the line of a host port; its link opens it."""
    from drivers.sas.line import BAUD, NineBitLine, TimedLine  # noqa: PLC0415 - loaded where one is configured

    port = SerialPort(settings.port, baud=BAUD)
    return TimedLine(port) if settings.link == "timed" else NineBitLine(port)


def printer_port(settings: PrinterSettings) -> Port:
    """Return the port of a ticket printer; its driver opens it."""
    from drivers.network_port import NetworkPort  # noqa: PLC0415 - loaded where one is configured
    from drivers.usb_printer_port import UsbPrinterPort  # noqa: PLC0415 - as above

    if settings.link == "network":
        return NetworkPort(settings.port)
    return UsbPrinterPort(settings.port) if settings.link == "usb" else SerialPort(settings.port, baud=settings.baud)


def card_port(path: str) -> Port:
    """Return the input device of a keyboard-wedge card reader; its driver opens and grabs it."""
    return InputPort(path)


def bridge_port(path: str) -> Port:
    """Return the port of an MDB bridge; the first of its drivers opens it."""
    from drivers.mdb.bridge import BAUD  # noqa: PLC0415 - loaded where one is configured

    return SerialPort(path, baud=BAUD)


def card_terminal() -> "Terminal":
    """Return the PC/SC service for the driver of a card reader."""
    from drivers.cards.pcsc import PcscTerminal  # noqa: PLC0415 - loaded where one is configured

    return PcscTerminal()


class Wires(NamedTuple):
    """The sources of pins and ports.

    These are the header, a port by path, parity and stop bits, the hosts' lines, the ticket printer's port, the input
    device of a card reader, the PC/SC service, and an MDB bridge's port by path.
    """

    header: PinHeader
    port: Callable[[str, Parity, StopBits], Port]
    host_line: Callable[[HostLine], "Line"] = host_line
    printer_port: Callable[[PrinterSettings], Port] = printer_port
    card_port: Callable[[str], Port] = card_port
    card_terminal: Callable[[], "Terminal"] = card_terminal
    bridge_port: Callable[[str], Port] = bridge_port


def serial_port(path: str, parity: Parity, stop_bits: StopBits) -> Port:
    """Return the serial port at `path`; its driver opens it."""
    return SerialPort(path, parity=parity, stop_bits=stop_bits)


def real_wires(config: Config, pins_socket: Path | None) -> Wires:
    """Open the configured header; serial ports are opened by their drivers."""
    header = open_header(config.pins.factory, pins_socket, config.pins.expanders)
    if config.simulated:  # a demo's wedge is a pseudo-terminal, which cannot be grabbed
        return Wires(header, serial_port, card_port=lambda path: InputPort(path, grabs=False))
    return Wires(header, serial_port)


class Lines:
    """The serial lines of one cabinet: one port per device, shared by ccTalk or MDB devices on the same path.

    `ports` are all of them, by path.
    """

    def __init__(self, wires: Wires, clock: Clock) -> None:
        self.ports: dict[str, TracedPort] = {}
        self._wires = wires
        self._clock = clock
        self._cctalk: dict[str, Wire] = {}
        self._bridges: dict[str, Bridge] = {}

    def _port(self, path: str, parity: Parity, stop_bits: StopBits) -> Port:
        return self._traced(self._wires.port(path, parity, stop_bits))

    def _traced(self, port: Port) -> Port:
        self.ports[port.path] = traced = TracedPort(port, self._clock)
        return traced

    def cctalk(self, path: str) -> Port:
        """Return a device's share of the ccTalk line at `path`."""
        line = os.path.normpath(path)
        if line not in self._cctalk:
            self._cctalk[line] = Wire(self._port(path, "none", 1))
        return self._cctalk[line].tap()

    def coins(self, settings: CoinSettings) -> Port:
        """Return the coin acceptor's line: its share of a ccTalk line or of an MDB bridge."""
        return self.mdb(settings.port) if settings.protocol == "mdb" else self.cctalk(settings.port)

    def mdb(self, path: str) -> Port:
        """Return a device's share of the MDB bridge at `path`."""
        line = os.path.normpath(path)
        if line not in self._bridges:
            from drivers.mdb.bridge import Bridge  # noqa: PLC0415 - loaded where one is configured

            self._bridges[line] = Bridge(self._traced(self._wires.bridge_port(path)), self._clock)
        return self._bridges[line].tap()

    def bills(self, settings: BillSettings) -> Port:
        """Return the validator's line: one of its own, or its share of a ccTalk line or of an MDB bridge."""
        protocol = validator_protocols()[settings.protocol]
        if protocol.shared_line == "cctalk":
            tap = self.cctalk(settings.port)
            if settings.cctalk_key:
                from drivers.cctalk.bill_session import CATEGORY  # noqa: PLC0415 - as above

                for address in possible_addresses(settings.address, CATEGORY):
                    self.ports[tap.path].seal(address)
            return tap
        if protocol.shared_line == "mdb":
            return self.mdb(settings.port)
        return self._port(settings.port, settings.parity if protocol.line_parity else "none", protocol.stop_bits)

    def ssp(self, path: str) -> Port:
        """Return the line of an SSP device: 8N2."""
        return self._port(path, "none", 2)

    def printer(self, settings: PrinterSettings) -> Port:
        """Return the ticket printer's line."""
        return self._traced(self._wires.printer_port(settings))
