"""The barcode reader of an ID-003 bill validator: how the host sets it up, and which tickets it takes.

Numbers: `tests/drivers/id003_ticket_vectors.tsv`, with their sources. Not public is what the second byte of the barcode
function may be but 18 characters: taken here are 6 to 18, the fewest and the most that a public host waits for
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
"""The bit of the optional functions that lets barcodes of 24 characters in."""


class Inhibit(IntFlag):
    """The bits of the bar inhibit that have a meaning; set, they keep something out."""

    NOTES = 0x01
    TICKETS = 0x02


class Reject(IntEnum):
    """Why a ticket is rejected."""

    FUNCTION_NOT_SET = 0x91
    UNKNOWN = 0x92
    CHARACTERS = 0x93


def reads(function: bytes) -> bool:
    """Return whether the barcode function `function` is one that the reader has."""
    return len(function) == 2 and function[0] == INTERLEAVED_2_OF_5 and function[1] in (*CHARACTERS, SEVERAL)  # noqa: PLR2004 - the kind and the characters


def refusal(ticket: str, function: bytes, options: bytes) -> Reject | None:
    """Return why a reader with the barcode function `function` rejects a ticket, None if it takes it.

    An empty `ticket` could not be read, an empty `function` has not been set. `options` are the optional functions.
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
    """Return what escrow says of a ticket."""
    return bytes((TICKET,)) + ticket.encode()
