"""Tickets validated by a host (sas.md, section 2): the host gives the numbers and decides what a ticket is worth.

A ticket's number is durable before the host is told that it was accepted (58). The order to stack a ticket is durable
before the host is told that it is pending (71). Records and results stay until the answer with them has reached the
host. So after a power cut a ticket has value on one side only. Codes such as (58) are those of SAS long polls and
exceptions, in hexadecimal.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

from controller.configuration.tickets import tickets_of
from controller.features.sas import queue as host_queue
from controller.features.sas import state
from controller.features.sas import tickets as host_tickets
from controller.features.sas.answers import Answer, Arrival, Handler, Handlers, Plain, Report
from controller.features.sas.events import HostEvent
from controller.features.sas.hosted import Hosted
from controller.features.sas.reminders import SOON_S, Reminder
from controller.features.sas.state import TicketTerms, host_at, record_act
from controller.features.sas.tickets import Record, Redemption
from controller.journal import tickets
from controller.journal.actor import acting
from controller.journal.receipt import Receipt
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction
from controller.machine.tickets import DAY_MS, NOT_NOW, TOO_MUCH, Tickets
from drivers.sas import tickets as wire
from drivers.sas.exceptions import Code
from drivers.sas.frames import Poll
from drivers.sas.tickets import NotTaken, Status

NUMBER_S: Final = 10.0
"""Seconds that a host has to give a ticket its number; no public source states it."""
DECISION_S: Final = 5.0
"""Seconds that a host has to decide about a ticket in escrow; no public source states it."""
NO_HOST, SILENT, DENIED, UNREAD = "host_gone", "host_silent", "host_denied", "host_unread"
"""Why a ticket was not printed or not accepted: codes of `event_words`."""
FOREIGN: Final = "ticket_foreign"
_REASONS: Final = {Status.OVER_LIMIT: TOO_MUCH, Status.NOT_NOW: NOT_NOW}


class Ticketing:
    """One host's tickets, a `controller.machine.tickets.Validator`.

    A host that does not validate can only read its unread records and result; its other ticket polls are not answered.
    """

    def __init__(self, hosted: Hosted, taking: Tickets) -> None:
        self.link_up = False
        """Whether the host polls this machine."""
        self._hosted = hosted
        self._taking = taking
        self._wanted: asyncio.Future[Receipt[Ticket] | str] | None = None
        self._wanted_cents = 0
        self._is_reported = False
        """Whether the request for a number is durable."""
        self._decision: asyncio.Future[str] | None = None
        self._deciding = asyncio.Lock()
        self._read: set[int] = set()
        """The ids of the records that the host has read but whose mark is not yet durable."""
        self.handlers: Handlers = (
            {
                wire.CASH_OUT_TICKET: self._last_ticket,
                wire.RECORD: self._record,
                wire.TOTALS: self._totals,
                wire.CASH_OUT: self._cash_out,
                wire.NUMBER: self._number,
                wire.IN_ESCROW: self._escrow,
                wire.REDEEM: self._redeem,
                wire.TERMS: self._terms,
                wire.ELEMENTS: self._elements,
                wire.TEXT: self._text,
            }
            if hosted.validates
            else {wire.RECORD: self._while_unread(self._record), wire.REDEEM: self._while_unread(self._redeem)}
        )
        self.reminders = (
            Reminder(Code.TICKET_IN_DONE, self._unread_end),
            Reminder(Code.TICKET_PRINTED, self._unread_record),
            Reminder(Code.VALIDATION_WANTED, self._unanswered, every_s=SOON_S, read_by=wire.CASH_OUT),
            Reminder(Code.TICKET_IN, self._undecided, every_s=SOON_S, read_by=wire.IN_ESCROW),
        )

    def _while_unread(self, handle: Callable[[Poll], Awaitable[Answer]]) -> Handler:
        async def answer(poll: Poll) -> Answer | None:
            is_unread = self._unread_end() is not None or self._unread_record() is not None
            return await handle(poll) if is_unread else None

        return answer

    # Reminders

    def _unread_end(self) -> int | None:
        newest = self._newest
        return newest.id if newest is not None and newest.status is not None and not newest.closed else None

    def _unread_record(self) -> int | None:
        records = self._hosted.now.records.get(self._hosted.name, ())
        return max((each.id for each in records if self._is_unread(each)), default=None)

    def _unanswered(self) -> asyncio.Future[Receipt[Ticket] | str] | None:
        return self._wanted if self._is_reported and self._wanted is not None and not self._wanted.done() else None

    def _undecided(self) -> int | None:
        newest = self._newest
        return newest.id if newest is not None and newest.state == "escrow" else None

    # Tickets out: 57, 58, 4D, 50, 3D

    @property
    def prints(self) -> bool:
        """Whether the host can give a number now and has read enough records for one more."""
        now = self._hosted.now
        unread = sum(not each.read for each in now.records.get(self._hosted.name, ()))
        return self.link_up and not now.ticket_terms.no_printing and unread < host_tickets.POSITIONS

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that the host wants printed, in order."""
        return self._hosted.now.ticket_terms.lines

    async def number(self, cents: int) -> Receipt[Ticket] | str:
        """Request a number from the host (57); return the ticket with that number (58), or why there is none."""
        if not self.prints:
            return self._without(cents, NO_HOST)
        wanted: asyncio.Future[Receipt[Ticket] | str] = asyncio.get_running_loop().create_future()
        self._wanted, self._wanted_cents = wanted, cents
        try:
            await self._hosted.parts.journal.do(lambda tx: self._queue(tx, Code.VALIDATION_WANTED))
            self._is_reported = True
            await asyncio.wait({wanted}, timeout=NUMBER_S)
            async with self._deciding:  # a number that is being accepted is still used
                given = wanted.result() if wanted.done() else SILENT
                self._wanted = None
        finally:
            self._wanted, self._is_reported = None, False
        return self._without(cents, given) if isinstance(given, str) else given

    def _without(self, cents: int, reason: str) -> str:
        if reason != DENIED:  # a denial is recorded before it is answered
            self._hosted.parts.journal.remark(
                HostEvent.TICKET_DENIED, place=self._hosted.name, amount_cents=cents, reason=reason
            )
        return reason

    def _queue(self, tx: Transaction, code: Code) -> None:
        host_queue.queue(tx, self._hosted.name, code, priority=True, overflow=Code.OVERFLOW)

    async def _cash_out(self, _poll: Poll) -> Plain:
        waits = self._wanted is not None and not self._wanted.done()
        return Plain(wire.cash_out_answer(self._hosted.address, self._wanted_cents if waits else None))

    async def _number(self, poll: Poll) -> Answer:
        async with self._deciding:
            taken = await self._take_number(wire.ticket_number(poll.data))
        if isinstance(taken, Receipt):
            return Report(wire.number_answer(self._hosted.address, wire.NUMBER_TAKEN), taken)
        return Plain(wire.number_answer(self._hosted.address, taken))

    async def _take_number(self, number: str | None) -> Receipt[object] | NotTaken:
        """Accept the host's number or denial; return the receipt of the ticket or denial, or why it is not accepted."""
        wanted, journal = self._wanted, self._hosted.parts.journal
        if wanted is None or wanted.done():
            begun = await journal.commit(tickets.open_ticket)  # the answer to an accepted number may be lost
            is_begun = begun.result is not None and begun.result.number == number
            return begun if is_begun else NotTaken.NO_CASH_OUT
        if number is None:
            return NotTaken.IMPROPER
        if number.startswith(wire.NO_SYSTEM):
            denied = await journal.commit(self._record_denial)
            if not wanted.done():
                wanted.set_result(DENIED)
            return denied
        if not number[2:].strip("0"):
            return NotTaken.IMPROPER

        def act(tx: Transaction) -> Ticket | None:
            if tickets.is_used(tx, number):
                return None
            days = self._days
            return tickets.begin(tx, lambda *_: number, expires_ms=tx.at_ms + days * DAY_MS if days else None)

        stored = await journal.commit(act)
        ticket = stored.result
        if ticket is None:
            return NotTaken.IMPROPER
        if not wanted.done():
            wanted.set_result(stored.map(lambda _: ticket))
        return stored

    def _record_denial(self, tx: Transaction) -> None:
        tx.event(HostEvent.TICKET_DENIED, place=self._hosted.name, amount_cents=self._wanted_cents, reason=DENIED)

    @property
    def _days(self) -> int:
        days = self._hosted.now.ticket_terms.days
        return tickets_of(self._hosted.config).expire_days if days is None else days

    async def _record(self, poll: Poll) -> Answer:
        """Answer with the oldest unread record, or with the record at an index."""
        function, records = poll.data[0], self._hosted.now.records.get(self._hosted.name, ())
        if function in (wire.READ_AND_MARK, wire.LOOK_AHEAD):
            found = next((each for each in records if self._is_unread(each)), None)
        else:
            found = next((each for each in records if each.position == function), None)
        if found is None:
            return Plain(wire.no_record(self._hosted.address))
        frame = _encoded(found, self._hosted.address)
        return Plain(frame, self._reading(found.id) if function == wire.READ_AND_MARK else None)

    def _is_unread(self, record: Record) -> bool:
        return not record.read and record.id not in self._read

    def _reading(self, record: int) -> Arrival:
        """Return a callback that marks a record as read; until it is durable, the next record is already reported."""

        async def arrived() -> None:
            self._read.add(record)
            try:
                await self._hosted.parts.journal.attempt(lambda tx: host_tickets.mark_read(tx, record))
            finally:
                self._read.discard(record)

        return arrived

    async def _totals(self, poll: Poll) -> Plain | None:
        kind, figures = poll.data[0], self._hosted.figures
        if kind not in wire.KINDS:
            return None
        names = {wire.CASHABLE_OUT: (tickets.OUTS, tickets.OUT), wire.CASHABLE_REDEEMED: (tickets.INS, tickets.IN)}
        count, cents = (figures[name] for name in names.get(kind, ("", "")))
        return Plain(wire.totals_answer(self._hosted.address, kind, count, cents))

    async def _last_ticket(self, _poll: Poll) -> Plain:
        records = self._hosted.now.records.get(self._hosted.name, ())
        return Plain(wire.last_ticket_answer(self._hosted.address, records[-1].cents if records else 0))

    # Tickets in: 70, 71

    @property
    def _newest(self) -> Redemption | None:
        return self._hosted.now.redemptions.get(self._hosted.name)

    async def in_escrow(self, number: str) -> str:
        """Ask the host about a ticket in escrow (67); return why it is rejected, or an empty string to stack it."""
        if self._hosted.now.ticket_terms.no_redemption:
            return NOT_NOW
        if not self.link_up:
            return NO_HOST
        if len(number) != tickets.DIGITS:
            return FOREIGN
        decision: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._decision = decision
        journal = self._hosted.parts.journal
        try:
            refused = await journal.do(lambda tx: self._begin(tx, number))
            if refused:
                return refused
            await asyncio.wait({decision}, timeout=DECISION_S)
            async with self._deciding:  # a decision that is being accepted still counts
                if decision.done():
                    return decision.result()
                self._decision = None
                await journal.do(lambda tx: self._give_up(tx, Status.TIMEOUT))
                return SILENT
        except asyncio.CancelledError:
            journal.post(lambda tx: self._give_up(tx, Status.VALIDATOR))
            raise
        finally:
            self._decision = None

    def _begin(self, tx: Transaction, number: str) -> str:
        """Record the ticket in escrow and report it; reject it at once if this cabinet knows that it is worthless."""
        own = tickets.by_number(tx, number)
        if own is not None and own.state != "printed":
            return f"ticket_{own.state}"
        if not host_tickets.begin(tx, self._hosted.name, number):
            return UNREAD
        self._queue(tx, Code.TICKET_IN)
        return ""

    def _give_up(self, tx: Transaction, status: Status) -> None:
        if host_tickets.give_up(tx, self._hosted.name, status):
            self._queue(tx, Code.TICKET_IN_DONE)

    async def _escrow(self, _poll: Poll) -> Plain:
        newest = self._newest
        held = newest.number if newest is not None and newest.state == "escrow" else None
        return Plain(wire.escrow_answer(self._hosted.address, held))

    async def _redeem(self, poll: Poll) -> Answer:
        asked = wire.read_redemption(poll)
        if asked is None:
            return self._became()
        async with self._deciding:
            return await self._decided(asked)

    def _became(self) -> Plain:
        """Answer with the newest ticket's result; once the host has it, the next ticket is accepted."""
        newest, address = self._newest, self._hosted.address
        if newest is None:
            return Plain(wire.short_redemption_answer(address, Status.NOTHING))
        ended, number = newest.status, newest.id
        frame = wire.redemption_answer(address, Status.PENDING if ended is None else ended, newest.cents, newest.number)
        if ended is None:
            return Plain(frame)
        journal = self._hosted.parts.journal
        return Plain(frame, lambda: journal.attempt(lambda tx: host_tickets.close(tx, number)))

    async def _decided(self, asked: wire.Redemption) -> Answer:
        """Accept the host's decision about the ticket in escrow; a repeated decision gets the same answer."""
        newest, address = self._newest, self._hosted.address
        if newest is not None and newest.state == "stacking" and asked.number == newest.number:
            return Plain(wire.redemption_answer(address, Status.PENDING, newest.cents, newest.number))
        decision = self._decision
        if newest is None or newest.state != "escrow" or decision is None or decision.done():
            return Plain(wire.short_redemption_answer(address, Status.INCOMPATIBLE))
        if asked.number != newest.number:
            return Plain(wire.redemption_answer(address, Status.OTHER_NUMBER, 0, newest.number))
        refusal, cents = self._refusal(asked), asked.cents or 0
        if refusal is None:
            stacked = await self._stack(cents)
            if stacked.result:
                decision.set_result("")
                frame = wire.redemption_answer(address, Status.PENDING, cents, newest.number)
                return Report(frame, stacked)
            refusal = Status.NOT_NOW
        given_up = await self._hosted.parts.journal.commit(lambda tx: self._give_up(tx, refusal))
        if not decision.done():
            decision.set_result(_REASONS.get(refusal, DENIED))
        return Report(wire.redemption_answer(address, refusal, 0, newest.number), given_up)

    def _refusal(self, asked: wire.Redemption) -> Status | None:
        """Return why the ticket is rejected by the host or the cabinet's limits, or None to stack it."""
        hosted = self._hosted
        if asked.code in wire.REJECTS:
            return Status.REJECTED
        if asked.code != wire.CASHABLE or asked.parsing != wire.PARSED_AS_BCD:
            return Status.NOT_VALID
        if not asked.cents:
            return Status.AMOUNT
        if hosted.parts.journal.credit_cents + asked.cents > hosted.config.limits.credit_cents:
            return Status.OVER_LIMIT
        if asked.cents % hosted.settings.denomination_cents:
            return Status.DENOMINATION
        return None if self._taking.takes else Status.NOT_NOW

    async def _stack(self, cents: int) -> Receipt[bool]:
        """Record the order to stack the ticket; False if it has left escrow or the credit is too high."""
        room = self._hosted.config.limits.credit_cents

        def act(tx: Transaction) -> bool:
            return tx.credit_cents + cents <= room and host_tickets.stack(tx, self._hosted.name, cents)

        with acting(host_at(self._hosted.name)):
            return await self._hosted.parts.journal.commit(act)

    # 7B to 7D

    async def _terms(self, poll: Poll) -> Answer:
        """Switch printing or redemption and set the expiry days, if permitted; answer with the current terms."""
        hosted, asked = self._hosted, wire.read_terms(poll)
        if not hosted.may("tickets") or not (asked.mask or asked.days):
            return Plain(self._terms_answer(hosted.now.ticket_terms))
        changes: dict[str, object] = {}
        if asked.mask & wire.PRINTER:
            changes["no_printing"] = not asked.states & wire.PRINTER
        if asked.mask & wire.REDEMPTION:
            changes["no_redemption"] = not asked.states & wire.REDEMPTION
        if asked.days:
            changes["days"] = 0 if asked.days == wire.NEVER_EXPIRES else asked.days
        changed = await self._change(changes)
        return Report(self._terms_answer(changed.result), changed)

    def _terms_answer(self, terms: TicketTerms) -> bytes:
        hosted, rules = self._hosted, tickets_of(self._hosted.config)
        states = wire.PRINTER if rules.pays != "nothing" and not terms.no_printing else 0
        states |= wire.REDEMPTION if rules.takes and not terms.no_redemption else 0
        days = (rules.expire_days if terms.days is None else terms.days) or wire.NEVER_EXPIRES
        return wire.terms_answer(hosted.address, asset=hosted.settings.asset, states=states, days=days)

    async def _text(self, poll: Poll) -> Answer:
        """Store the printed lines, if the host is permitted."""
        hosted, asked = self._hosted, wire.read_text(poll)
        if asked is None or not hosted.may("tickets"):
            return self._not_stored(poll)
        before = hosted.now.ticket_terms.lines
        first, second, third = (new or old for new, old in zip(asked.lines, before, strict=True))
        days = {} if asked.days is None else {"days": asked.days}
        return self._stored(poll, await self._change({"lines": (first, second, third), **days}))

    async def _elements(self, poll: Poll) -> Answer:
        """Store printed lines one by one, if the host is permitted; an inquiry changes nothing."""
        hosted, lines = self._hosted, wire.read_elements(poll)
        if lines is None or (lines and not hosted.may("tickets")):
            return self._not_stored(poll)
        first, second, third = (lines.get(at, old) for at, old in enumerate(hosted.now.ticket_terms.lines))
        return self._stored(poll, await self._change({"lines": (first, second, third)}))

    def _stored(self, poll: Poll, changed: Receipt[TicketTerms]) -> Report:
        return Report(wire.text_answer(self._hosted.address, poll.command, stored=True), changed)

    def _not_stored(self, poll: Poll) -> Plain:
        return Plain(wire.text_answer(self._hosted.address, poll.command, stored=False))

    async def _change(self, changes: dict[str, object]) -> Receipt[TicketTerms]:
        """Change the terms and return the current ones."""
        name = self._hosted.name

        def act(tx: Transaction) -> TicketTerms:
            if state.change_ticket_terms(tx, **changes):
                record_act(tx, name, "ticket_terms")
            return state.ticket_terms(tx)

        with acting(host_at(name)):
            return await self._hosted.parts.journal.commit(act)


def _encoded(found: Record, address: int) -> bytes:
    expires = None if found.expires_ms is None else _local(found.expires_ms)
    return wire.Record(
        index=found.position,
        number=found.number,
        cents=found.cents,
        ticket=found.ticket,
        printed=_local(found.at_ms),
        expires=expires,
    ).encode(address)


def _local(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000).astimezone()
