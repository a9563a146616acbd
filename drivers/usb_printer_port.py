"""A USB printer as the kernel's printer driver (usblp) shows it: a device file without a line's settings."""

import asyncio
import os
from typing import Final

from common.error_words import error_reason
from drivers.file_port import FilePort

_PAUSE_S: Final = 0.02


class UsbPrinterPort(FilePort):
    """A USB printer's device file, a `drivers.port.Port`; the kernel lets one program at a time open it.

    No libusb: that would need the raw device of everything on the bus, and take it away from the kernel's driver.
    """

    async def open(self) -> None:
        """Open exclusively; raise `PortError` with the path and what to do."""
        self._require_closed()
        try:
            self._opened(os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError as error:
            raise self._failed("cannot be opened", error.errno, error_reason(error)) from error

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost.

        Printers that have nothing to say may send empty packets, which make the file readable.
        """
        now = asyncio.get_running_loop().time
        due = now() + timeout
        while True:
            data = await super().read(max(0.0, due - now()))
            left = due - now()
            if data or left <= 0:
                return data
            await asyncio.sleep(min(_PAUSE_S, left))
