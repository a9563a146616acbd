"""A real serial port: a UART, a USB adapter or a pty, served by the event loop."""

import asyncio
import errno
import os
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import serial

from drivers.errors import PortError

Parity = Literal["none", "even", "odd"]
StopBits = Literal[1, 2]

CHUNK = 4096
BITS_PER_BYTE = 12
SLACK_S = 0.05
WRITE_TIMEOUT_S = 1.0
_PARITIES = {"none": serial.PARITY_NONE, "even": serial.PARITY_EVEN, "odd": serial.PARITY_ODD}
_MENDS = {
    errno.ENOENT: "plug the adapter in, or correct the port in cabinet.toml",
    errno.ENODEV: "plug the adapter in, or correct the port in cabinet.toml",
    errno.ENXIO: "plug the adapter in, or correct the port in cabinet.toml",
    errno.EACCES: "let this user use serial ports (group dialout)",
    errno.EAGAIN: "another program has it open: end that one",
    errno.EBUSY: "another program has it open: end that one",
    errno.EINVAL: 'it refuses these line settings: a pty needs parity = "none" in cabinet.toml',
    errno.EIO: "check its cable; it is opened again by itself",
}


class SerialPort:
    """One serial port, a `drivers.port.Port`: eight data bits, opened exclusively, closed on any error.

    `parity` comes from the configuration, because a pty refuses parity (protocols.md, 0). Reading happens only
    while somebody waits in `read`, so a flood stays in the kernel's small buffer.
    """

    def __init__(self, path: str, *, baud: int = 9600, parity: Parity = "none", stop_bits: StopBits = 1) -> None:
        self.path = path
        self._serial = serial.Serial(
            baudrate=baud,
            parity=_PARITIES[parity],
            stopbits=stop_bits,
            timeout=0,
            exclusive=True,
        )
        self._serial.port = path
        self._watched = False
        self._waiting: asyncio.Future[None] | None = None
        self._now: Callable[[], float] = time.monotonic
        self._sent_at = 0.0

    def __repr__(self) -> str:
        return f"<SerialPort {self.path} {'open' if self._serial.is_open else 'closed'}>"

    async def open(self) -> None:
        """Open exclusively and throw away stale input; raise `PortError` with the path and what to do."""
        if self._serial.is_open:
            raise PortError(f"{self.path}: already open; close it first")
        self._now = asyncio.get_running_loop().time
        try:
            self._serial.open()
        except termios.error as error:
            code, words = error.args
            raise self._failed("cannot be opened", code, words) from error
        except OSError as error:
            raise self._failed("cannot be opened", error.errno, error.strerror or str(error)) from error

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost or takes nothing for a second."""
        rest = memoryview(data)
        sending_s = len(data) * BITS_PER_BYTE / int(self._serial.baudrate) + SLACK_S
        self._sent_at = self._now() + sending_s
        while rest:
            fd = self._require_open()
            try:
                rest = rest[os.write(fd, rest) :]
            except BlockingIOError:
                if not await self._ready(fd, WRITE_TIMEOUT_S, writing=True):
                    self.close()
                    raise PortError(f"{self.path}: took no bytes for {WRITE_TIMEOUT_S} s; check the adapter") from None
            except OSError as error:
                self.close()
                raise self._failed("failed while writing", error.errno, error.strerror or str(error)) from error

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost."""
        fd = self._require_open()
        if not await self._ready(fd, timeout, writing=False):
            return b""
        self._require_open()
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            self.close()
            raise self._failed("failed while reading", error.errno, error.strerror or str(error)) from error
        if not data:
            # Readable and yet empty is how a pulled adapter looks.
            self.close()
            raise self._failed("is gone", errno.EIO, "hung up")
        return data

    def close(self) -> None:
        """Release the port, also after an error, so that the adapter can come back under its name."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
        if not self._serial.is_open:
            return
        fd: int = self._serial.fileno()
        self._unwatch(fd)
        self._forget_stuck(fd)
        self._serial.close()

    def _forget_stuck(self, fd: int) -> None:
        """Throw away what should long have been sent.

        A dead adapter never sends it: closing would wait for it, up to half a minute in the kernel, and with it every
        other device. What a half-open line still holds would reach the device when nobody waits for its answer.
        """
        if self._now() >= self._sent_at:
            # An adapter that is gone refuses even this.
            with suppress(termios.error):
                termios.tcflush(fd, termios.TCOFLUSH)

    async def _ready(self, fd: int, timeout: float, *, writing: bool) -> bool:  # noqa: ASYNC109  (see read)
        """Wait until `fd` can be read or written; False after `timeout`."""
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        self._waiting = ready
        watch = loop.add_writer if writing else loop.add_reader
        watch(fd, lambda: None if ready.done() else ready.set_result(None))
        self._watched = True
        try:
            await asyncio.wait({ready}, timeout=timeout)
        finally:
            self._waiting = None
            self._unwatch(fd)
        return ready.done()

    def _unwatch(self, fd: int) -> None:
        # Only while we watch it: after close() the number may be another file's.
        if self._watched:
            self._watched = False
            loop = asyncio.get_running_loop()
            loop.remove_reader(fd)
            loop.remove_writer(fd)

    def _require_open(self) -> int:
        if not self._serial.is_open:
            raise PortError(f"{self.path}: the port is closed; open it again")
        fd: int = self._serial.fileno()
        return fd

    def _failed(self, what: str, code: int | None, words: str) -> PortError:
        mend = _MENDS.get(code or 0, "check the adapter and its cable")
        return PortError(f"{self.path} {what} ({words}): {mend}")
