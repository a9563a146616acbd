"""The serial port interface for drivers: write bytes, read what has arrived, and a clear error when it is lost."""

from typing import Protocol


class Port(Protocol):
    """One serial line, opened for one device.

    `SerialPort` is the real one (a UART, an adapter, a pty); tests hand drivers the near end of a
    `drivers.simulated.line.MemoryLine`.
    """

    path: str

    async def open(self) -> None:
        """Open exclusively and discard stale input; raise `PortError` with the path and advice."""

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost."""

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - a read that finds nothing is no error
        """Return what has arrived, waiting at most `timeout` seconds for the first byte; `b""` for nothing.

        Raise `PortError` when the line is lost.
        """

    def close(self) -> None:
        """Release the port; may be called twice."""
