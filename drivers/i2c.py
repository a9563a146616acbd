"""The header's I2C bus: what an expander's driver needs of it, and the real one."""

import threading
from typing import Protocol

from drivers.errors import SettingsError

HEADER_BUS = 1
"""The bus on GPIO 2 (SDA) and 3 (SCL)."""


class I2cBus(Protocol):
    """A bus with devices that have registers; each call blocks for the transfer, some 25 us a byte at 400 kHz.

    Both raise `OSError` where nobody answers at `address` or the transfer fails. They may be called from any thread,
    one transfer at a time.
    """

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write `data` to `register` and those that follow it."""

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read `count` bytes from `register` and those that follow it."""

    def close(self) -> None:
        """Give the bus back; the next transfer opens it again. May be called twice."""


class KernelBus:
    """The kernel's bus `/dev/i2c-<number>`, opened with the first transfer."""

    def __init__(self, number: int = HEADER_BUS) -> None:
        try:
            import smbus2  # noqa: PLC0415 - needed where there is an expander only
        except ImportError as error:
            raise SettingsError(
                f"[pins.expanders] needs smbus2, which cannot be loaded ({error}); install the extra `cabinet[pi]`"
            ) from error
        self._number = number
        self._message = smbus2.i2c_msg
        self._bus = smbus2.SMBus()
        self._one_at_a_time = threading.Lock()

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write registers in one transfer."""
        with self._one_at_a_time:
            self._open()
            self._bus.i2c_rdwr(self._message.write(address, bytes([register]) + data))

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read registers in one transfer: no other master's word comes between register number and answer."""
        answer = self._message.read(address, count)
        with self._one_at_a_time:
            self._open()
            self._bus.i2c_rdwr(self._message.write(address, bytes([register])), answer)
        return bytes(answer)

    def close(self) -> None:
        """Close the kernel's device."""
        with self._one_at_a_time:
            self._bus.close()

    def _open(self) -> None:
        if self._bus.fd is None:
            self._bus.open(self._number)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} /dev/i2c-{self._number}>"
