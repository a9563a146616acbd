"""H: notes and coins, payouts, tickets, and rounds interrupted by a power cut."""

from collections.abc import Sequence

from controller.journal import tickets
from controller.journal.ledger import rare_before
from controller.journal.payouts import payouts_before
from controller.journal.recoveries import RecoveredRound, Recovery, recovered_rounds
from controller.journal.search import LEDGER, PAYOUTS
from controller.journal.transaction import Transaction
from controller.service.lists import MOST, Entries, listed
from controller.service.page import Line, Page, of_books
from controller.service.past_rounds import NAMES, round_page, title_of
from ui.protocol.values import moment

_MONEY_IN = ("coin", "note", "ticket_in")
PAYOUT_STATES = ("open", "done", "short", "undecided", "cancelled")
"""The states of a payout."""
HEADINGS = ("State", "To be paid", "Paid")
COLUMNS = Line("Begun at, by", columns=HEADINGS, tone="heading")
PRINTED_STATES = ("printing", "printed", "held", "redeemed", "void")
"""The states of a ticket that was printed here."""
OF_TAKEN = {"stacking": "held", "unknown": "held", "returned": "given back"}
"""The state of an inserted ticket by the state of its note; all others are redeemed."""
MOST_TICKETS = 35
"""How many of the newest tickets are listed in each direction (L4)."""
OUTCOMES = tuple(map(str, Recovery))
"""The outcomes of an interrupted round."""


def _money_in(tx: Transaction, before: int) -> Entries:
    return [
        (row.seq, Line(NAMES[row.kind], moment(row.at_ms), cents=row.credit_cents))
        for row in rare_before(tx, _MONEY_IN, before, MOST)
    ]


def _payouts(tx: Transaction, before: int) -> Entries:
    return [
        (
            payout.id,
            Line(
                f"{moment(payout.started_ms)}   {{place}}",
                columns=(payout.state, payout.amount_cents, payout.paid_cents),
                place=NAMES[payout.kind],
                detail=payout.confirmed_by,
            ),
        )
        for payout in payouts_before(tx, before, MOST)
    ]


def _tickets(tx: Transaction) -> Sequence[Line]:
    """Return the newest printed and inserted tickets, each with its number (L4)."""
    printed = [
        Line(f"{moment(ticket.at_ms)}   {ticket.number}", ticket.state, cents=ticket.cents)
        for ticket in tickets.newest(tx, MOST_TICKETS)
    ]
    taken = [
        Line(f"{moment(ticket.at_ms)}   {ticket.number}", OF_TAKEN.get(ticket.state, "redeemed"), cents=ticket.cents)
        for ticket in tickets.newest_taken(tx, MOST_TICKETS)
    ]
    return (
        Line("Tickets printed", tone="heading"),
        *(printed or [Line("No ticket was printed yet")]),
        Line("Tickets taken", tone="heading"),
        *(taken or [Line("No ticket came in yet")]),
    )


def _recovered(tx: Transaction, before: int) -> Entries:
    """Return the interrupted rounds and their outcomes, each with a link to its page."""
    return [
        (found.seq, Line(f"{moment(found.at_ms)}   {title_of(found.game)}", found.how, leads=_recovery(found)))
        for found in recovered_rounds(tx, before, MOST)
    ]


def _recovery(found: RecoveredRound) -> Page:
    """Return the page of an interruption: the start that found it, its place in the round, and its outcome."""

    def lines(_tx: Transaction) -> Sequence[Line]:
        return (
            Line(title_of(found.game), moment(found.at_ms), tone="heading"),
            Line("Found at power-up", count=found.power_up),
            Line("Interrupted after step", count=found.step),
            Line("What became of it", found.how),
            Line("Round", found.state, leads=round_page(found.round)),
        )

    return of_books(f"H.6.{found.seq}", "Recovered round", lines)


PAGES = (
    listed("H.3", "Notes and coins", _money_in, numbers=LEDGER, empty="No money came yet"),
    listed("H.4", "Payouts", _payouts, numbers=PAYOUTS, empty="Nothing was paid yet", columns=COLUMNS),
    listed("H.6", "Recovered rounds", _recovered, numbers=LEDGER, empty="No round was interrupted yet"),
    of_books("H.8", "Tickets", _tickets),
)
