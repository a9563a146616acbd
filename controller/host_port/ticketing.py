"""Tickets that a host validates (sas.md, section 2): it gives numbers, and says what a ticket is worth.

A ticket's number is durable before the host hears that it was taken (58), and the order to stack a ticket before the
host hears that it is pending (71). What the host is to read once, records and what became of a ticket, stays until the
answer with it has arrived. So a cut leaves each ticket worth something on one side alone.
"""

import asyncio
from datetime import datetime
from typing import Final

from controller.host_port import state
from controller.host_port.hosted import Handlers, Hosted
from controller.host_port.state import host_at, record_act
from controller.journal import host_queue, host_tickets, tickets
from controller.journal.actor import acting
from controller.journal.event_catalogue import Event
from controller.journal.host_tickets import Record, Redemption
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction
from controller.machine.tickets import DAY_MS, NOT_NOW, TOO_MUCH, Tickets
from drivers.sas import tickets as wire
from drivers.sas.exceptions import Code
from drivers.sas.frames import Poll
from drivers.sas.tickets import Status

NUMBER_S: Final = 10.0
"""How long a host has to give a ticket its number; no public source says it."""
DECISION_S: Final = 5.0
"""How long a host has to decide about a ticket in escrow; no public source says it."""
NO_HOST, SILENT, DENIED, UNREAD = "host_gone", "host_silent", "host_denied", "host_unread"
"""Why there is no ticket, or why one is not taken: codes of `event_words`."""
FOREIGN: Final = "ticket_foreign"
_REASONS: Final = {Status.OVER_LIMIT: TOO_MUCH, Status.NOT_NOW: NOT_NOW}


class Ticketing:
    """One host's tickets, a `controller.machine.tickets.Validator`; without validation all its polls are silent."""

    def __init__(self, hosted: Hosted, taking: Tickets) -> None:
        self.link_up = False
        """Whether the host polls this machine."""
        self._hosted = hosted
        self._taking = taking
        self._wanted: asyncio.Future[Ticket | str] | None = None
        self._wanted_cents = 0
        self._decision: asyncio.Future[str] | None = None
        self._deciding = asyncio.Lock()
        self._reported_record = self._reported_end = 0
        """The ids of what was reported to the host last: a record, and what became of a ticket."""
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
            else {}
        )

    # Tickets out: 57, 58, 4D, 50, 3D

    @property
    def prints(self) -> bool:
        """Whether the host can give a number now, and has read enough records for one more."""
        now = self._hosted.now
        unread = sum(not each.read for each in now.records.get(self._hosted.name, ()))
        return self.link_up and not now.ticket_terms.no_printing and unread < host_tickets.POSITIONS

    @property
    def lines(self) -> tuple[str, ...]:
        """What the host wants to have printed, by its place."""
        return self._hosted.now.ticket_terms.lines

    async def number(self, cents: int) -> Ticket | str:
        """Ask the host for a number (57); return the ticket as it has given one (58), or why it has not."""
        if not self.prints:
            return self._without(cents, NO_HOST)
        wanted: asyncio.Future[Ticket | str] = asyncio.get_running_loop().create_future()
        self._wanted, self._wanted_cents = wanted, cents
        try:
            await self._hosted.parts.journal.do(lambda tx: self._queue(tx, Code.VALIDATION_WANTED))
            await asyncio.wait({wanted}, timeout=NUMBER_S)
            async with self._deciding:  # a number that is being taken is taken
                given = wanted.result() if wanted.done() else SILENT
                self._wanted = None
        finally:
            self._wanted = None
        return self._without(cents, given) if isinstance(given, str) else given

    def _without(self, cents: int, reason: str) -> str:
        self._hosted.parts.journal.remark(
            Event.TICKET_DENIED, place=self._hosted.name, amount_cents=cents, reason=reason
        )
        return reason

    def _queue(self, tx: Transaction, code: Code) -> None:
        host_queue.queue(tx, self._hosted.name, code, priority=True, overflow=Code.OVERFLOW)

    async def _cash_out(self, _poll: Poll) -> bytes:
        waits = self._wanted is not None and not self._wanted.done()
        return wire.cash_out_answer(self._hosted.address, self._wanted_cents if waits else None)

    async def _number(self, poll: Poll) -> bytes:
        async with self._deciding:
            status = await self._take_number(wire.ticket_number(poll.data))
        return wire.number_answer(self._hosted.address, status)

    async def _take_number(self, number: str | None) -> int:
        wanted, journal = self._wanted, self._hosted.parts.journal
        if wanted is None or wanted.done():
            begun = await journal.attempt(tickets.open_ticket)  # the host may not have heard that it was taken
            return wire.NUMBER_TAKEN if begun is not None and begun.number == number else wire.NO_CASH_OUT
        if number is None:
            return wire.IMPROPER_NUMBER
        if number.startswith(wire.NO_SYSTEM):
            wanted.set_result(DENIED)
            return wire.NUMBER_TAKEN
        if not number[2:].strip("0"):
            return wire.IMPROPER_NUMBER

        def act(tx: Transaction) -> Ticket | None:
            if tickets.is_used(tx, number):
                return None
            days = self._days
            return tickets.begin(tx, lambda *_: number, expires_ms=tx.at_ms + days * DAY_MS if days else None)

        ticket = await journal.attempt(act)
        if ticket is None:
            return wire.IMPROPER_NUMBER
        if not wanted.done():
            wanted.set_result(ticket)
        return wire.NUMBER_TAKEN

    @property
    def _days(self) -> int:
        days = self._hosted.now.ticket_terms.days
        return self._hosted.config.tickets.expire_days if days is None else days

    async def _record(self, poll: Poll) -> bytes:
        """Answer with the oldest record that is not read, or with the one of an index."""
        function, records = poll.data[0], self._hosted.now.records.get(self._hosted.name, ())
        if function in (wire.READ_AND_MARK, wire.LOOK_AHEAD):
            found = next((each for each in records if not each.read), None)
        else:
            found = next((each for each in records if each.position == function), None)
        if function == wire.READ_AND_MARK:
            self._reported_record = 0 if found is None else found.id
        return wire.no_record(self._hosted.address) if found is None else _encoded(found, self._hosted.address)

    async def _totals(self, poll: Poll) -> bytes | None:
        kind, figures = poll.data[0], self._hosted.figures
        if kind not in wire.KINDS:
            return None
        names = {wire.CASHABLE_OUT: (tickets.OUTS, tickets.OUT), wire.CASHABLE_REDEEMED: (tickets.INS, tickets.IN)}
        count, cents = (figures[name] for name in names.get(kind, ("", "")))
        return wire.totals_answer(self._hosted.address, kind, count, cents)

    async def _last_ticket(self, _poll: Poll) -> bytes:
        records = self._hosted.now.records.get(self._hosted.name, ())
        return wire.last_ticket_answer(self._hosted.address, records[-1].cents if records else 0)

    # Tickets in: 70, 71

    @property
    def _newest(self) -> Redemption | None:
        return self._hosted.now.redemptions.get(self._hosted.name)

    async def in_escrow(self, number: str) -> str:
        """Have the host decide about a ticket (67); return why it is not taken, empty where it is to be stacked."""
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
            async with self._deciding:  # a decision that is being taken is taken
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
        """Record the ticket in escrow and report it; what this cabinet knows to be worth nothing goes back at once."""
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

    async def _escrow(self, _poll: Poll) -> bytes:
        newest = self._newest
        held = newest.number if newest is not None and newest.state == "escrow" else None
        return wire.escrow_answer(self._hosted.address, held)

    async def _redeem(self, poll: Poll) -> bytes:
        asked = wire.read_redemption(poll)
        if asked is None:
            return self._became()
        async with self._deciding:
            return await self._decided(asked)

    def _became(self) -> bytes:
        """Answer with what became of the newest ticket; the host has it once it polls on."""
        newest, address = self._newest, self._hosted.address
        self._reported_end = 0
        if newest is None:
            return wire.short_redemption_answer(address, Status.NOTHING)
        if newest.status is None:
            return wire.redemption_answer(address, Status.PENDING, newest.cents, newest.number)
        self._reported_end = newest.id
        return wire.redemption_answer(address, newest.status, newest.cents, newest.number)

    async def _decided(self, asked: wire.Redemption) -> bytes:
        """Take the host's decision about the ticket in escrow; asked again it is answered again."""
        newest, address = self._newest, self._hosted.address
        if newest is not None and newest.state == "stacking" and asked.number == newest.number:
            return wire.redemption_answer(address, Status.PENDING, newest.cents, newest.number)
        decision = self._decision
        if newest is None or newest.state != "escrow" or decision is None or decision.done():
            return wire.short_redemption_answer(address, Status.INCOMPATIBLE)
        if asked.number != newest.number:
            return wire.redemption_answer(address, Status.OTHER_NUMBER, 0, newest.number)
        status, cents = self._judged(asked), asked.cents or 0
        taken = status is Status.PENDING and await self._stack(cents)
        if taken:
            decision.set_result("")
            return wire.redemption_answer(address, Status.PENDING, cents, newest.number)
        if status is Status.PENDING:
            status = Status.NOT_NOW
        await self._hosted.parts.journal.attempt(lambda tx: self._give_up(tx, status))
        if not decision.done():
            decision.set_result(_REASONS.get(status, DENIED))
        return wire.redemption_answer(address, status, 0, newest.number)

    def _judged(self, asked: wire.Redemption) -> Status:
        """Return what becomes of the ticket by the host's decision and the cabinet's limits."""
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
        return Status.PENDING if self._taking.takes else Status.NOT_NOW

    async def _stack(self, cents: int) -> bool:
        """Record the order to stack the ticket; False where it has left the escrow, or the credit has grown."""
        room = self._hosted.config.limits.credit_cents

        def act(tx: Transaction) -> bool:
            return tx.credit_cents + cents <= room and host_tickets.stack(tx, self._hosted.name, cents)

        with acting(host_at(self._hosted.name)):
            return await self._hosted.parts.journal.attempt(act)

    # 7B to 7D

    async def _terms(self, poll: Poll) -> bytes:
        """Switch tickets out or in, and set their days, where the host may; answer with what holds then."""
        hosted, asked = self._hosted, wire.read_terms(poll)
        terms = hosted.now.ticket_terms
        if hosted.may("tickets") and (asked.mask or asked.days):
            changes: dict[str, object] = {}
            if asked.mask & wire.PRINTER:
                changes["no_printing"] = not asked.states & wire.PRINTER
            if asked.mask & wire.REDEMPTION:
                changes["no_redemption"] = not asked.states & wire.REDEMPTION
            if asked.days:
                changes["days"] = 0 if asked.days == wire.NEVER_EXPIRES else asked.days
            await self._change(changes)
            terms = hosted.now.ticket_terms
        rules = hosted.config.tickets
        states = wire.PRINTER if rules.pays != "nothing" and not terms.no_printing else 0
        states |= wire.REDEMPTION if rules.takes and not terms.no_redemption else 0
        days = self._days or wire.NEVER_EXPIRES
        return wire.terms_answer(hosted.address, asset=hosted.settings.asset, states=states, days=days)

    async def _text(self, poll: Poll) -> bytes:
        """Store what is printed on tickets, where the host may."""
        hosted, asked = self._hosted, wire.read_text(poll)
        if asked is None or not hosted.may("tickets"):
            return wire.text_answer(hosted.address, poll.command, stored=False)
        before = hosted.now.ticket_terms.lines
        first, second, third = (new or old for new, old in zip(asked.lines, before, strict=True))
        days = {} if asked.days is None else {"days": asked.days}
        await self._change({"lines": (first, second, third), **days})
        return wire.text_answer(hosted.address, poll.command, stored=True)

    async def _elements(self, poll: Poll) -> bytes:
        """Store lines of tickets one by one, where the host may; an inquiry changes nothing."""
        hosted, lines = self._hosted, wire.read_elements(poll)
        stored = lines is not None and (not lines or hosted.may("tickets"))
        if stored and lines:
            first, second, third = (lines.get(at, old) for at, old in enumerate(hosted.now.ticket_terms.lines))
            await self._change({"lines": (first, second, third)})
        return wire.text_answer(hosted.address, poll.command, stored=stored)

    async def _change(self, changes: dict[str, object]) -> None:
        name = self._hosted.name

        def act(tx: Transaction) -> None:
            if state.change_ticket_terms(tx, **changes):
                record_act(tx, name, "ticket_terms")

        with acting(host_at(name)):
            await self._hosted.parts.journal.attempt(act)

    # What has arrived.

    async def arrived(self, poll: Poll) -> None:
        """Take it that the host has read a record, or what became of a ticket."""
        journal = self._hosted.parts.journal
        if poll.command == wire.RECORD and poll.data[0] == wire.READ_AND_MARK and self._reported_record:
            reported, self._reported_record = self._reported_record, 0
            await journal.attempt(lambda tx: host_tickets.mark_read(tx, reported))
        elif poll.command == wire.REDEEM and wire.read_redemption(poll) is None and self._reported_end:
            reported, self._reported_end = self._reported_end, 0
            await journal.attempt(lambda tx: host_tickets.close(tx, reported))


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
