"""The bytes of MDB/ICP 4.3 on the peripheral's side (sections 2, 5 and 6; tests/rigs/vectors/mdb.tsv)."""

from enum import IntEnum, IntFlag
from typing import Final

ACK, NAK = 0x00, 0xFF
ADDRESS_BITS: Final = 0xF8
CHANGER, VALIDATOR = 0x08, 0x30
LONGEST_BLOCK: Final = 36
POLL_BYTES: Final = 16
"""The maximum length of an answer to POLL, in bytes."""
TYPES: Final = 16
"""Coin types of a changer, bill types of a validator."""
EXPANSION: Final = 7
"""The last three bits of the EXPANSION command, whose first data byte is a subcommand."""

NUMERIC: Final = {
    "EUR": 978,
    "GBP": 826,
    "USD": 840,
    "CHF": 756,
    "CZK": 203,
    "PLN": 985,
    "HUF": 348,
    "SEK": 752,
    "NOK": 578,
    "DKK": 208,
    "AUD": 36,
    "CAD": 124,
    "NZD": 554,
}
"""The numbers of ISO 4217; a device reports one with a leading 1, in BCD (5.3, SETUP)."""


class Changer(IntEnum):
    """Commands of a coin changer (5.2); those from 0x0F00 on are its EXPANSION's."""

    RESET = 0x08
    SETUP = 0x09
    TUBE_STATUS = 0x0A
    POLL = 0x0B
    COIN_TYPE = 0x0C
    DISPENSE = 0x0D
    IDENTIFICATION = 0x0F00
    FEATURE_ENABLE = 0x0F01
    PAYOUT = 0x0F02
    PAYOUT_STATUS = 0x0F03
    PAYOUT_VALUE_POLL = 0x0F04
    DIAGNOSTIC_STATUS = 0x0F05
    MANUAL_FILL_REPORT = 0x0F06
    MANUAL_PAYOUT_REPORT = 0x0F07


class Feature(IntFlag):
    """Optional features of a changer (5.3, EXPANSION IDENTIFICATION)."""

    ALTERNATIVE_PAYOUT = 1
    EXTENDED_DIAGNOSTIC = 2
    MANUAL_FILL = 4


class Route(IntEnum):
    """Where a coin went, in a deposit's bits 5 and 4 (5.3, POLL)."""

    CASH_BOX = 0
    TUBE = 1
    REJECT = 3


DEPOSITED: Final = 0x40
DISPENSED_BY_HAND: Final = 0x80
SLUGS: Final = 0x20
MOST_SLUGS: Final = 0x1F
MOST_BY_HAND: Final = 7


class ChangerStatus(IntEnum):
    """Status bytes of a changer's POLL (5.3)."""

    ESCROW_REQUEST = 0x01
    PAYOUT_BUSY = 0x02
    NO_CREDIT = 0x03
    DEFECTIVE_TUBE_SENSOR = 0x04
    DOUBLE_ARRIVAL = 0x05
    ACCEPTOR_UNPLUGGED = 0x06
    TUBE_JAM = 0x07
    ROM_CHECKSUM_ERROR = 0x08
    COIN_ROUTING_ERROR = 0x09
    BUSY = 0x0A
    WAS_RESET = 0x0B
    COIN_JAM = 0x0C
    POSSIBLE_CREDITED_COIN_REMOVAL = 0x0D


class Diagnosis(IntEnum):
    """Main code and sub-code of a changer's diagnostic status (5.3, EXPANSION 05)."""

    OK = 0x0300
    INHIBITED = 0x0600
    DISCRIMINATOR_ERROR = 0x1100
    COIN_JAM_IN_SENSOR = 0x1130
    DISPENSER_ERROR = 0x1400
    CASSETTE_ERROR = 0x1500


class Bills(IntEnum):
    """Commands of a bill validator (6.2); those from 0x3700 on are its EXPANSION's."""

    RESET = 0x30
    SETUP = 0x31
    SECURITY = 0x32
    POLL = 0x33
    BILL_TYPE = 0x34
    ESCROW = 0x35
    STACKER = 0x36
    IDENTIFICATION_1 = 0x3700
    FEATURE_ENABLE = 0x3701
    IDENTIFICATION_2 = 0x3702


class BillRoute(IntEnum):
    """Where a bill is, in bits 6 to 4 of its event, with bit 7 (6.3, POLL)."""

    STACKED = 0x80
    ESCROW = 0x90
    RETURNED = 0xA0
    DISABLED_REJECTED = 0xC0


ATTEMPTS: Final = 0x40
MOST_ATTEMPTS: Final = 0x1F
STACKER_FULL: Final = 0x8000


class BillStatus(IntEnum):
    """Status bytes of a validator's POLL (6.3)."""

    DEFECTIVE_MOTOR = 0x01
    SENSOR_PROBLEM = 0x02
    BUSY = 0x03
    ROM_CHECKSUM_ERROR = 0x04
    JAMMED = 0x05
    WAS_RESET = 0x06
    BILL_REMOVED = 0x07
    CASH_BOX_OUT_OF_POSITION = 0x08
    DISABLED = 0x09
    INVALID_ESCROW_REQUEST = 0x0A
    BILL_REJECTED = 0x0B
    POSSIBLE_CREDITED_BILL_REMOVAL = 0x0C


def sealed(data: bytes) -> bytes:
    """Return a block with its checksum: the sum of its bytes, modulo 256 (2.2)."""
    return data + bytes((sum(data) & 0xFF,))


def opened(block: bytes) -> bytes | None:
    """Return a block without its checksum, None for one that is corrupt, too long or only a checksum."""
    whole = 1 < len(block) <= LONGEST_BLOCK and sum(block[:-1]) & 0xFF == block[-1]
    return block[:-1] if whole else None


def currency_code(code: str) -> bytes:
    """Return the two BCD bytes of SETUP: 1 and the number of ISO 4217."""
    return bytes.fromhex(f"1{NUMERIC[code]:03}")
