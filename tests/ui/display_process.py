"""A display process before a supervisor's socket that the test holds, and a reader of its frame mirror."""

import os
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.rigs.patience import PATIENCE_S
from tests.ui.rehearsal import BAKED
from ui.protocol.messages import MAX_PACKET, Frames, Hello, Show, Snapshot, decode_to_supervisor, encode

ROOT = Path(__file__).parents[2]


class DisplayProcess:
    """A supervisor's socket, a display process before it, and a reader of its frame mirror."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(run / "display.sock"))
        self.listener.listen(4)
        self.listener.settimeout(PATIENCE_S)
        self.peer: socket.socket | None = None
        self.display: subprocess.Popen[bytes] | None = None

    def start(self, *more: str, **variables: str) -> None:
        """Start it, with `more` arguments and environment variables."""
        words = ["--socket", self.run / "display.sock", "--touch", self.run / "touch.sock"]
        words += ["--frame-mirror", self.run / "glass", "--baked", BAKED]
        environment = {**os.environ, "SDL_AUDIODRIVER": "dummy", **variables}
        self.display = subprocess.Popen(
            [sys.executable, "-m", "ui", *map(str, words), *more], cwd=ROOT, env=environment, stderr=subprocess.PIPE
        )

    def accept(self) -> None:
        if self.peer is not None:
            self.peer.close()
        self.peer, _ = self.listener.accept()
        self.peer.settimeout(PATIENCE_S)
        assert decode_to_supervisor(self.peer.recv(MAX_PACKET)) == Hello()

    def say(self, *messages: Hello | Snapshot | Show) -> None:
        assert self.peer is not None
        for message in messages:
            self.peer.send(encode(message))

    def hear(self, within_s: float = PATIENCE_S) -> object:
        """Return the next message that is not a frame statistic; raise `TimeoutError` if none comes in time."""
        assert self.peer is not None
        deadline = time.monotonic() + within_s
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"nothing came within {within_s} s")
            self.peer.settimeout(left)
            packet = self.peer.recv(MAX_PACKET)
            assert packet, f"the display left: {self._last_words()}"
            message = decode_to_supervisor(packet)
            if not isinstance(message, Frames):
                return message

    def _last_words(self) -> str:
        """Return what a display that left has written, and how it ended."""
        assert self.display is not None
        _, said = self.display.communicate(timeout=PATIENCE_S)
        return f"ended with {self.display.returncode}: {said.decode(errors='replace')[-2000:]}"

    def hear_after(self, act: Callable[[], None]) -> object:
        """Do something once a second until it is answered: a screen that is not whole yet answers nothing."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            act()
            try:
                return self.hear(within_s=1.0)
            except TimeoutError:
                assert time.monotonic() < deadline, "nothing came back"

    def fall_silent(self, for_s: float) -> None:
        """Wait until the display has said nothing for so long: it reports its frames in each second that has any."""
        assert self.peer is not None
        deadline = time.monotonic() + PATIENCE_S
        self.peer.settimeout(for_s)
        while True:
            try:
                self.peer.recv(MAX_PACKET)
            except TimeoutError:
                return
            assert time.monotonic() < deadline, "it goes on drawing"

    def frame(self) -> tuple[int, int]:
        """Return number and time (ns) of the newest mirrored frame; (0, 0) while there is none."""
        glass = self.run / "glass"
        if not glass.exists() or glass.stat().st_size < 40:
            return 0, 0
        with glass.open("rb") as file:
            number, when = struct.unpack_from("<QQ", file.read(40), 16)
        return number, when

    def until(self, holds: Callable[[], bool]) -> None:
        """Look again and again, a millisecond apart, until it holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < deadline, "it did not happen in time"
            select.select([], [], [], 0.001)

    def kill(self) -> None:
        """SIGKILL the display and wait until it is gone."""
        if self.display is not None:
            self.display.kill()
            self.display.communicate()
            self.display = None

    def end(self) -> None:
        self.kill()
        if self.peer is not None:
            self.peer.close()
        self.listener.close()
