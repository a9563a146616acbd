"""The result of a ticket that a venue granted, recorded in the transaction that moves its money.

The functions are those of `controller.journal.parts.TicketClaims`.
"""

from controller.journal.number_seal import StoredNumber
from controller.journal.transaction import Transaction


def end(tx: Transaction, number: StoredNumber, state: str) -> None:
    """Record the result of a held ticket, whoever printed it: `redeemed`, `released` or `void`."""
    tx.execute(
        "UPDATE venue_ticket_claims SET state = ?, sent = 0, item = NULL WHERE number = ? AND state = 'held'",
        (state, number),
    )


def in_doubt(tx: Transaction, number: StoredNumber, item: int) -> None:
    """Keep a held ticket until its open item is resolved."""
    tx.execute("UPDATE venue_ticket_claims SET item = ? WHERE number = ? AND state = 'held'", (item, number))


def decided(tx: Transaction, item: int, state: str) -> None:
    """Record the result of a held ticket as a person decided for its open item."""
    tx.execute(
        "UPDATE venue_ticket_claims SET state = ?, sent = 0, item = NULL WHERE item = ? AND state = 'held'",
        (state, item),
    )
