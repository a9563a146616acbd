"""Lines to a SAS host: a UART with the wake-up bit, and a line without it (protocols.md §3, "9-bit on the Pi")."""

import termios
from collections.abc import Sequence
from typing import Final, Protocol

from drivers.errors import PortError
from drivers.port import Port
from drivers.sas.reader import WAKE
from drivers.serial_port import SerialPort

BAUD: Final = 19_200
_ESCAPE: Final = 0xFF
_STICK: Final = 0o10000000000
"""CMSPAR, missing in the module `termios`: the parity bit is constant, mark with PARODD and space without it."""


_UNFIT: Final = (
    "{path} cannot carry SAS's wake-up bit ({reason}): use a PL011 (ttyAMA, with dtoverlay=disable-bt) or an FTDI"
    ' adapter, or set link = "timed" for a pty'
)


class Line(Protocol):
    """A line as the link uses it; `by_time` means that it has no wake-up bit and frames are separated by silence."""

    path: str
    by_time: bool

    async def open(self) -> None:
        """Open the line exclusively; raise `PortError` with advice."""

    async def read(self, timeout: float) -> Sequence[int]:  # noqa: ASYNC109 - a read that finds nothing is no error
        """Return the bytes received within `timeout` seconds, with `WAKE` added to those with the wake-up bit."""

    async def write(self, data: bytes) -> None:
        """Send bytes without the wake-up bit; raise `PortError` when the line is lost."""

    async def chirp(self, address: int) -> None:
        """Send one byte with the wake-up bit."""

    def close(self) -> None:
        """Close the line; may be called twice."""


class TimedLine:
    """A line over a port without the wake-up bit: a pty, or a network adapter."""

    by_time = True

    def __init__(self, port: Port) -> None:
        self.path = port.path
        self._port = port

    def __repr__(self) -> str:
        return f"<TimedLine {self._port!r}>"

    async def open(self) -> None:
        """Open the port."""
        await self._port.open()

    async def read(self, timeout: float) -> Sequence[int]:  # noqa: ASYNC109  (the seam's own signature)
        """Return the bytes that have arrived within `timeout` seconds."""
        return await self._port.read(timeout)

    async def write(self, data: bytes) -> None:
        """Send all of `data`."""
        await self._port.write(data)

    async def chirp(self, address: int) -> None:
        """Send the address."""
        await self._port.write(bytes((address,)))

    def close(self) -> None:
        """Release the port."""
        self._port.close()


class Unmarking:
    """Decodes PARMRK: `FF 00 xx` is a byte with a parity error, that is with the wake-up bit; `FF FF` is one FF."""

    def __init__(self) -> None:
        self._pending: list[int] = []

    def feed(self, data: bytes) -> list[int]:
        """Return the bytes in `data`, with `WAKE` added to marked ones; an escape may be split between calls."""
        symbols: list[int] = []
        for byte in data:
            if self._pending == [_ESCAPE, 0]:
                symbols.append(byte | WAKE)
                self._pending.clear()
            elif self._pending:
                if byte == 0:
                    self._pending.append(byte)
                    continue
                symbols.append(_ESCAPE)
                self._pending.clear()
                if byte != _ESCAPE:
                    symbols.append(byte)
            elif byte == _ESCAPE:
                self._pending.append(byte)
            else:
                symbols.append(byte)
        return symbols


class NineBitLine:
    """A UART whose parity bit is the wake-up bit.

    It sends and expects space parity, so a received byte with the wake-up bit has a parity error and is marked. Breaks
    are ignored, because a marked break would look like address 0.
    """

    by_time = False

    def __init__(self, port: SerialPort) -> None:
        self.path = port.path
        self._port = port
        self._marked = Unmarking()

    def __repr__(self) -> str:
        return f"<NineBitLine {self._port!r}>"

    async def open(self) -> None:
        """Open the port and set its parity; raise `PortError` if it does not support the wake-up bit."""
        await self._port.open()
        self._marked = Unmarking()
        try:
            settings = termios.tcgetattr(self._port.fileno())
            settings[0] |= termios.INPCK | termios.PARMRK | termios.IGNBRK
            settings[0] &= ~(termios.IGNPAR | termios.ISTRIP | termios.BRKINT)
            settings[2] |= termios.PARENB | _STICK
            settings[2] &= ~termios.PARODD
            termios.tcsetattr(self._port.fileno(), termios.TCSANOW, settings)
            taken = termios.tcgetattr(self._port.fileno())[2] & (termios.PARENB | _STICK)
        except termios.error as error:
            self._port.close()
            raise PortError(_UNFIT.format(path=self.path, reason=error.args[-1])) from error
        if taken != termios.PARENB | _STICK:
            self._port.close()
            raise PortError(_UNFIT.format(path=self.path, reason="stick parity was not taken"))

    async def read(self, timeout: float) -> Sequence[int]:  # noqa: ASYNC109  (the seam's own signature)
        """Return what has arrived within `timeout` seconds."""
        return self._marked.feed(await self._port.read(timeout))

    async def write(self, data: bytes) -> None:
        """Send all of `data` with space parity."""
        await self._port.write(data)

    async def chirp(self, address: int) -> None:
        """Send the address with mark parity, and go back to space."""
        fd = self._port.fileno()
        settings = termios.tcgetattr(fd)
        try:
            settings[2] |= termios.PARODD
            termios.tcsetattr(fd, termios.TCSADRAIN, settings)
            await self._port.write(bytes((address,)))
            settings[2] &= ~termios.PARODD
            termios.tcsetattr(fd, termios.TCSADRAIN, settings)
        except termios.error as error:
            self._port.close()
            raise PortError(f"{self.path} failed while it was set ({error.args[-1]}): check the adapter") from error

    def close(self) -> None:
        """Release the port."""
        self._port.close()
