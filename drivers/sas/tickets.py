"""Polls about tickets: system validation (57, 58), records (4D, 50, 3D), redemption (70, 71), terms (7B to 7D).

Layouts are from sas.md, section 2. The ticket numbers of the other two validation styles are not public.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from typing import Final

import msgspec

from drivers.errors import WireError
from drivers.sas.frames import Poll, answer, counted_answer
from drivers.sas.numbers import bcd, from_bcd

CASH_OUT_TICKET: Final = 0x3D
RECORD: Final = 0x4D
TOTALS: Final = 0x50
CASH_OUT: Final = 0x57
NUMBER: Final = 0x58
IN_ESCROW: Final = 0x70
REDEEM: Final = 0x71
TERMS: Final = 0x7B
ELEMENTS: Final = 0x7C
TEXT: Final = 0x7D

READ_AND_MARK, LOOK_AHEAD = 0x00, 0xFF
"""The functions of 4D other than a record's index."""
MOST_CENTS: Final = 9_999_999_999
NEVER_EXPIRES: Final = 9_999
"""The days of a ticket that does not expire (7B)."""

CASHABLE, NOT_WAITING = 0x00, 0x80
"""Codes in the answer to 57."""
NUMBER_TAKEN: Final = 0x00
"""Status in the answer to 58 if its number is accepted."""
NO_SYSTEM: Final = "00"
"""The system id with which a host refuses a ticket; a cabinet's own numbers start with it."""

CASHABLE_OUT, CASHABLE_REDEEMED = 0x00, 0x80
KINDS: Final = frozenset({0x00, 0x01, 0x02, 0x03, 0x04, 0x10, 0x20, 0x40, 0x60, 0x80, 0x81, 0x82})
"""The ticket kinds of 4D and 50 (section 2.2); this cabinet has only the two named above."""

HELD, NOTHING_HELD = 0x00, 0xFF
"""Status in the answer to 70: whether a ticket is in escrow."""
QUERY: Final = 0xFF
"""The code of 71 that asks for a ticket's status."""
REJECTS: Final = range(0x80, 0x89)
"""The codes of 71 with which a host refuses a ticket."""
PARSED_AS_BCD: Final = 0x00

STORED, INVALID = 0x01, 0x00
"""Codes in the answers to 7C and 7D."""
LONGEST_LINE: Final = 40
PRINTER, REDEMPTION = 0x0001, 0x0020
"""The bits of 7B that this cabinet supports: tickets are printed at cash-out, and tickets are redeemed."""

_TICKET_BYTES: Final = 9
_DIGITS: Final = 2 * _TICKET_BYTES
_QUERY_BYTES, _SHORT, _LONG = 1, 16, 22
_TERMS_BYTES: Final = 8
_HOST_ID_BYTES: Final = 2
_LINES: Final = 3
_PRINTABLE: Final = range(0x20, 0x7F)


class Status(IntEnum):
    """The status of an inserted ticket (71)."""

    REDEEMED = 0x00
    PENDING = 0x40
    REJECTED = 0x80
    OTHER_NUMBER = 0x81
    NOT_VALID = 0x82
    AMOUNT = 0x83
    OVER_LIMIT = 0x84
    DENOMINATION = 0x85
    NOT_NOW = 0x87
    TIMEOUT = 0x88
    VALIDATOR = 0x8B
    INCOMPATIBLE = 0xC0
    NOTHING = 0xFF


def ticket_number(data: bytes) -> str | None:
    """Return the 18 digits of a system id and number; None for invalid BCD."""
    digits = data.hex()
    return digits if len(digits) == _DIGITS and digits.isdecimal() else None


class NotTaken(IntEnum):
    """Why the number in 58 is not accepted."""

    NO_CASH_OUT = 0x80
    IMPROPER = 0x81


def number_answer(address: int, status: int) -> bytes:
    """Return the answer to 58."""
    return answer(address, NUMBER, bytes((status,)))


def cash_out_answer(address: int, cents: int | None) -> bytes:
    """Return the answer to 57: the amount that needs a ticket number, None for none."""
    kind = NOT_WAITING if cents is None else CASHABLE
    return answer(address, CASH_OUT, bytes((kind,)) + bcd(cents or 0, 5))


def last_ticket_answer(address: int, cents: int) -> bytes:
    """Return the answer to 3D; its ticket number is zero except in standard validation."""
    return answer(address, CASH_OUT_TICKET, bytes(4) + bcd(cents, 5))


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A printed ticket as reported by 4D; `index` is its position among the 31 stored records."""

    index: int
    number: str
    cents: int
    ticket: int
    printed: datetime
    expires: datetime | None

    def encode(self, address: int) -> bytes:
        """Return the frame."""
        expires = bytes(4) if self.expires is None else bytes.fromhex(self.expires.strftime("%m%d%Y"))
        parts = (
            bytes((CASHABLE_OUT, self.index)),
            bytes.fromhex(self.printed.strftime("%m%d%Y%H%M%S")),
            bytes.fromhex(self.number[2:]),
            bcd(self.cents, 5),
            (self.ticket & 0xFFFF).to_bytes(2, "little"),
            bytes.fromhex(self.number[:2]),
            expires,
            bytes(2),
        )
        return answer(address, RECORD, b"".join(parts))


def no_record(address: int) -> bytes:
    """Return the answer to 4D for a missing record: zeros."""
    return answer(address, RECORD, bytes(31))


def totals_answer(address: int, kind: int, count: int, cents: int) -> bytes:
    """Return the answer to 50."""
    return answer(address, TOTALS, bytes((kind,)) + bcd(count % 10**8, 4) + bcd(cents % 10**10, 5))


def escrow_answer(address: int, number: str | None) -> bytes:
    """Return the answer to 70: the number of the ticket in escrow, None for none. Only the host knows its amount."""
    status, data = (HELD, bytes.fromhex(number)) if number else (NOTHING_HELD, bytes(_TICKET_BYTES))
    return counted_answer(address, IN_ESCROW, bytes((status,)) + bytes(5) + bytes((PARSED_AS_BCD,)) + data)


class Redemption(msgspec.Struct, frozen=True):
    """A host's decision about the ticket in escrow; `cents` and `number` are None for invalid BCD."""

    code: int
    cents: int | None
    parsing: int
    number: str | None


def read_redemption(poll: Poll) -> Redemption | None:
    """Decode a host's decision; return None if it asks for the status, raise `WireError` for a wrong length."""
    data = poll.counted
    if len(data) == _QUERY_BYTES and data[0] == QUERY:
        return None
    if len(data) not in (_SHORT, _LONG):
        raise WireError(f"SAS poll {poll} has no known length")
    try:
        cents = from_bcd(data[1:6])
    except ValueError:
        cents = None
    return Redemption(data[0], cents, data[6], ticket_number(data[7:16]))


def redemption_answer(address: int, status: int, cents: int, number: str) -> bytes:
    """Return the answer to 71 with a ticket's status."""
    data = bytes((status,)) + bcd(cents, 5) + bytes((PARSED_AS_BCD,)) + bytes.fromhex(number)
    return counted_answer(address, REDEEM, data)


def short_redemption_answer(address: int, status: int) -> bytes:
    """Return the answer to 71 with a status that refers to no ticket."""
    return counted_answer(address, REDEEM, bytes((status,)))


class Terms(msgspec.Struct, frozen=True):
    """Changes in poll 7B: set the bits in `mask` to `states`, and the expiry of tickets in days, 0 to keep it."""

    mask: int
    states: int
    days: int


def read_terms(poll: Poll) -> Terms:
    """Decode poll 7B; raise `WireError` for a wrong length or invalid BCD."""
    data = poll.counted
    if len(data) != _TERMS_BYTES:
        raise WireError(f"SAS poll {poll} has no known length")
    try:
        days = from_bcd(data[4:6])
    except ValueError as error:
        raise WireError(f"SAS poll {poll}: {error}") from error
    return Terms(int.from_bytes(data[:2], "little"), int.from_bytes(data[2:4], "little"), days)


def terms_answer(address: int, *, asset: int, states: int, days: int) -> bytes:
    """Return the answer to 7B; the days of restricted tickets, which do not exist here, are 0."""
    return counted_answer(
        address, TERMS, asset.to_bytes(4, "little") + states.to_bytes(2, "little") + bcd(days, 2) + bytes(2)
    )


class Text(msgspec.Struct, frozen=True):
    """Changes in poll 7D: ticket expiry in days (0 for never, None to keep it), and lines (empty to keep one)."""

    days: int | None
    lines: tuple[str, str, str]


def read_text(poll: Poll) -> Text | None:
    """Decode poll 7D; return None if it cannot be stored."""
    data = poll.counted[_HOST_ID_BYTES:]
    if len(poll.counted) < _HOST_ID_BYTES:
        return None
    days, rest, lines = (data[0] if data else None), data[1:], []
    while rest:
        line = _line(rest)
        if line is None:
            return None
        lines.append(line)
        rest = rest[1 + len(line) :]
    if len(lines) > _LINES:
        return None
    first, second, third = (*lines, "", "", "")[:_LINES]
    return Text(days, (first, second, third))


def read_elements(poll: Poll) -> Mapping[int, str] | None:
    """Decode poll 7C: lines by position, an empty one for its default; return None if it cannot be stored.

    Elements 10 and 20, the titles of restricted and debit tickets, are not supported.
    """
    rest, lines = poll.counted, dict[int, str]()
    while rest:
        code, sized = rest[0], rest[1:]
        line = _line(sized)
        if line is None or code >= _LINES:
            return None
        lines[code], rest = line, sized[1 + len(line) :]
    return lines


def _line(data: bytes) -> str | None:
    """Return the line after the length byte at the start of `data`; None if it cannot be printed."""
    size, line = (data[0], data[1 : 1 + data[0]]) if data else (1, b"")
    if len(line) != size or size > LONGEST_LINE or any(byte not in _PRINTABLE for byte in line):
        return None
    return line.decode("ascii")


def text_answer(address: int, command: int, *, stored: bool) -> bytes:
    """Return the answer to 7C or 7D."""
    return answer(address, command, bytes((STORED if stored else INVALID,)))
