"""Who SSP devices say that they are: SYNC to a validator and to a hopper."""

from contextlib import suppress
from typing import Final

from drivers.device_words import readable
from drivers.errors import NoReplyError
from drivers.probe import ATTEMPTS, GAP_S, Device, Probe, ProbedPort
from drivers.ssp.link import SspLink
from drivers.ssp.protocol import Command

KINDS: Final = {0x00: "bill validator", 0x10: "hopper"}
"""Kinds of devices by their address."""


async def ask(port: ProbedPort) -> tuple[Device, ...]:
    """Return the devices that answer."""
    devices = []
    for address, kind in KINDS.items():
        with port.line(stop_bits=2) as line:
            await line.open()
            link = SspLink(line, port.clock, GAP_S, address=address)
            with suppress(NoReplyError):
                await link.sync()
                devices.append(await _device(link, address, kind))
    return tuple(devices)


async def _device(link: SspLink, address: int, kind: str) -> Device:
    number = await link.ask(Command.SERIAL_NUMBER, attempts=ATTEMPTS)
    firmware = await link.ask(Command.FIRMWARE, attempts=ATTEMPTS)
    serial = int.from_bytes(number.data, "big") if number is not None and number.ok else None
    name = f"firmware {readable(firmware.data)}" if firmware is not None and firmware.ok else ""
    return Device(protocol="ssp", kind=kind, name=name, address=address, serial=serial)


PROBE: Final = Probe(order=3, ask=ask, repeats=True)
