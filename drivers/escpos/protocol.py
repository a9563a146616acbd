"""ESC/POS on the wire: commands to a printer and its answers.

Source: Epson's ESC/POS command reference (DLE EOT, DLE ENQ, DLE DC4, GS I, GS r, GS a, GS ( H) and the appendix
"Transmission status identification" of its printers' specifications, whose fixed bits identify the answers.
"""

from enum import Enum
from typing import Final

import msgspec

INITIALIZE: Final = b"\x1b@"
NO_AUTOMATIC_STATUS: Final = b"\x1da\x00"
CLEAR_BUFFERS: Final = b"\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08"
"""DLE DC4, function 8: clear at once all data that was received and is not printed yet."""
RECOVER: Final = b"\x10\x05\x02"
"""DLE ENQ 2: recover from an error whose cause was cleared, and discard earlier data."""
MAKER: Final = b"\x1dI\x42"
MODEL: Final = b"\x1dI\x43"
TRANSMIT_STATUS: Final = b"\x1dr\x01"
"""GS r 1: answered after earlier data, with the state of the paper."""

ID_LETTERS: Final = b"ABCDEFGHIJKLMNO"
"""The letters of a process ID; none of them looks like a real-time status, which may come in between."""
ID_LENGTH: Final = 4
IDS: Final = len(ID_LETTERS) ** ID_LENGTH

_LONGEST_BLOCK: Final = 90
_RESPONSE, _INFORMATION = 0x37, 0x5F
_PROCESSED: Final = 0x22
_XON, _XOFF = 0x11, 0x13
# Bits 0, 1, 4 and 7 tell the kind of a byte; bits 4 and 7 if it can only be a GS r status.
_FIXED, _REALTIME, _AUTOMATIC = 0x93, 0x12, 0x10
_HIGH: Final = 0x90


def realtime_status(kind: int) -> bytes:
    """Return DLE EOT for status `kind`: 1 printer, 2 cause of being offline, 3 cause of an error, 4 paper."""
    return bytes((0x10, 0x04, kind))


def report_processed(process: bytes) -> bytes:
    """Return GS ( H, function 48: answer with `process` when all that was sent before is printed."""
    return b"\x1d(H\x06\x00\x30\x30" + process


def process_id(number: int) -> bytes:
    """Return the `number`th process ID; there are `IDS`, and they wrap around."""
    letters = bytearray()
    for _ in range(ID_LENGTH):
        number, letter = divmod(number, len(ID_LETTERS))
        letters.append(ID_LETTERS[letter])
    return bytes(letters)


class Kind(Enum):
    """The kind of an answer."""

    REALTIME = "real-time status"
    """One byte, DLE EOT's."""
    TRANSMITTED = "transmitted status"
    """One byte, GS r's."""
    PROCESS_ID = "process ID"
    INFORMATION = "information"
    """Text, GS I's."""
    OTHER = "other"
    """A block or an automatic status that is not used here."""
    NOISE = "noise"
    """Bytes that are not a valid answer."""


class Answer(msgspec.Struct, frozen=True):
    """One answer; its data excludes the header and the final zero byte that some have."""

    kind: Kind
    data: bytes


class AnswerParser:
    """Parses received bytes into answers and resynchronises after noise.

    A real-time status may come in the middle of a process ID: the printer sends it at once.
    """

    def __init__(self) -> None:
        self._block = bytearray()
        self._automatic = bytearray()

    @property
    def inside(self) -> bool:
        """Whether an incomplete answer is pending."""
        return bool(self._block or self._automatic)

    def feed(self, data: bytes) -> list[Answer]:
        """Add received bytes and return the answers they complete, in order."""
        return [answer for byte in data for answer in self._feed_byte(byte)]

    def _feed_byte(self, byte: int) -> list[Answer]:
        if byte in (_XON, _XOFF):
            return []
        if self._block:
            return self._in_block(byte)
        if self._automatic:
            return self._in_automatic(byte)
        return self._first(byte)

    def _first(self, byte: int) -> list[Answer]:
        if byte in (_RESPONSE, _INFORMATION):
            self._block.append(byte)
            return []
        if byte & _FIXED == _REALTIME:
            return [Answer(Kind.REALTIME, bytes((byte,)))]
        if byte & _FIXED == _AUTOMATIC:
            self._automatic.append(byte)
            return []
        if byte & _HIGH == 0:
            return [Answer(Kind.TRANSMITTED, bytes((byte,)))]
        return [Answer(Kind.NOISE, bytes((byte,)))]

    def _in_automatic(self, byte: int) -> list[Answer]:
        """Process the second to fourth byte of an automatic status, whose bits 4 and 7 are 0."""
        if byte & _FIXED == _REALTIME:
            return [Answer(Kind.REALTIME, bytes((byte,)))]
        if byte & _HIGH:
            noise, self._automatic = Answer(Kind.NOISE, bytes(self._automatic)), bytearray()
            return [noise, *self._first(byte)]
        self._automatic.append(byte)
        if len(self._automatic) < 4:  # noqa: PLR2004 - an automatic status has four bytes
            return []
        whole, self._automatic = Answer(Kind.OTHER, bytes(self._automatic)), bytearray()
        return [whole]

    def _in_block(self, byte: int) -> list[Answer]:
        block = self._block
        if block[0] == _RESPONSE:
            return self._in_response(byte)
        if byte == 0:
            self._block = bytearray()
            return [Answer(Kind.INFORMATION, bytes(block[1:]))]
        if not 0x20 <= byte < 0x7F or len(block) == _LONGEST_BLOCK:  # noqa: PLR2004 - what is text
            return self._broken(byte)
        block.append(byte)
        return []

    def _in_response(self, byte: int) -> list[Answer]:
        block = self._block
        if byte & _FIXED == _REALTIME:
            return [Answer(Kind.REALTIME, bytes((byte,)))]
        if byte == 0:
            self._block = bytearray()
            if len(block) == 2 + ID_LENGTH and block[1] == _PROCESSED:
                return [Answer(Kind.PROCESS_ID, bytes(block[2:]))]
            return [Answer(Kind.OTHER if len(block) > 1 else Kind.NOISE, bytes(block))]
        if not 0x20 <= byte < 0x7F or len(block) == 2 + ID_LENGTH:  # noqa: PLR2004 - what is text
            return self._broken(byte)
        block.append(byte)
        return []

    def _broken(self, byte: int) -> list[Answer]:
        noise, self._block = Answer(Kind.NOISE, bytes(self._block)), bytearray()
        return [noise, *self._first(byte)]


class Status(msgspec.Struct, frozen=True):
    """The four real-time status bytes of a printer (DLE EOT 1 to 4)."""

    printer: int
    offline: int
    error: int
    paper: int

    @property
    def online(self) -> bool:
        """Whether the printer accepts and prints data."""
        return not self.printer & 0x08

    @property
    def fed_by_hand(self) -> bool:
        """Whether its feed button is pressed or it waits for the button."""
        return bool(self.printer & 0x60 or self.offline & 0x08)

    @property
    def paper_low(self) -> bool:
        """Whether the roll is near its end."""
        return bool(self.paper & 0x0C)

    @property
    def paper_out(self) -> bool:
        """Whether there is no paper, or printing has stopped because of that."""
        return bool(self.paper & 0x60 or self.offline & 0x20)

    @property
    def cover_open(self) -> bool:
        """Whether its cover is open."""
        return bool(self.offline & 0x04)

    @property
    def cutter_jam(self) -> bool:
        """Whether its cutter is stuck."""
        return bool(self.error & 0x08)

    @property
    def paper_jam(self) -> bool:
        """Whether there is another error that a hand can clear."""
        return bool(self.error & 0x04)

    @property
    def head_hot(self) -> bool:
        """Whether its head must cool down; an open cover sets the same bit."""
        return bool(self.error & 0x40) and not self.cover_open

    @property
    def failed(self) -> bool:
        """Whether it has an error that only its mains switch clears, or an unnamed error."""
        named = self.error & 0x4C
        return bool(self.error & 0x20 or (self.offline & 0x40 and not named))

    @property
    def ruinous(self) -> bool:
        """Whether the slip being printed may be incomplete."""
        return self.paper_out or self.cover_open or self.cutter_jam or self.paper_jam or self.failed

    @property
    def clean(self) -> bool:
        """Whether the printer can print: online, with paper and without an error."""
        return self.online and not self.ruinous and not self.head_hot
