"""Records that the venue has not received, as far as these books know; a full clear would lose them."""

from typing import NamedTuple

from controller.features.venue.membership import joined_membership
from controller.features.venue.outbox import count_unsent
from controller.features.venue.pools import open_claims
from controller.journal.carried_rows import Rows, rows_of
from controller.journal.reads import Reader


class Unsent(NamedTuple):
    """The numbers of records that the present venue lacks.

    `tickets` are printed ones, `ends` the outcomes of tickets that were inserted, and `jackpots` claims without an
    answer.
    """

    tickets: int = 0
    ends: int = 0
    jackpots: int = 0
    events: int = 0
    readings: int = 0

    @property
    def money(self) -> int:
        """The number of records about money that can be paid only once the venue has them."""
        return self.tickets + self.ends + self.jackpots


def unsent(tx: Reader, *, new_tickets: bool) -> Unsent:
    """Return what the venue lacks; with `new_tickets` the venue validates new tickets.

    A cabinet that has not joined its venue yet has nothing else for it than tickets.
    """
    joined = joined_membership(tx)
    (tickets,) = tx.execute(
        "SELECT count(*) FROM venue_tickets v JOIN tickets t ON t.id = ticket WHERE v.state <> 'known'"
        " AND (v.state = 'offered' AND v.site = ?1 OR ?2 AND v.state = 'new' AND (t.state IN ('printed', 'held')"
        " OR EXISTS (SELECT 1 FROM venue_ticket_claims c WHERE c.number = t.number AND c.state = t.state)))",
        ("" if joined is None else joined.site, new_tickets),
    ).fetchone()
    if joined is None:
        return Unsent(tickets)
    (ends,) = tx.execute(
        "SELECT count(*) FROM venue_ticket_claims WHERE (sent = 0 OR state IN ('asked', 'held')) AND epoch >= ?",
        (joined.since_epoch,),
    ).fetchone()
    (readings,) = tx.execute(
        "SELECT count(*) FROM venue_readings WHERE sent = 0 AND epoch = ?", (joined.epoch,)
    ).fetchone()
    return Unsent(tickets, ends, len(open_claims(tx)), count_unsent(tx), readings)


def not_handed_over(tx: Reader) -> Rows:
    """Return the printed tickets that no venue was handed, which only these books have."""
    new = "state <> 'known' AND state = 'new'"
    printed = f"state = 'printed' AND id IN (SELECT ticket FROM venue_tickets WHERE {new})"  # noqa: S608 - literals
    return {
        "tickets": rows_of(tx, "tickets", printed, without=("item",)),
        "venue_tickets": rows_of(tx, "venue_tickets", f"{new} AND ticket IN (SELECT id FROM tickets WHERE {printed})"),  # noqa: S608 - literals
    }


def untold_ends(tx: Reader) -> int:
    """Return the number of inserted tickets whose end was not reported to a venue that this cabinet has left.

    Such a venue holds a ticket that was given back, too.
    """
    joined = joined_membership(tx)
    (count,) = tx.execute(
        "SELECT count(*) FROM venue_ticket_claims WHERE (sent = 0 OR state IN ('asked', 'held'))"
        " AND (?1 IS NULL OR epoch < ?1)",
        (None if joined is None else joined.since_epoch,),
    ).fetchone()
    return int(count)
