"""A machine of a few lines for the tests of the SAS host: it answers what it is made to answer, and breaks on demand.

It frames by the wake-up bit, or by one write where the link has none.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from tests.rigs import sas_frames
from tests.rigs.sas_frames import POLLS, read_request
from tests.rigs.sas_links import BitLink, MemoryHostLink

GENERAL = 0x80


class Puppet:
    """A machine at `address`; `say` puts its bytes on the wire."""

    def __init__(self, say: Callable[[bytes], None], address: int = 1) -> None:
        self.address = address
        self.say = say
        self.queue: deque[int] = deque()
        self.real_time = False
        self.answers: dict[int, Callable[..., bytes | None]] = {}
        """What answers a command; called with the request's values."""
        self.spoils = 0
        """How many answers have a wrong last byte."""
        self.busy = 0
        self.heard: list[bytes] = []
        self.after_s = 0.005
        self._last = b""
        self._answer = b""
        self._told = False

    def hear(self, frame: bytes) -> None:
        """Take one whole poll."""
        self.heard.append(frame)
        if frame[:2] == self._last[:2] and self._answer:
            self._put(self._answer)
            return
        if self._told:
            self.queue.popleft()
            self._told = False
        self._last, self._answer = frame, b""
        if frame[0] & ~GENERAL != self.address:
            return
        self._answer = self._answered(frame) or b""
        if self._answer:
            self._put(self._answer)

    def lose_power(self) -> None:
        """Forget what was said, not what is in the queue."""
        self._last = self._answer = b""
        self._told = False

    def _put(self, answer: bytes) -> None:
        if self.spoils:
            self.spoils -= 1
            answer = answer[:-1] + bytes([answer[-1] ^ 0xFF])
        asyncio.get_running_loop().call_later(self.after_s, self.say, answer)

    def _answered(self, frame: bytes) -> bytes | None:
        if self.real_time and self.queue:
            self._told = True
            return sas_frames.event(self.address, self.queue[0])
        if frame[0] & GENERAL:
            self._told = bool(self.queue)
            return bytes([self.queue[0] if self.queue else 0])
        if self.busy:
            self.busy -= 1
            return bytes([self.address, 0])
        asked = read_request(frame)
        if asked.command in self.answers:
            return self.answers[asked.command](**asked.values)
        return sas_frames.answer(self.address, asked.command) if POLLS[asked.command].answer is None else None


def on_bits() -> tuple[BitLink, Puppet]:
    """A puppet on a link that carries the wake-up bit."""
    pieces = bytearray()

    def carry(pairs: Sequence[tuple[int, bool]]) -> None:
        assert pairs[0][1], "the first byte of a poll has the wake-up bit"
        assert not any(wake for _, wake in pairs[1:]), "no other byte has it"
        pieces[:] = bytes(byte for byte, _ in pairs)
        puppet.hear(bytes(pieces))

    link = BitLink(carry)
    puppet = Puppet(lambda data: link.arrive([(byte, False) for byte in data]))
    return link, puppet


class PuppetLine:
    """A line whose writes are whole polls, as a pty without a wake-up bit has them."""

    def __init__(self) -> None:
        self.link = MemoryHostLink()
        self.link.connect(self)
        self.puppet = Puppet(self.link.receive)

    def send(self, data: bytes) -> None:
        """Carry the host's write to the puppet."""
        self.puppet.hear(data)
