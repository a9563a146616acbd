"""What a hopper wants before the number of coins of a dispense (protocols.md, 1, request 167).

The public specification leaves it to each model. A model that encrypts (pump RNG 161, cipher key 160) is one more
`Security`: its `code` asks over the bus and computes, its `encrypts` is true, and `securities` names it. None is here:
how the code is computed from the key (the specification's CMF1-1 to CMF1-3, CMF2-1 and DES) its makers give under
licence only.
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
    """One way to make a dispense acceptable; `encrypts` where the hopper's encryption must be on for it."""

    encrypts: bool

    async def code(self, bus: Bus, address: int) -> bytes:
        """Return the bytes for the next dispense; raise what the bus raises. Asked before each one."""


class SerialSecurity:
    """The hopper's own serial number, which is on its label and in its answer to 242."""

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
    """Eight zero bytes after a cipher key that is asked for and not used: Money Controls SCH2-NOENCRYPT.

    That hopper refuses a dispense without the question (SCH2 Technical Manual TSP016, issue 3.0, page 59).
    """

    encrypts = False

    async def code(self, bus: Bus, address: int) -> bytes:
        """Ask for the key, and return the eight bytes; a hopper that does not know the question does not want it."""
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
    """Say why no dispense may be sent as things are, which key to change or what to do; empty where none."""
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
    """Say which key to change where the newest dispense was refused for its security bytes; empty where not."""
    if Flag.CIPHER_WRONG in registers:
        return f'it refuses [hopper] security = "{settings.security}": change `security` to what this model wants'
    return ""
