"""A simulated printer's TCP socket and the driver's port to it, by the kernel's loopback and on virtual time."""

import asyncio
import socket
from collections.abc import Callable

from drivers.network_port import NetworkPort
from drivers.simulated.line import LineDevice
from drivers.simulated.tcp_line import TcpLine
from tests.rigs.virtual_time import VirtualTimeLoop


def free_address() -> tuple[socket.socket, str]:
    """Return an address of this computer, and the socket that keeps it from others while a server may listen there."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    return kept, f"127.0.0.1:{kept.getsockname()[1]}"


class CountedPort(NetworkPort):
    """The driver's port, which counts what it carries: virtual time waits for the kernel until that has arrived."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.opening = False
        self.written = 0
        self.heard = 0
        self.renewed: Callable[[], None] = lambda: None
        """Called when there is a new connection: what was on the way in the old one never arrives."""

    @property
    def connected(self) -> bool:
        return self._fd is not None

    async def open(self) -> None:
        self.opening = True
        try:
            await super().open()
            self.renewed()
        finally:
            self.opening = False

    async def write(self, data: bytes) -> None:
        self.written += len(data)
        await super().write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        data = await super().read(timeout)
        self.heard += len(data)
        return data


class NetworkLine(TcpLine):
    """The printer's end of the network, with `port` at the driver's; what is lost on the way is waited for no more."""

    def __init__(self, device: LineDevice) -> None:
        self._kept, address = free_address()
        self.port = CountedPort(address)
        self._lost = 0
        super().__init__(device, address)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.in_flight, loop.nothing_came = self._in_flight, self._nothing_came
        self.port.renewed = self._nothing_came

    def close(self) -> None:
        """End it."""
        self.hang_up()
        self.unplug()
        self._kept.close()

    def _carried(self) -> int:
        return self.taken + self.port.heard

    def _sent(self) -> int:
        return self.port.written + self.given

    def _in_flight(self) -> bool:
        carries = self.plugged and self.port.connected
        return self.port.opening or (carries and self._sent() - self._carried() > self._lost)

    def _nothing_came(self) -> None:
        self.port.opening = False
        self._lost = self._sent() - self._carried()
