"""Cashless transfers on the wire: polls 72 (transfer), 73 (registration) and 74 (lock and status) (sas.md §1)."""

from enum import IntEnum, IntFlag
from typing import Final, Self

import msgspec

from drivers.errors import WireError
from drivers.sas.frames import Poll, counted_answer
from drivers.sas.numbers import bcd, from_bcd

TRANSFER: Final = 0x72
REGISTER: Final = 0x73
LOCK: Final = 0x74

CANCEL: Final = 0x80
INTERROGATE: Final = 0xFE
INTERROGATE_AND_CLOSE: Final = 0xFF
FULL_ONLY: Final = 0x00
PARTIAL_ALLOWED: Final = 0x01

IN_HOUSE_IN: Final = 0x00
IN_HOUSE_OUT: Final = 0x80

NO_RECEIPT: Final = 0xFF
ASSET_BYTES: Final = 4
KEY_BYTES: Final = 20
NO_KEY: Final = bytes(KEY_BYTES)
LONGEST_ID: Final = 20
MOST_CENTS: Final = 9_999_999_999
"""The maximum of five BCD bytes."""
_AMOUNT: Final = 5
_METER: Final = 9


class Status(IntEnum):
    """The status of a transfer (sas.md §1.3)."""

    FULL = 0x00
    PARTIAL = 0x01
    PENDING = 0x40
    CANCELLED = 0x80
    NOT_UNIQUE = 0x81
    NOT_VALID = 0x82
    AMOUNT = 0x83
    OVER_LIMIT = 0x84
    DENOMINATION = 0x85
    NOT_NOW = 0x87
    NOT_REGISTERED = 0x88
    KEY = 0x89
    RECEIPT_PRINTER = 0x90
    ASSET = 0x93
    NOT_LOCKED = 0x94
    ID = 0x95
    INCOMPATIBLE = 0xC0
    UNSUPPORTED_CODE = 0xC1
    NO_INFORMATION = 0xFF


class Flags(IntFlag):
    """The flags of a transfer (sas.md §1.1)."""

    CASH_OUT = 0x02
    LOCK_AFTER = 0x10
    ONLY_LOCKED = 0x40
    RECEIPT = 0x80


class Amounts(msgspec.Struct, frozen=True):
    """Cents by kind of credit."""

    cashable: int = 0
    restricted: int = 0
    nonrestricted: int = 0

    def encode(self) -> bytes:
        """Return the three amounts, five BCD bytes each."""
        return b"".join(bcd(each, _AMOUNT) for each in (self.cashable, self.restricted, self.nonrestricted))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Decode three amounts from 15 bytes; raise `ValueError` for invalid BCD."""
        return cls(*(from_bcd(data[at : at + _AMOUNT]) for at in range(0, 3 * _AMOUNT, _AMOUNT)))


class TransferRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Poll 72 that starts a transfer.

    `amounts` is None for invalid BCD. `expiration` and `pool` are kept as received (sas.md §8); `lock_timeout` is empty
    if the host sends none.
    """

    code: int
    index: int = 0
    kind: int
    amounts: Amounts | None
    raw_amounts: bytes
    flags: int
    asset: int
    key: bytes
    id: bytes
    expiration: bytes = bytes(4)
    pool: bytes = bytes(2)
    receipt: bytes = b""
    lock_timeout: bytes = b""

    def encode(self, address: int) -> Poll:
        """Return the poll."""
        data = b"".join(
            (
                bytes((self.code, self.index, self.kind)),
                self.raw_amounts,
                bytes((self.flags,)),
                self.asset.to_bytes(ASSET_BYTES, "little"),
                self.key,
                bytes((len(self.id),)),
                self.id,
                self.expiration,
                self.pool,
                bytes((len(self.receipt),)),
                self.receipt,
                self.lock_timeout,
            )
        )
        return Poll(address, TRANSFER, bytes((len(data),)) + data)


class TransferQuery(msgspec.Struct, frozen=True):
    """Poll 72 that moves nothing: `CANCEL`, `INTERROGATE` or `INTERROGATE_AND_CLOSE`; `index` is the history's."""

    code: int
    index: int = 0

    def encode(self, address: int) -> Poll:
        """Return the poll."""
        data = bytes((self.code,)) if self.code == CANCEL else bytes((self.code, self.index))
        return Poll(address, TRANSFER, bytes((len(data),)) + data)


_HEAD_BYTES: Final = 3 + 3 * _AMOUNT + 1 + ASSET_BYTES + KEY_BYTES + 1
"""From the code to the byte for the id's length."""
_TAIL_BYTES: Final = 4 + 2 + 1
"""Expiration, pool, and the byte for the receipt's length."""
_TIMEOUT_BYTES: Final = 2


def read_transfer(poll: Poll) -> TransferRequest | TransferQuery:
    """Decode poll 72; raise `WireError` if its length fields are inconsistent."""
    data = poll.counted
    if data[:1] and data[0] in (CANCEL, INTERROGATE, INTERROGATE_AND_CLOSE):
        return TransferQuery(data[0], data[1] if len(data) > 1 else 0)
    if len(data) < _HEAD_BYTES:
        raise WireError(f"SAS poll {poll}: too short for a transfer")
    ends = _HEAD_BYTES + data[_HEAD_BYTES - 1]
    receipt = ends + _TAIL_BYTES
    if len(data) < receipt:
        raise WireError(f"SAS poll {poll}: ends within its transaction id")
    lock = receipt + data[receipt - 1]
    if len(data) not in (lock, lock + _TIMEOUT_BYTES):
        raise WireError(f"SAS poll {poll}: {len(data)} bytes, where its parts have {lock}")
    amounts: Amounts | None
    try:
        amounts = Amounts.decode(data[3:18])
    except ValueError:
        amounts = None
    return TransferRequest(
        code=data[0],
        index=data[1],
        kind=data[2],
        amounts=amounts,
        raw_amounts=data[3:18],
        flags=data[18],
        asset=int.from_bytes(data[19:23], "little"),
        key=data[23:43],
        id=data[_HEAD_BYTES:ends],
        expiration=data[ends : ends + 4],
        pool=data[ends + 4 : ends + 6],
        receipt=data[receipt:lock],
        lock_timeout=data[lock:],
    )


class TransferAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The long answer to poll 72; `at` is date (MMDDYYYY) and time (HHMMSS) as seven BCD bytes."""

    position: int
    status: int
    receipt: int = NO_RECEIPT
    kind: int
    amounts: Amounts
    flags: int
    asset: int
    id: bytes
    at: bytes
    expiration: bytes = bytes(4)
    pool: bytes = bytes(2)
    totals: Amounts = Amounts()

    def encode(self, address: int) -> bytes:
        """Return the frame; each total takes nine BCD bytes, as on the wire."""
        data = b"".join(
            (
                bytes((self.position, self.status, self.receipt, self.kind)),
                self.amounts.encode(),
                bytes((self.flags,)),
                self.asset.to_bytes(ASSET_BYTES, "little"),
                bytes((len(self.id),)),
                self.id,
                self.at,
                self.expiration,
                self.pool,
                *(
                    bytes((_METER,)) + bcd(each, _METER)
                    for each in (self.totals.cashable, self.totals.restricted, self.totals.nonrestricted)
                ),
            )
        )
        return counted_answer(address, TRANSFER, data)


def short_answer(address: int, position: int, status: int) -> bytes:
    """Return the short answer to poll 72, without a transfer."""
    return counted_answer(address, TRANSFER, bytes((position, status)))


READY, REGISTERED, NOT_REGISTERED = 0x00, 0x01, 0x80
"""The states of a registration, which are also request codes."""


class Registration(msgspec.Struct, frozen=True):
    """Poll 73 in its long form, or its answer; `code` is the request or the state."""

    code: int
    asset: int
    key: bytes = NO_KEY
    pos: int = 0

    @property
    def data(self) -> bytes:
        """The data without its length byte."""
        asset, pos = (each.to_bytes(4, "little") for each in (self.asset, self.pos))
        return bytes((self.code,)) + asset + self.key + pos

    def encode(self, address: int) -> bytes:
        """Return the frame, which poll and answer have in common."""
        return counted_answer(address, REGISTER, self.data)


def read_registration(poll: Poll) -> Registration | int:
    """Decode poll 73, its short form as the code; raise `WireError` for a wrong length."""
    data = poll.counted
    if len(data) == 1:
        return data[0]
    if len(data) != 1 + 4 + KEY_BYTES + 4:
        raise WireError(f"SAS poll {poll}: {len(data)} bytes, a registration has 1 or 29")
    return Registration(data[0], int.from_bytes(data[1:5], "little"), data[5:25], int.from_bytes(data[25:29], "little"))


LOCK_NOW, LOCK_CANCEL = 0x00, 0x80
"""The codes of poll 74."""
LOCKED, LOCK_PENDING, NOT_LOCKED = 0x00, 0x40, 0xFF
"""The states of a lock."""


class Condition(IntFlag):
    """Directions of transfers that a lock allows or that are available (sas.md §1.5)."""

    IN = 0x01
    OUT = 0x02


class LockRequest(msgspec.Struct, frozen=True):
    """Poll 74: code, conditions, and the lock timeout in hundredths of a second."""

    code: int
    conditions: int
    timeout: int

    def encode(self, address: int) -> Poll:
        """Return the poll."""
        return Poll(address, LOCK, bytes((self.code, self.conditions)) + bcd(self.timeout, 2))


def read_lock(poll: Poll) -> LockRequest:
    """Decode poll 74; raise `WireError` for a timeout with invalid BCD."""
    try:
        return LockRequest(poll.data[0], poll.data[1], from_bcd(poll.data[2:4]))
    except ValueError as error:
        raise WireError(f"SAS poll {poll}: {error}") from error


class LockAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to poll 74; amounts are in cents, `limit_cents` is the maximum of one transfer."""

    asset: int
    lock: int
    available: int
    cash_out: int
    status: int
    history: int
    amounts: Amounts
    limit_cents: int
    expiration: bytes = bytes(4)
    pool: bytes = bytes(2)

    def encode(self, address: int) -> bytes:
        """Return the frame."""
        data = b"".join(
            (
                self.asset.to_bytes(ASSET_BYTES, "little"),
                bytes((self.lock, self.available, self.cash_out, self.status, self.history)),
                self.amounts.encode(),
                bcd(self.limit_cents, _AMOUNT),
                self.expiration,
                self.pool,
            )
        )
        return counted_answer(address, LOCK, data)
