"""A serial port (UART, USB adapter or pty), served by the event loop."""

import asyncio
import errno
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, NoReturn

import serial

from common.error_words import error_reason
from drivers.file_port import FilePort

Parity = Literal["none", "even", "odd"]
StopBits = Literal[1, 2]

BITS_PER_BYTE = 12
SLACK_S = 0.05
_PARITIES = {"none": serial.PARITY_NONE, "even": serial.PARITY_EVEN, "odd": serial.PARITY_ODD}


class SerialPort(FilePort):
    """One serial port, a `drivers.port.Port`: eight data bits, opened exclusively, closed on any error.

    `parity` comes from the configuration, because a pty refuses parity (protocols.md, 0).
    """

    def __init__(self, path: str, *, baud: int = 9600, parity: Parity = "none", stop_bits: StopBits = 1) -> None:
        super().__init__(path)
        self._serial = serial.Serial(
            baudrate=baud,
            parity=_PARITIES[parity],
            stopbits=stop_bits,
            timeout=0,
            exclusive=True,
        )
        self._serial.port = path
        self._now: Callable[[], float] = time.monotonic
        self._sent_at = 0.0

    async def open(self) -> None:
        """Open exclusively and discard stale input; raise `PortError` with the path and advice."""
        self._require_closed()
        self._now = asyncio.get_running_loop().time
        try:
            self._serial.open()
        except termios.error as error:
            code, words = error.args
            raise self._failed("cannot be opened", code, words) from error
        except OSError as error:
            raise self._failed("cannot be opened", error.errno, error_reason(error)) from error
        self._opened(self._serial.fileno())

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost or takes nothing for a second."""
        sending_s = len(data) * BITS_PER_BYTE / int(self._serial.baudrate) + SLACK_S
        self._sent_at = self._now() + sending_s
        await super().write(data)

    def _release(self, fd: int) -> None:
        self._forget_stuck(fd)
        self._serial.close()

    def _nothing_read(self) -> NoReturn:
        # An unplugged adapter is readable and returns no data.
        self.close()
        raise self._failed("is gone", errno.EIO, "hung up")

    def _forget_stuck(self, fd: int) -> None:
        """Discard output that should have been sent long ago.

        A dead adapter never sends it: close would block for up to half a minute in the kernel, and with it every other
        device. On a half-open line the data would reach the device when nobody waits for its answer.
        """
        if self._now() >= self._sent_at:
            # An unplugged adapter refuses even this.
            with suppress(termios.error):
                termios.tcflush(fd, termios.TCOFLUSH)
