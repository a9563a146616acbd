"""A running cabinet whose supervisor must survive what comes to its sockets."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.features.console.words import Denied, Look, Push, decode_to_console
from controller.features.console.words import encode as to_supervisor
from controller.journal.event_words import row_in_english
from tests.rigs.display_client import DisplayClient
from tests.rigs.patience import PATIENCE_S
from tests.rigs.real_cabinet import RealCabinet


class Hostile:
    """A cabinet of real processes; `start` starts its supervisor."""

    def __init__(self, folder: Path, start: Callable[[RealCabinet], subprocess.Popen[bytes]]) -> None:
        self.cabinet = RealCabinet(folder, seed=1)
        self.process = start(self.cabinet)
        self.until(lambda: self.cabinet.front.lamps["service"])

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds, with the supervisor alive all the while."""
        ends = time.monotonic() + PATIENCE_S
        while not holds():
            assert self.process.poll() is None, self.cabinet._tail()
            assert time.monotonic() < ends, self.cabinet._tail()
            time.sleep(0.02)

    def connect(self, name: str) -> socket.socket:
        """Connect to one of the supervisor's sockets as soon as it takes somebody."""
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        peer.settimeout(PATIENCE_S)

        def connected() -> bool:
            try:
                peer.connect(str(self.cabinet.run.path / name))
            except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
                return False
            return True

        try:
            self.until(connected)
        except BaseException:
            peer.close()
            raise
        return peer

    def serves(self) -> None:
        """See the supervisor answer a display and a console, whatever state it is in."""
        display = DisplayClient(self.cabinet.run.display_socket)
        try:
            display.serve_until(lambda: bool(display.state))
        finally:
            display.close()
        self.asked(Look())

    def asked(self, question: Look | Push) -> object:
        """Return what a console is answered, which may be kept out for a while after another was cut off."""
        answers: list[object] = []

        def answered() -> bool:
            with self.connect("console.sock") as console:
                try:
                    console.send(to_supervisor(question))
                    packet = console.recv(1 << 18)
                except OSError:
                    return False
            answers.extend([decode_to_console(packet)] if packet else [])
            return bool(answers) and not isinstance(answers[-1], Denied)

        self.until(answered)
        return answers[-1]

    def sent(self, peer: socket.socket, packet: bytes) -> None:
        """Send a packet that the other end need not wait for."""
        try:
            peer.send(packet)
        except OSError:
            return

    def events(self, code: str) -> list[str]:
        """The events of that code, as the journal has them now."""
        rows = self.cabinet.books.rows(
            "SELECT code, text, place, data FROM events JOIN ledger USING (seq) ORDER BY seq"
        )
        return [row_in_english(*row) for row in rows if row[0] == code]


@contextmanager
def hostile(folder: Path, start: Callable[[RealCabinet], subprocess.Popen[bytes]] | None = None) -> Iterator[Hostile]:
    """A cabinet among hostile peers, ended with the test."""
    made = Hostile(folder, start or RealCabinet.supervisor)
    try:
        with made.cabinet:
            yield made
    finally:
        made.process.kill()
        made.process.wait(10.0)
