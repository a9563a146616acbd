"""The MDB protocol: commands and the decoding of their answers.

Sources: MDB/ICP (NAMA, public) version 4.3: section 2 (blocks, ACK, NAK), section 5 (coin acceptor and changer, levels
2 and 3), section 6 (bill validator, levels 1 and 2); section 5 of version 2.0 and open code read against it
(maehw/mdb-coin-controller and its table of a MEI CF7900's answers; Tarcontar/ArduinoMDB).

Known: all commands and answers below. Numbers are binary and big-endian, except currency codes and software versions,
which are packed BCD. A device without events answers a poll with ACK. An answer to a poll has up to 16 bytes and may
hold several events, in the order in which they happened.

Assumed: an answer that is shorter than specified ends with zeros (section 5 allows that for values and tubes). An
answer that cannot be decoded to its end is discarded as a whole.
"""

import zlib
from enum import IntEnum
from typing import Final, NamedTuple

from drivers.device_words import readable

CHANGER: Final = 0x08
VALIDATOR: Final = 0x30
TYPES: Final = 16
"""The maximum number of coin or bill types of a device."""

MOST_POLLED: Final = 16
"""The maximum length of an answer to a poll; a coin event has two bytes."""

TOKEN: Final = 0xFF
"""The value of a vend token, which is no money."""


class Coin(IntEnum):
    """Commands to a changer (section 5.2)."""

    RESET = 0x08
    SETUP = 0x09
    TUBE_STATUS = 0x0A
    POLL = 0x0B
    COIN_TYPE = 0x0C
    DISPENSE = 0x0D
    EXPANSION = 0x0F


class Bill(IntEnum):
    """Commands to a bill validator (section 6.2)."""

    RESET = 0x30
    SETUP = 0x31
    SECURITY = 0x32
    POLL = 0x33
    BILL_TYPE = 0x34
    ESCROW = 0x35
    STACKER = 0x36
    EXPANSION = 0x37


class Expansion(IntEnum):
    """Subcommands of EXPANSION."""

    IDENTIFICATION = 0x00
    FEATURE_ENABLE = 0x01
    PAYOUT = 0x02
    PAYOUT_STATUS = 0x03
    PAYOUT_VALUE_POLL = 0x04


ALTERNATIVE_PAYOUT: Final = 1
"""The optional feature of a level 3 changer that pays amounts and reports what it paid."""
LEVEL_3: Final = 3
_TRIED: Final = 0b010
_YES: Final = 0xFF
RETURN: Final = b"\x00"
STACK: Final = b"\x01"
FULL_BIT: Final = 0x8000


class CoinState(IntEnum):
    """One-byte status events in a changer's answer to POLL (section 5.3)."""

    ESCROW_REQUEST = 0x01
    PAYOUT_BUSY = 0x02
    NO_CREDIT = 0x03
    TUBE_SENSOR = 0x04
    DOUBLE_ARRIVAL = 0x05
    UNPLUGGED = 0x06
    TUBE_JAM = 0x07
    CHECKSUM = 0x08
    ROUTING = 0x09
    BUSY = 0x0A
    RESET = 0x0B
    COIN_JAM = 0x0C
    CREDIT_REMOVAL = 0x0D


class BillState(IntEnum):
    """One-byte status events in a validator's answer to POLL (section 6.3)."""

    MOTOR = 0x01
    SENSOR = 0x02
    BUSY = 0x03
    CHECKSUM = 0x04
    JAMMED = 0x05
    RESET = 0x06
    REMOVED = 0x07
    BOX_OUT = 0x08
    DISABLED = 0x09
    INVALID_ESCROW = 0x0A
    REJECTED = 0x0B
    CREDIT_REMOVAL = 0x0C


class Route(IntEnum):
    """Where an inserted coin fell."""

    CASH_BOX = 0
    TUBES = 1
    UNUSED = 2
    REJECT = 3


class Routing(IntEnum):
    """What became of a bill."""

    STACKED = 0
    ESCROW = 1
    RETURNED = 2
    RECYCLER = 3
    REJECTED_DISABLED = 4
    RECYCLER_FILL = 5
    MANUAL_DISPENSE = 6
    RECYCLER_TO_BOX = 7


class Deposited(NamedTuple):
    """A coin was deposited; `in_tube` is how many coins of its type its tube holds afterwards."""

    route: Route
    kind: int
    in_tube: int


class ByHand(NamedTuple):
    """Coins were paid out with the changer's manual buttons."""

    number: int
    kind: int
    in_tube: int


class Slugs(NamedTuple):
    """`number` coins were not recognised since the last poll."""

    number: int


class Moved(NamedTuple):
    """A bill of type `kind` was moved."""

    routing: Routing
    kind: int


class Tried(NamedTuple):
    """`number` bills were inserted while the validator was disabled."""

    number: int


_COIN_STATES: Final = frozenset(map(int, CoinState))
_BILL_STATES: Final = frozenset(map(int, BillState))

CoinEvent = Deposited | ByHand | Slugs | CoinState
BillEvent = Moved | Tried | BillState


def coin_events(data: bytes) -> list[CoinEvent]:
    """Decode a changer's answer to POLL; ignore unknown status bytes.

    Raise `ValueError` if it is too long or ends within an event.
    """
    _require_length(data, range(1, MOST_POLLED + 1), "a changer's poll")
    found: list[CoinEvent] = []
    left = list(data)
    while left:
        first = left.pop(0)
        if first & 0xC0:
            if not left:
                raise ValueError(f"a changer's poll ends within an event: {data.hex(' ')}")
            kind, in_tube = first & 0x0F, left.pop(0)
            if first & 0x80:
                found.append(ByHand(first >> 4 & 7, kind, in_tube))
            else:
                found.append(Deposited(Route(first >> 4 & 3), kind, in_tube))
        elif first & 0x20:
            found.append(Slugs(first & 0x1F))
        elif first in _COIN_STATES:
            found.append(CoinState(first))
    return found


def bill_events(data: bytes) -> list[BillEvent]:
    """Decode a validator's answer to POLL; ignore unknown status bytes.

    Raise `ValueError` if it is too long.
    """
    _require_length(data, range(1, MOST_POLLED + 1), "a validator's poll")
    found: list[BillEvent] = []
    for byte in data:
        if byte & 0x80:
            found.append(Moved(Routing(byte >> 4 & 7), byte & 0x0F))
        elif byte >> 5 == _TRIED:
            found.append(Tried(byte & 0x1F))
        elif byte in _BILL_STATES:
            found.append(BillState(byte))
    return found


ISO_4217: Final = {
    978: "EUR",
    826: "GBP",
    840: "USD",
    756: "CHF",
    752: "SEK",
    578: "NOK",
    208: "DKK",
    985: "PLN",
    203: "CZK",
    348: "HUF",
}
"""ISO 4217 numbers; a code that begins with 1 holds one."""
_EURO_COUNTRIES: Final = (30, 31, 32, 33, 34, 39, 43, 49, 351, 352, 353, 358)
TELEPHONE: Final = {
    1: "USD",
    36: "HUF",
    41: "CHF",
    44: "GBP",
    45: "DKK",
    46: "SEK",
    47: "NOK",
    48: "PLN",
    420: "CZK",
    **dict.fromkeys(_EURO_COUNTRIES, "EUR"),
}
"""Currencies by international telephone code; a code that begins with 0 holds one."""


def currency_of(code: bytes) -> str:
    """Return the currency that two bytes of packed BCD name, or the digits if they are unknown."""
    digits = code.hex()
    if not digits.isdecimal():
        return digits
    named = {"1": ISO_4217, "0": TELEPHONE}.get(digits[0], {})
    return named.get(int(digits[1:]), digits)


def _cents(units: int, scaling: int, decimals: int) -> int:
    """Return the value of `units` in cents; 0 if it is not a whole number of cents."""
    cents, rest = divmod(units * scaling * 100, 10**decimals)
    return 0 if rest else cents


class CoinSetup(NamedTuple):
    """A changer's setup; `values_cents` are by coin type, without tokens.

    `unit_cents` is the value of one unit of an alternative payout, `tubed` the coin types that can be routed into a
    tube. `number` is the CRC-32 of the answer; it replaces the serial number, which a level 2 changer does not have.
    """

    level: int
    currency: str
    unit_cents: int
    tubed: frozenset[int]
    values_cents: dict[int, int]
    number: int


def coin_setup(data: bytes) -> CoinSetup:
    """Decode the answer to SETUP (09); raise `ValueError` if it is invalid."""
    _require_length(data, range(8, 8 + TYPES), "a changer's set-up")
    scaling, decimals, routing = data[3], data[4], int.from_bytes(data[5:7], "big")
    values = {kind: _cents(units, scaling, decimals) for kind, units in enumerate(data[7:]) if units != TOKEN}
    return CoinSetup(
        level=data[0],
        currency=currency_of(data[1:3]),
        unit_cents=_cents(1, scaling, decimals),
        tubed=_kinds(routing),
        values_cents={kind: cents for kind, cents in values.items() if cents},
        number=zlib.crc32(data),
    )


class BillSetup(NamedTuple):
    """A validator's setup; `values_cents` are by bill type, without tokens."""

    level: int
    currency: str
    capacity: int
    security: int
    has_escrow: bool
    values_cents: dict[int, int]


def bill_setup(data: bytes) -> BillSetup:
    """Decode the answer to SETUP (31); raise `ValueError` if it is invalid."""
    _require_length(data, range(12, 12 + TYPES), "a validator's set-up")
    scaling, decimals = int.from_bytes(data[3:5], "big"), data[5]
    values = {kind: _cents(units, scaling, decimals) for kind, units in enumerate(data[11:]) if units != TOKEN}
    return BillSetup(
        level=data[0],
        currency=currency_of(data[1:3]),
        capacity=int.from_bytes(data[6:8], "big"),
        security=int.from_bytes(data[8:10], "big"),
        has_escrow=data[10] == _YES,
        values_cents={kind: cents for kind, cents in values.items() if cents},
    )


class Tubes(NamedTuple):
    """Contents of a changer's tubes by coin type: the number of coins that are certainly there.

    A `defective` tube reports that it is full and holds no coin.
    """

    counts: tuple[int, ...]
    full: frozenset[int]

    @property
    def defective(self) -> frozenset[int]:
        """The coin types whose tube is jammed or whose sensor failed."""
        return frozenset(kind for kind in self.full if not self.counts[kind])


def tubes(data: bytes) -> Tubes:
    """Decode the answer to TUBE STATUS (0A); raise `ValueError` if it is invalid."""
    _require_length(data, range(2, 2 + TYPES + 1), "the tubes' status")
    return Tubes(tuple(data[2:].ljust(TYPES, b"\0")), _kinds(int.from_bytes(data[:2], "big")))


class Identification(NamedTuple):
    """A device's identification; `features` are its optional feature bits, 0 for none."""

    maker: str
    serial: str
    model: str
    software: str
    features: int

    def __str__(self) -> str:
        return f"{self.maker} {self.model}, serial number {self.serial}, software {self.software}"

    @property
    def number(self) -> int:
        """The serial number as a 32-bit number: its value if it is decimal and fits, else its CRC-32."""
        number = int(self.serial) if self.serial.isdecimal() else _NUMBERS
        return number if number < _NUMBERS else zlib.crc32(self.serial.encode())


_NUMBERS: Final = 1 << 32
_NO_FEATURES: Final = 29
_WITH_FEATURES: Final = 33


def identification(data: bytes) -> Identification:
    """Decode the answer to EXPANSION IDENTIFICATION; raise `ValueError` if it is invalid."""
    if len(data) not in {_NO_FEATURES, _WITH_FEATURES}:
        raise ValueError(f"an identification of {len(data)} bytes, {_NO_FEATURES} or {_WITH_FEATURES} expected")
    return Identification(
        maker=readable(data[:3]),
        serial=readable(data[3:15]),
        model=readable(data[15:27]),
        software=data[27:29].hex(),
        features=int.from_bytes(data[29:], "big"),
    )


class Stacker(NamedTuple):
    """How many bills the cash box holds, and whether it is full."""

    bills: int
    full: bool


def stacker(data: bytes) -> Stacker:
    """Decode the answer to STACKER (36); raise `ValueError` if it is invalid."""
    _require_length(data, range(2, 3), "the stacker's status")
    word = int.from_bytes(data, "big")
    return Stacker(word & ~FULL_BIT, bool(word & FULL_BIT))


def mask(kinds: frozenset[int]) -> bytes:
    """Return the two-byte mask of these coin or bill types."""
    return sum(1 << kind for kind in kinds).to_bytes(TYPES // 8, "big")


def _kinds(word: int) -> frozenset[int]:
    return frozenset(kind for kind in range(TYPES) if word >> kind & 1)


def _require_length(data: bytes, lengths: range, what: str) -> None:
    if len(data) not in lengths:
        raise ValueError(f"{what} has {len(data)} bytes, {lengths[0]} to {lengths[-1]} expected: {data.hex(' ')}")
