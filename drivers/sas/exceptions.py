"""Exception codes of general polls, and the data of some of them in real time (sas.md §5.6 and §6)."""

from enum import IntEnum
from typing import Final

from drivers.sas.numbers import bcd, rolled

NOTHING: Final = 0


class Code(IntEnum):
    """The exceptions that this cabinet reports beyond those of the fault catalogue."""

    POWER_APPLIED = 0x17
    BILL_ACCEPTED = 0x4F
    TICKET_PRINTED = 0x3D
    HAND_PAY_PENDING = 0x51
    HAND_PAY_RESET = 0x52
    VALIDATION_WANTED = 0x57
    CASH_OUT_PRESSED = 0x66
    TICKET_IN = 0x67
    TICKET_IN_DONE = 0x68
    TRANSFER_COMPLETE = 0x69
    GAME_LOCKED = 0x6F
    OVERFLOW = 0x70
    LAMP_ON = 0x71
    LAMP_OFF = 0x72
    METERS_RESET = 0x7A
    BILL_TOTALS_RESET = 0x7B
    GAME_STARTED = 0x7E
    GAME_ENDED = 0x7F
    OPTIONS_CHANGED = 0x3C
    ATTENDANT_MENU_ENTERED = 0x82
    ATTENDANT_MENU_LEFT = 0x83
    OPERATOR_MENU_ENTERED = 0x84
    OPERATOR_MENU_LEFT = 0x85
    OUT_OF_SERVICE = 0x86
    GAME_SELECTED = 0x8C


PRIORITY: Final = frozenset({0x3F, 0x56, 0x57, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6F, 0x70, 0x8F})
"""The exceptions that are reported before all others (sas.md §6, P)."""

BILLS_BY_VALUE: Final = {1: 0x47, 2: 0x4D, 5: 0x48, 10: 0x49, 20: 0x4A, 50: 0x4B, 100: 0x4C, 200: 0x50, 500: 0x4E}
"""The exceptions of an accepted note by its value in units, outside real time."""


def bill_data(country: int, denomination: int, count: int) -> bytes:
    """Return the data of `BILL_ACCEPTED`: country and denomination code (0 to 99), notes of that kind accepted."""
    return bcd(country, 1) + bcd(denomination, 1) + rolled(count, 4)


def win_data(credits: int) -> bytes:  # noqa: A002 - the field's word for what the meters count
    """Return the data of `GAME_ENDED`: the win in credits of the accounting denomination."""
    return rolled(credits, 4)


def game_data(game: int) -> bytes:
    """Return the data of `GAME_SELECTED`: the game's number, 0 for none."""
    return bcd(game, 2)
