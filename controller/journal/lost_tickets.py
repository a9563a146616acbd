"""Tickets after lost books: tickets whose fate is unknown are held for a person, as one open item.

Books that were restored from a backup, rebuilt from their second copy, or lack their newest rows do not show which of
the cabinet's own tickets were redeemed since, or which were printed. So the machine accepts none of those listed as
printed. A technician decides about each one when it is shown, and finally about the item as a whole. Tickets validated
by a venue or a host are not affected, because their validator knows their state.
"""

import msgspec

from controller.journal import tickets
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.number_seal import PLAIN, NumberSeal, StoredNumber, masked
from controller.journal.number_sealing import seal_with
from controller.journal.open_items import (
    LOST_TICKETS,
    OpenItem,
    Resolution,
    add_item,
    lower_item,
    merge_item,
    open_items,
)
from controller.journal.parts import journal_parts
from controller.journal.search import NEWEST
from controller.journal.transaction import InPlay, Transaction


class HeldTicket(msgspec.Struct, frozen=True):
    """A ticket listed as printed in books that lack the rows after it; `number` is its last four digits."""

    id: int
    number: str
    cents: int
    issued_ms: int


def hold_printed(tx: Transaction, event: EventKind, *, always: bool = False) -> None:
    """Hold all of the cabinet's own printed tickets for an open item recorded as `event`.

    Tickets printed since are unknown, and so is their amount. No item is opened if no ticket is held, except with
    `always`, for a cabinet that validates its own tickets and may have printed some since.
    """
    printed = tickets.own_printed(tx)
    if not printed and not always:
        return
    number = _open(tx, event, None, tickets=len(printed), cents=sum(printed.values()))
    for ticket in printed:
        tx.execute("UPDATE tickets SET state = 'held', item = ? WHERE id = ?", (number, ticket))


def after_rebuild(tx: Transaction) -> None:
    """Open an item for the tickets of lost books, of which only the meters are known."""
    printed, taken = (
        tx.execute("SELECT coalesce(sum(value), 0) FROM meters WHERE name = ?", (name,)).fetchone()[0]
        for name in (tickets.OWN_OUT, tickets.OWN_IN)
    )
    if printed > taken:
        _open(tx, Event.TICKETS_OF_LOST_BOOKS, printed - taken, out_cents=printed, in_cents=taken)


def seal_numbers(tx: Transaction, key: str, before: NumberSeal = PLAIN) -> None:
    """Seal all numbers with the cabinet's present `key`; hold tickets whose number `before` cannot open."""
    if seal_with(tx, key, before):
        return
    for part in journal_parts():
        if part.forget_numbers is not None:
            part.forget_numbers(tx)
    hold_printed(tx, Event.TICKETS_OF_ANOTHER_KEY)


def _open(tx: Transaction, event: EventKind, most_cents: int | None, **figures: int) -> int:
    """Open the item, replacing an existing one."""
    before = item(tx)
    if before is not None and most_cents is not None:
        most_cents = None if before.amount_cents is None else most_cents + before.amount_cents
    number = add_item(tx, LOST_TICKETS, most_cents, event, least_cents=0, **figures)
    if before is not None:
        tx.execute("UPDATE tickets SET item = ? WHERE item = ?", (number, before.id))
        merge_item(tx, before, number)
    return number


def item(tx: Transaction) -> OpenItem | None:
    """Return the open item for tickets of lost books, or None."""
    return next((found for found in open_items(tx) if found.kind == LOST_TICKETS), None)


def held(tx: Transaction, before: int = NEWEST, most: int = -1) -> list[HeldTicket]:
    """Return the tickets held for lost books with ids below `before`, newest first: all, or the `most` newest."""
    rows = tx.execute(
        "SELECT t.id, number, cents, issued_ms FROM tickets t JOIN open_items o ON o.id = t.item"
        " WHERE t.state = 'held' AND o.kind = ? AND o.resolution IS NULL AND t.id < ? ORDER BY t.id DESC LIMIT ?",
        (LOST_TICKETS, before, most),
    )
    return [HeldTicket(ticket, masked(number), *rest) for ticket, number, *rest in rows]


def decide(tx: Transaction, ticket: int, way: Resolution, who: str, *, reason: str = "") -> None:
    """Decide about one held ticket: paid by hand, accepted by the machine again, or void; the item stays open.

    Raise `RefusedError` if it is not held, and during a payout.
    """
    found = next((each for each in held(tx) if each.id == ticket), None)
    if found is None:
        raise RefusedError("This ticket is not held any more")
    if way is Resolution.PAID:
        (stored,) = tx.execute("SELECT number FROM tickets WHERE id = ?", (ticket,)).fetchone()
        _pay(tx, stored, found.cents)
        _end(tx, ticket, "redeemed")
        tx.event(Event.LOST_TICKET_PAID, ticket=found.number, amount_cents=found.cents, who=who)
    elif way is Resolution.RETURNED:
        _end(tx, ticket, "printed")
        tx.event(Event.LOST_TICKET_TAKEN, ticket=found.number, amount_cents=found.cents, who=who)
    else:
        _end(tx, ticket, "void")
        tx.event(Event.LOST_TICKET_VOID, ticket=found.number, amount_cents=found.cents, who=who, reason=reason)


def pay_unlisted(tx: Transaction, number: str, cents: int, who: str, *, most_cents: int) -> None:
    """Book a ticket of the lost books as paid by hand; its number is marked as redeemed, so that no copy is paid again.

    Raise `RefusedError` for a number that the books contain, for more than `most_cents` or the item's amount, and
    during a payout.
    """
    if tickets.is_used(tx, number):
        raise RefusedError("This ticket is in the list of this machine: decide about it there")
    if not 0 < cents <= most_cents:
        raise RefusedError("It must be {low_cents} to {high_cents}", low_cents=1, high_cents=most_cents)
    stored = tx.numbers.sealed(number)
    _pay(tx, stored, cents)
    tx.execute(
        "INSERT INTO tickets (id, number, cents, state, issued_ms, settled_ms)"
        " SELECT coalesce(max(id), 0) + 1, ?, ?, 'redeemed', ?, ? FROM tickets",
        (stored, cents, tx.at_ms, tx.at_ms),
    )
    tx.event(Event.LOST_TICKET_PAID, ticket=masked(number), amount_cents=cents, who=who)


def close(tx: Transaction, way: Resolution) -> None:
    """Apply the decision to all tickets that are still held, before their item is closed."""
    for ticket in held(tx):
        _end(tx, ticket.id, "printed" if way is Resolution.RETURNED else "void")


def _pay(tx: Transaction, stored: StoredNumber, cents: int) -> None:
    """Book an inserted ticket that was paid by hand; if the item has an amount, this is part of it."""
    tx.refuse_in_play(InPlay.PAYOUT)
    tx.audit()
    found = item(tx)
    if found is None:
        raise RefusedError("No tickets are held")
    if found.amount_cents is not None:
        if cents > found.amount_cents:
            raise RefusedError(
                "Item {number} is {most_cents} at the most", number=found.id, most_cents=found.amount_cents
            )
        lower_item(tx, found.id, found.amount_cents - cents)
    meters = {tickets.IN: cents, tickets.INS: 1, tickets.OWN_IN: cents, "hand_pay": cents, "hand_pays": 1}
    tx.post("open_item", meters=meters, data={"item": found.id})
    tx.execute(
        "INSERT INTO payouts (kind, amount_cents, paid_cents, state, started_ms, ended_ms)"
        " VALUES ('hand_pay', ?, ?, 'done', ?, ?)",
        (cents, cents, tx.at_ms, tx.at_ms),
    )
    tx.execute(
        "INSERT INTO notes (value_cents, state, at_ms, ticket) VALUES (?, 'acknowledged', ?, ?)",
        (cents, tx.at_ms, stored),
    )


def _end(tx: Transaction, ticket: int, state: str) -> None:
    settled = None if state == "printed" else tx.at_ms
    tx.execute("UPDATE tickets SET state = ?, settled_ms = ?, item = NULL WHERE id = ?", (state, settled, ticket))
