"""Payout events in a poll's answer, and the data after each code (GA138, events; protocol version 6).

A few of the manual's example frames lack the event code or show another event's code. This module decodes the data
after the code as all descriptions and public implementations have it.
"""

from enum import Enum, IntEnum, auto
from typing import Final

import msgspec

CODE_LETTERS: Final = 3
_VALUE: Final = 4
_AMOUNT: Final = _VALUE + CODE_LETTERS


class PayoutEvent(IntEnum):
    """Events of hoppers and recyclers, in addition to a validator's events."""

    JAM_RECOVERY = 0xB0
    ERROR_DURING_PAYOUT = 0xB1
    SMART_EMPTYING = 0xB3
    SMART_EMPTIED = 0xB4
    COIN_MECH_ERROR = 0xB7
    COIN_MECH_DISABLED = 0xBD
    COIN_MECH_ENABLED = 0xBE
    VALUE_ADDED = 0xBF
    EMPTYING = 0xC2
    EMPTIED = 0xC3
    COIN_MECH_JAMMED = 0xC4
    COIN_MECH_RETURN = 0xC5
    OUT_OF_SERVICE = 0xC6
    NOTE_FLOAT_REMOVED = 0xC7
    NOTE_FLOAT_ATTACHED = 0xC8
    TRANSFERRED_TO_STACKER = 0xC9
    INTO_STACKER_AT_RESET = 0xCA
    INTO_STORE_AT_RESET = 0xCB
    DISPENSED_AT_RESET = 0xCD
    HELD_IN_BEZEL = 0xCE
    DEVICE_FULL = 0xCF
    DISPENSED = 0xD2
    COINS_LOW = 0xD3
    HOPPER_JAMMED = 0xD5
    HALTED = 0xD6
    FLOATING = 0xD7
    FLOATED = 0xD8
    TIMED_OUT = 0xD9
    DISPENSING = 0xDA
    STORED = 0xDB
    INCOMPLETE_PAYOUT = 0xDC
    INCOMPLETE_FLOAT = 0xDD
    CASHBOX_PAID = 0xDE
    COIN_CREDIT = 0xDF
    CALIBRATION_FAILED = 0x83


ACKNOWLEDGED: Final = frozenset(
    {
        PayoutEvent.CASHBOX_PAID,
        PayoutEvent.DISPENSED,
        PayoutEvent.DISPENSED_AT_RESET,
        PayoutEvent.EMPTIED,
        PayoutEvent.ERROR_DURING_PAYOUT,
        PayoutEvent.FLOATED,
        PayoutEvent.HALTED,
        PayoutEvent.HOPPER_JAMMED,
        PayoutEvent.INCOMPLETE_FLOAT,
        PayoutEvent.INCOMPLETE_PAYOUT,
        PayoutEvent.INTO_STACKER_AT_RESET,
        PayoutEvent.INTO_STORE_AT_RESET,
        PayoutEvent.SMART_EMPTIED,
        PayoutEvent.TIMED_OUT,
        PayoutEvent.TRANSFERRED_TO_STACKER,
    }
)
"""Events that a poll with acknowledgement may repeat until the event-ack; an unnecessary event-ack does nothing."""


class Amount(msgspec.Struct, frozen=True):
    """An amount in one currency; `requested_cents` is the requested amount of an interrupted operation."""

    cents: int
    currency: str
    requested_cents: int | None = None


class _Shape(Enum):
    """The data after an event code."""

    BARE = auto()
    BYTE = auto()
    AMOUNT = auto()
    AMOUNTS = auto()
    """A count and that many amounts."""
    AMOUNTS_OF = auto()
    """A count and that many amounts, each with the requested amount."""
    MAYBE_AMOUNT = auto()
    """An amount, or nothing in older versions."""
    AMOUNTS_OR_BYTE = auto()
    """Amounts and a byte, or only the byte in older versions."""


_SHAPES: Final = {
    **dict.fromkeys(
        (
            PayoutEvent.SMART_EMPTYING,
            PayoutEvent.SMART_EMPTIED,
            PayoutEvent.VALUE_ADDED,
            PayoutEvent.DISPENSED,
            PayoutEvent.HOPPER_JAMMED,
            PayoutEvent.HALTED,
            PayoutEvent.FLOATING,
            PayoutEvent.FLOATED,
            PayoutEvent.TIMED_OUT,
            PayoutEvent.DISPENSING,
            PayoutEvent.CASHBOX_PAID,
        ),
        _Shape.AMOUNTS,
    ),
    **dict.fromkeys((PayoutEvent.INCOMPLETE_PAYOUT, PayoutEvent.INCOMPLETE_FLOAT), _Shape.AMOUNTS_OF),
    **dict.fromkeys(
        (PayoutEvent.TRANSFERRED_TO_STACKER, PayoutEvent.DISPENSED_AT_RESET, PayoutEvent.COIN_CREDIT), _Shape.AMOUNT
    ),
    **dict.fromkeys(
        (PayoutEvent.INTO_STACKER_AT_RESET, PayoutEvent.INTO_STORE_AT_RESET, PayoutEvent.HELD_IN_BEZEL),
        _Shape.MAYBE_AMOUNT,
    ),
    **dict.fromkeys((PayoutEvent.COIN_MECH_ERROR, PayoutEvent.CALIBRATION_FAILED), _Shape.BYTE),
    PayoutEvent.ERROR_DURING_PAYOUT: _Shape.AMOUNTS_OR_BYTE,
}


def payload(event: PayoutEvent, rest: bytes) -> tuple[tuple[Amount, ...], int]:
    """Decode the data of `event` at the start of `rest`; return its amounts and its length.

    Raise `ValueError` if it is cut short or invalid.
    """
    match _SHAPES.get(event, _Shape.BARE):
        case _Shape.BARE:
            return (), 0
        case _Shape.BYTE:
            _require(event, rest, 1)
            return (), 1
        case _Shape.AMOUNT:
            return (_amount(event, rest, 0),), _AMOUNT
        case _Shape.MAYBE_AMOUNT:
            return ((_amount(event, rest, 0),), _AMOUNT) if _is_code(rest[_VALUE:_AMOUNT]) else ((), 0)
        case _Shape.AMOUNTS_OR_BYTE:
            return _with_byte(event, rest)
        case shape:
            return amounts(event, rest, asked_for=shape is _Shape.AMOUNTS_OF)


def amounts(event: int, rest: bytes, *, asked_for: bool = False) -> tuple[tuple[Amount, ...], int]:
    """Decode the counted amounts at the start of `rest`; return them and their length.

    Raise `ValueError` if invalid.
    """
    _require(event, rest, 1)
    size = _AMOUNT + _VALUE * asked_for
    found = tuple(_amount(event, rest, 1 + at * size, asked_for=asked_for) for at in range(rest[0]))
    return found, 1 + size * len(found)


def _with_byte(event: int, rest: bytes) -> tuple[tuple[Amount, ...], int]:
    _require(event, rest, 1)
    if has_amounts(rest):
        found, size = amounts(event, rest)
        _require(event, rest, size + 1)
        return found, size + 1
    return (), 1


def has_amounts(rest: bytes) -> bool:
    """Return whether `rest` may start with counted amounts."""
    return bool(rest) and bool(rest[0]) and _is_code(rest[1 + _VALUE : 1 + _AMOUNT])


def _amount(event: int, rest: bytes, at: int, *, asked_for: bool = False) -> Amount:
    size = _AMOUNT + _VALUE * asked_for
    _require(event, rest, at + size)
    values, code = rest[at : at + size - CODE_LETTERS], rest[at + size - CODE_LETTERS : at + size]
    if not _is_code(code):
        raise ValueError(f"SSP event {event:02X} names no currency but {code.hex(' ')}")
    requested = int.from_bytes(values[_VALUE:], "little") if asked_for else None
    return Amount(int.from_bytes(values[:_VALUE], "little"), code.decode("ascii"), requested)


def _is_code(code: bytes) -> bool:
    return len(code) == CODE_LETTERS and code.isalpha() and code.isascii() and code.isupper()


def _require(event: int, rest: bytes, size: int) -> None:
    if len(rest) < size:
        raise ValueError(f"SSP event {event:02X} is cut short: {rest.hex(' ') or 'nothing'} follows it")
