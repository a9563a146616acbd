"""What the tests of all bill validators, and of the probe, have to know of SSP."""

from typing import Final

from crccheck.crc import Crc16Cms  # type: ignore[import-untyped]

from drivers.simulated.ssp.bill_validator import SERIAL


def _packet(head: int, command: int) -> bytes:
    body = bytes((head, 1, command))
    return b"\x7f" + body + Crc16Cms.calc(body).to_bytes(2, "little")


HARMLESS: Final = tuple(_packet(head, command) for head in (0x00, 0x10, 0x80, 0x90) for command in (0x11, 0x0C, 0x20))
"""To a validator (00) and a hopper (10): SYNC, serial number, firmware version, under either flag (80)."""
WORDS: Final = tuple(f"{poll} serial {SERIAL}" for poll in ("", "1", "a", "1a", "e", "1ae"))
NUMBERS_EVENTS: Final = True
HIDES_CUT: Final = False
GIVES_REASONS: Final = True
