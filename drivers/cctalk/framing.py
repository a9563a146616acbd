"""Framings of ccTalk devices: simple checksum, CRC-16, and encrypted CRC-16."""

from collections.abc import Iterable
from typing import Final, Protocol

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.encryption import Cipher
from drivers.cctalk.protocol import Frame

_OPEN: Final = 2
"""Number of unencrypted bytes at the start of an encrypted frame: destination and length."""


class Framing(Protocol):
    """Encodes and decodes frames; `name` is used in fault messages.

    `sourceless` is true if a reply does not name its sender; `hidden` is true if frames must not be logged, because
    their known content would reveal the key.
    """

    name: str
    sourceless: bool
    hidden: bool

    def encode(self, frame: Frame) -> bytes:
        """Return the bytes of `frame`; raise `ValueError` for more than 255 data bytes."""

    def decode(self, raw: bytes) -> Frame:
        """Return the one frame in `raw`; raise `WireError` if it is not a frame."""


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
        """Return the bytes of `frame`, encrypted except for destination and length."""
        raw = CRC.encode(frame)
        return raw[:_OPEN] + self._cipher.encrypt(raw[_OPEN:])

    def decode(self, raw: bytes) -> Frame:
        """Return the one frame in `raw`; raise `WireError` if it is not a frame under this key."""
        cctalk.require_length(raw)
        return CRC.decode(raw[:_OPEN] + self._cipher.decrypt(raw[_OPEN:]))


SIMPLE: Final[Framing] = _Simple()
CRC: Final[Framing] = _Crc()
OPEN_FRAMINGS: Final = (SIMPLE, CRC)
"""Framings without a key, in the order in which they are tried."""


def named(framings: Iterable[Framing]) -> str:
    """Return the names of `framings` as a list in a sentence."""
    return ", ".join(framing.name for framing in framings)
