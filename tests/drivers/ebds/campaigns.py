"""What the tests of all bill validators, and of the probe, have to know of EBDS."""

from typing import Final

from tests.rigs.bill_rig import TICKET

# An auxiliary question for the application's part number (07), under either ACK bit; the last byte is the XOR.
_QUESTIONS = (bytes.fromhex("02 08 60 00 00 07 03 6F"), bytes.fromhex("02 08 61 00 00 07 03 6E"))
_EVEN_PARITY = bytes(byte | (byte.bit_count() & 1) << 7 for byte in range(128)) + bytes(range(128, 256))

HARMLESS: Final = (*_QUESTIONS, *(frame.translate(_EVEN_PARITY) for frame in _QUESTIONS))
WORDS: Final = ("ebds0", "ebds1 serial 4142", "ebds0t1 serial 4142 answer 20")
NUMBERS_EVENTS: Final = False
TICKET_ORDERED: Final = f"ticket {TICKET}"
HIDES_CUT: Final = False
GIVES_REASONS: Final = False
"""It says only that a note was rejected, not why (docs/configuration.md#ebds)."""
