"""Denomination codes, and poll B0, which wraps another poll for one denomination (sas.md §5.4)."""

from collections.abc import Mapping
from typing import Final

import msgspec

from drivers.errors import WireError
from drivers.sas.frames import HEAD, answer, opened

CODES: Final[Mapping[int, int]] = {
    1: 0x01,
    2: 0x17,
    3: 0x18,
    5: 0x02,
    10: 0x03,
    15: 0x19,
    20: 0x0B,
    25: 0x04,
    40: 0x1A,
    50: 0x05,
    100: 0x06,
    200: 0x0C,
    250: 0x0D,
    500: 0x07,
    1_000: 0x08,
    2_000: 0x09,
    2_500: 0x0E,
    5_000: 0x0F,
    10_000: 0x0A,
    20_000: 0x10,
    25_000: 0x11,
    50_000: 0x12,
    100_000: 0x13,
    200_000: 0x14,
    250_000: 0x15,
    500_000: 0x16,
}
"""Denomination codes by value in cents."""

DENOMINATED: Final = 0xB0
ERROR_BASE: Final = 0
"""The base command of an error answer; its data is the error code."""
NOT_SUPPORTED, MALFORMED, NOT_IN_THIS_FORM, NOT_PLAYED = 1, 2, 4, 5
"""The errors of B0."""


class Denominated(msgspec.Struct, frozen=True):
    """Poll B0 or its answer: another poll for one denomination (sas.md §5.4).

    An answer with base 0 is an error; its data is the error code.
    """

    address: int
    denomination: int
    base: int
    data: bytes = b""

    def encode(self) -> bytes:
        """Return the frame; poll and answer have the same format."""
        inner = bytes((self.denomination, self.base)) + self.data
        return answer(self.address, DENOMINATED, bytes((len(inner),)) + inner)


def read_denominated(frame: bytes) -> Denominated:
    """Return poll B0 or its answer; raise `WireError` for any other frame."""
    data = opened(frame)
    if data[1] != DENOMINATED or len(data) < HEAD + 3 or data[HEAD] != len(data) - HEAD - 1:
        raise WireError(f"SAS frame {frame.hex(' ').upper()} asks for no denomination")
    return Denominated(data[0], data[3], data[4], data[5:])
