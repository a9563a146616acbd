"""The touch socket of the bench and of tests, in canvas units.

`touch.sock` is a SEQPACKET socket that the display binds; each packet is `{"x":640,"y":360,"down":true}`. Touches of a
real screen arrive through `ui/screen.py`.
"""

import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from common.decoding import UnreadableError, decoder
from common.error_words import error_words
from ui.protocol.messages import Coordinate

_log = logging.getLogger(__name__)

PACKET_BYTES = 256
MOST_HANDS = 8
MOST_AT_ONCE = 64
"""The most touches read from one connection between two frames; `select` reports the rest."""


class TouchEvent(msgspec.Struct, frozen=True):
    """A finger put down on (or lifted from) the canvas, in canvas units (`ui/layout.py`)."""

    x: Coordinate
    y: Coordinate
    down: bool


UNITS = (1280, 720)
"""The units of a calibration and of the touch test, for any shape of monitor."""


def in_units(touch: TouchEvent, canvas: tuple[int, int]) -> TouchEvent:
    """Return a touch on `canvas` in `UNITS`."""
    return TouchEvent(touch.x * UNITS[0] // canvas[0], touch.y * UNITS[1] // canvas[1], touch.down)


def calibrated(touch: TouchEvent, canvas: tuple[int, int], calibration: Sequence[float]) -> TouchEvent:
    """Return the true position of the finger on `canvas`; without a calibration, the reported one."""
    if not calibration:
        return touch
    a, b, c, d, e, f = calibration
    across, down = UNITS[0] / canvas[0], UNITS[1] / canvas[1]
    x, y = touch.x * across, touch.y * down
    return TouchEvent(round((a * x + b * y + c) / across), round((d * x + e * y + f) / down), touch.down)


_decode: Callable[[bytes], TouchEvent] = decoder(TouchEvent)


class TouchSocket:
    """The listening socket at `path` and its open connections."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # A killed display leaves its socket file behind; binding needs the name to be free.
        path.unlink(missing_ok=True)
        self._listener = socket.socket(
            socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
        )
        self._listener.bind(str(path))
        self._listener.listen(4)
        self._hands: list[socket.socket] = []

    def __repr__(self) -> str:
        return f"<TouchSocket {self._path} {len(self._hands)} connected>"

    def sockets(self) -> list[socket.socket]:
        """All sockets that `select` must watch."""
        return [self._listener, *self._hands]

    def poll(self) -> list[TouchEvent]:
        """Return the touches that have arrived, oldest first."""
        self._accept()
        touches: list[TouchEvent] = []
        for hand in list(self._hands):
            touches.extend(self._read(hand))
        return touches

    def close(self) -> None:
        """Close all sockets and remove the socket file."""
        for hand in self._hands:
            hand.close()
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        for _ in range(MOST_HANDS):
            try:
                hand, _address = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:  # it has disconnected, or no descriptor is free: the display continues
                _log.warning("a hand could not be taken on the touch socket: %s", error_words(error))
                return
            if len(self._hands) >= MOST_HANDS:
                hand.close()
                continue
            hand.setblocking(False)  # noqa: FBT003  the standard library's own signature
            self._hands.append(hand)

    def _read(self, hand: socket.socket) -> list[TouchEvent]:
        touches: list[TouchEvent] = []
        for _ in range(MOST_AT_ONCE):
            try:
                packet = hand.recv(PACKET_BYTES)
            except BlockingIOError:
                return touches
            except ConnectionError:
                packet = b""
            touch = _touch_in(packet)
            if touch is None:
                hand.close()
                self._hands.remove(hand)
                return touches
            touches.append(touch)
        return touches


def _touch_in(packet: bytes) -> TouchEvent | None:
    """Return the touch in a packet, or None if it is invalid or empty; its connection is then closed."""
    try:
        return _decode(packet) if packet else None
    except UnreadableError as error:
        _log.warning("a hand on the touch socket was let go: %s", error_words(error))
        return None
