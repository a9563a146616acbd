"""A million random bytes on a sealed line are no answer to anything."""

import asyncio
import random

import pytest

from drivers.clock import LoopClock
from drivers.errors import NoReplyError
from drivers.simulated.line import Line
from drivers.simulated.memory_line import MemoryLine
from drivers.ssp.key import FixedKey
from drivers.ssp.link import SspLink
from drivers.ssp.protocol import Command
from tests.rigs.ssp_peer import EsspPeer, framed

pytestmark = pytest.mark.proof

BYTES = 1_000_000


class Noisy(EsspPeer):
    """A device that, once it is noisy, answers each frame with random bytes, some of them in valid frames."""

    def __init__(self) -> None:
        super().__init__(16)
        self.noisy = False
        self.sent = 0
        self._chance = random.Random(20)
        self._out: Line | None = None

    def connect(self, line: Line) -> None:
        self._out = line
        super().connect(line)

    def _send(self, head: int, data: bytes) -> None:
        if not self.noisy:
            super()._send(head, data)
            return
        assert self._out is not None
        noise = self._chance.randbytes(2000)
        packet = b"\x7e" + self._chance.randbytes(16 * self._chance.randrange(1, 15))
        self.sent += len(noise) + len(packet)
        self._out.send(noise + framed(head, packet) + framed(head, b"\xf0" + noise[:40]))


async def test_a_million_random_bytes_are_no_answer() -> None:
    """Neither noise nor well-framed random packets nor plain answers are taken; then the device is spoken to again."""
    peer = Noisy()
    line = MemoryLine(peer)
    await line.port.open()
    link = SspLink(line.port, LoopClock(), 0.05, address=16)
    await link.sync()
    assert await link.negotiate(FixedKey())
    carried = len(peer.carried)
    peer.noisy = True
    while peer.sent < BYTES:
        with pytest.raises(NoReplyError):
            await link.command(Command.POLL)
    peer.noisy = False
    await asyncio.sleep(5)
    assert (await link.command(Command.POLL)).reply
    assert {command for command, _ in peer.carried[carried:]} == {Command.POLL}
