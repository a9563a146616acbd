"""Where the drivers' pins and ports come from: the header, and the serial lines, of which ccTalk devices share one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.configuration.cabinet_toml import Config
from drivers.cctalk.wire import Wire
from drivers.clock import Clock
from drivers.gpio import open_header
from drivers.pins.header import PinHeader
from drivers.port import Port
from drivers.serial_port import Parity, SerialPort, StopBits
from drivers.wire_trace import TracedPort
from drivers.wiring import BillValidator as BillSettings


class Wires(NamedTuple):
    """Where the drivers' pins and ports come from: the header, and a port for a path, parity and stop bits."""

    header: PinHeader
    port: Callable[[str, Parity, StopBits], Port]


def serial_port(path: str, parity: Parity, stop_bits: StopBits) -> Port:
    """Return the serial port at `path`, which its driver opens."""
    return SerialPort(path, parity=parity, stop_bits=stop_bits)


def real_wires(config: Config, pins_socket: Path | None) -> Wires:
    """Open the header that the configuration names; serial ports are opened by their drivers."""
    return Wires(open_header(config.pins.factory, pins_socket, config.pins.expanders), serial_port)


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
