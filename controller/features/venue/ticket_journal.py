"""Tickets validated by a venue, in the cabinet's books (docs/venue-protocol.md).

A ticket of this cabinet is marked before it is handed over; an unmarked one is in no other books, so nobody else can
have paid it. An inserted ticket is claimed under its own key. Its result is stored in the transaction that moves the
money, and kept until the venue has it.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from controller.features.venue.membership import Membership, membership
from controller.journal import money, tickets
from controller.journal.number_seal import StoredNumber
from controller.journal.reads import Reader
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction

BATCH: Final = 200
"""The most facts in one call (docs/venue-protocol.md)."""
HELD: Final = "held"
"""The venue's answer to a granted claim."""
ALONE: Final = "venue_alone"
"""Why a ticket is refused without the venue: a code of `event_words`."""


class Claim(msgspec.Struct, frozen=True):
    """The key under which a ticket in escrow is claimed."""

    epoch: int
    claim: int


class IssueFact(msgspec.Struct, frozen=True, tag_field="kind", tag="issue"):
    """A ticket printed by this cabinet, as sent to the venue."""

    number: str
    cents: int
    epoch: int
    ticket: int
    issued_ms: int
    expires_ms: int | None


class ClaimFact(msgspec.Struct, frozen=True, tag_field="kind", tag="claim"):
    """The result of an inserted ticket; `cents` is None if the venue never stated its value."""

    epoch: int
    claim: int
    number: str
    cents: int | None
    state: str


Fact = IssueFact | ClaimFact


def ask(tx: Transaction, number: str) -> Claim | str:
    """Record a claim before it is sent; return its key, or why there is none as a code of `event_words`."""
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
    """Record the order to stack a granted ticket; return an empty string, or why it is given up.

    A claim that was given up in between is not granted.
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
    """Record that a claimed ticket goes back to its owner, and mark this to be sent to the venue."""
    tx.execute(
        "UPDATE venue_ticket_claims SET state = 'released', sent = 0 WHERE epoch = ? AND claim = ? AND state = 'asked'",
        (claim.epoch, claim.claim),
    )


def give_up_all(tx: Transaction) -> None:
    """Give up all claims from before a restart: no order to stack was given for them, whatever the venue answered."""
    tx.execute("UPDATE venue_ticket_claims SET state = 'released', sent = 0 WHERE state = 'asked'")


def take_alone(tx: Transaction, number: str, *, most_cents: int, room_cents: int) -> str:
    """Accept a ticket of this cabinet without the venue; return why not, or an empty string once the order is recorded.

    The ticket must never have been handed to a venue, and all that the venue has not yet been told of may be worth at
    most `most_cents`.
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
    """Whether this ticket was never handed to a venue."""
    row = tx.execute("SELECT 1 FROM venue_tickets WHERE ticket = ? AND state = 'new'", (ticket,)).fetchone()
    return row is not None


def for_venue(tx: Transaction, ticket: Ticket) -> None:
    """Mark a begun ticket to be handed over once it is printed."""
    tx.execute("INSERT INTO venue_tickets (ticket) VALUES (?)", (ticket.id,))


def begin(tx: Transaction) -> None:
    """Prepare after a start: queue tickets printed for the cabinet's own list, and give up pending claims."""
    tx.execute(
        "INSERT INTO venue_tickets (ticket) SELECT id FROM tickets"
        " WHERE state IN ('printing', 'printed', 'held') AND id NOT IN (SELECT ticket FROM venue_tickets)"
    )
    give_up_all(tx)


def hand_over(tx: Transaction, most: int = BATCH, *, new: bool = True) -> tuple[Fact, ...]:
    """Return the facts that the current venue lacks, oldest first; mark the included tickets as handed over.

    The result of a ticket that was accepted without the venue is sent before the fact that it was printed, or with it.
    If `new` is false, only tickets that the venue already had are included, because others validate the rest.
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
    stored(tx, [fact for fact in facts if not fact.number])  # sealed with a lost key: their numbers cannot be sent
    return tuple(fact for fact in facts if fact.number)


def _unknown(tx: Reader) -> bool:
    return (
        tx.execute("SELECT 1 FROM venue_tickets WHERE state <> 'known' AND state = 'new' LIMIT 1").fetchone()
        is not None
    )


def _offer(tx: Transaction, known: Membership, most: int) -> None:
    """Mark the oldest tickets that no venue has: those still worth their amount, or inserted at this venue.

    A ticket that was not printed completely, or that the cabinet's own list has redeemed, is dropped, because the venue
    would list it as open. One held by the cabinet's list waits for its result.
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
    """Record that the venue has these facts; a fact that changed since is sent again."""
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
    """Mark everything to be sent again, to a venue that was restored from a backup."""
    known = membership(tx)
    if known is not None:
        tx.execute("UPDATE venue_tickets SET state = 'offered' WHERE state = 'known' AND site = ?", (known.site,))
        tx.execute("UPDATE venue_ticket_claims SET sent = 0 WHERE sent = 1 AND epoch >= ?", (known.since_epoch,))
