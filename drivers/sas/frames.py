"""SAS frames: addresses, checksums, and the length of each request (protocols.md §3, sas.md).

A general poll is one byte, `80|address`. A long poll is `address command`, then nothing (type R), or data and a CRC of
two bytes, low byte first, over everything before it. Data has a fixed length or begins with a byte for its length.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from drivers.crc16 import crc16_kermit
from drivers.errors import WireError
from drivers.masked_hex import masked_hex

BROADCAST: Final = 0
GENERAL: Final = 0x80
"""Added to the address in a general poll, and in a NACK."""
EVENT: Final = 0xFF
"""The command of an event that is reported in real time."""
CRC_BYTES: Final = 2
HEAD: Final = 2
"""Address and command."""
MAX_DATA: Final = 255

READS: Final = frozenset(
    {
        *range(0x0F, 0x21),
        *range(0x27, 0x2D),
        *range(0x31, 0x4C),
        0x4F,
        *(0x51, 0x54, 0x55, 0x56, 0x57),
        *(0x6A, 0x70, 0x7E, 0x85, 0x87, 0x8E, 0x8F),
        *(0xB1, 0xB2, 0xB3),
    }
)
"""The long polls of type R: two bytes, no CRC."""

DATA_BYTES: Final[Mapping[int, int]] = {
    **dict.fromkeys((*range(0x01, 0x08), 0x0A, 0x0B, 0x94), 0),
    0x08: 5,  # denominations 4, flag
    0x09: 3,  # game 2, flag
    0x0E: 1,
    0x21: 2,
    0x2D: 2,
    0x2E: 2,
    0x4C: 6,
    0x4D: 1,
    0x50: 1,
    0x52: 2,
    0x53: 2,
    0x58: 9,
    0x63: 6,
    0x66: 1,
    0x69: 6,
    0x74: 4,
    0x7F: 7,
    0x8A: 5,
    0xA0: 2,
    0xA8: 1,
    0xB4: 4,
    0xB5: 2,
}
"""The long polls with data of a fixed length, in bytes without the CRC."""

COUNTED: Final = frozenset({0x2F, 0x6E, 0x6F, 0x71, 0x72, 0x73, 0x7B, 0x7C, 0x7D, 0xAF, 0xB0})
"""The long polls whose data begins with a byte for the length of what follows it, without the CRC."""


SECRET: Final = frozenset({0x4D, 0x58, 0x70, 0x71, 0x72, 0x73})
"""The long polls that carry the number of a ticket, or the key of transfers."""


def masked_frame(frame: bytes) -> str:
    """Return a frame in hexadecimal for messages and logs; of a secret frame only address and command are shown."""
    is_secret = frame[1:HEAD] and frame[1] in SECRET
    return masked_hex(frame, range(HEAD, len(frame)) if is_secret else ())


def sealed(data: bytes) -> bytes:
    """Return `data` with its CRC."""
    return data + crc16_kermit(data).to_bytes(CRC_BYTES, "little")


def is_sealed(frame: bytes) -> bool:
    """Return whether a frame ends with a correct CRC."""
    return len(frame) > CRC_BYTES and sealed(frame[:-CRC_BYTES]) == frame


def opened(frame: bytes) -> bytes:
    """Return a frame without its CRC; raise `WireError` for a wrong one."""
    if not is_sealed(frame):
        raise WireError(f"SAS frame {masked_frame(frame)} has a wrong CRC")
    return frame[:-CRC_BYTES]


class Poll(msgspec.Struct, frozen=True):
    """A long poll; `data` are the bytes between command and CRC, including a length byte if there is one."""

    address: int
    command: int
    data: bytes = b""

    @property
    def raw(self) -> bytes:
        """The whole frame."""
        head = bytes((self.address, self.command))
        return head if self.command in READS else sealed(head + self.data)

    @property
    def counted(self) -> bytes:
        """The data after its length byte."""
        return self.data[1:]

    def __str__(self) -> str:
        return masked_frame(bytes((self.address, self.command)) + self.data)


def request_bytes(begun: bytes | bytearray) -> int | None:
    """Return the total length of the long poll that starts with `begun`.

    0 if unknown, None if more bytes are needed.
    """
    if len(begun) < HEAD:
        return None
    command = begun[1]
    if command in READS:
        return HEAD
    if command in DATA_BYTES:
        return HEAD + DATA_BYTES[command] + CRC_BYTES
    if command in COUNTED:
        return None if len(begun) == HEAD else HEAD + 1 + begun[HEAD] + CRC_BYTES
    return 0


def is_whole(command: int, data: bytes) -> bool:
    """Return whether `data`, including its length byte, has the correct length for that long poll."""
    if command in READS:
        return not data
    if command in COUNTED:
        return bool(data) and len(data) == 1 + data[0]
    return len(data) == DATA_BYTES.get(command)


def read_poll(frame: bytes) -> Poll:
    """Return the long poll in a whole frame; raise `WireError` for a wrong length or CRC."""
    whole = request_bytes(frame)
    if not whole or len(frame) != whole:
        raise WireError(f"SAS frame {masked_frame(frame)} is no long poll of a known length")
    if whole == HEAD:
        return Poll(frame[0], frame[1])
    return Poll(frame[0], frame[1], opened(frame)[HEAD:])


def answer(address: int, command: int, data: bytes) -> bytes:
    """Return an answer with data of a fixed length."""
    return sealed(bytes((address, command)) + data)


def counted_answer(address: int, command: int, data: bytes) -> bytes:
    """Return an answer with a length byte before its data; raise `ValueError` if the data is too long."""
    if len(data) > MAX_DATA:
        raise ValueError(f"SAS answer {command:02X} would carry {len(data)} bytes, at most {MAX_DATA} fit")
    return answer(address, command, bytes((len(data),)) + data)


def ack(address: int) -> bytes:
    """Return the answer that acknowledges a poll without data."""
    return bytes((address,))


def nack(address: int) -> bytes:
    """Return the answer that refuses a poll (sas.md §7)."""
    return bytes((address | GENERAL,))


def busy(address: int) -> bytes:
    """Return the answer that asks the host to poll again later."""
    return bytes((address, 0))


class Event(msgspec.Struct, frozen=True):
    """A real-time event: an exception with its data (sas.md §5.6)."""

    address: int
    code: int
    data: bytes = b""

    def encode(self) -> bytes:
        """Return the frame."""
        return answer(self.address, EVENT, bytes((self.code,)) + self.data)
