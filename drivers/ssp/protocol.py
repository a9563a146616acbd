"""SSP on the wire: frames, byte stuffing, checksum, a resynchronising parser, and the names of the codes.

A frame is `7F SEQ|ADDRESS LEN DATA... CRClo CRChi`; LEN counts the data alone and the CRC covers everything between STX
and itself, before stuffing. Every 7F after the first is sent twice (protocols.md §2.2). Bit 7 of the second byte is the
sequence flag: it toggles with each new command, and a command with the flag of the last one requests the last reply
again.
"""

from enum import IntEnum
from typing import Final

import msgspec

from drivers.masked_hex import masked_hex
from drivers.ssp.payout_events import Amount, PayoutEvent, amounts, has_amounts, payload

STX: Final = 0x7F
FLAG: Final = 0x80
OVERHEAD: Final = 4
MAX_DATA: Final = 255


class Command(IntEnum):
    """Commands of the host: the first data byte."""

    RESET = 0x01
    SET_INHIBITS = 0x02
    SETUP = 0x05
    PROTOCOL_VERSION = 0x06
    POLL = 0x07
    REJECT = 0x08
    DISABLE = 0x09
    ENABLE = 0x0A
    SERIAL_NUMBER = 0x0C
    SYNC = 0x11
    LAST_REJECT = 0x17
    HOLD = 0x18
    FIRMWARE = 0x20
    DATASET = 0x21
    ALL_LEVELS = 0x22
    BARCODE_READERS = 0x23
    SET_BARCODE_READERS = 0x24
    SET_BARCODE_INHIBIT = 0x26
    BARCODE_DATA = 0x27
    PAYOUT_AMOUNT = 0x33
    SET_LEVEL = 0x34
    HALT_PAYOUT = 0x38
    SET_ROUTE = 0x3B
    FLOAT_AMOUNT = 0x3D
    EMPTY = 0x3F
    COIN_MECH_INHIBIT = 0x49
    SET_GENERATOR = 0x4A
    SET_MODULUS = 0x4B
    KEY_EXCHANGE = 0x4C
    SMART_EMPTY = 0x52
    CASHBOX_OPERATION = 0x53
    POLL_WITH_ACK = 0x56
    EVENT_ACK = 0x57
    DISABLE_PAYOUT = 0x5B
    ENABLE_PAYOUT = 0x5C


class TicketState(IntEnum):
    """The first data byte of the answer to `BARCODE_DATA`: where the newest ticket is."""

    NONE = 0
    IN_ESCROW = 1
    STACKED = 2
    REJECTED = 3


class Reply(IntEnum):
    """The first data byte of every answer; only `OK` means that the command was carried out."""

    OK = 0xF0
    UNKNOWN_COMMAND = 0xF2
    WRONG_PARAMETERS = 0xF3
    OUT_OF_RANGE = 0xF4
    CANNOT_BE_PROCESSED = 0xF5
    FAIL = 0xF8
    KEY_NOT_SET = 0xFA


class Event(IntEnum):
    """The events of a poll's answer, oldest first."""

    DISABLED_CHANNELS = 0xB5
    INITIALISING = 0xB6
    STACKING = 0xCC
    BARCODE_ACKNOWLEDGED = 0xD1
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
"""Events that are followed by the channel of the note; channel 0 means that the note is still being read."""

_EVENTS: Final = frozenset(Event)

_BARCODE_HEAD: Final = 2


class Frame(msgspec.Struct, frozen=True):
    """One frame without its envelope: the byte with flag and address, and the data."""

    head: int
    data: bytes

    def __str__(self) -> str:
        return f"{self.head:02X} {masked_hex(self.data)}".rstrip()

    @property
    def flag(self) -> bool:
        """The sequence flag."""
        return bool(self.head & FLAG)

    @property
    def address(self) -> int:
        """The device's address: 0 for a validator, 16 for a hopper."""
        return self.head & ~FLAG


def _cms_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        remainder = byte << 8
        for _ in range(8):
            remainder = (remainder << 1 ^ (0x8005 if remainder & 0x8000 else 0)) & 0xFFFF
        table.append(remainder)
    return tuple(table)


_TABLE: Final = _cms_table()


def crc16_cms(data: bytes) -> int:
    """CRC-16/CMS: polynomial 8005, start FFFF, not reflected (protocols.md §2.2)."""
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _TABLE[crc >> 8 ^ byte]
    return crc


def encode(head: int, data: bytes) -> bytes:
    """Return the encoded and stuffed frame; raise `ValueError` if its length does not fit into LEN."""
    if len(data) > MAX_DATA:
        raise ValueError(f"SSP frame {head:02X} would carry {len(data)} data bytes, at most {MAX_DATA} fit")
    body = bytes((head, len(data))) + data
    body += crc16_cms(body).to_bytes(2, "little")
    return bytes((STX,)) + body.replace(b"\x7f", b"\x7f\x7f")


class FrameParser:
    """Finds frames in a byte stream, independent of how it is split, and skips noise between them.

    A single 7F always starts a frame, so a truncated frame ends where the next one starts. The parser never holds more
    than one frame; `discarded` counts incomplete and damaged frames.
    """

    def __init__(self) -> None:
        self._body = bytearray()
        self._begun = False
        self._escaped = False
        self.discarded = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Add received bytes and return the frames they complete, in order."""
        frames: list[Frame] = []
        for byte in data:
            if self._escaped:
                self._escaped = False
                if byte != STX:
                    self._begin()
                    self._body.append(byte)
                elif self._begun:
                    self._body.append(byte)
            elif byte == STX:
                self._escaped = True
                continue
            elif self._begun:
                self._body.append(byte)
            if (frame := self._whole()) is not None:
                frames.append(frame)
        return frames

    def _begin(self) -> None:
        self.discarded += self._begun
        self._begun = True
        self._body.clear()

    def _whole(self) -> Frame | None:
        """Return the frame that has just ended, None if there is none or its checksum is wrong."""
        body = bytes(self._body)
        if not self._begun or len(body) < OVERHEAD or len(body) < body[1] + OVERHEAD:
            return None
        self._begun = False
        self._body.clear()
        if crc16_cms(body[:-2]) != int.from_bytes(body[-2:], "little"):
            self.discarded += 1
            return None
        return Frame(body[0], body[2:-2])


class Barcode(msgspec.Struct, frozen=True):
    """The newest ticket: where it is, and its number, empty if the barcode is not a number."""

    state: TicketState
    number: str


def barcode(data: bytes) -> Barcode:
    """Decode the data after `OK` in the answer to `BARCODE_DATA` (GA138, page 87): state, length, characters.

    Raise `ValueError` if it is cut short or its state is unknown.
    """
    head, code = data[:_BARCODE_HEAD], data[_BARCODE_HEAD:]
    if len(head) < _BARCODE_HEAD or len(code) != head[1] or head[0] not in set(TicketState):
        raise ValueError(f"the answer to the barcode request makes no sense: {masked_hex(data) or 'nothing'}")
    return Barcode(TicketState(head[0]), code.decode("ascii") if code.isdigit() else "")


class PolledEvent(msgspec.Struct, frozen=True):
    """One event in a poll's answer.

    `channel` is None for an event without one, `amounts` are those of a payout event.
    """

    event: Event | PayoutEvent
    channel: int | None = None
    amounts: tuple[Amount, ...] = ()


_PAYOUT_EVENTS: Final = frozenset(PayoutEvent)


def events(data: bytes) -> list[PolledEvent]:
    """Decode the events after `OK` in a poll's answer.

    Raise `ValueError` for an event that is unknown or cut short: the events after it cannot be decoded, and a credit
    may be among them. An unknown code at the end of the answer has no channel and so moves no money: it is ignored (the
    manual's example on page 65 ends with one).
    """
    found: list[PolledEvent] = []
    at = 0
    while at < len(data):
        code, rest = data[at], data[at + 1 :]
        at += 1
        if code in _PAYOUT_EVENTS:
            paid, size = payload(PayoutEvent(code), rest)
            found.append(PolledEvent(PayoutEvent(code), None, paid))
            at += size
        elif code == Event.FRAUD and has_amounts(rest):  # a hopper's: what it had paid then
            paid, size = amounts(code, rest)
            found.append(PolledEvent(Event.FRAUD, None, paid))
            at += size
        elif code not in _EVENTS:
            if not rest:
                break
            raise ValueError(f"SSP event {code:02X} is not known; the poll's answer was {masked_hex(data)}")
        elif code not in WITH_CHANNEL:
            found.append(PolledEvent(Event(code)))
        elif not rest:
            raise ValueError(f"SSP event {code:02X} names no channel; the poll's answer was {masked_hex(data)}")
        else:
            found.append(PolledEvent(Event(code), rest[0]))
            at += 1
    return found
