"""A listening SOCK_SEQPACKET socket of the simulated devices, and its connections.

asyncio's streams refuse SEQPACKET, so packets are read and written from the loop's readiness callbacks. A packet
arrives whole or not at all, and nothing here ever blocks.
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

MAX_PACKET = 64 * 1024
BACKLOG_PACKETS = 4096
AGAIN_S = 1.0
"""The delay before the next accept after one that failed."""


class UnreadableError(ValueError):
    """A packet is not a message of its socket."""


def decoder(kind: Any) -> Callable[[bytes], Any]:
    """Return a function that decodes JSON to `kind` and raises only `UnreadableError` for anything else."""
    decode = msgspec.json.Decoder(kind).decode

    def read(packet: bytes) -> Any:
        try:
            return decode(packet)
        # Invalid UTF-8 and deep nesting have errors of their own, beside msgspec's, without a base class in common.
        except Exception as error:
            raise UnreadableError(f"{type(error).__name__} in a packet of {len(packet)} bytes") from error

    return read


class Peer:
    """One connection; calls `on_packet(packet)` for each packet and `on_gone()` once when it has ended."""

    def __init__(
        self,
        connection: socket.socket,
        loop: asyncio.AbstractEventLoop,
        on_packet: Callable[["Peer", bytes], None],
        on_gone: Callable[["Peer"], None],
    ) -> None:
        connection.setblocking(False)  # noqa: FBT003 - the socket module's own signature
        self._connection = connection
        self._loop = loop
        self._on_packet = on_packet
        self._on_gone = on_gone
        self._waiting: deque[bytes] = deque()
        self._newest: bytes | None = None
        loop.add_reader(connection, self._readable)

    def send(self, packet: bytes) -> None:
        """Send in order; a peer that leaves thousands of packets unread is disconnected."""
        self._waiting.append(packet)
        self._flush()
        if len(self._waiting) > BACKLOG_PACKETS:
            self.close()

    def send_newest(self, packet: bytes) -> None:
        """Send a state and replace an older one that has not gone out yet: only the newest matters."""
        self._newest = packet
        self._flush()

    def close(self) -> None:
        """End the connection; may be called twice."""
        if self._connection.fileno() < 0:
            return
        self._loop.remove_reader(self._connection)
        self._loop.remove_writer(self._connection)
        self._connection.close()
        self._on_gone(self)

    def _flush(self) -> None:
        # a state goes out before the answer to what changed it
        while self._connection.fileno() >= 0:
            newest = self._newest
            if newest is None and not self._waiting:
                self._loop.remove_writer(self._connection)
                return
            try:
                self._connection.send(self._waiting[0] if newest is None else newest)
            except BlockingIOError:
                self._loop.add_writer(self._connection, self._flush)
                return
            except OSError:
                self.close()
                return
            if newest is None:
                self._waiting.popleft()
            else:
                self._newest = None

    def _readable(self) -> None:
        try:
            packet, _ancillary, flags, _address = self._connection.recvmsg(MAX_PACKET)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not packet or flags & socket.MSG_TRUNC:
            self.close()
            return
        self._on_packet(self, packet)


class PacketServer:
    """Listens at `path`, which it replaces, for any number of peers."""

    def __init__(
        self,
        path: Path,
        *,
        on_peer: Callable[[Peer], None],
        on_packet: Callable[[Peer, bytes], None],
        on_gone: Callable[[Peer], None],
    ) -> None:
        self.path = path
        self.peers: list[Peer] = []
        self._on_peer = on_peer
        self._on_packet = on_packet
        self._on_gone = on_gone
        self._listener: socket.socket | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Begin to listen on the running loop; raise `OSError` naming the path on failure."""
        self._loop = asyncio.get_running_loop()
        # A client that waits for the file connects at once, so the socket gets its name only after it listens.
        unready = self.path.with_suffix(".new")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            listener.setblocking(False)  # noqa: FBT003 - the socket module's own signature
            unready.unlink(missing_ok=True)
            listener.bind(str(unready))
            listener.listen()
            unready.rename(self.path)
        except OSError as error:
            listener.close()
            raise OSError(f"cannot listen at {self.path}: {error}; choose a directory with a shorter name") from error
        self._listener = listener
        self._loop.add_reader(listener, self._accept, listener, self._loop)

    def close(self) -> None:
        """End all connections and remove the socket; may be called twice."""
        if self._listener is None or self._loop is None:
            return
        self._loop.remove_reader(self._listener)
        self._listener.close()
        self._listener = None
        for peer in list(self.peers):
            peer.close()
        self.path.unlink(missing_ok=True)

    def _accept(self, listener: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        try:
            connection, _address = listener.accept()
        except (BlockingIOError, ConnectionError):
            # the client closed the connection before it was accepted
            return
        except OSError:
            # no file descriptor is free, and the listener would stay readable
            loop.remove_reader(listener)
            loop.call_later(AGAIN_S, self._listen_again, listener, loop)
            return
        peer = Peer(connection, loop, self._on_packet, self._gone)
        self.peers.append(peer)
        self._on_peer(peer)

    def _listen_again(self, listener: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        if self._listener is listener:
            loop.add_reader(listener, self._accept, listener, loop)

    def _gone(self, peer: Peer) -> None:
        if peer in self.peers:
            self.peers.remove(peer)
        self._on_gone(peer)
