"""EBDS frames on the device's side (protocols.md §2.3; ebds.tsv).

`02 LEN CTRL DATA 03 XOR`: LEN counts the whole frame, XOR covers LEN to the last data byte, CTRL is the kind of message
with the ACK bit in bit 0. The line is 7E1: every byte has seven bits and even parity, which arrives here as bit 7.

Layouts without a test vector come from public programs, named at each use: the Rust crate `ebds`, and ports of the
maker's own host library, MPOST.
"""

from enum import IntEnum, IntFlag
from typing import Final, NamedTuple

STX, ETX = 0x02, 0x03
ACK_BIT: Final = 0x01
SHORTEST, LONGEST = 5, 0x7F
NOTE_BYTES, VALUE_BYTES, BARCODE_BYTES = 18, 10, 28
VALUES: Final = 7
"""The number of denominations of a device without extended notes."""
_OPENED: Final = 3
"""STX, LEN and CTRL."""


class Kind(IntEnum):
    """The kind of a message: its control byte without the ACK bit."""

    OMNIBUS = 0x10
    REPLY = 0x20
    DOWNLOAD = 0x50
    AUXILIARY = 0x60
    EXTENDED = 0x70


class Subtype(IntEnum):
    """The subtype of an extended message."""

    BARCODE = 0x01
    NOTE = 0x02
    INHIBITS = 0x03
    ESCROW_TIMEOUT = 0x04
    VALUE_TABLE = 0x06
    NOTE_RETRIEVED = 0x0B
    BOOKMARK = 0x0D
    CLEAR_AUDIT = 0x1D


class Auxiliary(IntEnum):
    """The query of an auxiliary command: its last data byte."""

    SOFTWARE_CRC = 0x00
    CASH_BOX_TOTAL = 0x01
    RESETS = 0x02
    CLEAR_CASH_BOX_TOTAL = 0x03
    TYPE = 0x04
    SERIAL_NUMBER = 0x05
    BOOT_PART = 0x06
    APPLICATION_PART = 0x07
    VARIANT_NAME = 0x08
    VARIANT_PART = 0x09
    CAPABILITIES = 0x0D
    APPLICATION_ID = 0x0E
    VARIANT_ID = 0x0F
    RESET = 0x7F


class State(IntFlag):
    """Data 0 of a reply."""

    IDLING = 0x01
    ACCEPTING = 0x02
    ESCROWED = 0x04
    STACKING = 0x08
    STACKED = 0x10
    RETURNING = 0x20
    RETURNED = 0x40


class Status(IntFlag):
    """Data 1 of a reply."""

    CHEATED = 0x01
    REJECTED = 0x02
    JAMMED = 0x04
    STACKER_FULL = 0x08
    CASSETTE = 0x10
    PAUSED = 0x20
    CALIBRATION = 0x40


class Condition(IntFlag):
    """Data 2 of a reply; bits 3 to 5 are a note's number."""

    POWER_UP = 0x01
    INVALID_COMMAND = 0x02
    FAILURE = 0x04


class Mode(IntFlag):
    """Data 1 of a host's message: the decision on a note in escrow."""

    ESCROW = 0x10
    STACK = 0x20
    RETURN = 0x40


class Setting(IntFlag):
    """Data 2 of a host's message; bits 2 and 3 are the power-up policy."""

    BARCODES = 0x02
    EXTENDED_NOTES = 0x10


class Policy(IntEnum):
    """The power-up policy for paper in the device (crate `ebds`, `PowerUp`; MPOST sends 3 for C).

    Paper before escrow is returned, paper beyond it is stacked. Paper in escrow is returned (A), or held for the host
    (B, C). Only B reports the value of the stacked paper.
    """

    A = 0
    B = 1
    C = 2


class Frame(NamedTuple):
    """A message: its control byte and its data."""

    control: int
    data: bytes

    @property
    def kind(self) -> int:
        """The kind, a `Kind` if it is known."""
        return self.control & 0x70

    @property
    def ack(self) -> int:
        """The ACK bit."""
        return self.control & ACK_BIT


class Orders(NamedTuple):
    """The three data bytes that each omnibus and each extended message of a host begins with."""

    denominations: int
    mode: Mode
    setting: Setting
    policy: Policy

    @classmethod
    def of(cls, data: bytes) -> "Orders":
        """Read the first three bytes of `data`."""
        denominations, mode, setting = data[:3]
        policy = Policy(min(setting >> 2 & 0b11, Policy.C))
        return cls(denominations, Mode(mode & 0x70), Setting(setting & 0x13), policy)


class Report(NamedTuple):
    """The six data bytes that each reply to an omnibus or extended message has; `number` is a note's, 0 for none."""

    state: State
    status: Status
    condition: Condition
    number: int
    model: int
    revision: int

    def data(self) -> bytes:
        """The bytes; data 3 is zero, because none of its conditions occurs in this device."""
        return bytes((self.state, self.status, self.condition | self.number << 3, 0, self.model, self.revision))


def parity(data: bytes) -> bytes:
    """Return seven-bit `data` with even parity in bit 7."""
    return bytes(value | (value.bit_count() & 1) << 7 for value in data)


def checksum(data: bytes) -> int:
    """Return the XOR over `data`."""
    total = 0
    for value in data:
        total ^= value
    return total


def encode(control: int, data: bytes) -> bytes:
    """Return a frame without parity; raise `ValueError` for data that do not fit into seven bits or LEN."""
    length = len(data) + SHORTEST
    if length > LONGEST or max((control, *data)) > LONGEST:
        raise ValueError(f"{data.hex(' ')}: a frame has at most {LONGEST} bytes of seven bits")
    body = bytes((length, control)) + data
    return bytes((STX,)) + body + bytes((ETX, checksum(body)))


def decode(frame: bytes) -> Frame | None:
    """Return the message of one whole frame without parity, None if length, ETX or checksum is wrong."""
    if len(frame) < SHORTEST or frame[0] != STX or frame[1] != len(frame) or frame[-2] != ETX:
        return None
    return Frame(frame[2], frame[_OPENED:-2]) if checksum(frame[1:-2]) == frame[-1] else None


class FrameParser:
    """Splits bytes from a 7E1 line into frames; drops bytes outside a frame or with wrong parity.

    Not `even`: bit 7 is zero in every byte, as on a pty for which `parity = "none"` is configured.
    """

    def __init__(self, *, even: bool = True) -> None:
        self._on_line = parity if even else bytes
        self._stx = self._on_line(bytes((STX,)))
        self._waiting = b""

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes."""
        waiting = self._waiting + data
        frames = []
        begin = waiting.find(self._stx)
        while 0 <= begin < len(waiting) - 1:
            length = waiting[begin + 1] & LONGEST
            if begin + length > len(waiting):
                break
            heard = waiting[begin : begin + length]
            plain = bytes(value & LONGEST for value in heard)
            frame = decode(plain) if self._on_line(plain) == heard else None
            if frame is not None:
                frames.append(frame)
            begin = waiting.find(self._stx, begin + (length if frame is not None else 1))
        self._waiting = waiting[begin:] if begin >= 0 else b""
        return frames


def amount(cents: int) -> bytes:
    """Return a note's value as base, sign and exponent: `005+00`, `002+01` (crate `ebds`, its note tables)."""
    units, exponent = cents // 100, 0
    while units and units % 10 == 0:
        units, exponent = units // 10, exponent + 1
    return f"{units:03d}+{exponent:02d}".encode()


def note_row(index: int, code: str, cents: int, classification: int = 0) -> bytes:
    """Return the extended data about a note: `index` in the table, 0 for the note in the device (crate `ebds`)."""
    seen = bytes((0, *b"AAAA", classification, 0, 0))
    return bytes((index,)) + code.encode() + amount(cents) + seen


def value_row(index: int, code: str, cents: int) -> bytes:
    """Return one of the seven rows of the value table; zeros but for the index where there is no note."""
    row = code.encode() + amount(cents) if cents else b""
    return (bytes((index,)) + row).ljust(VALUE_BYTES, b"\x00")


def barcode_data(number: str, filler: bytes) -> bytes:
    """Return the extended data about a ticket's barcode, filled up with `filler`."""
    return number.encode().ljust(BARCODE_BYTES, filler)
