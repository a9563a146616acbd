"""ccTalk Serial Protocol Encryption 1.2, "BNV": whole frames under a key of six digits.

A frame of CRC mode is encrypted except for destination and length. The document of the algorithm is not public. This
code follows what public implementations agree on (vltgroup/ccTalk, MIT, `BNVEncode`). It reproduces the example of the
specification (part 1 v4.7, page 27, key 124027) and frames captured from a validator with its default key
(tests/drivers/cctalk_vectors.tsv).

It does not stop anybody who can listen: a million keys can be tried in seconds. It exists for validators that accept
only encrypted frames.
"""

import re
from typing import Final, NamedTuple

_TAPS: Final = (7, 4, 5, 3, 1, 2, 3, 2, 6, 1)
_ROTATIONS: Final = 12
_FEED: Final = 0x63
_KEY = re.compile("[0-9]{6}")
_REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def is_key(text: str) -> bool:
    """Return whether `text` is a key: six decimal digits."""
    return _KEY.fullmatch(text) is not None


class _Masks(NamedTuple):
    """Bit masks for a register of one size: the taps in both directions and the bits fed in by each rotation."""

    before: int
    after: int
    taps: int
    taps_back: int
    fed: tuple[int, ...]


class Cipher:
    """The cipher under one key of six digits; raise `ValueError` for another text, without repeating it."""

    def __init__(self, key: str) -> None:
        if not is_key(key):
            raise ValueError("a key of ccTalk encryption is six decimal digits")
        self._digits = tuple(int(digit) for digit in key)
        # Cache what depends only on the size: a parser tries each byte of noise as the start of a frame.
        self._masks: dict[int, _Masks] = {}

    def __repr__(self) -> str:
        return "<Cipher>"  # must not show the key

    def encrypt(self, data: bytes) -> bytes:
        """Return `data`, at least one byte, encrypted."""
        # The register is shifted right as one number, its first byte the highest: the taps and the feed are bits of it.
        size = len(data)
        masks, top = self._masks_of(size), 8 * size - 1
        register = self._reversed(int.from_bytes(data, "big") ^ masks.before, size)
        for fed in masks.fed:
            taken = (register & 1) ^ (register & masks.taps).bit_count() & 1
            register = (register >> 1 | taken << top) ^ fed
        return (register ^ masks.after).to_bytes(size, "big")

    def decrypt(self, data: bytes) -> bytes:
        """Return the data that `encrypt` turned into `data`."""
        size = len(data)
        masks, top = self._masks_of(size), 8 * size - 1
        register, whole = int.from_bytes(data, "big") ^ masks.after, (1 << 8 * size) - 1
        for fed in reversed(masks.fed):
            register ^= fed
            taken = (register >> top) ^ (register & masks.taps_back).bit_count() & 1
            register = register << 1 & whole | taken
        return (self._reversed(register, size) ^ masks.before).to_bytes(size, "big")

    def _reversed(self, register: int, size: int) -> int:
        """Reverse the bits of the bytes that the key's fourth digit selects, by position modulo 4."""
        data = bytearray(register.to_bytes(size, "big"))
        for place in range(4):
            if self._digits[3] >> place & 1:
                data[place::4] = data[place::4].translate(_REVERSED)
        return int.from_bytes(data, "big")

    def _masks_of(self, size: int) -> _Masks:
        if size not in self._masks:
            first, tap, after, _reverses, low, feed = self._digits
            taps = bytes(1 << _TAPS[(tap + at) % len(_TAPS)] for at in range(size))
            fed = [
                bytes(0x80 if at and (feed ^ _FEED) >> (turn + at - 1) % 8 & 1 else 0 for at in range(size))
                for turn in range(_ROTATIONS)
            ]
            self._masks[size] = _Masks(
                before=int.from_bytes(bytes((~(first << 4 | low) & 0xFF,)) * size, "big"),
                after=int.from_bytes(bytes((after << 4 | after,)) * size, "big"),
                taps=int.from_bytes(taps, "big"),
                taps_back=int.from_bytes(bytes(bit >> 1 for bit in taps), "big"),
                fed=tuple(int.from_bytes(each, "big") for each in fed),
            )
        return self._masks[size]
