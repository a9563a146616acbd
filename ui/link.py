"""The display's end of the socket to the supervisor (design page, section 2).

AF_UNIX SOCK_SEQPACKET, one JSON message per packet. Nothing here blocks: the frame loop polls for packets. The loss of
the peer, of a packet or of a number ends the connection; a new one begins with a complete snapshot.
"""

import socket
from pathlib import Path

from common.decoding import UnreadableError
from common.error_words import error_words
from ui.protocol.messages import MAX_PACKET, PROTOCOL, Hello, Show, ToDisplay, ToSupervisor, decode_to_display, encode

RETRY_S = 0.1
MOST_AT_ONCE = 64
"""How many packets are read between two frames; `select` reports the rest."""


class ProtocolMismatchError(RuntimeError):
    """The supervisor uses another protocol version: this display must be updated, not restarted."""

    def __init__(self, theirs: int) -> None:
        super().__init__(
            f"the supervisor speaks display protocol {theirs}, this display {PROTOCOL}: "
            "install supervisor and display of the same version"
        )


class Link:
    """Successive connections to the supervisor's socket at `path`.

    `poll(now)` returns the messages that have arrived; afterwards `lost` is true if the connection was dropped (the
    picture stays, and pending answers are dropped). `sock` is for `select`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.sock: socket.socket | None = None
        self._greeted = False
        self._next_show: int | None = None
        self._retry_at = 0.0
        self.lost = False
        self.last_loss = ""

    def __repr__(self) -> str:
        state = "up" if self._greeted else "connecting" if self.sock is not None else "down"
        return f"<Link {self._path} {state}, lost last by {self.last_loss or 'nothing'}>"

    @property
    def up(self) -> bool:
        """Whether both `Hello`s have been exchanged."""
        return self._greeted

    @property
    def retry_at(self) -> float:
        """When the next attempt to connect is due, by the clock of `poll`."""
        return self._retry_at

    def poll(self, now: float) -> list[ToDisplay]:
        """Connect when due, and return the messages that have arrived, at most `MOST_AT_ONCE`, oldest first.

        Raises `ProtocolMismatchError` if the supervisor's `Hello` names another version.
        """
        self.lost = False
        if self.sock is None:
            self._connect(now)
        messages: list[ToDisplay] = []
        for _ in range(MOST_AT_ONCE):
            if self.sock is None:
                break
            try:
                packet, _ancillary, flags, _address = self.sock.recvmsg(MAX_PACKET)
            except BlockingIOError:
                break
            except OSError as error:
                self.drop(now, error_words(error))
                break
            if not packet:
                self.drop(now, "the supervisor has closed the socket")
            elif flags & socket.MSG_TRUNC:
                self.drop(now, f"a packet is longer than {MAX_PACKET} bytes")
            else:
                self._take(packet, messages, now)
        return messages

    def send(self, message: ToSupervisor, now: float) -> bool:
        """Send one message; return False if there is no connection or it was lost while sending."""
        if self.sock is None:
            return False
        try:
            self.sock.send(encode(message))
        except OSError as error:
            # This includes a full socket: a supervisor that reads nothing for so long is gone or hangs, and a new
            # connection starts from a snapshot.
            self.drop(now, error_words(error))
            return False
        return True

    def close(self) -> None:
        """Close the connection."""
        if self.sock is not None:
            self.sock.close()
            self.sock = None
        self._greeted = False

    def _connect(self, now: float) -> None:
        if now < self._retry_at:
            return
        self._retry_at = now + RETRY_S
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        try:
            sock.connect(str(self._path))
            sock.send(encode(Hello()))
        except OSError as error:
            # The supervisor is not there yet, or its backlog is full; trying again solves both.
            self.last_loss = error_words(error)
            sock.close()
            return
        self.sock = sock
        self._greeted = False
        self._next_show = None

    def _take(self, packet: bytes, messages: list[ToDisplay], now: float) -> None:
        try:
            message = decode_to_display(packet)
        except UnreadableError as error:
            self.drop(now, f"a packet could not be read: {error}")
            return
        if isinstance(message, Hello):
            if message.protocol != PROTOCOL:
                raise ProtocolMismatchError(message.protocol)
            self._greeted = True
            return
        if not self._greeted:
            self.drop(now, f"{type(message).__name__} came before Hello")
            return
        if isinstance(message, Show):
            if self._next_show is not None and message.number != self._next_show:
                self.drop(now, f"show {message.number} came where {self._next_show} was due")
                return
            self._next_show = message.number + 1
        messages.append(message)

    def drop(self, now: float, why: str) -> None:
        """Drop the connection; the next `poll` that is due connects again."""
        self.close()
        self.lost = True
        self.last_loss = why
        self._retry_at = now + RETRY_S
