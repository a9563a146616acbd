"""What went over a serial line lately, for a technician: the newest frames with their time and direction."""

from collections import deque
from typing import Final, Literal, NamedTuple

from drivers.cctalk.protocol import NOT_SECRET, carries_secret
from drivers.clock import Clock
from drivers.port import Port

KEPT: Final = 64
"""Frames that a trace keeps."""
LONGEST: Final = 270
"""Bytes that are kept of one frame: the longest there is (ccTalk's, SSP's) is shorter."""
GAP_S: Final = 0.03
"""Bytes that arrive with less between them belong to one frame."""

Way = Literal["out", "in"]


class Frame(NamedTuple):
    """Bytes that went one way without a pause; `at` is the clock's time of the first of them.

    Those at the places in `hidden` are not kept: they carried a PIN, or came while its echo may have.
    """

    at: float
    way: Way
    data: bytes
    hidden: frozenset[int] = frozenset()

    @property
    def cells(self) -> list[str]:
        """Each byte in hexadecimal, `**` for one that is hidden."""
        return ["**" if at in self.hidden else f"{byte:02X}" for at, byte in enumerate(self.data)]

    @property
    def text(self) -> str:
        """The bytes in a row."""
        return " ".join(self.cells)


class TracedPort:
    """A port whose frames can be watched, a `drivers.port.Port` itself.

    While nobody watches, `write` and `read` are those of the port within: watching costs nothing until it begins.
    A PIN is not kept, nor what comes until the next frame is sent: some lines echo, with or without errors.
    """

    def __init__(self, port: Port, clock: Clock) -> None:
        self.path = port.path
        self.watched = False
        self._port = port
        self._clock = clock
        self._frames: deque[Frame] = deque(maxlen=KEPT)
        self._newest_at = float("-inf")
        self._withholds = False
        self.write, self.read = port.write, port.read

    def __repr__(self) -> str:
        return f"<TracedPort {self._port!r}{' watched' if self.watched else ''}>"

    def watch(self, *, on: bool) -> None:
        """Begin a new trace, or end it and forget what it holds."""
        self.watched = on
        self._withholds = on  # what was sent before is not known here
        self._frames.clear()
        self.write, self.read = (self._write, self._read) if on else (self._port.write, self._port.read)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """What the trace holds, the oldest first."""
        return tuple(self._frames)

    async def open(self) -> None:
        """Open the port within."""
        await self._port.open()

    def close(self) -> None:
        """Release the port within; may be called twice."""
        self._port.close()

    async def _write(self, data: bytes) -> None:
        self._withholds = carries_secret(data)
        self._keep("out", data, NOT_SECRET if self._withholds else None)
        await self._port.write(data)

    async def _read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        data = await self._port.read(timeout)
        self._keep("in", data, frozenset() if self._withholds else None)
        return data

    def _keep(self, way: Way, data: bytes, open_places: frozenset[int] | None) -> None:
        """Keep bytes, of a secret only those at its `open_places`."""
        if not data or not self.watched:
            return
        hidden = frozenset[int]() if open_places is None else frozenset(range(len(data))) - open_places
        data = bytes(0 if at in hidden else byte for at, byte in enumerate(data)) if hidden else data
        now = self._clock.now()
        last = self._frames[-1] if self._frames else None
        if last is not None and last.way == way == "in" and now - self._newest_at < GAP_S:
            hidden = last.hidden | {len(last.data) + at for at in hidden}
            self._frames[-1] = last._replace(data=(last.data + data)[:LONGEST], hidden=hidden)
        else:
            self._frames.append(Frame(now, way, data[:LONGEST], hidden))
        self._newest_at = now
