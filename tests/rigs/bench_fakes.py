"""What is behind the bench in its tests: a front that obeys, and a display's glass."""

import fcntl
import mmap
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from drivers.simulated.bench.frame_mirror import HEADER, HEADER_BYTES, MAGIC
from drivers.simulated.front import Do, Done, Faults, Front, decode_to_front, encode
from drivers.wiring import BUTTONS, DOORS, KEYS, METERS, TIERS

STILL = Front(
    mains=True,
    lamps=dict.fromkeys(BUTTONS, False),
    tower=dict.fromkeys(TIERS, False),
    meters=dict.fromkeys(METERS, 0),
    doors=dict.fromkeys(DOORS, False),
    keys=dict.fromkeys(KEYS, False),
    buttons=dict.fromkeys(BUTTONS, False),
)


class FakeFront:
    """A listening `hardware.sock` that one thread serves; `asked` is every act in order of arrival."""

    def __init__(self, path: Path) -> None:
        self.front = STILL
        self.refuse: dict[str, str] = {}
        self.mute = False
        self.faults: dict[str, tuple[str, ...]] = {}
        self.asked: list[str] = []
        self.arrived = threading.Condition()
        self._guests: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(path))
        self._listener.listen(4)
        self._stop, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        """Hang up on everybody, as a killed process does."""
        self._stop.send(b"x")
        self._thread.join()
        for sock in (self._listener, self._stop, self._stopped, *self._guests):
            sock.close()

    def show(self, **changes: object) -> None:
        """Change the front and call every listener."""
        with self.arrived:
            self.front = msgspec.structs.replace(self.front, **changes)
            for guest in self._guests:
                _send(guest, encode(self.front))

    def wait_guest(self, timeout: float = 10.0) -> bool:
        """Return whether somebody is connected and has been sent the front, waiting for it."""
        with self.arrived:
            return self.arrived.wait_for(lambda: bool(self._guests), timeout)

    def wait_asked(self, *words: str, timeout: float = 10.0) -> bool:
        """Return whether exactly these acts have arrived, waiting for them."""
        with self.arrived:
            return self.arrived.wait_for(lambda: self.asked == list(words), timeout)

    def _serve(self) -> None:
        while True:
            readable, _, _ = select.select([self._listener, self._stopped, *self._guests], [], [])
            if self._stopped in readable:
                return
            for sock in readable:
                if sock is self._listener:
                    guest, _ = self._listener.accept()
                    with self.arrived:
                        self._guests.append(guest)
                        _send(guest, encode(self.front))
                        self.arrived.notify_all()
                else:
                    self._answer(sock)

    def _answer(self, guest: socket.socket) -> None:
        try:
            packet = guest.recv(65536)
        except ConnectionResetError:
            # A client that hangs up with unread answers resets the connection.
            packet = b""
        with self.arrived:
            if not packet:
                self._guests.remove(guest)
                guest.close()
                return
            act = decode_to_front(packet)
            if not isinstance(act, Do):
                _send(guest, encode(Faults(self.faults)))
                return
            self.asked.append(act.what)
            self.arrived.notify_all()
            if not self.mute:
                _send(guest, encode(Done(id=act.id, error=self.refuse.get(act.what, ""))))


def _send(guest: socket.socket, packet: bytes) -> None:
    # A guest that has just gone is dropped when its end of file is read.
    with suppress(BrokenPipeError):
        guest.send(packet)


@contextmanager
def fake_front(run: Path) -> Iterator[FakeFront]:
    """Serve `run`/hardware.sock."""
    path = run / "hardware.sock"
    front = FakeFront(path)
    try:
        yield front
    finally:
        front.close()
        path.unlink()


class FakeDisplay:
    """The writer of a glass, as the display is: holds the lock, fills the back buffer, turns the header."""

    def __init__(self, path: Path, width: int, height: int) -> None:
        self.size = (width, height)
        self._bytes = width * height * 4
        self._file = path.open("w+b")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._file.truncate(HEADER_BYTES + 2 * self._bytes)
        self.memory = mmap.mmap(self._file.fileno(), 0)
        self._front = 1
        self.number = 0

    def present(self, pixels: bytes, ns: int) -> None:
        """Show one frame of BGRX pixels."""
        self._front ^= 1
        self.number += 1
        start = HEADER_BYTES + self._front * self._bytes
        self.memory[start : start + self._bytes] = pixels
        self.memory[: HEADER.size] = HEADER.pack(MAGIC, *self.size, self._front, self.number, ns)

    def die(self) -> None:
        """Let the lock go, as the kernel does for a killed process."""
        self.memory.close()
        self._file.close()
