"""ccTalk frames (protocols.md, 1): `[destination][length][source][header][data][checksum]`.

Money and counters are little-endian. Drivers and simulated devices both use this module.
"""

import binascii
from collections.abc import Callable
from enum import IntEnum
from typing import Final, NamedTuple

from drivers.errors import WireError
from drivers.masked_hex import masked_hex

BROADCAST = 0
HOST = 1
MAX_ADDRESS = 255
OVERHEAD = 5
MAX_DATA = 255
BAUD = 9600
BITS_PER_BYTE = 10
BYTE_GAP_S = 0.050  # a receiver drops a frame whose next byte takes longer
_LENGTH_AT = 1


class Header(IntEnum):
    """Headers of requests, and of replies (`ACK`, `NAK`, `BUSY`)."""

    ACK = 0
    RESET = 1
    COMMS_REVISION = 4
    NAK = 5
    BUSY = 6
    ENCRYPTION_SUPPORT = 111
    READ_BARCODE = 129
    BILL_MODE = 153
    ROUTE_BILL = 154
    COUNTRY_SCALING = 156
    BILL_ID = 157
    READ_BILLS = 159
    CIPHER_KEY = 160
    PUMP_RNG = 161
    DISPENSE = 167
    DISPENSE_COUNT = 168
    EMERGENCY_STOP = 172
    HOPPER_STATUS = 166
    ENABLE_HOPPER = 164
    TEST_HOPPER = 163
    HOPPER_COIN = 171
    COIN_ID = 184
    BUILD_CODE = 192
    CHECKSUM = 197
    DATA_STORAGE = 216
    PAYOUT_LEVEL = 217
    ENTER_PIN = 218
    READ_MASTER_INHIBIT = 227
    MASTER_INHIBIT = 228
    READ_CREDIT = 229
    SORTER_PATH = 210
    READ_INHIBITS = 230
    INHIBITS = 231
    SELF_CHECK = 232
    SOFTWARE_REVISION = 241
    SERIAL_NUMBER = 242
    PRODUCT_CODE = 244
    CATEGORY = 245
    MANUFACTURER = 246
    POLLING_PRIORITY = 249
    ADDRESS_POLL = 253
    SIMPLE_POLL = 254


# A device in trusted key exchange mode answers request 111 with its keys.
_SECRET_HEADERS = frozenset({Header.ENTER_PIN, Header.ENCRYPTION_SUPPORT})
NOT_SECRET: Final = frozenset({0, 1, 3})
"""Byte positions that reveal no data: destination, length and header. The checksum would reveal bits of a PIN."""

NOT_ENCRYPTED: Final = frozenset({0, 1})
"""Positions of the unencrypted bytes in an encrypted frame: destination and length."""


class Frame(NamedTuple):
    """One message; in CRC mode `source` is the host's address, because frames of that mode carry none."""

    destination: int
    source: int
    header: int
    data: bytes


def carries_secret(raw: bytes) -> bool:
    """Return whether `raw` is one frame, of either mode, that carries a PIN or keys."""
    return len(raw) >= OVERHEAD and len(raw) == OVERHEAD + raw[1] and raw[3] in _SECRET_HEADERS


def shown(raw: bytes) -> str:
    """Return a frame in hexadecimal for a message; hide data and checksum of a frame with a secret."""
    secret = carries_secret(raw)
    hidden = frozenset(range(len(raw))) - NOT_SECRET if secret else frozenset[int]()
    return masked_hex(raw, hidden).lower()


def encode(frame: Frame) -> bytes:
    """Return the bytes of `frame` with its simple checksum; raise `ValueError` for more than 255 data bytes."""
    head = bytes((frame.destination, _length(frame.data), frame.source, frame.header)) + frame.data
    return head + bytes((-sum(head) & 0xFF,))


def decode(raw: bytes) -> Frame:
    """Decode the one frame in `raw`; raise `WireError` for a wrong length or checksum."""
    require_length(raw)
    if sum(raw) & 0xFF:
        raise WireError(f"ccTalk frame {shown(raw)}: the checksum is wrong; ask again")
    return Frame(raw[0], raw[2], raw[3], raw[4:-1])


def crc16(data: bytes) -> int:
    """CRC-16/XMODEM: polynomial 1021, start 0, not reflected (protocols.md, 1)."""
    return binascii.crc_hqx(data, 0)


def encode_crc(destination: int, header: int, data: bytes = b"") -> bytes:
    """Encode a frame of CRC mode: the CRC's low byte in place of the source, the high byte last."""
    covered = bytes((destination, _length(data), header)) + data
    crc = crc16(covered)
    return covered[:2] + bytes((crc & 0xFF,)) + covered[2:] + bytes((crc >> 8,))


def decode_crc(raw: bytes) -> Frame:
    """Decode the one frame of CRC mode in `raw`; raise `WireError` for a wrong length or CRC."""
    require_length(raw)
    if crc16(raw[:2] + raw[3:-1]) != raw[2] | raw[-1] << 8:
        raise WireError(f"ccTalk frame {shown(raw)}: the CRC is wrong; ask again")
    return Frame(raw[0], HOST, raw[3], raw[4:-1])


class Parser:
    """Finds frames in a byte stream and resynchronises after noise.

    A device's parser has an `address` and skips frames for other addresses by their length without decoding them, as
    the specification says. A host's parser has none and tries every byte as the start of a frame. `read` decodes a
    frame.
    """

    def __init__(self, address: int | None = None, read: Callable[[bytes], Frame] = decode) -> None:
        self._address = address
        self._read = read
        self._pending = bytearray()

    @property
    def partial(self) -> bool:
        """Whether an incomplete frame is pending."""
        return bool(self._pending)

    def feed(self, data: bytes) -> list[Frame]:
        """Add received bytes; return the frames that they complete, in order."""
        self._pending += data
        frames = []
        while (size := self._size()) is not None:
            raw = bytes(self._pending[:size])
            if self._address not in {None, raw[0]}:
                del self._pending[:size]
                continue
            try:
                frames.append(self._read(raw))
            except WireError:
                del self._pending[0]
            else:
                del self._pending[:size]
        return frames

    def drop(self) -> None:
        """Discard an incomplete frame: its next byte did not arrive within `BYTE_GAP_S`."""
        self._pending.clear()

    def _size(self) -> int | None:
        """Return the size of the frame at the front, None if it is incomplete."""
        if len(self._pending) <= _LENGTH_AT:
            return None
        size = self._pending[_LENGTH_AT] + OVERHEAD
        return size if size <= len(self._pending) else None


def seconds(byte_count: int) -> float:
    """Return how many seconds `byte_count` bytes take on the wire."""
    return byte_count * BITS_PER_BYTE / BAUD


def _length(data: bytes) -> int:
    if len(data) > MAX_DATA:
        raise ValueError(f"{len(data)} data bytes: a ccTalk frame holds {MAX_DATA}")
    return len(data)


def require_length(raw: bytes) -> None:
    """Raise `WireError` if the length byte of `raw` does not match its length."""
    if len(raw) < OVERHEAD or len(raw) != raw[_LENGTH_AT] + OVERHEAD:
        raise WireError(f"ccTalk frame {shown(raw)}: {len(raw)} bytes do not fit its length byte; ask again")
