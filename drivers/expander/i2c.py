"""The header's I2C bus: the interface for expander drivers, and the kernel's bus."""

import errno
import threading
from typing import Any, Protocol

from drivers.errors import SettingsError

HEADER_BUS = 1
"""The bus on GPIO 2 (SDA) and 3 (SCL)."""
_NOBODY = frozenset({errno.ENXIO, errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT})
"""The kernel's errors for an address at which no device answers."""


class I2cBus(Protocol):
    """A bus with devices that have registers; each call blocks for the transfer, some 25 us a byte at 400 kHz.

    `write` and `read` raise `OSError` if no device answers at `address` or the transfer fails. They may be called from
    any thread; transfers are serialised.
    """

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write `data` to `register` and the following registers."""

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read `count` bytes from `register` and the following registers."""

    def close(self) -> None:
        """Close the bus; the next transfer opens it again. May be called twice."""


class KernelBus:
    """The kernel's bus `/dev/i2c-<number>`, opened at the first transfer with `library`, by default smbus2.

    Raises `SettingsError` if that is not installed.
    """

    def __init__(self, number: int = HEADER_BUS, library: Any = None) -> None:
        self._number = number
        self._library = library or _smbus2()
        self._bus = self._library.SMBus()
        self._one_at_a_time = threading.Lock()

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write registers in one transfer."""
        self._transfer(self._library.i2c_msg.write(address, bytes([register]) + data))

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read registers in one transfer, without a stop between the register address and the answer."""
        answer = self._library.i2c_msg.read(address, count)
        self._transfer(self._library.i2c_msg.write(address, bytes([register])), answer)
        return bytes(answer)

    def answers(self, address: int) -> bool:
        """Return whether a device answers at `address` when one byte is read; nothing is written.

        Raise `OSError` if there is no such bus.
        """
        try:
            self._transfer(self._library.i2c_msg.read(address, 1))
        except OSError as error:
            if error.errno in _NOBODY:
                return False
            raise
        return True

    def close(self) -> None:
        """Close the kernel's device."""
        with self._one_at_a_time:
            self._bus.close()

    def _transfer(self, *messages: Any) -> None:
        with self._one_at_a_time:
            if self._bus.fd is None:
                try:
                    self._bus.open(self._number)
                except FileNotFoundError as error:
                    missing = f"there is no {error.filename}; add dtparam=i2c_arm=on to config.txt"
                    raise OSError(error.errno, missing) from error
            self._bus.i2c_rdwr(*messages)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} /dev/i2c-{self._number}>"


def _smbus2() -> Any:
    try:
        import smbus2  # noqa: PLC0415 - needed where there is an expander only
    except ImportError as error:
        raise SettingsError(
            f"[pins.expanders] needs smbus2, which cannot be loaded ({error}); install the extra `cabinet[pi]`"
        ) from error
    return smbus2
