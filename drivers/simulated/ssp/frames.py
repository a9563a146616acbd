"""SSP frames, commands, replies and events (GA138: transport layer, generic commands, tables of events)."""

from enum import IntEnum
from typing import Final, NamedTuple

STX: Final = 0x7F
FLAG: Final = 0x80
"""The sequence flag in a frame's first byte, beside the address."""

_POLYNOMIAL, _SEED = 0x8005, 0xFFFF
_HEAD, _AROUND_DATA = 2, 4


class Command(IntEnum):
    """The command, a host packet's first data byte."""

    RESET = 0x01
    SET_INHIBITS = 0x02
    DISPLAY_ON = 0x03
    DISPLAY_OFF = 0x04
    SETUP = 0x05
    PROTOCOL_VERSION = 0x06
    POLL = 0x07
    REJECT = 0x08
    DISABLE = 0x09
    ENABLE = 0x0A
    SERIAL_NUMBER = 0x0C
    UNIT_DATA = 0x0D
    CHANNEL_VALUES = 0x0E
    CHANNEL_SECURITY = 0x0F
    CHANNEL_RE_TEACH = 0x10
    SYNC = 0x11
    LAST_REJECT = 0x17
    HOLD = 0x18
    HIGHER_PROTOCOL = 0x19
    FIRMWARE = 0x20
    DATASET = 0x21
    ALL_LEVELS = 0x22
    BARCODE_READERS = 0x23
    SET_BARCODE_READERS = 0x24
    BARCODE_INHIBIT = 0x25
    SET_BARCODE_INHIBIT = 0x26
    BARCODE_DATA = 0x27
    REFILL_MODE = 0x30
    PAYOUT_AMOUNT = 0x33
    SET_LEVEL = 0x34
    LEVEL = 0x35
    HALT = 0x38
    SET_ROUTE = 0x3B
    ROUTE = 0x3C
    FLOAT_AMOUNT = 0x3D
    LEAST_PAYOUT = 0x3E
    EMPTY = 0x3F
    COIN_INHIBITS = 0x40
    FLOAT_BY_DENOMINATION = 0x44
    PAYOUT_BY_DENOMINATION = 0x46
    COIN_MECH_INHIBIT = 0x49
    SET_GENERATOR = 0x4A
    SET_MODULUS = 0x4B
    KEY_EXCHANGE = 0x4C
    BAUD_RATE = 0x4D
    BUILD_REVISION = 0x4F
    SET_OPTIONS = 0x50
    OPTIONS = 0x51
    SMART_EMPTY = 0x52
    CASHBOX_OPERATION = 0x53
    BEZEL = 0x54
    POLL_WITH_ACK = 0x56
    EVENT_ACK = 0x57
    COUNTERS = 0x58
    RESET_COUNTERS = 0x59
    COIN_MECH_OPTIONS = 0x5A
    DISABLE_PAYOUT = 0x5B
    ENABLE_PAYOUT = 0x5C
    COIN_STIR = 0x5D
    SET_FIXED_KEY = 0x60
    RESET_FIXED_KEY = 0x61


class Reply(IntEnum):
    """The reply code, a device packet's first data byte."""

    OK = 0xF0
    UNKNOWN_COMMAND = 0xF2
    WRONG_PARAMETERS = 0xF3
    OUT_OF_RANGE = 0xF4
    CANNOT_BE_PROCESSED = 0xF5
    FAIL = 0xF8
    KEY_NOT_SET = 0xFA


class Event(IntEnum):
    """An event in the reply to a poll."""

    ERROR_IN_PAYOUT = 0xB1
    SMART_EMPTYING = 0xB3
    SMART_EMPTIED = 0xB4
    EMPTYING = 0xC2
    EMPTIED = 0xC3
    STORE_REMOVED = 0xC7
    STORE_ATTACHED = 0xC8
    TO_STACKER = 0xC9
    TO_STACKER_AT_RESET = 0xCA
    TO_STORE_AT_RESET = 0xCB
    STACKING = 0xCC
    DISPENSED_AT_RESET = 0xCD
    HELD_IN_BEZEL = 0xCE
    BARCODE_ACKNOWLEDGED = 0xD1
    DISPENSED = 0xD2
    JAMMED = 0xD5
    HALTED = 0xD6
    FLOATING = 0xD7
    FLOATED = 0xD8
    TIMED_OUT = 0xD9
    DISPENSING = 0xDA
    STORED = 0xDB
    INCOMPLETE_PAYOUT = 0xDC
    INCOMPLETE_FLOAT = 0xDD
    CASHBOX_PAID = 0xDE
    COIN_CREDIT = 0xDF
    NOTE_PATH_OPEN = 0xE0
    CLEARED_FROM_FRONT = 0xE1
    CLEARED_TO_CASHBOX = 0xE2
    CASHBOX_REMOVED = 0xE3
    CASHBOX_REPLACED = 0xE4
    BARCODE_VALIDATED = 0xE5
    FRAUD = 0xE6
    STACKER_FULL = 0xE7
    DISABLED = 0xE8
    UNSAFE_JAM = 0xE9
    SAFE_JAM = 0xEA
    STACKED = 0xEB
    REJECTED = 0xEC
    REJECTING = 0xED
    CREDIT = 0xEE
    READ = 0xEF
    RESET = 0xF1


WITH_CHANNEL: Final = frozenset(
    {Event.READ, Event.CREDIT, Event.FRAUD, Event.CLEARED_FROM_FRONT, Event.CLEARED_TO_CASHBOX}
)
"""The events of a validator that are followed by a channel byte."""


class PolledEvent(NamedTuple):
    """An event of a validator, with its channel if it has one."""

    event: int
    channel: int | None = None


class Frame(NamedTuple):
    """One packet: its first byte, with the sequence flag and the address, and its data."""

    head: int
    data: bytes

    @property
    def address(self) -> int:
        """The address of the device that receives or sends it."""
        return self.head & ~FLAG


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc & 0x8000 else 0)) & 0xFFFF
        table.append(crc)
    return tuple(table)


_TABLE: Final = _table()


def checksum(data: bytes) -> bytes:
    """Return the forward CRC-16 of `data` (polynomial 8005, seed FFFF), low byte first."""
    crc = _SEED
    for byte in data:
        crc = crc << 8 & 0xFFFF ^ _TABLE[crc >> 8 ^ byte]
    return crc.to_bytes(2, "little")


def encode(head: int, data: bytes) -> bytes:
    """Return the bytes of a packet: all but the first STX are doubled."""
    body = bytes((head, len(data))) + data
    return bytes((STX,)) + (body + checksum(body)).replace(b"\x7f", b"\x7f\x7f")


class FrameParser:
    """Splits received bytes into packets and drops corrupt ones; a single STX anywhere starts a new packet."""

    def __init__(self) -> None:
        self._packet: bytearray | None = None
        self._after_stx = False

    def feed(self, data: bytes) -> list[Frame]:
        """Return the valid packets that `data` completes."""
        frames = []
        for byte in data:
            frame = self._take(byte)
            if frame is not None:
                frames.append(frame)
        return frames

    def _take(self, byte: int) -> Frame | None:
        if byte == STX and not self._after_stx:
            self._after_stx = True
            return None
        if self._after_stx and byte != STX:
            self._packet = bytearray()
        self._after_stx = False
        packet = self._packet
        if packet is None:
            return None
        packet.append(byte)
        if len(packet) < _HEAD or len(packet) < packet[1] + _AROUND_DATA:
            return None
        self._packet = None
        body = bytes(packet[:-2])
        return Frame(body[0], body[_HEAD:]) if checksum(body) == bytes(packet[-2:]) else None
