"""A port on a USB printer through the kernel's driver usblp: a device file without line settings."""

import asyncio
import os
from typing import Final

from common.error_words import error_reason
from drivers.file_port import FilePort

_PAUSE_S: Final = 0.02


class UsbPrinterPort(FilePort):
    """A USB printer's device file, a `drivers.port.Port`; only one program at a time can open it.

    It does not use libusb, which would need raw access to all devices on the bus and detach the kernel's driver.
    """

    async def open(self) -> None:
        """Open exclusively; raise `PortError` with the path and advice."""
        self._require_closed()
        try:
            self._opened(os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError as error:
            raise self._failed("cannot be opened", error.errno, error_reason(error)) from error

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost.

        Idle printers may send empty packets, which make the file readable.
        """
        now = asyncio.get_running_loop().time
        due = now() + timeout
        while True:
            data = await super().read(max(0.0, due - now()))
            left = due - now()
            if data or left <= 0:
                return data
            await asyncio.sleep(min(_PAUSE_S, left))
