"""Pays credit by tickets, and takes them from the bill validator."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final

from controller.configuration.tickets import Tickets as Rules
from controller.configuration.tickets import tickets_of
from controller.faults import ActiveFault
from controller.features.tickets.events import TicketEvent
from controller.features.tickets.printing import slip
from controller.journal import money, tickets
from controller.journal.number_seal import masked
from controller.journal.parts import is_handed_over
from controller.journal.receipt import Receipt
from controller.journal.tickets import Numbering, Ticket
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from controller.machine.tickets import DAY_MS, NO_TICKETS, NOT_NOW, TOO_MUCH
from drivers.capabilities import Slip, Verdict

PRINTER, PAPER_LOW = "ticket_printer", "paper_low"
SAID_S: Final = 15.0
"""Seconds for which the screen shows why a ticket was refused, unless play begins or another one is inserted."""
OTHERWISE: Final = "This ticket is not taken"
UNCHECKED: Final = "Tickets cannot be checked at the moment: please try again later"
UNKNOWN: Final = "This ticket is not known: please ask at the cashier's desk"
CASHIER: Final = "This ticket is not taken at the moment: please ask at the cashier's desk"
REFUSALS: Final[Mapping[str, str]] = {
    "ticket_foreign": "This machine does not know this ticket",
    "ticket_lost": "The list of this machine's tickets is not whole: please call the attendant",
    "ticket_redeemed": "This ticket has been redeemed",
    "ticket_expired": "This ticket has expired",
    "ticket_currency": "This ticket is of another currency: please call the attendant",
    "ticket_void": "This ticket is void: please call the attendant",
    "ticket_printing": "This ticket was not printed whole: please call the attendant",
    "ticket_held": "This ticket is being looked into: please call the attendant",
    TOO_MUCH: "With this ticket the credit would be more than this machine takes",
    NOT_NOW: "No tickets are taken now",
    "host_denied": "This ticket was refused: please call the attendant",
    "host_gone": UNCHECKED,
    "host_silent": UNCHECKED,
    "host_unread": UNCHECKED,
    "ticket_unknown": UNKNOWN,
    "ticket_ended": UNCHECKED,
    "ticket_venue": CASHIER,
    "venue_alone": CASHIER,
    "venue_silent": UNCHECKED,
    "venue_recovering": UNCHECKED,
}
"""The messages to the player about a refused ticket, by the reason in the events."""


def refusal_words(reason: str) -> str:
    """Return the message to the player about a ticket that was refused for `reason`."""
    return REFUSALS.get(reason, OTHERWISE)


class Desk:
    """The ticket desk of one machine; without a validator it numbers tickets itself and accepts only its own."""

    def __init__(self, machine: Machine, number_of: Numbering) -> None:
        self._tickets = machine.tickets
        self._conditions = machine.conditions
        self._journal = machine.journal
        self._play = machine.play
        self._silence: asyncio.TimerHandle | None = None
        self._settings = machine.settings
        self._states = machine.states
        self._number_of = number_of

    def __repr__(self) -> str:
        return f"<Desk {self.rules}>"

    @property
    def rules(self) -> Rules:
        """The rules for paying credit by ticket and accepting tickets."""
        return tickets_of(self._settings.config)

    def pays(self, cents: int, *, whole: bool) -> bool:
        """Whether that amount is paid by ticket: the `whole` credit, or what the hopper has left of it."""
        rules = self.rules
        if self._tickets.validator is not None and not self._tickets.validator.prints:
            return False
        wanted = ("all",) if whole else ("all", "rest")
        return rules.pays in wanted and rules.least_cents <= cents <= rules.most_cents

    def active(self) -> Sequence[ActiveFault]:
        """Return the faults that stop play: all of the printer's, if it must print (D5)."""
        stops = self.rules.must_print and any(
            fault.place == PRINTER and fault.present and fault.code != PAPER_LOW for fault in self._conditions.faults
        )
        return [ActiveFault(NO_TICKETS, PRINTER)] if stops else []

    def slip(self, ticket: Ticket) -> Slip:
        """Return what is printed on a ticket."""
        return slip(ticket, self._settings.config, self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines printed below a ticket's title."""
        theirs = self._tickets.validator.lines if self._tickets.validator is not None else ()
        each = (their or own for their, own in zip_longest(theirs, self.rules.lines, fillvalue=""))
        return tuple(line for line in each if line)

    async def begin(self, cents: int) -> Receipt[Ticket] | str:
        """Return the ticket of the payout in progress, or why there is none."""
        if self._tickets.validator is not None:
            return await self._tickets.validator.number(cents)
        return await self._journal.commit_or_lock(self.begin_own)

    def begin_own(self, tx: Transaction) -> Ticket:
        """Record the ticket of the payout in progress with a number chosen by the cabinet."""
        days = self.rules.expire_days
        return tickets.begin(tx, self._number_of, expires_ms=tx.at_ms + days * DAY_MS if days else None)

    async def in_escrow(self, number: str) -> Verdict:
        """Decide about a ticket in escrow; on `STACK` the order to stack it is durable."""
        refused = await self._taken(number)
        self._say(refused)
        if not refused:
            return Verdict.STACK
        self._journal.remark(TicketEvent.TICKET_REFUSED, place="bill validator", ticket=masked(number), reason=refused)
        return Verdict.RETURN

    def _say(self, reason: str) -> None:
        """Show for a while why a ticket was refused; an empty reason shows nothing."""
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        if reason:
            self._silence = asyncio.get_running_loop().call_later(SAID_S, self._say, "")
        if self._play.ticket_refused != reason:
            self._play.ticket_refused, self._play.refusal = reason, refusal_words(reason) if reason else ""
            self._states.refresh()

    async def _taken(self, number: str) -> str:
        """Record that a ticket is to be stacked; return why not, or an empty string."""
        if not self.takes:
            return NOT_NOW
        if self._tickets.validator is not None:
            return await self._tickets.validator.in_escrow(number)
        room = self._settings.config.limits.credit_cents

        def act(tx: Transaction) -> str:
            found = tickets.worth(tx, number)
            if isinstance(found, str):
                return found
            if is_handed_over(tx, found.id):
                return "ticket_venue"
            if tx.credit_cents + found.cents > room:
                return TOO_MUCH
            money.note_stacking(tx, found.cents, tx.numbers.sealed(number))
            return ""

        return await self._journal.do(act)

    @property
    def takes(self) -> bool:
        """Whether tickets are currently accepted."""
        return self.rules.takes and self._states.takes_notes
