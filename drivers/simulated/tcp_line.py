"""A printer's network socket: a simulated device that any program can reach by TCP."""

import asyncio
import errno
import socket

from drivers.network_port import network_address
from drivers.simulated.line import LineDevice
from drivers.simulated.misbehaviour import Misbehaviour, Way

CHUNK = 4096


class TcpLine:
    """A TCP server at `address` with `device` behind it, which serves one connection at a time, as printers do.

    It is plugged in when constructed, inside a running event loop. Further connections wait until the present one ends.
    Pulling the cable closes no connection: neither end is told, and sent data waits.
    """

    def __init__(self, device: LineDevice, address: str, misbehaviour: Misbehaviour | None = None) -> None:
        self.device = device
        self.misbehaviour = misbehaviour or Misbehaviour()
        self.address = address
        self.taken = 0
        """Bytes taken from the host."""
        self.given = 0
        """Bytes given to the host's connection."""
        self._server: socket.socket | None = None
        self._host: socket.socket | None = None
        self.plugged = False
        self._held = False
        self._waiting = bytearray()
        device.connect(self)
        self.plug()

    def __repr__(self) -> str:
        return f"<TcpLine {self.address} {'connected' if self._host is not None else 'alone'}>"

    def plug(self) -> None:
        """Listen, and resume a connection that outlived the pulled cable; do nothing if already plugged in."""
        if self.plugged:
            return
        host, port = network_address(self.address)
        self._server = socket.socket(socket.AF_INET if host.version == 4 else socket.AF_INET6)  # noqa: PLR2004
        self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._server.bind((str(host), port))
        self._server.listen()
        self._server.settimeout(0)
        self.plugged = True
        if self._host is not None and self._host.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.hang_up()  # the host closed it meanwhile, and the bytes it had sent are lost
        self._flush()
        self._listen()

    def unplug(self) -> None:
        """Pull the cable: connections are refused, the present one falls silent; may be called twice."""
        if self._server is not None:
            self.plugged = False
            self._listen()
            self._server.close()
            self._server = None

    def hang_up(self) -> None:
        """Close the connection, as a printer does when it is switched off and on; may be called twice."""
        if self._host is not None:
            asyncio.get_running_loop().remove_reader(self._host)
            self._host.close()
            self._host = None
        self._waiting.clear()
        self._listen()

    def hold(self, *, held: bool) -> None:
        """Stop reading the host's bytes from the kernel, or resume."""
        self._held = held
        self._listen()

    def send(self, data: bytes) -> None:
        """Carry the device's bytes to the host; without a connection they are lost."""
        loop = asyncio.get_running_loop()
        for delay_s, piece in self.misbehaviour.mangle(Way.TO_HOST, data):
            loop.call_later(delay_s, self._write, piece)

    def _write(self, data: bytes) -> None:
        if self._host is not None:
            self._waiting += data
            self._flush()

    def _flush(self) -> None:
        if self._host is None or not self.plugged or not self._waiting:
            return
        try:
            sent = self._host.send(self._waiting)
        except BlockingIOError:
            return
        except OSError:
            self.hang_up()
            return
        self.given += sent
        del self._waiting[:sent]

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        if self._server is not None:
            loop.remove_reader(self._server)
            if self.plugged and self._host is None:
                loop.add_reader(self._server, self._accept)
        if self._host is not None:
            loop.remove_reader(self._host)
            if self.plugged and not self._held:
                loop.add_reader(self._host, self._readable)

    def _accept(self) -> None:
        if self._server is not None:
            self._host, _ = self._server.accept()
            self._host.settimeout(0)
            self._listen()

    def _readable(self) -> None:
        if self._host is None:
            return
        try:
            data = self._host.recv(CHUNK)
        except OSError as error:
            if error.errno != errno.ECONNRESET:
                raise
            data = b""
        if not data:
            self.hang_up()
            return
        self.taken += len(data)
        loop = asyncio.get_running_loop()
        for delay_s, piece in self.misbehaviour.mangle(Way.TO_DEVICE, data):
            if piece:
                loop.call_later(delay_s, self.device.receive, piece)
