"""A display without a picture: it connects as one does, keeps what it gets, and acknowledges every show."""

import select
import socket
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.rigs.patience import PATIENCE_S
from ui.protocol.messages import Ack, Hello, Press, Show, Snapshot, ToDisplay, decode_to_display, encode

RETRY_S = 0.02


class DisplayClient:
    """One connection to the supervisor's display socket; `shows` and `snapshots` are what it got, in order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self.shows: list[Show] = []
        self.snapshots: list[Snapshot] = []

    def serve(self, seconds: float) -> None:
        """Connect where that is needed, and take in and acknowledge what comes within `seconds`."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            if self._socket is None and not self._connect():
                time.sleep(min(RETRY_S, left))
                continue
            self._take_in(left)

    def serve_until(self, holds: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
        """Serve until `holds()`; fail after `seconds`."""
        ends = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < ends, f"still {self.state} with credit {self.credit_cents}"
            self.serve(0.02)

    def press(self, control: str) -> None:
        """Touch a control of the newest snapshot."""
        assert self._socket is not None
        self._socket.send(encode(Press(control, self.snapshots[-1].turn)))

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connect(self) -> bool:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            connection.connect(str(self._path))
            connection.send(encode(Hello()))
        except OSError:
            connection.close()
            return False
        self._socket = connection
        return True

    def _take_in(self, seconds: float) -> None:
        assert self._socket is not None
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        try:
            packet = self._socket.recv(1 << 17)
            if not packet:
                raise ConnectionResetError
            self._obey(decode_to_display(packet))
        except OSError:
            self.close()

    def _obey(self, message: ToDisplay) -> None:
        assert self._socket is not None
        if isinstance(message, Snapshot):
            self.snapshots.append(message)
        elif isinstance(message, Show):
            self.shows.append(message)
            self._socket.send(encode(Ack(message.number)))

    @property
    def segments(self) -> list[bytes]:
        """What was shown, segment after segment; one that was shown again after a restart counts once."""
        seen: list[bytes] = []
        for show in self.shows:
            segment = msgspec.json.encode(show.steps)
            if not seen or seen[-1] != segment:
                seen.append(segment)
        return seen

    @property
    def state(self) -> str:
        """The machine's state as the newest snapshot says it."""
        return self.snapshots[-1].view.state if self.snapshots else ""

    @property
    def credit_cents(self) -> int:
        """The newest credit that it got, in a snapshot or as the end of a show."""
        return self.snapshots[-1].view.balance.credit_cents if self.snapshots else 0
