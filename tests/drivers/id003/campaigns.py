"""What the tests of all bill validators, and of the probe, have to know of ID-003."""

from typing import Final

from crccheck.crc import CrcKermit  # type: ignore[import-untyped]


def _frame(command: int) -> bytes:
    frame = bytes((0xFC, 5, command))
    return frame + CrcKermit.calc(frame).to_bytes(2, "little")


STATUS: Final = _frame(0x11)
HARMLESS: Final = (STATUS, _frame(0x88))
"""Status request, version request."""
WORDS: Final = ("id003", "id003t")
NUMBERS_EVENTS: Final = False
TICKET_ORDERED: Final = "dialogue id003t"
HIDES_CUT: Final = True
GIVES_REASONS: Final = True
