"""A.10: tickets held since books were lost; a technician decides about each when it is shown."""

from collections.abc import Callable, Sequence

from controller.journal import lost_tickets, tickets
from controller.journal.lost_tickets import HeldTicket
from controller.journal.open_items import Resolution
from controller.journal.search import TICKETS
from controller.journal.transaction import Transaction
from controller.service.attendant import DONE, PAY_BY_HAND
from controller.service.lists import MOST, Entries, listed
from controller.service.page import Entry, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from ui.protocol.values import moment

VOID_REASONS = ("its paper is in the cash box", "a copy", "player was paid before", "test by a technician")
"""The reasons for voiding a ticket: a list, since the panel has no letters."""
NONE_HELD = "No books with tickets were lost"
_DIGITS = tickets.DIGITS - len(tickets.OWN)
_DECISIONS = {
    Resolution.PAID: ("Pay by hand", PAY_BY_HAND),
    Resolution.RETURNED: ("Take it again", "Did this ticket surely not come back before?"),
    Resolution.VOID: ("Nothing is owed", "Void this ticket without payment?"),
}


def _page(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    item = lost_tickets.item(tx)
    if item is None:
        return (Line(NONE_HELD, tone="good"),)
    most_cents = machine.settings.config.limits.credit_cents

    def pay(tx: Transaction, submission: Submission) -> str:
        number = f"{tickets.OWN}{submission.typed['number']:0>{_DIGITS}}"
        lost_tickets.pay_unlisted(tx, number, int(submission.typed["amount"]), submission.who, most_cents=most_cents)
        return DONE

    number = Entry("number", "The last 16 digits of its number", "number", longest=_DIGITS)
    unlisted = MenuTransaction(pay, (number, Entry("amount", "Amount", "cents")), PAY_BY_HAND, confirmations=2)
    return (
        Line("Tickets of lost books", moment(item.opened_ms), tone="heading", detail=item.text),
        Line("Held tickets", count=len(lost_tickets.held(tx)), leads=_LISTED),
        Line("Pay a ticket that is not in the list", leads=unlisted),
        Line("Decide about all of them", leads="A.8"),
    )


def _held(tx: Transaction, before: int) -> Entries:
    return [
        (ticket.id, Line(f"{moment(ticket.issued_ms)}   {ticket.number}", cents=ticket.cents, leads=_ticket(ticket)))
        for ticket in lost_tickets.held(tx, before, MOST)
    ]


def _ticket(ticket: HeldTicket) -> Page:
    """Return the page of one held ticket."""

    def lines(_tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
        return (
            Line(ticket.number, moment(ticket.issued_ms), cents=ticket.cents, tone="heading"),
            *(
                Line(
                    label,
                    leads=MenuTransaction(
                        _decides(ticket, way),
                        (Entry("reason", "Reason", "choice", VOID_REASONS),) if way is Resolution.VOID else (),
                        question,
                        confirmations=2,
                    ),
                )
                for way, (label, question) in _DECISIONS.items()
            ),
        )

    return Page(f"A.10.{ticket.id}", "Held ticket", lines, technician=True)


def _decides(ticket: HeldTicket, way: Resolution) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        lost_tickets.decide(tx, ticket.id, way, submission.who, reason=submission.typed.get("reason", ""))
        return DONE

    return do


_LISTED = listed("A.10.0", "Held tickets", _held, numbers=TICKETS, empty="No ticket is held")
PAGES = (Page("A.10", "Tickets of lost books", _page, technician=True),)
