"""What the venue has not got of these books, by what they know: a full clear would strand it."""

from typing import NamedTuple

from controller.features.venue.membership import membership
from controller.features.venue.outbox import count_unsent
from controller.features.venue.pools import open_claims
from controller.journal.reads import Reader


class Unsent(NamedTuple):
    """How many of each the present venue lacks.

    `tickets` are printed ones, `ends` what became of those that came in, `jackpots` claims without an answer.
    """

    tickets: int = 0
    ends: int = 0
    jackpots: int = 0
    events: int = 0
    readings: int = 0

    @property
    def money(self) -> int:
        """How many of those are about money that is paid nowhere else before the venue has them."""
        return self.tickets + self.ends + self.jackpots


def unsent(tx: Reader, *, new_tickets: bool) -> Unsent:
    """Return what the venue lacks, zeros without one; with `new_tickets` it validates those that are printed now."""
    known = membership(tx)
    if known is None or not known.joined:
        return Unsent()
    (tickets,) = tx.execute(
        "SELECT count(*) FROM venue_tickets v JOIN tickets t ON t.id = ticket WHERE v.state <> 'known'"
        " AND (v.state = 'offered' AND v.site = ?1 OR ?2 AND v.state = 'new' AND (t.state IN ('printed', 'held')"
        " OR EXISTS (SELECT 1 FROM venue_ticket_claims c WHERE c.number = t.number AND c.state = t.state)))",
        (known.site, new_tickets),
    ).fetchone()
    (ends,) = tx.execute(
        "SELECT count(*) FROM venue_ticket_claims WHERE (sent = 0 OR state IN ('asked', 'held')) AND epoch >= ?",
        (known.since_epoch,),
    ).fetchone()
    (readings,) = tx.execute(
        "SELECT count(*) FROM venue_readings WHERE sent = 0 AND epoch = ?", (known.epoch,)
    ).fetchone()
    return Unsent(tickets, ends, len(open_claims(tx)), count_unsent(tx), readings)


def untold_ends(tx: Reader) -> int:
    """Return how many tickets were redeemed or voided here without a word to the venue that they are of."""
    (count,) = tx.execute(
        "SELECT count(*) FROM venue_ticket_claims WHERE (sent = 0 OR state IN ('asked', 'held')) AND sent = 0"
        " AND state IN ('redeemed', 'void')"
    ).fetchone()
    return int(count)
