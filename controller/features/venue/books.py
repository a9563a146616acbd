"""The venue's part in transactions of the core."""

from controller.features.venue import ticket_claims
from controller.features.venue.membership import is_joined, leave
from controller.features.venue.outbox import add_reading
from controller.features.venue.pools import decide, pools_of
from controller.features.venue.unsent import untold_ends
from controller.journal.open_items import JACKPOTS
from controller.journal.parts import JournalPart
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction


def _collected(tx: Transaction) -> None:
    """Add a reading, by which the venue compares the drop with the count."""
    add_reading(tx, "collection")


def _handed_over(tx: Reader) -> set[int]:
    """Return the ids of the tickets that a venue may have paid."""
    return {ticket for (ticket,) in tx.execute("SELECT ticket FROM venue_tickets WHERE state <> 'new'")}


JOURNAL = JournalPart(
    pools=pools_of,
    has_pools=is_joined,
    leave_pools=leave,
    collected=_collected,
    ticket_numbers=(("venue_ticket_claims", "number"),),
    claims=ticket_claims,
    handed_over=_handed_over,
    untold_ends=untold_ends,
    decide=dict.fromkeys(JACKPOTS, decide),
)
