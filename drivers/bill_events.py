"""What a ccTalk bill validator's buffered events mean (protocols.md, 1, "Bill validator over ccTalk", table 7)."""

import re
from enum import Enum
from typing import Final

from drivers.errors import WireError
from drivers.note_alarms import Back

BILL_TYPES: Final = 16
BILL_ID_SIZE: Final = 7
SCALING_SIZE: Final = 3
COUPON: Final = 255
_BILL_ID = re.compile(rb"([A-Z]{2})(\d{4})[A-Z]", re.ASCII)


class Meaning(Enum):
    """What an event says about a note."""

    CREDIT = "credit"
    ESCROW = "escrow"
    BACK = "back"
    BUSY = "busy"
    NOTHING = "nothing"


STACKED: Final = 0
IN_ESCROW: Final = 1
"""The second byte of an event that names a bill type."""

BACK: Final = {
    1: "the validator gave it back",
    2: "it was not recognised",
    3: "it was not carried evenly",
    4: "such notes are not taken now",
    5: "such notes are not taken now",
    8: "it was drawn back",
}
"""Status codes after which the note is the player's again, in plain words."""

HOW_BACK: Final = {
    1: Back.RETURNED,
    2: Back.REJECTED,
    3: Back.REJECTED,
    4: Back.REFUSED,
    5: Back.REFUSED,
    8: Back.PULLED,
}

FAULTS: Final = {
    6: "acceptor_jam",
    7: "stacker_jam",
    9: "cheated",
    11: "stacker_open",
    13: "failure",
    14: "stacker_full",
    15: "stacker_jam",
    16: "acceptor_jam",
    17: "cheated",
    18: "cheated",
    19: "failure",
}
"""Fault codes by status code. They are events, set once: `MENDED` tells which end."""

MENDED: Final = {10: ("stacker_open", "stacker_full", "stacker_jam"), 12: ("stacker_open",)}

_CAUGHT: Final = frozenset({6, 7, 15, 16})
"""Jams: more is to come of the note that is caught."""


def meaning(first: int, second: int) -> Meaning:
    """Return what the event (first, second) says about a note; a coupon's is as good as an unknown note's."""
    if first:
        return {STACKED: Meaning.CREDIT, IN_ESCROW: Meaning.ESCROW}.get(second, Meaning.NOTHING)
    if second in BACK:
        return Meaning.BACK
    return Meaning.BUSY if second in _CAUGHT else Meaning.NOTHING


def bill_value(bill_id: bytes, country: str, scaling: bytes) -> int | None:
    """Return the value in cents of a bill id such as `EU0005A`; None for an empty slot or another country.

    `scaling` is the country's answer to 156: a factor of two bytes, and the decimals that the result has. Raise
    `WireError` where the two make no whole number of cents.
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
