"""The venue's part in transactions of the core."""

from controller.features.venue import ticket_claims
from controller.features.venue.membership import leave
from controller.features.venue.outbox import add_reading
from controller.features.venue.pools import decide, pools_of
from controller.features.venue.unsent import not_handed_over, untold_ends
from controller.journal.open_items import JACKPOTS
from controller.journal.parts import JournalPart
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction


def _collected(tx: Transaction) -> None:
    """Add a reading, by which the venue compares the drop with the count."""
    add_reading(tx, "collection")


def _is_handed_over(tx: Reader, ticket: int) -> bool:
    """Whether a venue may have paid that ticket."""
    row = tx.execute("SELECT 1 FROM venue_tickets WHERE ticket = ? AND state <> 'new'", (ticket,)).fetchone()
    return row is not None


JOURNAL = JournalPart(
    pools=pools_of,
    leave_pools=leave,
    collected=_collected,
    ticket_numbers=(("venue_ticket_claims", "number"),),
    claims=ticket_claims,
    is_handed_over=_is_handed_over,
    untold_ends=untold_ends,
    unsettled=not_handed_over,
    decide=dict.fromkeys(JACKPOTS, decide),
)
