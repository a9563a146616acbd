"""A port on a kernel input device (evdev), grabbed so that no other program gets its keys."""

import errno
import fcntl
import os
from typing import Final

from common.error_words import error_reason
from drivers.errors import PortError
from drivers.file_port import FilePort

EVIOCGRAB: Final = 0x40044590
"""_IOW('E', 0x90, int) of linux/input.h: while the device is grabbed, the console and other readers get no events."""

INPUT_MAJOR: Final = 13
"""The major device number of input devices (linux/major.h): other devices interpret the same request differently."""

_MENDS: Final = {
    errno.ENOENT: "plug the card reader in, or correct cards.device in cabinet.toml",
    errno.ENODEV: "plug the card reader in; it is opened again by itself",
    errno.EACCES: "let this user read keyboards: run system/setup again, then plug the reader in again",
    errno.EPERM: "let this unit open input devices: run system/setup again, then restart the cabinet",
    errno.EBUSY: "another program has grabbed it: end that one",
    errno.ENOTTY: "it is no input device: name one below /dev/input/by-id in cards.device",
}


class InputPort(FilePort):
    """The input device at `path`, a read-only `drivers.port.Port`; `grabs` is False for a simulated device."""

    def __init__(self, path: str, *, grabs: bool = True) -> None:
        super().__init__(path)
        self._grabs = grabs

    async def open(self) -> None:
        """Open and grab the device; raise `PortError` with the path and advice. Earlier input is discarded."""
        self._require_closed()
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            raise self._failed("cannot be opened", error.errno, error_reason(error)) from error
        try:
            if self._grabs:
                _grab(fd)
        except OSError as error:
            os.close(fd)
            raise self._failed("cannot be grabbed", error.errno, error_reason(error)) from error
        self._opened(fd)

    def _failed(self, what: str, code: int | None, words: str) -> PortError:
        mend = _MENDS.get(code or 0, "check the card reader and its cable")
        return PortError(f"{self.path} {what} ({words}): {mend}")

    def _nothing_read(self) -> bytes:
        self.close()
        raise PortError(f"{self.path} ended: plug the card reader in; it is opened again by itself")


def _grab(fd: int) -> None:
    if os.major(os.fstat(fd).st_rdev) != INPUT_MAJOR:
        raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
    fcntl.ioctl(fd, EVIOCGRAB, 1)
