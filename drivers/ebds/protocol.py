"""EBDS on the wire: frames, checksum, a resynchronising parser, and the meaning of bits and bytes.

A frame is `02 LEN TYPE DATA... 03 XOR`; LEN counts the whole frame, and the XOR covers everything between STX and ETX
(protocols.md §2.3). Bits 4 to 6 of TYPE are the message type, bit 0 is the ACK bit: the host toggles it with each new
message, the answer carries the same bit, and a message with the ACK bit of the last one requests the last answer again.

The maker's specification is not public. This module follows what public implementations agree on: the frames of
`ebds.tsv`, the crate `ebds` of decapod-atm, and PTI.Rs232Validator of Pyramid Technologies.
"""

from enum import IntEnum, IntFlag
from typing import Final

import msgspec

from drivers.masked_hex import masked_hex

STX: Final = 0x02
ETX: Final = 0x03
OVERHEAD: Final = 5
MAX_DATA: Final = 0x7F - OVERHEAD
ACK_BIT: Final = 0x01
_LEN_KNOWN: Final = 2

STATUS_BYTES: Final = 6
LISTED_NOTES: Final = 128
DENOMINATIONS: Final = range(1, 8)
BARCODE_BYTES: Final = 28


class Type(IntEnum):
    """Message types: bits 4 to 6 of the third byte."""

    OMNIBUS_COMMAND = 0x10
    OMNIBUS_REPLY = 0x20
    AUXILIARY = 0x60
    EXTENDED = 0x70


class Auxiliary(IntEnum):
    """The last data byte of an auxiliary question."""

    SERIAL_NUMBER = 0x05
    APPLICATION_PART_NUMBER = 0x07
    VARIANT_NAME = 0x08


class Extended(IntEnum):
    """The first data byte of an extended message."""

    BARCODE = 0x01
    NOTE = 0x02
    NOTE_INHIBITS = 0x03
    VALUE_TABLE = 0x06


class Mode(IntFlag):
    """The omnibus command's second data byte. All four orientations are bits 2 and 3."""

    ALL_ORIENTATIONS = 0x0C
    ESCROW = 0x10
    STACK = 0x20
    RETURN = 0x40


class Options(IntFlag):
    """The omnibus command's third data byte.

    Bits 2 and 3 stay 0, power-up policy A: a note on its way to the stacker is stacked and not reported.
    """

    BARCODES = 0x02
    EXTENDED_NOTES = 0x10


class State(IntFlag):
    """The omnibus reply's first data byte. `STACKED` and `RETURNED` are events, the other bits are states."""

    IDLING = 0x01
    ACCEPTING = 0x02
    ESCROWED = 0x04
    STACKING = 0x08
    STACKED = 0x10
    RETURNING = 0x20
    RETURNED = 0x40


class Condition(IntFlag):
    """The omnibus reply's second data byte. `REJECTED` and `CHEATED` are events."""

    CHEATED = 0x01
    REJECTED = 0x02
    JAMMED = 0x04
    STACKER_FULL = 0x08
    CASSETTE_PRESENT = 0x10
    PAUSED = 0x20
    CALIBRATION = 0x40


class Trouble(IntFlag):
    """The omnibus reply's third data byte, without the note's denomination in bits 3 to 5."""

    POWER_UP = 0x01
    INVALID_COMMAND = 0x02
    FAILURE = 0x04
    PATH_OPEN = 0x40


STALLED: Final = 0x01
"""The "stalled" bit of the omnibus reply's fourth data byte, the only one used here."""


class Frame(msgspec.Struct, frozen=True):
    """One frame without its envelope; `head` is its type with the ACK bit."""

    head: int
    data: bytes = b""

    def __str__(self) -> str:
        return f"{self.head:02X} {masked_hex(self.data)}".rstrip()

    @property
    def ack(self) -> bool:
        """The ACK bit."""
        return bool(self.head & ACK_BIT)

    @property
    def type(self) -> int:
        """The message's type; `Type` names those that are known here."""
        return self.head & 0x70


def checksum(body: bytes) -> int:
    """Return the XOR of the bytes between STX and ETX."""
    total = 0
    for byte in body:
        total ^= byte
    return total


def encode(head: int, data: bytes) -> bytes:
    """Return the encoded frame; raise `ValueError` if its length does not fit into LEN's seven bits."""
    if len(data) > MAX_DATA:
        raise ValueError(f"EBDS frame {head:02X} would carry {len(data)} data bytes, at most {MAX_DATA} fit")
    body = bytes((len(data) + OVERHEAD, head)) + data
    return bytes((STX, *body, ETX, checksum(body)))


class FrameParser:
    """Finds frames in a byte stream, independent of how it is split, and skips noise between them.

    After a wrong length, end or checksum only the STX is dropped, so a frame that starts inside a damaged one is still
    found. Bytes have seven bits: a byte with the eighth bit set marks a parity error and invalidates its frame. The
    parser never holds more than one frame; `discarded` counts dropped bytes.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self.discarded = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Add received bytes and return the frames they complete, in order."""
        self._pending += data
        frames: list[Frame] = []
        while self._pending:
            if self._pending[0] != STX:
                self._drop()
                continue
            whole = self._whole()
            if whole is None:
                break
            if isinstance(whole, Frame):
                frames.append(whole)
                del self._pending[: len(whole.data) + OVERHEAD]
            else:
                self._drop()
        return frames

    def flush(self) -> list[Frame]:
        """Drop an incomplete frame after the line has gone silent, and return the frames inside its bytes."""
        frames: list[Frame] = []
        while self._pending:
            self._drop()
            frames += self.feed(b"")
        return frames

    def _drop(self) -> None:
        del self._pending[0]
        self.discarded += 1

    def _whole(self) -> Frame | bool | None:
        """Return the frame at the front, False if there is none, None while more bytes are needed."""
        if len(self._pending) < _LEN_KNOWN:
            return None
        length = self._pending[1]
        if not OVERHEAD <= length <= MAX_DATA + OVERHEAD:
            return False
        if len(self._pending) < length:
            return None
        raw = bytes(self._pending[:length])
        if not raw.isascii() or raw[-2] != ETX or raw[-1] != checksum(raw[1:-2]):
            return False
        return Frame(raw[2], raw[3:-2])


class Note(msgspec.Struct, frozen=True):
    """A note as the device describes it: ISO 4217 currency and value in cents, 0 if it is not genuine."""

    currency: str
    cents: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The decoded device state in an answer.

    `denomination` is the note's number, 1 to 7, or 0 for none; `note` is the description in an extended message, and
    `barcode` the ticket's characters. `model` and `revision` are the maker's bytes.
    """

    state: State
    condition: Condition
    trouble: Trouble
    denomination: int = 0
    stalled: bool = False
    model: int = 0
    revision: int = 0
    note: Note | None = None
    barcode: bytes | None = None

    @property
    def has_news(self) -> bool:
        """Whether it carries an event, which no later answer repeats."""
        return bool(
            self.state & (State.STACKED | State.RETURNED)
            or self.condition & (Condition.CHEATED | Condition.REJECTED)
            or self.trouble & Trouble.POWER_UP
        )


def omnibus(denominations: int, mode: int, options: int) -> bytes:
    """Return the data of an omnibus command: a bit for each accepted denomination, mode, options."""
    return bytes((denominations, mode, options))


def status(frame: Frame) -> Status | None:
    """Decode the device's state in an answer; return None if the answer carries none.

    A note with an invalid description has no value. Raise `ValueError` if the state is cut short.
    """
    if frame.type == Type.OMNIBUS_REPLY:
        return _status(frame.data)
    if frame.type != Type.EXTENDED:
        return None
    if len(frame.data) <= STATUS_BYTES:
        raise ValueError(f"an extended answer of {len(frame.data)} bytes has no state: {frame}")
    subtype, said, rest = frame.data[0], frame.data[1 : 1 + STATUS_BYTES], frame.data[1 + STATUS_BYTES :]
    found = _status(said)
    if subtype == Extended.NOTE:
        return msgspec.structs.replace(found, note=_described(rest))
    if subtype == Extended.BARCODE:
        return msgspec.structs.replace(found, barcode=rest)
    return found


def _status(data: bytes) -> Status:
    if len(data) < STATUS_BYTES:
        raise ValueError(f"an answer of {len(data)} bytes has no state: {masked_hex(data)}")
    state, condition, trouble, other, model, revision = data[:STATUS_BYTES]
    return Status(
        state=State(state),
        condition=Condition(condition),
        trouble=Trouble(trouble & ~0x38),
        denomination=trouble >> 3 & 7,
        stalled=bool(other & STALLED),
        model=model,
        revision=revision,
    )


def _described(data: bytes) -> Note:
    try:
        return listed_note(data) or Note("", 0)
    except ValueError:
        return Note("", 0)


NOTE_BYTES: Final = 16
_CLASSIFICATION: Final = 15
_VALUE_BYTES: Final = 10
_GENUINE: Final = frozenset({0, 4})
"""Classifications of an acceptable note: 0 if the device does not classify, 4 for genuine."""
_LARGEST_EXPONENT: Final = 7


def listed_note(data: bytes) -> Note | None:
    """Decode the note description after the state in an extended note message.

    It holds index, currency, value and classification. Return None for an empty entry, which ends the table. Raise
    `ValueError` if it is invalid.
    """
    if len(data) < NOTE_BYTES:
        raise ValueError(f"a note's description of {len(data)} bytes is cut short: {masked_hex(data)}")
    note = _note(data)
    return Note(note.currency, 0) if note is not None and data[_CLASSIFICATION] not in _GENUINE else note


def value_table(data: bytes) -> dict[int, Note]:
    """Decode the value table after the state in its answer: the notes of denominations 1 to 7.

    Raise `ValueError` if it is cut short or invalid.
    """
    table: dict[int, Note] = {}
    if len(data) != _VALUE_BYTES * len(DENOMINATIONS):
        raise ValueError(f"a value table of {len(data)} bytes is cut short")
    for at in range(0, len(data), _VALUE_BYTES):
        entry = data[at : at + _VALUE_BYTES]
        note = _note(entry)
        if note is None:
            continue
        if entry[0] not in DENOMINATIONS or table.setdefault(entry[0], note) is not note:
            raise ValueError(f"a value table has denomination {entry[0]} where it cannot be")
    return table


def _note(entry: bytes) -> Note | None:
    """Decode index, currency (3 letters), value (3 digits), sign and exponent (2 digits); None for an empty entry."""
    said = entry[1:_VALUE_BYTES]
    if not any(said):
        return None
    letters, digits, sign, exponent = said[:3], said[3:6], said[6:7], said[7:9]
    if not (letters.isalpha() and letters.isascii() and digits.isdigit() and sign in b"+-" and exponent.isdigit()):
        raise ValueError(f"a note is described as {masked_hex(said)}, which makes no sense")
    power = int(exponent)
    if power > _LARGEST_EXPONENT:
        raise ValueError(f"a note is worth {digits.decode()} times ten to the {power}; no note is")
    cents, rest = int(digits) * 100 * 10**power, 0
    if sign == b"-":
        cents, rest = divmod(int(digits) * 100, 10**power)
    if rest:
        raise ValueError(f"a note is worth {digits.decode()} by ten to the {power}, which is no whole cents")
    return Note(letters.decode(), cents)


def ticket_number(code: bytes) -> str:
    """Return the number in a ticket's barcode; empty if it holds anything but digits.

    A code of fewer than 28 characters is padded: ports of the maker's host library MPOST read up to a `(`. Spaces and
    zero bytes at the end are stripped too.
    """
    text = code.rstrip(b" \0(")
    return text.decode("ascii") if text.isdigit() else ""


def enabled(indexes: frozenset[int], size: int) -> bytes:
    """Return the inhibit data, `size` bytes long, that accepts exactly the listed notes with those indexes.

    Indexes start at 1; each byte holds seven. Raise `ValueError` for an index that does not fit.
    """
    bits = bytearray(size)
    for index in indexes:
        at, bit = divmod(index - 1, 7)
        if not 0 <= at < size:
            raise ValueError(f"note {index} of the table does not fit into {size} bytes")
        bits[at] |= 1 << bit
    return bytes(bits)
