"""The ways in which a ccTalk device may have its frames: simple checksum, CRC-16, or CRC-16 and encrypted."""

from collections.abc import Iterable
from typing import Final, Protocol

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.encryption import Cipher
from drivers.cctalk.protocol import Frame

_OPEN: Final = 2
"""Bytes of an encrypted frame that are not: destination and length."""


class Framing(Protocol):
    """How frames are made and read. `name` is what faults call it.

    `sourceless` where a reply does not name its sender; `hidden` where a frame must not be shown, since what it says is
    known and would give the key away.
    """

    name: str
    sourceless: bool
    hidden: bool

    def encode(self, frame: Frame) -> bytes:
        """Return the bytes of `frame`; raise `ValueError` for more than 255 data bytes."""

    def decode(self, raw: bytes) -> Frame:
        """Return the one frame that `raw` is; raise `WireError` where it is none."""


class _Simple:
    name = "simple checksum"
    sourceless = False
    hidden = False

    def __repr__(self) -> str:
        return "<simple checksum>"

    def encode(self, frame: Frame) -> bytes:
        return cctalk.encode(frame)

    def decode(self, raw: bytes) -> Frame:
        return cctalk.decode(raw)


class _Crc:
    name = "CRC-16"
    sourceless = True
    hidden = False

    def __repr__(self) -> str:
        return "<CRC-16>"

    def encode(self, frame: Frame) -> bytes:
        return cctalk.encode_crc(frame.destination, frame.header, frame.data)

    def decode(self, raw: bytes) -> Frame:
        return cctalk.decode_crc(raw)


class Encrypted:
    """CRC-16 frames under a key of six digits; raise `ValueError` for another text."""

    name = "encrypted CRC-16"
    sourceless = True
    hidden = True

    def __init__(self, key: str) -> None:
        self._cipher = Cipher(key)

    def __repr__(self) -> str:
        return "<encrypted CRC-16>"

    def encode(self, frame: Frame) -> bytes:
        """Return the bytes of `frame`, all but destination and length encrypted."""
        raw = CRC.encode(frame)
        return raw[:_OPEN] + self._cipher.encrypt(raw[_OPEN:])

    def decode(self, raw: bytes) -> Frame:
        """Return the one frame that `raw` is; raise `WireError` where it is none under this key."""
        cctalk.require_length(raw)
        return CRC.decode(raw[:_OPEN] + self._cipher.decrypt(raw[_OPEN:]))


SIMPLE: Final[Framing] = _Simple()
CRC: Final[Framing] = _Crc()
OPEN_FRAMINGS: Final = (SIMPLE, CRC)
"""Those that need no key, in the order in which they are tried."""


def named(framings: Iterable[Framing]) -> str:
    """Return the names of `framings` as a list in a sentence."""
    return ", ".join(framing.name for framing in framings)
