"""ID-003 on the wire: frames, checksum, a resynchronising parser, and the names of the codes.

A frame is `FC LEN CODE DATA... CRClo CRChi`; LEN counts the whole frame and the CRC covers everything
before it (protocols.md §2.1). Codes 40 to 49 mean a command on the way to the device and a status on
the way back, so the two are separate enumerations.
"""

from enum import IntEnum
from typing import Final

import msgspec

from drivers.crc16 import crc16_kermit
from drivers.masked_hex import masked_hex

SYNC: Final = 0xFC
OVERHEAD: Final = 5
MAX_DATA: Final = 255 - OVERHEAD

ESCROW_CODES: Final = range(0x61, 0x6F)
"""Escrow codes of notes; the n-th is bit n of the two-byte denomination masks."""

TICKET: Final = 0x6F
"""Escrow code of a barcode ticket; its characters follow (tejvirc/Platform, .../ID003/Id003Protocol.cs)."""

INTERLEAVED_2_OF_5: Final = 1
TICKET_DIGITS: Final = 18
"""Setup of the barcode reader: the symbology and the number of characters (source as above)."""

MAX_EXPONENT: Final = 6
"""No note is worth ten million units; a larger exponent in a currency table is a misread byte."""


class Command(IntEnum):
    """Commands of the host; the device echoes `SET_...` commands and answers `GET_...` commands with the same code."""

    POLL = 0x11
    RESET = 0x40
    STACK_1 = 0x41
    STACK_2 = 0x42
    RETURN = 0x43
    HOLD = 0x44
    WAIT = 0x45
    ACK = 0x50
    GET_VERSION = 0x88
    GET_BOOT_VERSION = 0x89
    GET_CURRENCIES = 0x8A
    SET_DENOMINATIONS = 0xC0
    SET_SECURITY = 0xC1
    SET_MODE = 0xC2
    SET_INHIBIT = 0xC3
    SET_DIRECTION = 0xC4
    SET_OPTIONS = 0xC5
    SET_BARCODE = 0xC6
    SET_BARCODE_INHIBIT = 0xC7


ENQ: Final = 0x05
"""Sent by a device in interrupt mode without a request."""

ACK: Final = 0x50
"""The device's answer to reset, stack, return and hold."""

POWER_RECOVERY: Final = 0x02
"""Bit of the first `SET_OPTIONS` byte: repeat an unacknowledged vend valid after a power cut (unverified)."""


class Status(IntEnum):
    """Statuses that the device answers to a poll."""

    IDLE = 0x11
    ACCEPTING = 0x12
    ESCROW = 0x13
    STACKING = 0x14
    VEND_VALID = 0x15
    STACKED = 0x16
    REJECTING = 0x17
    RETURNING = 0x18
    HOLDING = 0x19
    DISABLED = 0x1A
    INITIALIZE = 0x1B
    POWER_UP = 0x40
    POWER_UP_IN_ACCEPTOR = 0x41
    POWER_UP_IN_STACKER = 0x42
    STACKER_FULL = 0x43
    STACKER_OPEN = 0x44
    ACCEPTOR_JAM = 0x45
    STACKER_JAM = 0x46
    PAUSE = 0x47
    CHEATED = 0x48
    FAILURE = 0x49
    COMM_ERROR = 0x4A
    INVALID_COMMAND = 0x4B


STATUS_CODES: Final = frozenset(Status)
WITH_CODE: Final = frozenset({Status.ESCROW, Status.REJECTING})
"""Statuses that are invalid without their data byte; a failure is valid even without its code."""

REJECT_DENOMINATION: Final = 0x76
REJECT_INHIBITED: Final = 0x79
REJECT_IN_STACKER: Final = 0x7C

REJECT_REASONS: Final = {
    0x71: "the note was pushed in askew",
    0x72: "its magnetic pattern was not recognised",
    0x73: "another note was still in the head",
    0x74: "the sensors could not be compensated",
    0x75: "it was not carried evenly",
    REJECT_DENOMINATION: "its denomination was not recognised",
    0x77: "its picture was not recognised",
    0x78: "it let too much or too little light through",
    REJECT_INHIBITED: "such notes are not taken now",
    0x7B: "the validator could not work",
    REJECT_IN_STACKER: "another note was still on its way to the stacker",
    0x7D: "its length was wrong",
    0x7E: "its second picture was not recognised",
    0x91: "no barcodes are set up in it",
    0x92: "its barcode is of another kind",
    0x93: "its barcode has another number of characters",
    0x94: "its barcode has no beginning",
    0x95: "its barcode has no end",
    0x96: "no barcodes are set up in it",
    0x98: "several notes came at once",
    0x9B: "the ticket lay upside down",
    0x9D: "the ticket's length was wrong",
}
"""The tickets' own, 91 to 9D, are of tejvirc/Platform, .../ID003/Id003ProtocolDefs.cs."""

FAILURES: Final = {
    0xA2: "the stacker motor has failed",
    0xA5: "the transport runs at the wrong speed",
    0xA6: "the transport motor has failed",
    0xA7: "the aligning motor has failed",
    0xAB: "the cash box is not ready",
    0xAC: "an optical sensor has failed",
    0xAD: "the magnetic sensor has failed",
    0xAF: "the validator's head has been taken off",
    0xB0: "the boot ROM is faulty",
    0xB1: "the external ROM is faulty",
    0xB2: "the ROM is faulty",
    0xB3: "the ROM could not be written",
}


def failure_in_words(data: bytes) -> str:
    """Return the plain words for the data of a failure status."""
    return FAILURES.get(data[0], f"failure code {data[0]:02X}") if data else "it does not say which"


class Frame(msgspec.Struct, frozen=True):
    """One frame without its envelope; `code` is a `Command` or a `Status`, depending on who sent it."""

    code: int
    data: bytes = b""

    def __str__(self) -> str:
        return f"{self.code:02X} {masked_hex(self.data)}".rstrip()


def encode(code: int, data: bytes = b"") -> bytes:
    """Return the encoded frame of `code` and `data`; raise `ValueError` if its length does not fit into LEN."""
    if len(data) > MAX_DATA:
        raise ValueError(f"ID-003 frame {code:02X} would carry {len(data)} data bytes, at most {MAX_DATA} fit")
    body = bytes((SYNC, len(data) + OVERHEAD, code)) + data
    return body + crc16_kermit(body).to_bytes(2, "little")


class FrameParser:
    """Finds frames in a byte stream, independent of how it is split, and skips noise between them.

    After a bad length or checksum only the SYNC byte is dropped, so a frame that starts inside a damaged one is still
    found. The parser never holds more than one frame (255 bytes); `discarded` counts dropped bytes.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self.discarded = 0

    @property
    def partial(self) -> bool:
        """Whether an incomplete frame is pending."""
        return bool(self._pending)

    def feed(self, data: bytes) -> list[Frame]:
        """Add received bytes and return the frames they complete, in order."""
        self._pending += data
        frames: list[Frame] = []
        position = 0
        while (start := self._pending.find(SYNC, position)) >= 0:
            self.discarded += start - position
            position = start
            whole = self._whole_at(start)
            if whole is None:
                break
            if isinstance(whole, Frame):
                frames.append(whole)
                position += len(whole.data) + OVERHEAD
            else:
                self.discarded += 1
                position += 1
        else:
            self.discarded += len(self._pending) - position
            position = len(self._pending)
        del self._pending[:position]
        return frames

    def _whole_at(self, start: int) -> Frame | bool | None:
        """Return the frame at `start`, False if there is none, None while more bytes are needed."""
        if len(self._pending) < start + 2:
            return None
        length = self._pending[start + 1]
        if length < OVERHEAD:
            return False
        if len(self._pending) < start + length:
            return None
        raw = bytes(self._pending[start : start + length])
        if crc16_kermit(raw[:-2]) != int.from_bytes(raw[-2:], "little"):
            return False
        return Frame(raw[2], raw[3:-2])

    def flush(self) -> list[Frame]:
        """Drop an incomplete frame after the line has gone silent, and return the frames inside its bytes."""
        frames: list[Frame] = []
        while self._pending:
            del self._pending[0]
            self.discarded += 1
            frames += self.feed(b"")
        return frames


def ticket_number(escrow: bytes) -> str:
    """Return the number in the data of a ticket's escrow status; empty if it is not `TICKET_DIGITS` digits."""
    code = escrow[1:]
    return code.decode("ascii") if code.isdigit() and len(code) == TICKET_DIGITS else ""


class Denomination(msgspec.Struct, frozen=True):
    """One note of the device's currency table."""

    escrow_code: int
    country: int
    value_cents: int


def currency_table(data: bytes) -> dict[int, Denomination]:
    """Decode the answer to `GET_CURRENCIES`: groups of escrow code, country, value and decimal exponent.

    The value times ten to the exponent is in currency units; the result is in cents by escrow code. Unused
    entries (value 0) and a broken last group are left out. Raise `ValueError` for an exponent no note has
    or for two entries of one code that contradict each other.
    """
    table: dict[int, Denomination] = {}
    for at in range(0, len(data) - 3, 4):
        code, country, value, exponent = data[at : at + 4]
        if value == 0 or code not in ESCROW_CODES:
            continue
        if exponent > MAX_EXPONENT:
            raise ValueError(
                f"currency table: escrow code {code:02X} has exponent {exponent}, at most {MAX_EXPONENT} can be"
            )
        note = Denomination(code, country, value * 100 * 10**exponent)
        if table.setdefault(code, note) != note:
            raise ValueError(f"currency table: escrow code {code:02X} means two different notes")
    return table


def denomination_mask(table: dict[int, Denomination], accepted_cents: frozenset[int]) -> bytes:
    """Return the two bytes of `SET_DENOMINATIONS`; a set bit disables a note."""
    mask = 0xFFFF
    for code, note in table.items():
        if note.value_cents in accepted_cents:
            mask &= ~(1 << (code - ESCROW_CODES.start))
    return mask.to_bytes(2, "little")
