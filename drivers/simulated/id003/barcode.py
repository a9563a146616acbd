"""The barcode reader of an ID-003 bill validator: its settings, and the tickets it accepts.

Numbers: `tests/drivers/id003_ticket_vectors.tsv`, with their sources. For the second byte of the barcode function only
18 characters is documented publicly: accepted here are 6 to 18, the least and the most that a public host expects
(tejvirc/Platform, `Id003Protocol.cs`), and `SEVERAL` for any of them (a guess of danielei9/autoshop_refactor).
"""

from enum import IntEnum, IntFlag
from typing import Final

TICKET: Final = 0x6F
"""The escrow code of every ticket; its barcode follows in ASCII."""
INTERLEAVED_2_OF_5: Final = 0x01
SEVERAL: Final = 0xFF
CHARACTERS: Final = range(6, 19)
MANY_CHARACTERS: Final = 24
MANY_CHARACTERS_OPTION: Final = 0x08
"""The bit of the optional functions that enables barcodes of 24 characters."""


class Inhibit(IntFlag):
    """The defined bits of the bar inhibit; a set bit inhibits."""

    NOTES = 0x01
    TICKETS = 0x02


class Reject(IntEnum):
    """The reason for rejecting a ticket."""

    FUNCTION_NOT_SET = 0x91
    UNKNOWN = 0x92
    CHARACTERS = 0x93


def reads(function: bytes) -> bool:
    """Return whether the reader supports the barcode function `function`."""
    return len(function) == 2 and function[0] == INTERLEAVED_2_OF_5 and function[1] in (*CHARACTERS, SEVERAL)  # noqa: PLR2004 - the kind and the characters


def refusal(ticket: str, function: bytes, options: bytes) -> Reject | None:
    """Return why a reader with the barcode function `function` rejects a ticket, None if it accepts it.

    An empty `ticket` means unreadable, an empty `function` not set. `options` are the optional functions.
    """
    if not function:
        return Reject.FUNCTION_NOT_SET
    if not ticket:
        return Reject.UNKNOWN
    taken = set(CHARACTERS) if function[1] == SEVERAL else {function[1]}
    if options[0] & MANY_CHARACTERS_OPTION:
        taken.add(MANY_CHARACTERS)
    return None if len(ticket) in taken else Reject.CHARACTERS


def escrow_data(ticket: str) -> bytes:
    """Return the data of the escrow status for a ticket."""
    return bytes((TICKET,)) + ticket.encode()
