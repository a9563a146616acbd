"""A serial line in memory: a driver's port and a simulated device joined without a kernel between them.

It runs on any event loop, one with virtual time too.
"""

import asyncio

from drivers.errors import PortError
from drivers.simulated.line import LineDevice
from drivers.simulated.misbehaviour import Misbehaviour, Way


class MemoryLine:
    """A line with `device` at its far end and `port` at the driver's."""

    def __init__(self, device: LineDevice, misbehaviour: Misbehaviour | None = None, *, path: str = "memory") -> None:
        self.device = device
        self.misbehaviour = misbehaviour or Misbehaviour()
        self.plugged = True
        self.port = MemoryPort(self, path)
        device.connect(self)

    def send(self, data: bytes) -> None:
        """Carry the device's bytes to the host; an unplugged line carries nothing."""
        loop = asyncio.get_running_loop()
        for delay_s, piece in self.misbehaviour.mangle(Way.TO_HOST, data):
            loop.call_later(delay_s, self._to_host, piece)

    def carry(self, data: bytes) -> None:
        """Carry the host's bytes to the device."""
        loop = asyncio.get_running_loop()
        for delay_s, piece in self.misbehaviour.mangle(Way.TO_DEVICE, data):
            loop.call_later(delay_s, self._to_device, piece)

    def unplug(self) -> None:
        """Pull the adapter: the port fails at once, and on each opening until `plug`."""
        self.plugged = False
        self.port.hang_up()

    def plug(self) -> None:
        """Put the adapter back: the port can be opened again."""
        self.plugged = True

    def _to_host(self, data: bytes) -> None:
        if self.plugged:
            self.port.arrive(data)

    def _to_device(self, data: bytes) -> None:
        if self.plugged and data:
            self.device.receive(data)


class MemoryPort:
    """The near end of a `MemoryLine`, a `drivers.port.Port`."""

    def __init__(self, line: MemoryLine, path: str) -> None:
        self.path = path
        self._line = line
        self._open = False
        self._input = bytearray()
        self._waiting: asyncio.Future[None] | None = None

    def __repr__(self) -> str:
        return f"<MemoryPort {self.path} {'open' if self._open else 'closed'}>"

    async def open(self) -> None:
        """Open the port; raise `PortError` if it is already open or the line is unplugged."""
        if self._open:
            raise PortError(f"{self.path}: already open; close it first")
        if not self._line.plugged:
            raise PortError(f"{self.path}: no such port; plug the line in")
        self._input.clear()
        self._open = True

    async def write(self, data: bytes) -> None:
        """Hand `data` to the line; raise `PortError` when it is lost."""
        self._require_open()
        self._line.carry(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost."""
        self._require_open()
        if not self._input and timeout > 0:
            await self._wait(timeout)
            self._require_open()
        data = bytes(self._input)
        self._input.clear()
        return data

    def close(self) -> None:
        """Release the port; a waiting `read` fails."""
        self.hang_up()

    def hang_up(self) -> None:
        """Make the open port fail, as an unplugged adapter does."""
        self._open = False
        self._input.clear()
        self._wake()

    def arrive(self, data: bytes) -> None:
        """Take bytes from the device; a closed port discards them."""
        if self._open and data:
            self._input += data
            self._wake()

    async def _wait(self, timeout: float) -> None:  # noqa: ASYNC109  (see read)
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait({self._waiting}, timeout=timeout)
        finally:
            self._waiting = None

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _require_open(self) -> None:
        if not self._open:
            raise PortError(f"{self.path}: the port is closed; open it again")
