"""Who a printer says that it is: the real-time status (DLE EOT 1), at each baud rate."""

from contextlib import suppress
from typing import Final

from drivers.clock import Clock
from drivers.device_words import readable
from drivers.errors import NoReplyError
from drivers.escpos.link import EscposLink
from drivers.escpos.protocol import MAKER, MODEL
from drivers.probe import Device, Heard, OpenPort, Probe, ProbedPort
from drivers.wiring import BAUDS

PRINTER: Final = "ticket printer"
_TEXT_S: Final = 0.5


async def ask(port: ProbedPort) -> tuple[Device, ...]:
    """Return the devices that answer."""
    for baud in BAUDS:
        if found := await printer(port, baud):
            return (found,)
    return ()


async def printer(port: ProbedPort, baud: int) -> Device | None:
    """Return the printer that answers at that baud rate, None if none does."""
    with port.line(baud=baud) as line:
        link = EscposLink(line, port.clock, baud)
        await link.open()
        # Exactly one byte: a device that sends on its own sends more.
        if not await link.is_there() or len(line.heard) > 1:
            return None
        with suppress(NoReplyError):
            await link.status()
            names = [readable(await link.text(name, _TEXT_S) or b"") for name in (MAKER, MODEL)]
            return Device(protocol="escpos", kind=PRINTER, name=" ".join(filter(None, names)), baud=baud)
    return None


async def printer_answers(path: str, open_port: OpenPort, clock: Clock) -> Heard:
    """Probe for a printer at the TCP address `path`; raise `PortError` if the connection fails or is lost."""
    port = ProbedPort(path, open_port, clock, {})
    found = await printer(port, 0)
    return Heard(() if found is None else (found,), noise=b"" if found else port.noise)


PROBE: Final = Probe(order=1, ask=ask)
