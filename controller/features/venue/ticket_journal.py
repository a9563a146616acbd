"""Tickets that a venue validates, as these books have them (docs/venue-protocol.md).

A ticket of ours is marked before it is handed over: one without a mark is in nobody else's books, so that nobody else
can have paid it. What comes in is asked for under a key of its own, and what becomes of it is kept until the venue has
it, in the transaction that moves the money.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from controller.features.tickets import journal as tickets
from controller.features.tickets.journal import Ticket
from controller.features.venue.membership import Membership, membership
from controller.journal import money
from controller.journal.number_seal import StoredNumber
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

BATCH: Final = 200
"""The most facts of one call (docs/venue-protocol.md)."""
HELD: Final = "held"
"""The venue's answer to a claim that it grants."""
ALONE: Final = "venue_alone"
"""Why a ticket is not taken without the venue: a code of `event_words`."""


class Claim(msgspec.Struct, frozen=True):
    """The key under which a ticket in escrow is asked for."""

    epoch: int
    claim: int


class IssueFact(msgspec.Struct, frozen=True, tag_field="kind", tag="issue"):
    """A ticket that this cabinet has printed, as the venue gets it."""

    number: str
    cents: int
    epoch: int
    ticket: int
    issued_ms: int
    expires_ms: int | None


class ClaimFact(msgspec.Struct, frozen=True, tag_field="kind", tag="claim"):
    """What has become of a ticket that came in; `cents` is None where the venue never said its worth."""

    epoch: int
    claim: int
    number: str
    cents: int | None
    state: str


Fact = IssueFact | ClaimFact


def ask(tx: Transaction, number: str) -> Claim | str:
    """Record that the venue is asked for a ticket, before it is; return why not: a code of `event_words`."""
    known = membership(tx)
    if known is None:
        return ALONE
    own = tickets.by_number(tx, number)
    if own is not None and own.state != "printed":
        return f"ticket_{own.state}"
    return _begin(tx, tx.numbers.sealed(number), known.epoch)


def _begin(tx: Transaction, number: StoredNumber, epoch: int) -> Claim | str:
    if tx.execute(
        "SELECT 1 FROM venue_ticket_claims WHERE number = ? AND state IN ('asked', 'held')", (number,)
    ).fetchone():
        return "ticket_held"
    (newest,) = tx.execute(
        "SELECT coalesce(max(claim), 0) FROM venue_ticket_claims WHERE epoch = ?", (epoch,)
    ).fetchone()
    tx.execute(
        "INSERT INTO venue_ticket_claims (epoch, claim, number, state, at_ms) VALUES (?, ?, ?, 'asked', ?)",
        (epoch, newest + 1, number, tx.at_ms),
    )
    return Claim(epoch, newest + 1)


def granted(tx: Transaction, claim: Claim, cents: int, room_cents: int) -> str:
    """Record the order to stack a ticket that the venue has granted; return why not, and give it up then.

    Nothing is granted to a claim that was given up meanwhile.
    """
    number = _asked(tx, claim)
    if number is None:
        return "venue_silent"
    if tx.credit_cents + cents > room_cents:
        give_up(tx, claim)
        return "ticket_beyond"
    _stack(tx, claim, number, cents)
    return ""


def _stack(tx: Transaction, claim: Claim, number: StoredNumber, cents: int) -> None:
    tx.execute(
        "UPDATE venue_ticket_claims SET state = 'held', cents = ? WHERE epoch = ? AND claim = ?",
        (cents, claim.epoch, claim.claim),
    )
    money.note_stacking(tx, cents, number)


def _asked(tx: Reader, claim: Claim) -> StoredNumber | None:
    row = tx.execute(
        "SELECT number FROM venue_ticket_claims WHERE epoch = ? AND claim = ? AND state = 'asked'",
        (claim.epoch, claim.claim),
    ).fetchone()
    return None if row is None else StoredNumber(row[0])


def give_up(tx: Transaction, claim: Claim) -> None:
    """Record that a ticket that was asked for goes back to its owner; the venue is informed of it."""
    tx.execute(
        "UPDATE venue_ticket_claims SET state = 'released', sent = 0 WHERE epoch = ? AND claim = ? AND state = 'asked'",
        (claim.epoch, claim.claim),
    )


def give_up_all(tx: Transaction) -> None:
    """Give up what was asked for before a restart: whatever the venue answered, nothing was ordered to be stacked."""
    tx.execute("UPDATE venue_ticket_claims SET state = 'released', sent = 0 WHERE state = 'asked'")


def take_alone(tx: Transaction, number: str, *, most_cents: int, room_cents: int) -> str:
    """Take a ticket of ours without the venue; return why not, empty where the order to stack it is durable.

    The venue must never have been handed it, and what it has not heard of is worth at most `most_cents` together.
    """
    known, ticket = membership(tx), tickets.worth(tx, number)
    if isinstance(ticket, str) and ticket != "ticket_foreign":
        return ticket
    if isinstance(ticket, str) or known is None or not _is_new(tx, ticket.id):
        return ALONE
    (taken,) = tx.execute(
        "SELECT coalesce(sum(cents), 0) FROM venue_ticket_claims"
        " WHERE (sent = 0 OR state IN ('asked', 'held')) AND alone AND state <> 'released'"
    ).fetchone()
    if taken + ticket.cents > most_cents:
        return ALONE
    if tx.credit_cents + ticket.cents > room_cents:
        return "ticket_beyond"
    stored = tx.numbers.sealed(number)
    claim = _begin(tx, stored, known.epoch)
    if isinstance(claim, str):
        return claim
    tx.execute("UPDATE venue_ticket_claims SET alone = 1 WHERE epoch = ? AND claim = ?", (claim.epoch, claim.claim))
    _stack(tx, claim, stored, ticket.cents)
    return ""


def _is_new(tx: Reader, ticket: int) -> bool:
    """Whether no venue was ever handed that ticket."""
    row = tx.execute("SELECT 1 FROM venue_tickets WHERE ticket = ? AND state = 'new'", (ticket,)).fetchone()
    return row is not None


def at_a_venue(tx: Transaction, number: str) -> bool:
    """Whether a ticket of ours was handed over to a venue, which may have paid it."""
    row = tx.execute(
        "SELECT 1 FROM venue_tickets WHERE ticket = (SELECT id FROM tickets WHERE number = ?) AND state <> 'new'",
        (tx.numbers.sealed(number),),
    ).fetchone()
    return row is not None


def for_venue(tx: Transaction, ticket: Ticket) -> None:
    """Have a ticket that has begun handed over once it is printed."""
    tx.execute("INSERT INTO venue_tickets (ticket) VALUES (?)", (ticket.id,))


def begin(tx: Transaction) -> None:
    """Take up after a start: hand over what was printed for the cabinet's own list, and give up what was asked for."""
    tx.execute(
        "INSERT INTO venue_tickets (ticket) SELECT id FROM tickets"
        " WHERE state IN ('printing', 'printed', 'held') AND id NOT IN (SELECT ticket FROM venue_tickets)"
    )
    give_up_all(tx)


def hand_over(tx: Transaction, most: int = BATCH, *, new: bool = True) -> tuple[Fact, ...]:
    """Return the facts that the present venue lacks, oldest first; a ticket among them is marked as handed over.

    What became of a ticket that came in alone goes before the fact that it was printed, or with it. Without `new` no
    ticket is handed over that the venue was not handed before: others validate those.
    """
    known = membership(tx)
    if known is None:
        return ()
    claims = [
        ClaimFact(epoch, claim, tx.numbers.opened(number), *rest)
        for epoch, claim, number, *rest in tx.execute(
            "SELECT epoch, claim, number, cents, state FROM venue_ticket_claims"
            " WHERE sent = 0 AND epoch >= ? AND state <> 'asked'"
            " ORDER BY epoch, claim LIMIT ?",
            (known.since_epoch, most),
        )
    ]
    room = most - len(claims)
    if new and _unknown(tx):
        _offer(tx, known, room)
    issues = [
        IssueFact(tx.numbers.opened(number), *rest)
        for number, *rest in tx.execute(
            "SELECT number, cents, v.epoch, id, issued_ms, expires_ms FROM venue_tickets v JOIN tickets ON id = ticket"
            " WHERE v.state <> 'known' AND v.state = 'offered' AND v.site = ? ORDER BY id LIMIT ?",
            (known.site, room),
        )
    ]
    facts: tuple[Fact, ...] = (*claims, *issues)
    stored(tx, [fact for fact in facts if not fact.number])  # sealed with a lost key: nobody can be told of them
    return tuple(fact for fact in facts if fact.number)


def _unknown(tx: Reader) -> bool:
    return (
        tx.execute("SELECT 1 FROM venue_tickets WHERE state <> 'known' AND state = 'new' LIMIT 1").fetchone()
        is not None
    )


def _offer(tx: Transaction, known: Membership, most: int) -> None:
    """Mark the oldest tickets that no venue was handed, those that are worth their amount or came in at this venue.

    One that was never printed whole, or that the cabinet's own list has taken, is none of its business: it would be
    open there. One that this list holds waits for what becomes of it.
    """
    new = (
        "SELECT ticket FROM venue_tickets v JOIN tickets t ON t.id = v.ticket"
        " WHERE v.state <> 'known' AND v.state = 'new'"
    )
    claimed = "EXISTS (SELECT 1 FROM venue_ticket_claims c WHERE c.number = t.number AND c.state = t.state)"
    ended = f"t.state IN ('void', 'redeemed') AND NOT {claimed}"
    tx.execute(f"DELETE FROM venue_tickets WHERE ticket IN ({new} AND {ended})")  # noqa: S608 - literals
    tx.execute(
        "UPDATE venue_tickets SET state = 'offered', site = ?, epoch = ? WHERE ticket IN"  # noqa: S608 - literals
        f" ({new} AND (t.state = 'printed' OR {claimed}) ORDER BY ticket LIMIT ?)",
        (known.site, known.epoch, most),
    )


def stored(tx: Transaction, facts: Sequence[Fact]) -> None:
    """Record that the venue has these facts; what has changed since is sent again."""
    for fact in facts:
        if isinstance(fact, IssueFact):
            tx.execute(
                "UPDATE venue_tickets SET state = 'known' WHERE ticket = ? AND state = 'offered'", (fact.ticket,)
            )
        else:
            tx.execute(
                "UPDATE venue_ticket_claims SET sent = 1 WHERE epoch = ? AND claim = ? AND state = ?",
                (fact.epoch, fact.claim, fact.state),
            )


def lost(tx: Transaction) -> None:
    """Hand everything over again, to a venue that was restored from a backup."""
    known = membership(tx)
    if known is not None:
        tx.execute("UPDATE venue_tickets SET state = 'offered' WHERE state = 'known' AND site = ?", (known.site,))
        tx.execute("UPDATE venue_ticket_claims SET sent = 0 WHERE sent = 1 AND epoch >= ?", (known.since_epoch,))
