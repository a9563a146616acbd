"""The simulated I2C bus: a socket in place of the two wires between the header and its expanders.

Each packet on `i2c.sock` is one `Transfer` in JSON, answered by one `Answer`. Without mains nothing answers.
"""

import errno
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from drivers.simulated.expander.mcp23017 import Mcp23017
from drivers.simulated.packets import MAX_PACKET, PacketServer, Peer, UnreadableError, decoder

I2C_SOCKET = "i2c.sock"
# The chips answer at once; a bus that is silent for this long hangs, as a real adapter would report.
_PATIENCE_S = 1.0


_Byte = Annotated[int, msgspec.Meta(ge=0, le=0xFF)]


class Transfer(msgspec.Struct, frozen=True):
    """Write `data` to the registers from `register` on, or read `count` of them where that is not 0."""

    address: _Byte
    register: _Byte
    data: bytes = b""
    count: _Byte = 0


class Answer(msgspec.Struct, frozen=True):
    """The data read; not `acknowledged` if no chip answers at that address."""

    acknowledged: bool
    data: bytes = b""


encode = msgspec.json.encode
_decode_transfer: Callable[[bytes], Transfer] = decoder(Transfer)
_decode_answer: Callable[[bytes], Answer] = decoder(Answer)


class ChipBus:
    """A bus to chips in this process, for tests and for the socket's server."""

    def __init__(self, chips: Mapping[int, Mcp23017]) -> None:
        self._chips = dict(chips)

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write registers; raise `OSError` if no chip answers."""
        self._chip(address).write(register, data)

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read registers; raise `OSError` if no chip answers."""
        return self._chip(address).read(register, count)

    def close(self) -> None:
        """Do nothing: the bus holds no resources."""

    def _chip(self, address: int) -> Mcp23017:
        if address not in self._chips:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        return self._chips[address]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(f'0x{address:02x}' for address in self._chips) or 'empty'}>"


class I2cWire:
    """The devices' end of the bus, served at `path`."""

    def __init__(self, path: Path, bus: ChipBus) -> None:
        self._bus = bus
        self._server = PacketServer(
            path, on_peer=lambda _peer: None, on_packet=self._received, on_gone=lambda _peer: None
        )

    def open(self) -> None:
        """Begin to listen; raise `OSError` naming the path."""
        self._server.open()

    def close(self) -> None:
        """End all connections and remove the socket."""
        self._server.close()

    def _received(self, peer: Peer, packet: bytes) -> None:
        try:
            asked = _decode_transfer(packet)
        except UnreadableError:
            # an unreadable message: the peer is no bus client
            peer.close()
            return
        try:
            if asked.count:
                answer = Answer(acknowledged=True, data=self._bus.read(asked.address, asked.register, asked.count))
            else:
                self._bus.write(asked.address, asked.register, asked.data)
                answer = Answer(acknowledged=True)
        except OSError:
            answer = Answer(acknowledged=False)
        peer.send(encode(answer))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._server.path} of {self._bus!r}>"


class WireBus:
    """The supervisor's end: connects with the first transfer, and again after one that failed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: socket.socket | None = None
        self._one_at_a_time = threading.Lock()

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write registers; raise `OSError` if no chip answers."""
        self._ask(Transfer(address, register, data))

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read registers; raise `OSError` if no chip answers."""
        return self._ask(Transfer(address, register, count=count))

    def close(self) -> None:
        """End the connection."""
        with self._one_at_a_time:
            self._drop()

    def _ask(self, transfer: Transfer) -> bytes:
        with self._one_at_a_time:
            try:
                connection = self._connected()
                connection.send(encode(transfer))
                packet = connection.recv(MAX_PACKET)
                answer = _decode_answer(packet)
            except UnreadableError as error:
                self._drop()
                raise OSError(errno.EIO, "the simulated bus ended within a transfer") from error
            except OSError:
                self._drop()
                raise
        if not answer.acknowledged:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        return answer.data

    def _connected(self) -> socket.socket:
        if self._connection is None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            connection.settimeout(_PATIENCE_S)
            try:
                connection.connect(str(self._path))
            except OSError:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._path}>"
