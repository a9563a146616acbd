"""The EBDS validator under what public hosts send, in their order (`hosts_ebds.tsv`)."""

import asyncio
from functools import reduce
from operator import xor

import pytest

from drivers.simulated.ebds.bill_validator import SimulatedEbdsValidator
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.note_path import Paper
from tests.drivers.simulated.ebds.bench import even
from tests.rigs.public_hosts import hosts, play, steps

VECTORS = "hosts_ebds.tsv"


class EbdsPeer:
    """A validator on a line of 7E1; every answer's parity, length, acknowledgement and checksum are checked."""

    def __init__(self) -> None:
        self.papers: dict[str, list[Paper]] = {"stacked": [], "returned": []}
        self.device = SimulatedEbdsValidator(
            stacked=self.papers["stacked"].append, returned=self.papers["returned"].append
        )
        self.line = MemoryLine(self.device)
        self._ack = 0

    async def ask(self, said: str) -> str:
        """Send the frame of the two whose ACK bit is due; return control and data of the answer."""
        frame = bytes.fromhex(said.split(" | ")[self._ack])
        await self.line.port.write(bytes(map(even, frame)))
        await asyncio.sleep(0.1)
        heard = await self.line.port.read(0)
        if not heard:
            return ""
        reply = bytes(byte & 0x7F for byte in heard)
        assert heard == bytes(map(even, reply))
        assert (reply[0], reply[1], reply[-2]) == (0x02, len(reply), 0x03)
        assert reply[-1] == reduce(xor, reply[1:-2])
        assert reply[2] & 1 == self._ack
        self._ack ^= 1
        return reply[2:-2].hex(" ").upper()

    def hand(self, act: str, what: str) -> None:
        """Put a note in."""
        assert act == "note"
        self.device.insert(int(what))

    def fact(self, name: str) -> str:
        """How much money is where, in cents."""
        return str(sum(paper for paper in self.papers[name] if isinstance(paper, int)))


@pytest.mark.parametrize(("host", "device"), hosts(VECTORS))
async def test_a_public_host(host: str, device: str) -> None:
    """Each request has the answer that the protocol gives it, and the money is where the host believes it."""
    peer = EbdsPeer()
    peer.device.power(on=True)
    await peer.line.port.open()
    await play(steps(VECTORS, host, device), peer)
