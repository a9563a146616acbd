"""What a ccTalk bill validator's buffered events mean (protocols.md, 1, "Bill validator over ccTalk", table 7)."""

import re
from collections.abc import Collection
from enum import Enum
from typing import Final

from drivers.errors import WireError
from drivers.note_alarms import Back

BILL_TYPES: Final = 16
BILL_ID_SIZE: Final = 7
SCALING_SIZE: Final = 3
COUPON: Final = 255
"""The bill type of a barcode ticket."""
BARCODE_SIZES: Final = range(1, 25)
"""Lengths of the answer to request 129: 18 characters in the specification (part 3, page 55), 24 in a journal."""
_BILL_ID = re.compile(rb"([A-Z]{2})(\d{4})[A-Z]", re.ASCII)


class Meaning(Enum):
    """What an event says about a note, or about a ticket (`REDEEM`: it is in the cash box)."""

    CREDIT = "credit"
    REDEEM = "redeem"
    UNRECOGNISED = "unrecognised"
    ESCROW = "escrow"
    BACK = "back"
    BUSY = "busy"
    NOTHING = "nothing"


STACKED: Final = 0
IN_ESCROW: Final = 1
"""The second byte of an event that names a bill type."""

RETURNED: Final = 1
REJECTS: Final = frozenset({2, 3, 4, 5})
"""Status codes that some validators follow up with `RETURNED` for the same note."""

BACK: Final = {
    RETURNED: "the validator gave it back",
    2: "it was not recognised",
    3: "it was not carried evenly",
    4: "such notes are not taken now",
    5: "such notes are not taken now",
    8: "it was drawn back",
}
"""Status codes after which the player has the note back, each with its reason in plain words."""

HOW_BACK: Final = {
    RETURNED: Back.RETURNED,
    2: Back.REJECTED,
    3: Back.REJECTED,
    4: Back.REFUSED,
    5: Back.REFUSED,
    8: Back.PULLED,
}

FAULTS: Final = {
    6: ("acceptor_jam", "a note is jammed where a hand can reach it"),
    7: ("stacker_jam", "a note is jammed in the stacker"),
    9: ("cheated", "somebody tampers with the validator"),
    11: ("stacker_open", "the cash box is out"),
    13: ("failure", "the stacker is faulty"),
    14: ("stacker_full", "the cash box is full"),
    15: ("stacker_jam", "the stacker is jammed"),
    16: ("acceptor_jam", "a note is jammed where no hand can reach it"),
    17: ("cheated", "the light sensors were deceived"),
    18: ("cheated", "a string was found on a note"),
    19: ("failure", "the device against strings is faulty"),
}
"""Fault code and description by status code. An event reports only the start of a fault.

`MENDED` lists those that end.
"""

_NOTE_JAMMED: Final = 39
_SELF_CHECK_FAULTS: Final = {
    0: None,
    _NOTE_JAMMED: "acceptor_jam",
    41: "cheated",
    44: "stacker_open",
    45: "stacker_full",
}
"""Fault codes by self-check code; every other self-check code is a failure."""

MENDED: Final = {10: ("stacker_open", "stacker_full", "stacker_jam"), 12: ("stacker_open",)}

BOX: Final = frozenset({"stacker_open", "stacker_full"})
"""Faults whose end is also reported by an event."""

UNRECOGNISED: Final = 21
"""The status code of a stacked note that the device did not recognise."""

_CAUGHT: Final = frozenset({6, 7, 15, 16})
"""Jams: a later event reports what became of the caught note."""


def meaning(first: int, second: int) -> Meaning:
    """Return what the event (first, second) says about a note or a ticket; escrow looks the same for both."""
    if (first, second) == (COUPON, STACKED):
        return Meaning.REDEEM
    if first:
        return {STACKED: Meaning.CREDIT, IN_ESCROW: Meaning.ESCROW}.get(second, Meaning.NOTHING)
    if second in BACK:
        return Meaning.BACK
    if second == UNRECOGNISED:
        return Meaning.UNRECOGNISED
    return Meaning.BUSY if second in _CAUGHT else Meaning.NOTHING


def barcode_number(data: bytes) -> str:
    """Return the number in a ticket's barcode (request 129); empty for non-digits or a wrong length."""
    return data.decode() if data.isdigit() and len(data) in BARCODE_SIZES else ""


def checked_fault(said: int, present: Collection[str]) -> str | None:
    """Return the fault that a self-check code means, or None for none; `present` tells where a note is jammed."""
    if said == _NOTE_JAMMED and "stacker_jam" in present:
        return "stacker_jam"
    return _SELF_CHECK_FAULTS.get(said, "failure")


def bill_country(bill_id: bytes) -> str:
    """Return the country of a bill id, empty for an empty slot."""
    match = _BILL_ID.fullmatch(bill_id)
    return "" if match is None else match[1].decode()


def bill_value(bill_id: bytes, country: str, scaling: bytes) -> int | None:
    """Return the value in cents of a bill id such as `EU0005A`; None for an empty slot or another country.

    `scaling` is the answer to request 156 for the country: a two-byte factor, then the number of decimals of the
    result. Raise `WireError` if the value is not a whole number of cents.
    """
    match = _BILL_ID.fullmatch(bill_id)
    if match is None or match[1] != country.encode():
        return None
    if len(scaling) != SCALING_SIZE:
        raise WireError(f"a scaling factor of {len(scaling)} bytes, {SCALING_SIZE} expected: check the device")
    cents, rest = divmod(int(match[2]) * int.from_bytes(scaling[:2], "little") * 100, 10 ** scaling[2])
    if rest:
        raise WireError(
            f"bill {bill_id.decode()} with scaling {scaling.hex()} is worth no whole cents: check the device"
        )
    return cents or None
