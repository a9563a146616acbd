"""Who an ID-003 validator says that it is: the status request, then its version."""

from contextlib import suppress
from typing import Final

from drivers.device_words import readable
from drivers.errors import NoReplyError, PortError
from drivers.id003.link import Id003Link
from drivers.id003.protocol import Command
from drivers.probe import BILL_VALIDATOR, GAP_S, PARITIES, Device, Probe, ProbedPort


async def ask(port: ProbedPort) -> tuple[Device, ...]:
    """Return the devices that answer."""
    for parity in PARITIES:
        with port.line(parity=parity) as line:
            link = Id003Link(line, port.clock, GAP_S)
            if not await _takes_parity(link):
                continue
            if await link.poll() is None:
                continue
            with suppress(NoReplyError):
                # An echo of the request would look like an idle device, but has no version.
                if version := await link.get(Command.GET_VERSION):
                    return (Device(protocol="id003", kind=BILL_VALIDATOR, name=readable(version), parity=parity),)
    return ()


async def _takes_parity(link: Id003Link) -> bool:
    """Open the line; return False if it does not support the parity, like a pty."""
    try:
        await link.open()
    except PortError:
        return False
    return True


PROBE: Final = Probe(order=4, ask=ask)
