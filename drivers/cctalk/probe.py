"""Who ccTalk devices say that they are: the simple poll (254) to the usual addresses, in both framings."""

from contextlib import suppress
from typing import Final

from drivers.cctalk.bus import Bus
from drivers.cctalk.framing import OPEN_FRAMINGS, SIMPLE, Framing
from drivers.cctalk.link import SERIAL_SIZES, category_of, said
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import PLACES
from drivers.cctalk.wire import Wire
from drivers.device_words import readable
from drivers.errors import NoReplyError, WireError
from drivers.probe import Device, Probe, ProbedPort

ADDRESSES: Final = tuple(sorted(address for places in PLACES.values() for address in places))
"""Addresses that are asked: coin acceptors and hoppers 2 to 17, bill validators 40 to 47."""
_LEVEL_SIZE: Final = 3


async def ask(port: ProbedPort) -> tuple[Device, ...]:
    """Return the devices that answer."""
    devices = []
    with port.line() as line:
        wire = Wire(line)
        bus = Bus(wire.tap(), port.clock)
        await bus.open()
        for framing in OPEN_FRAMINGS:
            for address in (one for one in ADDRESSES if one not in wire.framings):
                devices += await _device_at(bus, address, framing)
        for address, key in port.keys.items():
            if address not in wire.framings:
                sealed = Bus(wire.tap(), port.clock, key=key)
                await sealed.open()
                devices += await _device_at(sealed, address, sealed.framing(address))
        port.echo = port.echo or bus.echo is True
    return tuple(sorted(devices, key=lambda device: device.address or 0))


async def _device_at(bus: Bus, address: int, framing: Framing) -> list[Device]:
    """Return the device that answers at an address in that framing, if any does."""
    with suppress(NoReplyError, WireError):
        if await bus.answers_poll(address, framing, attempts=1):
            return [await _device(bus, address, framing)]
    return []


async def _device(bus: Bus, address: int, framing: Framing) -> Device:
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


def _level(answer: bytes) -> str:
    """Return the specification's issue in an answer to request 4 (release level, then two parts of the issue)."""
    return f"ccTalk {answer[1]}.{answer[2]}" if len(answer) == _LEVEL_SIZE else ""


PROBE: Final = Probe(order=2, ask=ask)
