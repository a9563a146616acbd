"""Cashless transfers with a host: polls 72, 73 and 74 (sas.md, section 1).

A transfer is one transaction: the credit, the history row and the exception that reports it. No other transfer begins
until the host has the result (72 with code FF). So credit moves exactly once, even if frames are lost or the power
fails. Only in-house transfers of cashable credit are supported.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from controller.features.sas import queue as host_queue
from controller.features.sas import state
from controller.features.sas import transfers as host_transfers
from controller.features.sas.answers import Answer, Arrival, Handlers, Plain, Report, refused
from controller.features.sas.hosted import Hosted
from controller.features.sas.lock import Lock
from controller.features.sas.reminders import Reminder
from controller.features.sas.state import Refused, Registration, host_at, record_act
from controller.features.sas.transfers import Transfer
from controller.journal import money
from controller.journal.actor import acting
from controller.journal.errors import RefusedError
from controller.journal.receipt import Receipt
from controller.journal.transaction import Transaction
from drivers.sas import transfers
from drivers.sas.exceptions import Code
from drivers.sas.frames import Poll
from drivers.sas.transfers import (
    IN_HOUSE_IN,
    IN_HOUSE_OUT,
    LOCK_CANCEL,
    LOCK_NOW,
    LOCKED,
    LONGEST_ID,
    MOST_CENTS,
    NO_KEY,
    NOT_REGISTERED,
    PARTIAL_ALLOWED,
    READY,
    REGISTERED,
    Amounts,
    Condition,
    Flags,
    LockAnswer,
    Status,
    TransferAnswer,
    TransferQuery,
    TransferRequest,
)

_PARTIAL_TO_HOST, _REGISTERED, _IN_HOUSE, _ANY = 0x02, 0x08, 0x10, 0x80
"""Status bits of the answer to 74."""
_PRINTABLE: Final = range(0x20, 0x7F)


class Cashless:
    """One host's transfers. A cabinet without an asset number answers none of the three polls."""

    def __init__(self, hosted: Hosted, look: Callable[[], None]) -> None:
        self.lock = Lock(hosted, look)
        self._hosted = hosted
        self._read: set[str] = set()
        """The ids of transfers whose result the host has read but whose closing is not yet durable."""
        self.handlers: Handlers = (
            {transfers.TRANSFER: self._transfer, transfers.REGISTER: self._register, transfers.LOCK: self._lock}
            if hosted.settings.asset
            else {}
        )
        self.reminders = (
            Reminder(Code.TRANSFER_COMPLETE, self._unread_transfer),
            Reminder(Code.GAME_LOCKED, lambda: self.lock.held),
        )

    def _unread_transfer(self) -> int | None:
        """Return the time of the newest transfer if the host has not read its result, else None."""
        newest = self._hosted.now.transfers.get(self._hosted.name)
        return newest.at_ms if newest is not None and self._is_open(newest) else None

    def _is_open(self, done: Transfer) -> bool:
        return not done.closed and done.transaction_id not in self._read

    # 73

    async def _register(self, poll: Poll) -> Answer:
        hosted, asked = self._hosted, transfers.read_registration(poll)
        code = asked if isinstance(asked, int) else asked.code
        if code not in (READY, REGISTERED, NOT_REGISTERED):
            return Plain(self._registration_answer(hosted.now.registrations.get(hosted.name)))
        if not hosted.may("transfers"):
            return refused(hosted.address)
        kept = await self._keep(self._registered(code, asked))
        return Report(self._registration_answer(kept.result), kept)

    def _registration_answer(self, kept: Registration | None) -> bytes:
        status = NOT_REGISTERED if kept is None else kept.status
        key, pos = (NO_KEY, 0) if kept is None else (bytes.fromhex(kept.key) or NO_KEY, kept.pos)
        return transfers.Registration(status, self._hosted.settings.asset, key, pos).encode(self._hosted.address)

    def _registered(self, code: int, asked: transfers.Registration | int) -> Registration | None:
        """Return the requested registration, or None if it is not allowed."""
        if code == NOT_REGISTERED:
            return Registration(NOT_REGISTERED)
        if isinstance(asked, int) or asked.asset != self._hosted.settings.asset:
            return None
        if code == READY:
            return Registration(READY)
        kept = self._hosted.now.registrations.get(self._hosted.name)
        is_ready = kept is not None and kept.status in (READY, REGISTERED)
        # A key of zeros opens nothing, so that public hosts which register with it at once may (docs/host-port.md).
        return Registration(REGISTERED, asked.key.hex(), asked.pos) if is_ready or asked.key == NO_KEY else None

    async def _keep(self, made: Registration | None) -> Receipt[Registration | None]:
        """Store a registration (None stores nothing) and return the stored one."""
        name = self._hosted.name

        def act(tx: Transaction) -> Registration | None:
            if made is not None and made != state.registration(tx, name):
                state.register(tx, name, made)
                record_act(tx, name, "registered" if made.status == REGISTERED else "unregistered")
            return state.registration(tx, name)

        return await self._hosted.parts.journal.commit(act)

    @property
    def _is_registered(self) -> bool:
        kept = self._hosted.now.registrations.get(self._hosted.name)
        return kept is not None and kept.status == REGISTERED

    def _has_key(self, key: bytes) -> bool:
        """Whether a request's key is the registered one; a key of zeros needs no registration."""
        kept = self._hosted.now.registrations.get(self._hosted.name)
        return key == NO_KEY or (self._is_registered and kept is not None and kept.key == key.hex())

    # 74

    async def _lock(self, poll: Poll) -> Answer:
        hosted, asked = self._hosted, transfers.read_lock(poll)
        wanted = asked.conditions & (Condition.IN | Condition.OUT)
        if asked.code == LOCK_NOW and wanted == asked.conditions and wanted and hosted.may("transfers"):
            await self.lock.ask(asked.timeout / 100)
        elif asked.code in (LOCK_NOW, LOCK_CANCEL):
            self.lock.release()
        held, frame = self.lock.held, self._lock_answer().encode(hosted.address)
        return Plain(frame) if held is None else Report(frame, held)

    def _lock_answer(self) -> LockAnswer:
        hosted = self._hosted
        allowed = hosted.may("transfers")
        status = (_PARTIAL_TO_HOST | _IN_HOUSE | _ANY) if allowed else 0
        return LockAnswer(
            asset=hosted.settings.asset,
            lock=self.lock.state,
            available=Condition.IN | Condition.OUT if allowed and self.lock.is_free else 0,
            cash_out=0,
            status=status | (_REGISTERED if self._is_registered else 0),
            history=host_transfers.POSITIONS,
            amounts=Amounts(cashable=min(hosted.figures.credit_cents, MOST_CENTS)),
            limit_cents=min(hosted.settings.transfer_limit_cents, MOST_CENTS),
        )

    # 72

    async def _transfer(self, poll: Poll) -> Answer:
        asked = transfers.read_transfer(poll)
        if isinstance(asked, TransferQuery):
            return await self._interrogated(asked)
        refusal = self._refusal(asked)
        if refusal is None:
            try:
                moved = await self._move(asked)
            except RefusedError:
                refusal = Status.NOT_NOW
            else:
                if isinstance(moved.result, Transfer):
                    return Report(self._done_answer(moved.result), moved)
                refusal = moved.result
        if refusal is Status.INCOMPATIBLE:  # the unread transfer stays the current one
            return Plain(transfers.short_answer(self._hosted.address, 0, refusal))
        made = self._refused(asked, refusal)
        kept = await self._hosted.parts.journal.commit(lambda tx: state.refuse(tx, self._hosted.name, made))
        return Report(self._refused_answer(made), kept)

    def _refusal(self, asked: TransferRequest) -> Status | None:
        """Return why a transfer is refused, or None if only its amount remains to be checked (sas.md, section 1.3)."""
        return next((status for is_wrong, status in self._checks(asked) if is_wrong), None)

    def _checks(self, asked: TransferRequest) -> Iterator[tuple[bool, Status]]:
        """Yield (applies, reason) pairs in order of priority."""
        hosted, amounts = self._hosted, asked.amounts or Amounts()
        newest = hosted.now.transfers.get(hosted.name)
        known = newest is not None and newest.transaction_id.encode("ascii") == asked.id
        yield newest is not None and self._is_open(newest), Status.INCOMPATIBLE
        yield asked.code not in (transfers.FULL_ONLY, PARTIAL_ALLOWED), Status.UNSUPPORTED_CODE
        yield asked.asset != hosted.settings.asset, Status.ASSET
        yield asked.amounts is None, Status.AMOUNT
        yield asked.kind not in (IN_HOUSE_IN, IN_HOUSE_OUT) or bool(asked.index), Status.NOT_VALID
        yield not hosted.may("transfers"), Status.NOT_VALID
        yield not amounts.cashable or bool(amounts.restricted or amounts.nonrestricted), Status.NOT_VALID
        printable = all(byte in _PRINTABLE for byte in asked.id)
        yield not (0 < len(asked.id) <= LONGEST_ID and printable), Status.ID
        yield known, Status.NOT_UNIQUE
        yield not self._has_key(asked.key), Status.KEY
        yield bool(asked.flags & Flags.RECEIPT), Status.RECEIPT_PRINTER
        yield bool(asked.flags & Flags.ONLY_LOCKED) and self.lock.state != LOCKED, Status.NOT_LOCKED
        yield not self.lock.is_free, Status.NOT_NOW

    def _cents(self, asked: TransferRequest, credit_cents: int, coming_cents: int) -> int | Status:
        """Return how many cents of the requested amount can be moved, or the status that explains why none can.

        `coming_cents` is the value of a note or ticket that is being stacked; it counts against the credit limit.
        """
        hosted = self._hosted
        wanted = asked.amounts.cashable if asked.amounts is not None else 0
        limit, most_credit = hosted.settings.transfer_limit_cents, hosted.config.limits.credit_cents
        room = most_credit - credit_cents - coming_cents if asked.kind == IN_HOUSE_IN else credit_cents
        denomination, in_part = hosted.settings.denomination_cents, asked.code == PARTIAL_ALLOWED
        most = max(0, min(wanted, limit, room))
        if most < wanted and not (in_part and most >= denomination):
            return Status.NOT_NOW if asked.kind == IN_HOUSE_OUT and wanted <= limit else Status.OVER_LIMIT
        rest = most % denomination
        return Status.DENOMINATION if rest and (most < denomination or not in_part) else most - rest

    async def _move(self, asked: TransferRequest) -> Receipt[Transfer | Status]:
        """Move the credit, or return why the amount cannot be moved; raise `RefusedError` if play began in between."""
        hosted = self._hosted
        with acting(host_at(hosted.name)):
            done = await hosted.parts.journal.commit(lambda tx: self._moved(tx, asked))
        if isinstance(done.result, Transfer):
            if not asked.flags & Flags.LOCK_AFTER:
                self.lock.release()
            hosted.parts.states.money_came()
        return done

    def _moved(self, tx: Transaction, asked: TransferRequest) -> Transfer | Status:
        """Move the credit in this transaction and queue the exception, or return why the amount cannot be moved."""
        name, transaction = self._hosted.name, asked.id.decode("ascii")
        if host_transfers.is_known(tx, name, transaction):
            return Status.NOT_UNIQUE
        cents = self._cents(asked, tx.credit_cents, money.coming_cents(tx))
        if isinstance(cents, Status):
            return cents
        wanted = asked.amounts.cashable if asked.amounts is not None else 0
        planned = Transfer(
            position=0,
            transaction_id=transaction,
            kind=asked.kind,
            status=Status.FULL if cents == wanted else Status.PARTIAL,
            cents=cents,
            asked_cents=wanted,
            flags=asked.flags,
            expiration=asked.expiration.hex(),
            pool=asked.pool.hex(),
            total_cents=0,
            at_ms=0,
        )
        done = host_transfers.move(tx, name, planned, into=asked.kind == IN_HOUSE_IN)
        host_queue.queue(tx, name, Code.TRANSFER_COMPLETE, priority=True, overflow=Code.OVERFLOW)
        state.forget_refused(tx, name)
        return done

    async def _interrogated(self, asked: TransferQuery) -> Answer:
        """Answer with a transfer from the history, or with the result of the newest request.

        Code FF closes the newest transfer once the host has the answer.
        """
        hosted, name = self._hosted, self._hosted.name
        refusal = hosted.now.refused.get(name)
        if asked.index:
            found = await hosted.parts.journal.attempt(lambda tx: host_transfers.at_position(tx, name, asked.index))
        elif refusal is not None:
            return Plain(self._refused_answer(refusal))
        else:
            found = hosted.now.transfers.get(name)
        if found is None:
            return Plain(transfers.short_answer(hosted.address, 0, Status.NO_INFORMATION))
        closes = not asked.index and not found.closed and asked.code == transfers.INTERROGATE_AND_CLOSE
        return Plain(self._done_answer(found), self._reading(found) if closes else None)

    def _reading(self, done: Transfer) -> Arrival:
        """Return a callback that closes a transfer; until that is durable, it already counts as closed."""

        async def arrived() -> None:
            self._read.add(done.transaction_id)
            try:
                await self._hosted.parts.journal.attempt(lambda tx: host_transfers.close(tx, self._hosted.name))
            finally:
                self._read.discard(done.transaction_id)

        return arrived

    def _done_answer(self, done: Transfer) -> bytes:
        hosted = self._hosted
        return TransferAnswer(
            position=done.position,
            status=done.status,
            kind=done.kind,
            amounts=Amounts(cashable=done.cents),
            flags=done.flags,
            asset=hosted.settings.asset,
            id=done.transaction_id.encode("ascii"),
            at=_date_time(done.at_ms),
            expiration=bytes.fromhex(done.expiration),
            pool=bytes.fromhex(done.pool),
            totals=Amounts(cashable=done.total_cents),
        ).encode(hosted.address)

    def _refused(self, asked: TransferRequest, status: Status) -> Refused:
        return Refused(
            status=status,
            kind=asked.kind,
            flags=asked.flags,
            id=asked.id[:LONGEST_ID].hex(),  # a longer id is invalid and may not fit into the answer
            expiration=asked.expiration.hex(),
            pool=asked.pool.hex(),
            at_ms=self._hosted.clock.wall_ms(),
        )

    def _refused_answer(self, refused: Refused) -> bytes:
        return TransferAnswer(
            position=0,
            status=refused.status,
            kind=refused.kind,
            amounts=Amounts(),
            flags=refused.flags,
            asset=self._hosted.settings.asset,
            id=bytes.fromhex(refused.id),
            at=_date_time(refused.at_ms),
            expiration=bytes.fromhex(refused.expiration),
            pool=bytes.fromhex(refused.pool),
        ).encode(self._hosted.address)


def _date_time(at_ms: int) -> bytes:
    """Return a time as seven BCD bytes of local date and time."""
    return bytes.fromhex(datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%m%d%Y%H%M%S"))
