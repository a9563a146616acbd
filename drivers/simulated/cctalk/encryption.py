"""Encryption of frames under a key of six digits, as bill validators use it ("BNV encryption").

Its document is not public. Public programs written after it agree with each other, with the example of the
specification (part 1, page 27) and with frames recorded from a validator (`tests/drivers/cctalk_vectors.tsv`). The part
of a CRC-16 frame after address and length is enciphered. It is treated as one shift register: all bytes rotate to the
right, and each bit that leaves at the end re-enters at the front, mixed with bits on the way.
"""

from typing import Final

KEY_DIGITS: Final = 6
TAPS: Final = (7, 4, 5, 3, 1, 2, 3, 2, 6, 1)
TURNS: Final = 12
MASHER: Final = 0x63

_REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class FrameKey:
    """A key; raise `ValueError` for anything but six digits."""

    def __init__(self, digits: str) -> None:
        if len(digits) != KEY_DIGITS or not (digits.isascii() and digits.isdigit()):
            raise ValueError("a ccTalk key has six digits")
        first, self._tap, last, self._reversing, fifth, sixth = (int(digit) for digit in digits)
        self._first_mask = ~(16 * first + fifth) & 0xFF
        self._last_mask = 17 * last
        self._flips = sixth ^ MASHER

    def __repr__(self) -> str:
        return "<FrameKey>"

    def encipher(self, data: bytes) -> bytes:
        """Return `data` enciphered, of the same length."""
        mixed = bytearray(self._reverse(bytes(byte ^ self._first_mask for byte in data)))
        for turn in range(TURNS):
            carry = mixed[-1] & 1 ^ self._tapped(mixed, 0)
            for place, byte in enumerate(mixed):
                mixed[place] = carry << 7 | byte >> 1
                carry = byte & 1 ^ self._flip(turn, place)
        return bytes(byte ^ self._last_mask for byte in mixed)

    def decipher(self, data: bytes) -> bytes:
        """Return the plain bytes that `encipher` turned into `data`."""
        mixed = bytearray(byte ^ self._last_mask for byte in data)
        for turn in reversed(range(TURNS)):
            carry = mixed[0] >> 7 ^ self._tapped(mixed, 1)
            for place in reversed(range(len(mixed))):
                byte = mixed[place]
                mixed[place] = byte << 1 & 0xFF | carry
                carry = byte >> 7 ^ self._flip(turn, place - 1)
        return bytes(byte ^ self._first_mask for byte in self._reverse(bytes(mixed)))

    def _tapped(self, mixed: bytearray, turned: int) -> int:
        """Return the parity of one tapped bit of each byte, after `turned` rotations to the right."""
        places = (TAPS[(self._tap + place) % len(TAPS)] - turned for place in range(len(mixed)))
        return sum(byte >> bit & 1 for byte, bit in zip(mixed, places, strict=True)) & 1

    def _flip(self, turn: int, place: int) -> int:
        return self._flips >> (turn + place) % 8 & 1

    def _reverse(self, data: bytes) -> bytes:
        chosen = (self._reversing >> place % 4 & 1 for place in range(len(data)))
        return bytes(_REVERSED[byte] if one else byte for byte, one in zip(data, chosen, strict=True))
