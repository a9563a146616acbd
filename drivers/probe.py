"""Detect the devices on a serial port with requests that no device acts on.

No request moves a coil, a motor or money, or enables a device to accept money; `tests/drivers/test_probe.py` compares
every byte sent with a list. Each protocol's requests are in the `probe.py` of its folder. SAS is not probed: there the
host polls.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from drivers.clock import Clock
from drivers.port import Port
from drivers.serial_port import Parity, StopBits

MOST_NOISE: Final = 16
GAP_S: Final = 0.1
PARITIES: Final[tuple[Parity, ...]] = ("even", "none")
"""ID-003 and EBDS use even parity; a converter or a simulated device may use none."""
ATTEMPTS: Final = 3
BAUD: Final = 9_600
"""The rate of most protocols."""
BILL_VALIDATOR: Final = "bill validator"


class LineSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a port is opened; a TCP address has no rate: its `baud` is 0."""

    path: str
    baud: int = BAUD
    parity: Parity = "none"
    stop_bits: StopBits = 1


OpenPort = Callable[[LineSettings], Port]
"""Returns a closed port with those settings; the probe opens it."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A device that answered; `address` is None if its protocol has none, `serial` if it does not report it.

    `framing` is a ccTalk device's framing other than the simple checksum, `revision` its software and the issue of the
    specification that it implements.
    """

    protocol: str
    kind: str
    name: str
    address: int | None = None
    serial: int | None = None
    baud: int = BAUD
    parity: Parity = "none"
    framing: str = ""
    revision: str = ""

    def __str__(self) -> str:
        at = "" if self.address is None else f" at address {self.address}"
        number = "" if self.serial is None else f", serial number {self.serial}"
        spoken = ", ".join(filter(None, (self.protocol, self.framing)))
        revision = f", {self.revision}" if self.revision else ""
        return f"{self.kind}{at} ({spoken}): {self.name or 'does not say who it is'}{number}{revision}"


class Heard(msgspec.Struct, frozen=True):
    """The result of probing a port: devices, whether the line echoes, and bytes that fit no protocol."""

    devices: tuple[Device, ...] = ()
    echo: bool = False
    noise: bytes = b""


class Probe(NamedTuple):
    """How the devices of a protocol are found; `order` is its place among the others.

    Printers come first, so that they do not print the requests of other protocols. `repeats`: its devices repeat their
    last answer only until the next request. While a note is in hand that answer may be its credit.
    """

    order: int
    ask: "Callable[[ProbedPort], Awaitable[tuple[Device, ...]]]"
    repeats: bool = False


@cache
def probes() -> Mapping[str, Probe]:
    """Return how each protocol's devices are found, by its name, in the order in which they are tried."""
    names = [path.parent.name for path in Path(__file__).parent.glob("*/probe.py")]
    found: dict[str, Probe] = {name: import_module(f"drivers.{name}.probe").PROBE for name in names}
    return dict(sorted(found.items(), key=lambda named: named[1].order))


async def who_answers(
    path: str,
    open_port: OpenPort,
    clock: Clock,
    *,
    first: str | None = None,
    validators: bool = True,
    keys: Mapping[int, str] | None = None,
) -> Heard:
    """Probe the port at `path` with each protocol until a device answers, starting with `first`.

    Without `validators` those are left out that repeat an answer. `keys` are those of ccTalk devices with encryption,
    by address; without its key such a device does not answer. Raise `PortError` if the port cannot be opened or is
    lost.
    """
    port = ProbedPort(path, open_port, clock, keys or {})
    for name, probe in sorted(probes().items(), key=lambda named: named[0] != first):
        if not validators and probe.repeats:
            continue
        devices = await probe.ask(port)
        if devices:
            return Heard(devices, port.echo)
        if port.echo and name == "cctalk":
            break  # a ccTalk line: no other protocol has an echo
    return Heard((), port.echo, b"" if port.echo else port.noise)


class _HeardPort:
    """A port that stores the first bytes received."""

    def __init__(self, port: Port) -> None:
        self.path = port.path
        self.heard = b""
        self._port = port

    async def open(self) -> None:
        await self._port.open()

    async def write(self, data: bytes) -> None:
        await self._port.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
        data = await self._port.read(timeout)
        self.heard = (self.heard + data)[:MOST_NOISE]
        return data

    def close(self) -> None:
        self._port.close()


class ProbedPort:
    """A port that is probed: the `clock`, the `keys` of ccTalk devices by address, and whether the line echoes."""

    def __init__(self, path: str, open_port: OpenPort, clock: Clock, keys: Mapping[int, str]) -> None:
        self.clock = clock
        self.keys = keys
        self.echo = False
        self.noise = b""
        self._path = path
        self._open_port = open_port

    @contextmanager
    def line(self, *, baud: int = BAUD, parity: Parity = "none", stop_bits: StopBits = 1) -> Iterator["_HeardPort"]:
        """Yield the closed port with those settings, and close it at the end."""
        settings = LineSettings(path=self._path, baud=baud, parity=parity, stop_bits=stop_bits)
        port = _HeardPort(self._open_port(settings))
        try:
            yield port
        finally:
            port.close()
            self.noise = self.noise or port.heard
