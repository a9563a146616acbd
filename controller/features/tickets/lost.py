"""Tickets after lost books: what nobody can say of them any more is held for a person, as one open item.

Books that were restored from a backup, rebuilt from their second copy, or lack their newest rows, do not know which of
the cabinet's own tickets came back since, and which were printed. So none of those that stood as printed is taken by
the machine. A technician decides about each when it is shown, and in the end about the item as a whole. A ticket that a
venue or a host validates is not theirs to decide: who validates it knows what became of it.
"""

import msgspec

from controller.features.tickets import journal as tickets
from controller.features.tickets.number_journal import seal_with
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.number_seal import PLAIN, NumberSeal, StoredNumber, masked
from controller.journal.open_items import (
    LOST_TICKETS,
    OpenItem,
    Resolution,
    add_item,
    lower_item,
    merge_item,
    open_items,
)
from controller.journal.search import NEWEST
from controller.journal.transaction import InPlay, Transaction


class HeldTicket(msgspec.Struct, frozen=True):
    """A ticket that stood as printed in books that lack what followed; `number` is its last four digits."""

    id: int
    number: str
    cents: int
    issued_ms: int


def hold_printed(tx: Transaction, event: Event, *, always: bool = False) -> None:
    """Hold every ticket of the cabinet's own that stands as printed, for an open item recorded as `event`.

    What was printed since is not known, so its amount is not either. Nothing is opened where no ticket is held, unless
    `always`: for a cabinet that validates its own, and may have printed some since.
    """
    printed = tickets.own_printed(tx)
    if not printed and not always:
        return
    number = _open(tx, event, None, tickets=len(printed), cents=sum(printed.values()))
    for ticket in printed:
        tx.execute("UPDATE tickets SET state = 'held', item = ? WHERE id = ?", (number, ticket))


def after_rebuild(tx: Transaction) -> None:
    """Open an item for the tickets of books that are lost: all that is known of them is what the meters say."""
    printed, taken = (
        tx.execute("SELECT coalesce(sum(value), 0) FROM meters WHERE name = ?", (name,)).fetchone()[0]
        for name in (tickets.OWN_OUT, tickets.OWN_IN)
    )
    if printed > taken:
        _open(tx, Event.TICKETS_OF_LOST_BOOKS, printed - taken, out_cents=printed, in_cents=taken)


def seal_numbers(tx: Transaction, key: str, before: NumberSeal = PLAIN) -> None:
    """Have all numbers sealed with the cabinet's present `key`; what `before` cannot open is held, and read by nobody.

    What a host had not read of such tickets cannot be told to it any more.
    """
    if seal_with(tx, key, before):
        return
    tx.execute("UPDATE host_records SET read = 1")
    tx.execute("DELETE FROM host_records")
    tx.execute("UPDATE host_redemptions SET state = 'ended', status = 0 WHERE state <> 'ended'")
    tx.execute("UPDATE host_redemptions SET closed = 1")
    tx.execute("DELETE FROM host_redemptions")
    hold_printed(tx, Event.TICKETS_OF_ANOTHER_KEY)


def _open(tx: Transaction, event: Event, most_cents: int | None, **figures: int) -> int:
    """Open the item, in place of one that there is already."""
    before = item(tx)
    if before is not None and most_cents is not None:
        most_cents = None if before.amount_cents is None else most_cents + before.amount_cents
    number = add_item(tx, LOST_TICKETS, most_cents, event, least_cents=0, **figures)
    if before is not None:
        tx.execute("UPDATE tickets SET item = ? WHERE item = ?", (number, before.id))
        merge_item(tx, before, number)
    return number


def item(tx: Transaction) -> OpenItem | None:
    """Return the open item of tickets of lost books, None for none."""
    return next((found for found in open_items(tx) if found.kind == LOST_TICKETS), None)


def held(tx: Transaction, before: int = NEWEST, most: int = -1) -> list[HeldTicket]:
    """Return the tickets below the id `before` that are held so, newest first, all or the `most` newest."""
    rows = tx.execute(
        "SELECT t.id, number, cents, issued_ms FROM tickets t JOIN open_items o ON o.id = t.item"
        " WHERE t.state = 'held' AND o.kind = ? AND o.resolution IS NULL AND t.id < ? ORDER BY t.id DESC LIMIT ?",
        (LOST_TICKETS, before, most),
    )
    return [HeldTicket(ticket, masked(number), *rest) for ticket, number, *rest in rows]


def decide(tx: Transaction, ticket: int, way: Resolution, who: str, *, reason: str = "") -> None:
    """Decide about one held ticket: paid by hand, taken by the machine again, or void; the item stays open.

    Raise `RefusedError` where it is not held any more, and during a payout.
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
    """Book a ticket of the lost books as paid by hand; its number is redeemed, so that no copy of it is paid again.

    Raise `RefusedError` for a number that the books have, for more than `most_cents` or than the item is worth, and
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
    """End the doubt about all tickets that are still held, before their item is closed so."""
    for ticket in held(tx):
        _end(tx, ticket.id, "printed" if way is Resolution.RETURNED else "void")


def _pay(tx: Transaction, stored: StoredNumber, cents: int) -> None:
    """Book a ticket that came in and was paid by hand; of an item with an amount it is a part."""
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
