"""The device's end of a serial line: the interfaces between a simulated device and its line."""

from typing import Protocol, runtime_checkable


class Line(Protocol):
    """The device's end of one line. `MemoryLine`, `PtyLine` and `TcpLine` implement it."""

    def send(self, data: bytes) -> None:
        """Put bytes on the wire towards the host."""


@runtime_checkable
class HoldingLine(Line, Protocol):
    """A line with flow control: its device can make the host hold its bytes back."""

    def hold(self, *, held: bool) -> None:
        """Stop reading from the host, or resume."""


class LineDevice(Protocol):
    """A device on a line: a state machine driven by bytes and by its loop's timers."""

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""

    def receive(self, data: bytes) -> None:
        """Handle bytes from the host."""

    def power(self, *, on: bool) -> None:
        """Switch the mains: off clears all but the non-volatile memory, on starts as after a power cut."""
