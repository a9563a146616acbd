"""The far end of a serial line: what a simulated device listens to and answers on."""

from typing import Protocol, runtime_checkable


class Line(Protocol):
    """The device's end of one line. `MemoryLine`, `PtyLine` and `TcpLine` implement it."""

    def send(self, data: bytes) -> None:
        """Put bytes on the wire towards the host."""


@runtime_checkable
class HoldingLine(Line, Protocol):
    """A line with a handshake: its device can make the host's bytes wait at the host."""

    def hold(self, *, held: bool) -> None:
        """Take nothing more from the host, or go on."""


class LineDevice(Protocol):
    """A device on a line: a state machine driven by bytes and by its loop's timers."""

    def connect(self, line: Line) -> None:
        """Remember where to answer."""

    def receive(self, data: bytes) -> None:
        """Bytes from the host have arrived."""

    def power(self, *, on: bool) -> None:
        """The mains switch: off forgets all but the non-volatile memory, on starts as after a power cut."""
