"""The security bytes before the number of coins in a dispense request (protocols.md, 1, request 167).

The public specification leaves them to each model. Support for a model that encrypts (pump RNG 161, cipher key 160) is
another `Security` in `SECURITIES`: `code` sends the requests and computes the bytes, `encrypts` is true. There is none
here: the makers disclose how the code is computed from the key (CMF1-1 to CMF1-3, CMF2-1 and DES in the specification)
under licence only.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from drivers.cctalk.bus import Bus
from drivers.cctalk.hopper_status import Flag, Registers
from drivers.cctalk.protocol import Header
from drivers.errors import NoReplyError
from drivers.wiring import Hopper as Settings

SERIAL_BYTES = 3
ZEROS = bytes(8)
_PIN = re.compile("[0-9a-fA-F]{8}")


class Security(Protocol):
    """Computes a dispense's security bytes; `encrypts` is true if the hopper's encryption must be on."""

    encrypts: bool

    async def code(self, bus: Bus, address: int) -> bytes:
        """Return the bytes for the next dispense; called before each one. Raise what the bus raises."""


class SerialSecurity:
    """The hopper's serial number, as on its label and in its answer to request 242."""

    encrypts = False

    def __init__(self, serial: int) -> None:
        self._code = serial.to_bytes(SERIAL_BYTES, "little")

    async def code(self, bus: Bus, address: int) -> bytes:
        """Return the three bytes of the number."""
        del bus, address
        return self._code


class ZeroSecurity:
    """Eight zero bytes, for hoppers whose encryption is switched off."""

    encrypts = False

    async def code(self, bus: Bus, address: int) -> bytes:
        """Return the eight bytes."""
        del bus, address
        return ZEROS


class UnusedCipherSecurity:
    """Eight zero bytes after a request for a cipher key that is not used: Money Controls SCH2-NOENCRYPT.

    That hopper refuses a dispense without the request (SCH2 Technical Manual TSP016, issue 3.0, page 59).
    """

    encrypts = False

    async def code(self, bus: Bus, address: int) -> bytes:
        """Request the key and return the eight bytes; a hopper that does not answer does not need the request."""
        with suppress(NoReplyError):
            await bus.request(address, Header.CIPHER_KEY, sizes=range(len(ZEROS), len(ZEROS) + 1))
        return ZEROS


def _zeros(_serial: int) -> Security:
    return ZeroSecurity()


def _cipher_unused(_serial: int) -> Security:
    return UnusedCipherSecurity()


SECURITIES: dict[str, Callable[[int], Security]] = {
    "serial": SerialSecurity,
    "zeros": _zeros,
    "cipher_unused": _cipher_unused,
}
"""Each `[hopper] security` of `cabinet.toml`, made from the device's serial number."""


def is_pin(text: str) -> bool:
    """Return whether `text` is a PIN: four bytes as eight hex digits."""
    return _PIN.fullmatch(text) is not None


def forbidden(registers: Registers, settings: Settings, security: Security) -> str:
    """Return why no dispense may be sent and what to change; empty if one may be sent."""
    if Flag.PIN in registers and not settings.pin:
        return "it wants a PIN: set `pin` in [hopper], or switch its PIN mechanism off"
    if Flag.PIN_WRONG in registers:
        return "it refuses the PIN: correct `pin` in [hopper]"
    if Flag.ENCRYPTED in registers and not security.encrypts:
        return (
            f'it wants encrypted dispenses, [hopper] security = "{settings.security}" is none: '
            "switch its encryption off, or change `security`"
        )
    return ""


def refused(registers: Registers, settings: Settings) -> str:
    """Return what to change if the newest dispense was refused for its security bytes; else empty."""
    if Flag.CIPHER_WRONG in registers:
        return f'it refuses [hopper] security = "{settings.security}": change `security` to what this model wants'
    return ""
