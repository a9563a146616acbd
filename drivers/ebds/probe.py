"""Who an EBDS validator says that it is: its application's part number.

It is not polled: the answer may be the only report of a stacked note.
"""

from typing import Final

from drivers.device_words import readable
from drivers.ebds.link import EbdsLink
from drivers.ebds.protocol import Auxiliary, Type
from drivers.probe import BILL_VALIDATOR, GAP_S, PARITIES, Device, Probe, ProbedPort


async def ask(port: ProbedPort) -> tuple[Device, ...]:
    """Return the devices that answer."""
    question = bytes((0, 0, Auxiliary.APPLICATION_PART_NUMBER))
    for parity in PARITIES:
        with port.line() as line:
            link = EbdsLink(line, port.clock, GAP_S, even_parity=parity == "even")
            await link.open()
            answer = await link.ask(Type.AUXILIARY, question, attempts=1)
            if answer is None or (answer.type == Type.AUXILIARY and answer.data == question):
                continue
            name = f"application {readable(answer.data)}" if answer.type == Type.AUXILIARY else ""
            return (Device(protocol="ebds", kind=BILL_VALIDATOR, name=name, parity=parity),)
    return ()


PROBE: Final = Probe(order=5, ask=ask, repeats=True)
