"""Detect the devices on a serial port with requests that no device acts on.

No request moves a coil, a motor or money, or enables a device to accept money; `tests/drivers/test_probe.py` compares
every byte sent with a list. The first request of each protocol:

- ESC/POS: the real-time status (DLE EOT 1), at each baud rate. Printers come first, so that they do not print the
  requests of other protocols.
- ccTalk: the simple poll (254) to the default addresses, with the simple checksum and then with the CRC.
- SSP: SYNC, to a validator and a hopper. ID-003: the status request.
- EBDS: the application's part number. No poll: its answer may be the only report of a stacked note.
- MDB: the bridge's version. A bridge that answers is made bus master, and changer and validator are asked for setup and
  identification. They are not polled: the bridge acknowledges their events, which would then be lost.

SSP and EBDS devices repeat their last answer only until the next request. While a note is in hand that answer may be
its credit, so both protocols are skipped if `validators` is false. SAS is not probed: there the host polls.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, Literal

import msgspec

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.bus import Bus
from drivers.cctalk.framing import OPEN_FRAMINGS, SIMPLE, Framing
from drivers.cctalk.link import SERIAL_SIZES, category_of, said
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import PLACES
from drivers.cctalk.wire import Wire
from drivers.clock import Clock
from drivers.device_words import readable
from drivers.ebds.link import EbdsLink
from drivers.ebds.protocol import Auxiliary, Type
from drivers.errors import IdentityError, NoReplyError, PortError, WireError
from drivers.escpos.link import EscposLink
from drivers.escpos.protocol import MAKER, MODEL
from drivers.id003.link import Id003Link
from drivers.id003.protocol import Command as Id003Command
from drivers.mdb import protocol as mdb
from drivers.mdb.bridge import BAUD as BRIDGE_BAUD
from drivers.mdb.bridge import Bridge, BridgeTap
from drivers.port import Port
from drivers.serial_port import Parity, StopBits
from drivers.ssp.link import SspLink
from drivers.ssp.protocol import Command as SspCommand
from drivers.wiring import BAUDS

Protocol = Literal["escpos", "cctalk", "ssp", "id003", "ebds", "mdb"]
PROTOCOLS: Final[tuple[Protocol, ...]] = ("escpos", "cctalk", "ssp", "id003", "ebds", "mdb")
"""All protocols, in the order in which they are tried."""

ADDRESSES: Final = tuple(sorted(address for places in PLACES.values() for address in places))
"""Addresses at which ccTalk devices are probed: coin acceptors and hoppers 2 to 17, bill validators 40 to 47."""
SSP_KINDS: Final = {0x00: "bill validator", 0x10: "hopper"}
"""Kinds of devices by SSP address."""
BILL_VALIDATOR: Final = "bill validator"
PRINTER: Final = "ticket printer"
CHANGER: Final = "coin changer"

MOST_NOISE: Final = 16
_LEVEL_SIZE: Final = 3
_GAP_S: Final = 0.1
_TEXT_S: Final = 0.5
PARITIES: Final[tuple[Parity, ...]] = ("even", "none")
"""ID-003 and EBDS use even parity; a converter or a simulated device may use none."""
ATTEMPTS: Final = 3


class LineSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a port is opened; a TCP address has no rate: its `baud` is 0."""

    path: str
    baud: int = cctalk.BAUD
    parity: Parity = "none"
    stop_bits: StopBits = 1


OpenPort = Callable[[LineSettings], Port]
"""Returns a closed port with those settings; the probe opens it."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A device that answered; `address` is None if its protocol has none, `serial` if it does not report it.

    `framing` is a ccTalk device's framing other than the simple checksum, `revision` its software and the issue of the
    specification that it implements.
    """

    protocol: Protocol
    kind: str
    name: str
    address: int | None = None
    serial: int | None = None
    baud: int = cctalk.BAUD
    parity: Parity = "none"
    framing: str = ""
    revision: str = ""

    def __str__(self) -> str:
        at = "" if self.address is None else f" at address {self.address}"
        number = "" if self.serial is None else f", serial number {self.serial}"
        spoken = ", ".join(filter(None, (self.protocol, self.framing)))
        revision = f", {self.revision}" if self.revision else ""
        return f"{self.kind}{at} ({spoken}): {self.name or 'does not say who it is'}{number}{revision}"


def _level(answer: bytes) -> str:
    """Return the specification's issue in an answer to request 4 (release level, then two parts of the issue)."""
    return f"ccTalk {answer[1]}.{answer[2]}" if len(answer) == _LEVEL_SIZE else ""


class Heard(msgspec.Struct, frozen=True):
    """The result of probing a port: devices, whether the line echoes, and bytes that fit no protocol."""

    devices: tuple[Device, ...] = ()
    echo: bool = False
    noise: bytes = b""


async def who_answers(
    path: str,
    open_port: OpenPort,
    clock: Clock,
    *,
    first: Protocol | None = None,
    validators: bool = True,
    keys: Mapping[int, str] | None = None,
) -> Heard:
    """Probe the port at `path` with each protocol until a device answers, starting with `first`.

    `keys` are those of ccTalk devices with encryption, by address; without its key such a device does not answer. Raise
    `PortError` if the port cannot be opened or is lost.
    """
    line = _Probe(path, open_port, clock, keys or {})
    for protocol in sorted(PROTOCOLS, key=lambda name: name != first):
        if not validators and protocol in {"ssp", "ebds"}:
            continue
        devices = await line.ask(protocol)
        if devices:
            return Heard(devices, line.echo)
        if line.echo and protocol == "cctalk":
            break  # a ccTalk line: no other protocol has an echo
    return Heard((), line.echo, b"" if line.echo else line.noise)


async def printer_answers(path: str, open_port: OpenPort, clock: Clock) -> Heard:
    """Probe for a printer at the TCP address `path`; raise `PortError` if the connection fails or is lost."""
    line = _Probe(path, open_port, clock, {})
    found = await line.printer(0)
    return Heard(() if found is None else (found,), noise=b"" if found else line.noise)


class _Eavesdropped:
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


class _Probe:
    """Probes one port."""

    def __init__(self, path: str, open_port: OpenPort, clock: Clock, keys: Mapping[int, str]) -> None:
        self._keys = keys
        self.echo = False
        self.noise = b""
        self._path = path
        self._open_port = open_port
        self._clock = clock

    async def ask(self, protocol: Protocol) -> tuple[Device, ...]:
        """Return the devices that answer with `protocol`."""
        ways: Mapping[Protocol, Callable[[], Awaitable[tuple[Device, ...]]]] = {
            "escpos": self._escpos,
            "cctalk": self._cctalk,
            "ssp": self._ssp,
            "id003": self._id003,
            "ebds": self._ebds,
            "mdb": self._mdb,
        }
        return await ways[protocol]()

    @contextmanager
    def _line(
        self, *, baud: int = cctalk.BAUD, parity: Parity = "none", stop_bits: StopBits = 1
    ) -> Iterator[_Eavesdropped]:
        """Yield the closed port with those settings, and close it at the end."""
        settings = LineSettings(path=self._path, baud=baud, parity=parity, stop_bits=stop_bits)
        port = _Eavesdropped(self._open_port(settings))
        try:
            yield port
        finally:
            port.close()
            self.noise = self.noise or port.heard

    async def _escpos(self) -> tuple[Device, ...]:
        for baud in BAUDS:
            if found := await self.printer(baud):
                return (found,)
        return ()

    async def printer(self, baud: int) -> Device | None:
        """Return the printer that answers at that baud rate, None if none does."""
        with self._line(baud=baud) as port:
            link = EscposLink(port, self._clock, baud)
            await link.open()
            # Exactly one byte: a device that sends on its own sends more.
            if not await link.is_there() or len(port.heard) > 1:
                return None
            with suppress(NoReplyError):
                await link.status()
                names = [readable(await link.text(name, _TEXT_S) or b"") for name in (MAKER, MODEL)]
                return Device(protocol="escpos", kind=PRINTER, name=" ".join(filter(None, names)), baud=baud)
        return None

    async def _cctalk(self) -> tuple[Device, ...]:
        devices = []
        with self._line() as port:
            wire = Wire(port)
            bus = Bus(wire.tap(), self._clock)
            await bus.open()
            for framing in OPEN_FRAMINGS:
                for address in (one for one in ADDRESSES if one not in wire.framings):
                    devices += await self._cctalk_at(bus, address, framing)
            for address, key in self._keys.items():
                if address not in wire.framings:
                    sealed = Bus(wire.tap(), self._clock, key=key)
                    await sealed.open()
                    devices += await self._cctalk_at(sealed, address, sealed.framing(address))
            self.echo = self.echo or bus.echo is True
        return tuple(sorted(devices, key=lambda device: device.address or 0))

    async def _cctalk_at(self, bus: Bus, address: int, framing: Framing) -> list[Device]:
        """Return the device that answers at an address in that framing, if any does."""
        with suppress(NoReplyError, WireError):
            if await bus.answers(address, framing, attempts=1):
                return [await self._cctalk_device(bus, address, framing)]
        return []

    async def _cctalk_device(self, bus: Bus, address: int, framing: Framing) -> Device:
        kind = await category_of(bus, address)
        # Some devices do not support all of these.
        maker, product, build, software = [
            readable(await said(bus, address, header))
            for header in (Header.MANUFACTURER, Header.PRODUCT_CODE, Header.BUILD_CODE, Header.SOFTWARE_REVISION)
        ]
        level = await said(bus, address, Header.COMMS_REVISION)
        serial = None
        with suppress(NoReplyError, WireError):
            number = await bus.agreed(address, Header.SERIAL_NUMBER, sizes=SERIAL_SIZES)
            serial = int.from_bytes(number, "little")
        return Device(
            protocol="cctalk",
            kind=kind,
            name=" ".join(filter(None, (maker, product, build))),
            revision=", ".join(filter(None, (software, _level(level)))),
            address=address,
            serial=serial,
            framing="" if framing is SIMPLE else framing.name,
        )

    async def _ssp(self) -> tuple[Device, ...]:
        devices = []
        for address, kind in SSP_KINDS.items():
            with self._line(stop_bits=2) as port:
                await port.open()
                link = SspLink(port, self._clock, _GAP_S, address=address)
                with suppress(NoReplyError):
                    await link.sync()
                    devices.append(await self._ssp_device(link, address, kind))
        return tuple(devices)

    async def _ssp_device(self, link: SspLink, address: int, kind: str) -> Device:
        number = await link.ask(SspCommand.SERIAL_NUMBER, attempts=ATTEMPTS)
        firmware = await link.ask(SspCommand.FIRMWARE, attempts=ATTEMPTS)
        serial = int.from_bytes(number.data, "big") if number is not None and number.ok else None
        name = f"firmware {readable(firmware.data)}" if firmware is not None and firmware.ok else ""
        return Device(protocol="ssp", kind=kind, name=name, address=address, serial=serial)

    async def _id003(self) -> tuple[Device, ...]:
        for parity in PARITIES:
            with self._line(parity=parity) as port:
                link = Id003Link(port, self._clock, _GAP_S)
                if not await self._takes_parity(link):
                    continue
                if await link.poll() is None:
                    continue
                with suppress(NoReplyError):
                    # An echo of the request would look like an idle device, but has no version.
                    if version := await link.get(Id003Command.GET_VERSION):
                        return (Device(protocol="id003", kind=BILL_VALIDATOR, name=readable(version), parity=parity),)
        return ()

    async def _takes_parity(self, link: Id003Link) -> bool:
        """Open the line; return False if it does not support the parity, like a pty."""
        try:
            await link.open()
        except PortError:
            return False
        return True

    async def _ebds(self) -> tuple[Device, ...]:
        question = bytes((0, 0, Auxiliary.APPLICATION_PART_NUMBER))
        for parity in PARITIES:
            with self._line() as port:
                link = EbdsLink(port, self._clock, _GAP_S, even_parity=parity == "even")
                await link.open()
                answer = await link.ask(Type.AUXILIARY, question, attempts=1)
                if answer is None or (answer.type == Type.AUXILIARY and answer.data == question):
                    continue
                name = f"application {readable(answer.data)}" if answer.type == Type.AUXILIARY else ""
                return (Device(protocol="ebds", kind=BILL_VALIDATOR, name=name, parity=parity),)
        return ()

    async def _mdb(self) -> tuple[Device, ...]:
        with self._line(baud=BRIDGE_BAUD) as port:
            tap = Bridge(port, self._clock).tap()
            await tap.open()
            if not await tap.bridge.is_there(tap):
                return ()
            found = [
                await self._mdb_device(tap, CHANGER, mdb.Coin.SETUP, mdb.Coin.EXPANSION),
                await self._mdb_device(tap, BILL_VALIDATOR, mdb.Bill.SETUP, mdb.Bill.EXPANSION),
            ]
            return tuple(device for device in found if device is not None)

    async def _mdb_device(self, tap: BridgeTap, kind: str, setup: int, expansion: int) -> Device | None:
        """Return the device that answers SETUP; a level 2 changer has no serial number and is known by that answer."""
        identify = bytes((expansion, mdb.Expansion.IDENTIFICATION))
        with suppress(NoReplyError, IdentityError, ValueError):
            answer = await tap.bridge.ask(tap, bytes((setup,)))
            if not answer:
                return None
            name, serial = f"bridge {tap.bridge.version}", None
            with suppress(ValueError):
                who = mdb.identification(await tap.bridge.ask(tap, identify) or b"")
                name, serial = f"{who.maker} {who.model}", who.number
            with suppress(ValueError):
                if kind == CHANGER and (found := mdb.coin_setup(answer)).level < mdb.LEVEL_3:
                    serial = found.number
            return Device(protocol="mdb", kind=kind, name=name, serial=serial, baud=BRIDGE_BAUD)
        return None
