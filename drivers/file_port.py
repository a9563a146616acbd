"""A port on a device file, served by the event loop."""

import asyncio
import errno
import os
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from common.error_words import error_reason
from drivers.errors import PortError

CHUNK: Final = 4096
WRITE_TIMEOUT_S: Final = 1.0
_MENDS: Final = {
    errno.ENOENT: "plug the adapter in, or correct the port in cabinet.toml",
    errno.ENODEV: "plug the adapter in, or correct the port in cabinet.toml",
    errno.ENXIO: "plug the adapter in, or correct the port in cabinet.toml",
    errno.EACCES: "let this user use serial ports (group dialout)",
    errno.EAGAIN: "another program has it open: end that one",
    errno.EBUSY: "another program has it open: end that one",
    errno.EINVAL: 'it refuses these line settings: a pty needs parity = "none" in cabinet.toml',
    errno.EIO: "check its cable; it is opened again by itself",
}


class FilePort:
    """Base class of serial ports and printers; closed on any error.

    Data is read only while a caller waits in `read`, so a flood stays in the kernel's small buffer. `mends` has the
    advice for each error number, `usual_mend` for all others.
    """

    mends: ClassVar[Mapping[int, str]] = _MENDS
    usual_mend: ClassVar[str] = "check the adapter and its cable"

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd: int | None = None
        self._watched = False
        self._waiting: asyncio.Future[None] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path} {'closed' if self._fd is None else 'open'}>"

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost or takes nothing for a second."""
        rest = memoryview(data)
        while rest:
            fd = self._require_open()
            try:
                rest = rest[os.write(fd, rest) :]
            except BlockingIOError:
                if not await self._ready(fd, WRITE_TIMEOUT_S, writing=True):
                    self.close()
                    raise PortError(f"{self.path}: took no bytes for {WRITE_TIMEOUT_S} s; {self.usual_mend}") from None
            except OSError as error:
                self.close()
                raise self._failed("failed while writing", error.errno, error_reason(error)) from error

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
            raise self._failed("failed while reading", error.errno, error_reason(error)) from error
        return data or self._nothing_read()

    def fileno(self) -> int:
        """Return the open port's descriptor, for settings beyond these; raise `PortError` while it is closed."""
        return self._require_open()

    def close(self) -> None:
        """Release the port, also after an error, so that the adapter can come back under its name."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
        fd, self._fd = self._fd, None
        if fd is None:
            return
        self._unwatch(fd)
        self._release(fd)

    def _opened(self, fd: int) -> None:
        """Serve the file that was opened as `fd`."""
        self._fd = fd

    def _release(self, fd: int) -> None:
        os.close(fd)

    def _nothing_read(self) -> bytes:
        """Handle a readable file without data; return the bytes for the reader."""
        return b""

    async def _ready(self, fd: int, timeout: float, *, writing: bool) -> bool:  # noqa: ASYNC109  (see read)
        """Wait until `fd` can be read or written; False after `timeout`."""
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        self._waiting = ready
        watch: Callable[..., None] = loop.add_writer if writing else loop.add_reader
        watch(fd, lambda: None if ready.done() else ready.set_result(None))
        self._watched = True
        try:
            await asyncio.wait({ready}, timeout=timeout)
        finally:
            self._waiting = None
            self._unwatch(fd)
        return ready.done()

    def _unwatch(self, fd: int) -> None:
        # Only while it is watched: after close() the number may belong to another file.
        if self._watched:
            self._watched = False
            loop = asyncio.get_running_loop()
            loop.remove_reader(fd)
            loop.remove_writer(fd)

    def _require_open(self) -> int:
        if self._fd is None:
            raise PortError(f"{self.path}: the port is closed; open it again")
        return self._fd

    def _require_closed(self) -> None:
        if self._fd is not None:
            raise PortError(f"{self.path}: already open; close it first")

    def _failed(self, what: str, code: int | None, words: str) -> PortError:
        mend = self.mends.get(code or 0, self.usual_mend)
        return PortError(f"{self.path} {what} ({words}): {mend}")
