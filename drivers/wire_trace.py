"""Trace of a serial line: the newest frames for the service menu (T.14), and every frame in the log at DEBUG."""

import logging
from collections import deque
from typing import Final, Literal, NamedTuple

from drivers.cctalk.protocol import NOT_ENCRYPTED, NOT_SECRET, carries_secret
from drivers.clock import Clock
from drivers.masked_hex import masked_hex
from drivers.port import Port

KEPT: Final = 64
"""Frames that a trace keeps."""
LONGEST: Final = 270
"""Maximum number of bytes stored per frame; the longest frames (ccTalk, SSP) are shorter."""
GAP_S: Final = 0.03
"""Bytes that arrive with a shorter pause belong to one frame."""

Way = Literal["out", "in"]

_log = logging.getLogger(__name__)


class Frame(NamedTuple):
    """Bytes sent in one direction without a pause; `at` is the clock's time of the first byte.

    Bytes at the positions `hidden` are not stored: they carried a PIN or may be its echo.
    """

    at: float
    way: Way
    data: bytes
    hidden: frozenset[int] = frozenset()

    @property
    def cells(self) -> list[str]:
        """Each byte in hexadecimal; `**` for hidden bytes and for all but the last four digits of a ticket's number."""
        return masked_hex(self.data, self.hidden).split()

    @property
    def text(self) -> str:
        """The bytes in a row."""
        return " ".join(self.cells)


class TracedPort:
    """A port whose frames can be watched and logged, a `drivers.port.Port` itself.

    Frames are stored while the port is watched, and logged while this module's logger is enabled for DEBUG; that is
    checked at each call, so the level may be changed at any time. A PIN is neither stored nor logged, nor is anything
    received until the next frame is sent, because some lines echo it. The same holds for frames to a `sealed` ccTalk
    device, except for address and length.
    """

    def __init__(self, port: Port, clock: Clock) -> None:
        self.path = port.path
        self.watched = False
        self._port = port
        self._clock = clock
        self._frames: deque[Frame] = deque(maxlen=KEPT)
        self._newest_at = float("-inf")
        self._withholds = True  # the frame sent before recording started is unknown
        self._unlogged: Frame | None = None
        self._sealed: set[int] = set()

    def __repr__(self) -> str:
        return f"<TracedPort {self._port!r}{' watched' if self.watched else ''}>"

    def watch(self, *, on: bool) -> None:
        """Start a new trace, or end it and delete its frames."""
        self.watched = on
        self._withholds = True
        self._log_frame()
        self._frames.clear()

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of the trace, oldest first."""
        return tuple(self._frames)

    def seal(self, address: int) -> None:
        """Hide the frames to and from the ccTalk device at `address`, which are encrypted.

        Their content is known, so they would reveal the key.
        """
        self._sealed.add(address)

    async def open(self) -> None:
        """Open the wrapped port."""
        await self._port.open()

    def close(self) -> None:
        """Close the wrapped port; may be called twice."""
        self._log_frame()
        self._port.close()

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost."""
        if self._recorded:
            sealed = data[:1] and data[0] in self._sealed
            self._withholds = sealed or carries_secret(data)
            self._record("out", data, (NOT_ENCRYPTED if sealed else NOT_SECRET) if self._withholds else None)
            self._log_frame()
        else:
            self._withholds = True
        await self._port.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost."""
        data = await self._port.read(timeout)
        if self._recorded:
            self._record("in", data, frozenset() if self._withholds else None)
        return data

    @property
    def _recorded(self) -> bool:
        return self.watched or _log.isEnabledFor(logging.DEBUG)

    def _record(self, way: Way, data: bytes, open_places: frozenset[int] | None) -> None:
        """Store and log bytes; of a secret only those at `open_places`."""
        now = self._clock.now()
        if not data:
            if now - self._newest_at >= GAP_S:
                self._log_frame()
            return
        hidden = frozenset[int]() if open_places is None else frozenset(range(len(data))) - open_places
        data = bytes(0 if at in hidden else byte for at, byte in enumerate(data)) if hidden else data
        last = self._unlogged
        if last is not None and way == "in" and now - self._newest_at < GAP_S:
            hidden = last.hidden | {len(last.data) + at for at in hidden}
            self._unlogged = last._replace(data=(last.data + data)[:LONGEST], hidden=hidden)
            if self.watched:
                self._frames[-1] = self._unlogged
        else:
            self._log_frame()
            self._unlogged = Frame(now, way, data[:LONGEST], hidden)
            if self.watched:
                self._frames.append(self._unlogged)
        self._newest_at = now

    def _log_frame(self) -> None:
        """Log the newest frame, which is complete."""
        frame, self._unlogged = self._unlogged, None
        if frame is not None:
            _log.debug("%s: %s %s", self.path, "sent" if frame.way == "out" else "received", frame.text)
