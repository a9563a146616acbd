"""The commands and events of a payout device: SMART Hopper and note recycler alike (GA138, pages 92 to 125, 233 on).

Below protocol version 6 an amount has no currency: the version that the host has set (06) decides the frame format, and
a frame of another length is answered with F3.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from drivers.simulated.ssp.device import SspDevice
from drivers.simulated.ssp.encryption import Encryption
from drivers.simulated.ssp.frames import Command, Event, Reply
from drivers.simulated.ssp.payout_store import TO_CASHBOX, Happening, Kind, Operation, PayoutStore, Step, exactly

TEST, REAL = 0x19, 0x58
"""The last byte of a payout or float from protocol version 6 on: only test it, or carry it out."""
NOT_ENOUGH, NOT_EXACT, BUSY, DISABLED = 1, 2, 3, 4
"""The reasons for a refused payout (page 96); a route or level of another currency is also refused with 2 (page 92)."""

WITH_CURRENCY: Final = 6
"""The first protocol version in which amounts carry their currency."""
PROTOCOLS: Final = range(1, 9)
FIRST_PROTOCOL: Final = 4

BARE_VALUE: Final = frozenset(
    {
        Event.TO_STACKER,
        Event.TO_STACKER_AT_RESET,
        Event.TO_STORE_AT_RESET,
        Event.DISPENSED_AT_RESET,
        Event.HELD_IN_BEZEL,
    }
)
"""The events about one note: they have no count of currencies before the value (pages 261 to 265)."""
KEPT_OVER_CUTS: Final = frozenset({Event.INCOMPLETE_PAYOUT, Event.INCOMPLETE_FLOAT, *BARE_VALUE})
SAID_ONCE: Final = frozenset({Event.STORE_REMOVED, Event.STORE_ATTACHED})
"""The events without money, which need no acknowledgement."""
UNKNOWN_PIECES: Final = bytes(4)
MOST_EVENTS: Final = 10
"""How many events fit into one reply; the others wait for the next poll."""

_AMOUNT, _COUNT, _CURRENCY = 4, 2, 3
_PIECE: Final = _COUNT + _AMOUNT + _CURRENCY


class RefusedError(Exception):
    """A refused command: it is answered with `reply` and not carried out."""

    def __init__(self, *reply: int) -> None:
        super().__init__(bytes(reply).hex(" "))
        self.reply = bytes(reply)


class _Amount(NamedTuple):
    cents: int
    real: bool


class PayoutDevice(SspDevice):
    """The payout part of a device: the subclass builds `store`, and `_may_pay` says whether payouts are enabled."""

    store: PayoutStore
    keeps_events = False
    """Whether unreported events of a finished operation are kept through a power cut."""

    def __init__(self, address: int, encryption: Encryption, currency: str) -> None:
        SspDevice.__init__(self, address, encryption)
        self.pays_in = currency.encode()
        self.protocol = FIRST_PROTOCOL
        self._happenings: list[Happening] = []
        self._reported: list[Happening] = []

    def _may_pay(self) -> bool:
        """Whether payouts are enabled."""
        raise NotImplementedError

    def _may_reset_key(self) -> bool:
        return not self.store.stock

    def happened(self, happening: Happening) -> None:
        """Queue an event for the next poll."""
        self._happenings.append(happening)

    def _cut_payout(self) -> None:
        """Lose power, in the middle of an operation too."""
        self.store.cut()
        self.protocol = FIRST_PROTOCOL
        pending = [*self._reported, *self._happenings]
        self._reported = []
        self._happenings = [one for one in pending if self.keeps_events or one.event in KEPT_OVER_CUTS]

    def _start_payout(self) -> None:
        """Clear the payout path, and report an operation that a power cut ended."""
        self._happenings += self.store.start()

    # The answer to a poll.

    def _payout_events(self, *, keep: bool) -> bytes:
        """Return the events since the last poll, then the running operation; with `keep` the events are repeated."""
        pending = [*self._reported, *self._happenings]
        events, self._happenings = pending[:MOST_EVENTS], pending[MOST_EVENTS:]
        self._reported = [one for one in events if keep and one.event not in SAID_ONCE]
        self._credits = self._credits or bool(events)
        operation = self.store.operation
        going_on = [] if operation is None else self._progress(operation)
        return b"".join(self._said(one) for one in (*events, *going_on))

    def _progress(self, operation: Operation) -> list[Happening]:
        event = operation.kind.value[0]
        hangs = [Happening(Event.HELD_IN_BEZEL, operation.pieces[0])] if operation.step is Step.IN_BEZEL else []
        return [*hangs, Happening(event, None if event is Event.EMPTYING else operation.moved_cents)]

    def _acknowledge_payout(self) -> None:
        self._reported = []

    def _said(self, happening: Happening) -> bytes:
        event, cents, requested, code = happening
        if cents is None:
            return bytes((event,))
        amounts = b"".join(one.to_bytes(_AMOUNT, "little") for one in (cents, requested) if one is not None)
        why = b"" if code is None else bytes((code,))
        if self.protocol < WITH_CURRENCY:
            return bytes((event,)) + amounts + why
        return bytes((event, *([] if event in BARE_VALUE else [1]))) + amounts + self.pays_in + why

    # The commands.

    def _payout_command(self, command: int, data: bytes) -> bytes | None:
        """Carry out a payout command and return the reply; return None for any other command."""
        commands: dict[int, Callable[[bytes], bytes]] = {
            Command.PROTOCOL_VERSION: self._set_protocol,
            Command.PAYOUT_AMOUNT: self._pay_amount,
            Command.PAYOUT_BY_DENOMINATION: self._pay_pieces,
            Command.FLOAT_AMOUNT: self._float_amount,
            Command.FLOAT_BY_DENOMINATION: self._float_pieces,
            Command.HALT: self._halt,
            Command.EMPTY: lambda bare: self._empty(bare, Kind.EMPTY),
            Command.SMART_EMPTY: lambda bare: self._empty(bare, Kind.SMART_EMPTY),
            Command.SET_LEVEL: self._set_level,
            Command.LEVEL: self._level,
            Command.ALL_LEVELS: self._all_levels,
            Command.SET_ROUTE: self._set_route,
            Command.ROUTE: self._route_of,
            Command.LEAST_PAYOUT: self._least,
            Command.CASHBOX_OPERATION: self._last_operation,
        }
        if command not in commands:
            return None
        try:
            return bytes((Reply.OK,)) + commands[command](data)
        except RefusedError as refusal:
            return refusal.reply

    def _set_protocol(self, data: bytes) -> bytes:
        if len(data) != 1:
            raise RefusedError(Reply.WRONG_PARAMETERS)
        if data[0] not in PROTOCOLS:
            raise RefusedError(Reply.FAIL)
        self.protocol = data[0]
        return b""

    def _pay_amount(self, data: bytes) -> bytes:
        amount = self._amount(data)
        self._require_ready()
        pieces = self._pieces_for(amount.cents)
        if amount.real:
            self.store.begin(Operation(Kind.PAYOUT, pieces, amount.cents))
        return b""

    def _pay_pieces(self, data: bytes) -> bytes:
        pieces, real = self._pieces(data)
        self._require_ready()
        payable = self.store.payable()
        if any(pieces.count(value) > payable[value] for value in pieces):
            raise RefusedError(Reply.CANNOT_BE_PROCESSED, NOT_ENOUGH)
        if real:
            self.store.begin(Operation(Kind.PAYOUT, pieces, sum(pieces)))
        return b""

    def _float_amount(self, data: bytes) -> bytes:
        self._require(len(data) >= _COUNT, Reply.WRONG_PARAMETERS)
        least = int.from_bytes(data[:_COUNT], "little")
        amount = self._amount(data[_COUNT:])
        self._require_ready()
        kept = self._pieces_for(amount.cents)
        if least and min(kept) > least:
            kept = self._with_change(amount.cents, least)
        return self._float_to(kept, real=amount.real)

    def _with_change(self, cents: int, least: int) -> list[int]:
        """Return pieces worth `cents`, one of which is worth `least` or less (GA138, page 102)."""
        payable = self.store.payable()
        change = [value for value in payable if payable[value] and value <= min(least, cents)]
        for small in sorted(change, reverse=True):
            rest = exactly(cents - small, {**payable, small: payable[small] - 1})
            if rest or small == cents:
                return [small, *(rest or ())]
        raise RefusedError(Reply.CANNOT_BE_PROCESSED, NOT_EXACT)

    def _float_pieces(self, data: bytes) -> bytes:
        kept, real = self._pieces(data)
        self._require_ready()
        if any(kept.count(value) > self.store.levels[value] for value in kept):
            raise RefusedError(Reply.CANNOT_BE_PROCESSED, NOT_ENOUGH)
        return self._float_to(kept, real=real)

    def _float_to(self, kept: Sequence[int], *, real: bool) -> bytes:
        levels = self.store.levels
        moved = [value for value in self.store.values_cents for _ in range(levels[value] - kept.count(value))]
        if real:
            self.store.begin(Operation(Kind.FLOAT, moved, sum(moved)))
        return b""

    def _halt(self, data: bytes) -> bytes:
        self._require(not data, Reply.WRONG_PARAMETERS)
        self._require(self.store.operation is not None, Reply.CANNOT_BE_PROCESSED)
        self.store.halt()
        return b""

    def _empty(self, data: bytes, kind: Kind) -> bytes:
        self._require(not data, Reply.WRONG_PARAMETERS)
        self._require_ready()
        pieces = [value for value in self.store.values_cents for _ in range(self.store.held[value])]
        self.store.begin(Operation(kind, pieces, sum(pieces)))
        return b""

    def _set_level(self, data: bytes) -> bytes:
        # without a currency the value has two bytes (page 98)
        size = _AMOUNT + _CURRENCY if self.protocol >= WITH_CURRENCY else 2
        self._require(len(data) == _COUNT + size, Reply.WRONG_PARAMETERS)
        value = self._denomination(data[_COUNT:])
        count = int.from_bytes(data[:_COUNT], "little")
        self.store.levels[value] = self.store.levels[value] + count if count else 0
        return b""

    def _level(self, data: bytes) -> bytes:
        self._require_denomination(data)
        return self.store.levels[self._denomination(data)].to_bytes(_COUNT, "little")

    def _all_levels(self, data: bytes) -> bytes:
        self._require(not data, Reply.WRONG_PARAMETERS)
        return self._table(self.store.levels)

    def _set_route(self, data: bytes) -> bytes:
        self._require(bool(data), Reply.WRONG_PARAMETERS)
        self._require_denomination(data[1:])
        self._require(data[0] <= TO_CASHBOX, Reply.OUT_OF_RANGE)
        self.store.routes[self._denomination(data[1:])] = data[0]
        return b""

    def _route_of(self, data: bytes) -> bytes:
        self._require_denomination(data)
        return bytes((self.store.routes[self._denomination(data)],))

    def _least(self, data: bytes) -> bytes:
        named = self.pays_in if self.protocol >= WITH_CURRENCY else b""
        self._require(data == named, Reply.WRONG_PARAMETERS)
        values = [value for value, count in self.store.payable().items() if count]
        return min(values, default=0).to_bytes(_AMOUNT, "little")

    def _last_operation(self, data: bytes) -> bytes:
        self._require(not data, Reply.WRONG_PARAMETERS)
        return self._table(self.store.last_boxed) + UNKNOWN_PIECES

    # Reading and refusing.

    def _require(self, holds: bool, *reply: int) -> None:  # noqa: FBT001 - reads as a sentence
        if not holds:
            raise RefusedError(*reply)

    def _require_ready(self) -> None:
        self._require(self._may_pay(), Reply.CANNOT_BE_PROCESSED, DISABLED)
        self._require(self.store.operation is None, Reply.CANNOT_BE_PROCESSED, BUSY)

    def _require_denomination(self, data: bytes) -> None:
        size = _AMOUNT + (_CURRENCY if self.protocol >= WITH_CURRENCY else 0)
        self._require(len(data) == size, Reply.WRONG_PARAMETERS)

    def _denomination(self, data: bytes) -> int:
        """Read a value and, if present, its currency."""
        currency = data[_AMOUNT:] if len(data) > _AMOUNT else self.pays_in
        value = int.from_bytes(data[:_AMOUNT], "little")
        known = currency == self.pays_in and value in self.store.values_cents
        self._require(known, Reply.CANNOT_BE_PROCESSED, NOT_EXACT)
        return value

    def _amount(self, data: bytes) -> _Amount:
        cents = int.from_bytes(data[:_AMOUNT], "little")
        if self.protocol < WITH_CURRENCY:
            self._require(len(data) == _AMOUNT, Reply.WRONG_PARAMETERS)
            return _Amount(cents, real=True)
        self._require(len(data) == _AMOUNT + _CURRENCY + 1, Reply.WRONG_PARAMETERS)
        self._require(data[-1] in {TEST, REAL}, Reply.OUT_OF_RANGE)
        self._require(data[_AMOUNT:-1] == self.pays_in, Reply.CANNOT_BE_PROCESSED, NOT_EXACT)
        return _Amount(cents, real=data[-1] == REAL)

    def _pieces(self, data: bytes) -> tuple[list[int], bool]:
        """Read the number of pieces of each denomination, and whether to carry out or only test (page 106)."""
        self._require(len(data) > 1 and len(data) == 2 + data[0] * _PIECE, Reply.WRONG_PARAMETERS)
        self._require(data[-1] in {TEST, REAL}, Reply.OUT_OF_RANGE)
        pieces: list[int] = []
        for start in range(1, len(data) - 1, _PIECE):
            value = self._denomination(data[start + _COUNT : start + _PIECE])
            pieces += [value] * int.from_bytes(data[start : start + _COUNT], "little")
        return pieces, data[-1] == REAL

    def _pieces_for(self, cents: int) -> list[int]:
        payable = self.store.payable()
        worth = sum(value * count for value, count in payable.items())
        self._require(cents <= worth, Reply.CANNOT_BE_PROCESSED, NOT_ENOUGH)
        pieces = exactly(cents, payable)
        if not pieces:
            raise RefusedError(Reply.CANNOT_BE_PROCESSED, NOT_EXACT)
        return pieces

    def _table(self, counts: dict[int, int]) -> bytes:
        values = self.store.values_cents
        rows = (
            counts.get(value, 0).to_bytes(_COUNT, "little") + value.to_bytes(_AMOUNT, "little") + self.pays_in
            for value in values
        )
        return bytes((len(values),)) + b"".join(rows)
