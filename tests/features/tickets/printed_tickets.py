"""The bench of `test_ticket_numbers`, which others use too."""

from controller.journal import money, payouts, tickets
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction

OWN, ASKED, HOSTS = "001234567890123456", "002222222222222222", "373333333333333333"


def printed(tx: Transaction, number: str = OWN) -> Ticket:
    """Print a ticket of 5.00."""
    money.coins_taken(tx, 1, 1, (500,), 0)
    payouts.begin_payout(tx, "ticket", 500)
    tickets.begin(tx, lambda *_: number)
    return tickets.printed(tx)
