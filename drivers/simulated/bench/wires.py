"""The bench's connections to one run directory: the hardware's front, the display's touches and its picture.

Any of the other processes may die and restart: the bench stays, and reconnects.
"""

import time
from collections.abc import Callable
from pathlib import Path

from drivers.simulated.bench.frame_mirror import Frame, FrameMirror
from drivers.simulated.bench.touch import TouchClient, TouchLostError
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient, FrontLostError

RECONNECT_SECONDS = 0.25
MESSAGE_SECONDS = 5.0
_NO_HARDWARE = "The simulated hardware is not running; the bench waits for it"


class Wires:
    """The connections to the run directory `run`; nothing here waits or raises."""

    def __init__(self, run: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = FrontClient(run / "hardware.sock")
        self._touch = TouchClient(run / "touch.sock")
        self._mirror = FrameMirror(run / "glass")
        self._clock = clock
        self._message = ""
        self._message_until = 0.0
        self._connect_at = 0.0

    def __repr__(self) -> str:
        return f"<Wires {self._client!r}>"

    @property
    def front(self) -> Front | None:
        """The front as it is now; None while there is no hardware."""
        return self._client.latest if self._client.connected else None

    @property
    def meters(self) -> dict[str, int]:
        """The figures of the hard meters, which stay when the hardware is gone."""
        return self._client.latest.meters if self._client.latest else {}

    @property
    def faults(self) -> dict[str, tuple[str, ...]]:
        """The names of the devices' possible faults, by device."""
        return self._client.faults

    def frame(self) -> Frame | None:
        """Return the newest picture of the display, the last one of a dead display, None before the first one."""
        return self._mirror.frame()

    def monitor_lit(self) -> bool:
        """Whether a display lights the monitor."""
        return self._mirror.alive()

    def alert(self, now: float) -> str:
        """Return what went wrong, for some seconds; empty if all is well."""
        if now < self._message_until:
            return self._message
        return _NO_HARDWARE if self.front is None else ""

    def listen(self, now: float) -> None:
        """Read the front and the refusals of acts; reconnect to the hardware when it is due."""
        try:
            if self._client.connected:
                self._client.receive()
            elif now >= self._connect_at:
                self._connect_at = now + RECONNECT_SECONDS
                self._client.connect()
                self._client.ask_faults()
        except FrontLostError:
            # Normal in a demo: the launcher starts it again, and `alert` says so meanwhile.
            return
        for refusal in self._client.take_refusals():
            self._show(refusal)

    def do(self, words: str) -> None:
        """Carry out an act on the front (`drivers.simulated.front.Do`); a refusal becomes the alert."""
        if not self._client.connected:
            return
        try:
            self._client.send(words)
        except FrontLostError as error:
            self._show(str(error))

    def touch(self, x: int, y: int, down: bool) -> None:  # noqa: FBT001 - the shape that Hands calls
        """Touch the monitor at a point of the canvas, or lift the finger."""
        try:
            self._touch.touch(x, y, down=down)
        except TouchLostError:
            if down:
                self._show("The display is not running; the bench waits for it")

    def close(self) -> None:
        """Close all connections."""
        self._client.close()
        self._touch.close()
        self._mirror.close()

    def _show(self, message: str) -> None:
        self._message = message
        self._message_until = self._clock() + MESSAGE_SECONDS
