"""A line in memory between a SAS link and a test: it carries the wake-up bit, or as a timed one only the bytes.

A `JoinedLine` has a host of `tests.rigs.sas_host` at its far end.
"""

import asyncio
from collections.abc import Iterable, Sequence

from drivers.errors import PortError
from drivers.sas.reader import WAKE
from tests.rigs.sas_links import BitLink


def woken(frame: bytes) -> list[int]:
    """Return a host's frame as it goes over the line: the wake-up bit is on its first byte."""
    return [frame[0] | WAKE, *frame[1:]]


class MemoryLine:
    """The machine's end, a `drivers.sas.line.Line`; tests `say` what the host sends, and read `said`."""

    def __init__(self, *, by_time: bool = False) -> None:
        self.path = "memory"
        self.by_time = by_time
        self.said: list[bytes] = []
        """What the machine has sent, one entry a frame."""
        self.chirps: list[float] = []
        """When the machine chirped, by the loop's clock."""
        self.reads = 0
        """How often the machine has read."""
        self._open = False
        self._input: list[int] = []
        self._came = asyncio.Event()

    async def open(self) -> None:
        """Open it."""
        self._open = True

    async def read(self, timeout: float) -> Sequence[int]:  # noqa: ASYNC109  (the seam's own signature)
        """Return what the host has said within `timeout` seconds."""
        self.reads += 1
        if not self._input and timeout > 0:
            self._came.clear()
            waiting = asyncio.ensure_future(self._came.wait())
            await asyncio.wait({waiting}, timeout=timeout)
            waiting.cancel()
        if not self._open:
            raise PortError("memory: the line is closed; open it again")
        symbols, self._input = self._input, []
        return [symbol & 0xFF for symbol in symbols] if self.by_time else symbols

    async def write(self, data: bytes) -> None:
        """Take what the machine sends."""
        self.said.append(data)

    async def chirp(self, address: int) -> None:
        """Take a chirp."""
        assert address
        self.chirps.append(asyncio.get_running_loop().time())

    def close(self) -> None:
        """Hang up."""
        self._open = False
        self._came.set()

    def say(self, symbols: Iterable[int]) -> None:
        """Send what the host sends."""
        self._input += symbols
        self._came.set()

    async def ask(self, frame: bytes, wait_s: float = 0.1) -> bytes:
        """Send one frame of the host; return what the machine answers within `wait_s`, nothing for silence."""
        before = len(self.said)
        self.say(woken(frame))
        await asyncio.sleep(wait_s)
        return b"".join(self.said[before:])


class JoinedLine(MemoryLine):
    """A line that goes on to a host by `link`; what comes while the machine has it closed is lost.

    `most` is how many of the host's bytes still arrive, None for all; `spoken` are the machine's that go on to the
    host, None for all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.link = BitLink(self._carry)
        self.most: int | None = None
        self.spoken: int | None = None

    async def open(self) -> None:
        """Open it, empty."""
        self._input = []
        await super().open()

    async def write(self, data: bytes) -> None:
        """Send to the host."""
        if self.spoken is not None:
            data, self.spoken = data[: self.spoken], max(0, self.spoken - len(data))
        self.link.arrive([(byte, False) for byte in data])

    async def chirp(self, address: int) -> None:
        """Chirp to the host."""
        await super().chirp(address)
        self.link.arrive([(address, True)])

    def _carry(self, pairs: Sequence[tuple[int, bool]]) -> None:
        if not self._open:
            return
        if self.most is not None:
            pairs, self.most = pairs[: self.most], max(0, self.most - len(pairs))
        self.say([byte | WAKE if wake else byte for byte, wake in pairs])
