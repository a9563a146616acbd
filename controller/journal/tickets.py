"""Tickets: credit printed as a number that one machine turns back into credit, once (requirements.md L4, M7).

The credit is deducted when the printer reports that the ticket is completely printed. A ticket without that report is
void, and its credit is paid by hand. An inserted ticket is held from the order to stack it, and redeemed in the
transaction that credits it.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from controller.journal import payouts
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.event_log import events_of
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.ledger import RARE
from controller.journal.number_seal import StoredNumber, masked
from controller.journal.open_items import LOST_TICKETS, Resolution, is_open
from controller.journal.parts import is_handed_over, ticket_claims
from controller.journal.payouts import OpenPayout
from controller.journal.reads import Reader
from controller.journal.search import NEWEST
from controller.journal.transaction import Transaction

OUT, IN = "tickets_out", "tickets_in"
"""The meters of all credit printed on tickets, and of all credit from tickets."""
OUTS, INS = "tickets_printed", "tickets_taken"
"""The meters that count these tickets."""
OWN_OUT, OWN_IN = "own_tickets_out", "own_tickets_in"
"""The meters of the part with numbers that a machine validates itself."""
CURRENCY: Final = "currency"
"""The setting that stores the currency of the books."""
_CLOCK_MOVES: Final = (Event.CLOCK_SET.code, Event.CLOCK_JUMPED.code)
_MOST_MOVES: Final = 200
"""A journal keeps no more of each when its past is archived."""
DIGITS: Final = 18
"""The length of a number: two digits for the validator, and 16 more (sas.md, section 2)."""
OWN: Final = "00"
"""The first two digits of the numbers that a machine validates itself (sas.md, 2.1)."""


class _Currencies(msgspec.Struct, frozen=True):
    """The newest ticket of each earlier currency of the books, with the currency's code, oldest first."""

    until: tuple[tuple[int, str], ...] = ()


_CURRENCIES = Stored(SETTINGS, "ticket_currencies", _Currencies)


class Ticket(msgspec.Struct, frozen=True):
    """A ticket that this cabinet has printed or is printing; `expires_ms` is None if it never expires.

    `number` is empty if it was sealed with a key that this cabinet does not have.
    """

    id: int
    number: str
    cents: int
    state: str
    issued_ms: int
    expires_ms: int | None
    settled_ms: int | None


_COLUMNS = ", ".join(Ticket.__struct_fields__)

Numbering = Callable[[int, int, int], str]
"""Returns the number of a ticket from its id, its cents and the time of issue."""


def begin(tx: Transaction, number_of: Numbering, *, expires_ms: int | None = None) -> Ticket:
    """Record the ticket of the payout in progress; its number and value are durable before it is printed.

    Raise `RefusedError` if no such payout is in progress, or its ticket has begun.
    """
    payout = _payout(tx)
    if open_ticket(tx) is not None:
        raise RefusedError("A ticket is being printed")
    (newest,) = tx.execute("SELECT coalesce(max(id), 0) FROM tickets").fetchone()
    cents = payout.amount_cents
    tx.execute(
        "INSERT INTO tickets (id, number, cents, state, issued_ms, expires_ms) VALUES (?, ?, ?, 'printing', ?, ?)",
        (newest + 1, tx.numbers.sealed(number_of(newest + 1, cents, tx.at_ms)), cents, tx.at_ms, expires_ms),
    )
    return _printing(tx)


def of_own(number: str, meter: str, cents: int) -> dict[str, int]:
    """Return the increase of `meter` for a ticket; empty if the number is not validated by a machine itself."""
    return {meter: cents} if number.startswith(OWN) else {}


def open_ticket(tx: Transaction) -> Ticket | None:
    """Return the ticket that is being printed, or None."""
    return _found(tx, "state = 'printing'")


def printed(tx: Transaction) -> Ticket:
    """Deduct the ticket's value from the credit, after its printer has reported that it is completely printed."""
    payout, ticket = _payout(tx), _printing(tx)
    tx.audit()
    meters = {OUT: ticket.cents, OUTS: 1, **of_own(ticket.number, OWN_OUT, ticket.cents)}
    tx.post("ticket_out", credit=-ticket.cents, meters=meters, data={"ticket": ticket.id})
    tx.event(Event.TICKET_PRINTED, ticket=ticket.id, amount_cents=ticket.cents)
    _move(tx, ticket, "printed")
    payouts.end_ticket_payout(tx, payout.id, paid=True)
    return ticket


def not_printed(tx: Transaction, reason: str) -> OpenPayout:
    """End a payout whose ticket was not reported as printed, and return the hand-pay begun for the same credit.

    The ticket is void, even if paper lies in the tray.
    """
    payout, ticket = _payout(tx), open_ticket(tx)
    if ticket is not None:
        tx.event(Event.TICKET_VOID, ticket=ticket.id, amount_cents=ticket.cents, reason=reason)
        _move(tx, ticket, "void")
    payouts.end_ticket_payout(tx, payout.id, paid=False)
    return payouts.begin_payout(tx, "hand_pay", payout.amount_cents, follows=payouts.follows(tx, payout.id))


def _payout(tx: Transaction) -> OpenPayout:
    payout = payouts.required_payout(tx)
    if payout.kind != "ticket":
        raise RefusedError("No ticket is being printed")
    return payout


def _printing(tx: Transaction) -> Ticket:
    ticket = open_ticket(tx)
    if ticket is None:
        raise RefusedError("No ticket is being printed")
    return ticket


def by_number(tx: Transaction, number: str) -> Ticket | None:
    """Return this cabinet's ticket with that number, or None."""
    return _stored(tx, tx.numbers.sealed(number))


def _stored(tx: Transaction, number: StoredNumber) -> Ticket | None:
    return _found(tx, "number = ?", number)


def is_used(tx: Transaction, number: str) -> bool:
    """Whether a ticket has that number: one of this cabinet, or a foreign one that it accepted and did not return."""
    taken = "SELECT 1 FROM notes WHERE ticket = ? AND state <> 'returned' LIMIT 1"
    return by_number(tx, number) is not None or tx.execute(taken, (tx.numbers.sealed(number),)).fetchone() is not None


def with_id(tx: Transaction, number: int) -> Ticket:
    """Return this cabinet's ticket with that id; raise `RefusedError` if there is none."""
    found = _found(tx, "id = ?", number)
    if found is None:
        raise RefusedError("There is no ticket with that number")
    return found


def worth(tx: Transaction, number: str) -> Ticket | str:
    """Return the printed ticket with that number, or why it is worth nothing here as a code of `event_words`."""
    ticket = by_number(tx, number)
    if ticket is None:
        return "ticket_lost" if number.startswith(OWN) and is_open(tx, LOST_TICKETS) else "ticket_foreign"
    if ticket.state != "printed":
        return f"ticket_{ticket.state}"
    if _of_another_currency(tx, ticket.id):
        return "ticket_currency"
    if ticket.expires_ms is not None and tx.at_ms >= ticket.expires_ms + _set_forward_ms(tx, ticket.issued_ms):
        return "ticket_expired"
    return ticket


def currency_ends(tx: Transaction, code: str) -> None:
    """Record that all tickets so far are in currency `code`, before the books change to another one."""
    (newest,) = tx.execute("SELECT coalesce(max(id), 0) FROM tickets").fetchone()
    earlier = _CURRENCIES.read(tx) or _Currencies()
    _CURRENCIES.write(tx, _Currencies((*earlier.until, (newest, code))))


def _of_another_currency(tx: Transaction, ticket: int) -> bool:
    earlier, now = _CURRENCIES.read(tx) or _Currencies(), SETTINGS.get(tx, CURRENCY)
    return next((code for newest, code in earlier.until if ticket <= newest), now) != now


def _set_forward_ms(tx: Transaction, since_ms: int) -> int:
    """Return how far the clock was set forward, or jumped, since it showed `since_ms`, in ms.

    This time does not let tickets expire, because a computer may start without the time and get it later.
    """
    moves = [event.data for event in events_of(tx, _CLOCK_MOVES, NEWEST, _MOST_MOVES)]
    after = [move for move in moves if move["from_ms"] >= since_ms]
    return sum(max(0, move["to_ms"] - move["from_ms"]) for move in after)


def hold(tx: Transaction, number: StoredNumber) -> None:
    """Record that a ticket is to be stacked; until it is credited or returned, no other one can have its number."""
    _own(tx, number, "held")


def release(tx: Transaction, number: StoredNumber) -> None:
    """Record that a held ticket went back to its owner."""
    _own(tx, number, "printed")
    _tell(tx, number, "released")


def redeem(tx: Transaction, number: StoredNumber) -> None:
    """Record that a held ticket has become credit."""
    _own(tx, number, "redeemed")
    _tell(tx, number, "redeemed")


def _tell(tx: Transaction, number: StoredNumber, state: str) -> None:
    for claims in ticket_claims():
        claims.end(tx, number, state)


def in_doubt(tx: Transaction, number: StoredNumber, item: int) -> None:
    """Keep a held ticket until a technician resolves its open item."""
    tx.execute("UPDATE tickets SET item = ? WHERE number = ?", (item, number))
    for claims in ticket_claims():
        claims.in_doubt(tx, number, item)


def decide(tx: Transaction, item: int, way: Resolution) -> None:
    """Record the result of a ticket in doubt: paid by hand, returned to its owner, or nothing was owed."""
    state = {Resolution.PAID: "redeemed", Resolution.RETURNED: "printed"}.get(way, "void")
    ticket = _found(tx, "item = ? AND state = 'held'", item)
    if ticket is not None:
        tx.execute("UPDATE tickets SET item = NULL WHERE id = ?", (ticket.id,))
        _move(tx, ticket, state)
    for claims in ticket_claims():
        claims.decided(tx, item, "released" if state == "printed" else state)


def own_printed(tx: Transaction) -> dict[int, int]:
    """Return the cents by id of printed tickets that only this cabinet can accept, including expired ones.

    No others may have paid them, and no host numbered them. A ticket whose number cannot be opened is included.
    """
    rows = tx.execute("SELECT id, number, cents FROM tickets WHERE state = 'printed'").fetchall()
    return {
        ticket: cents
        for ticket, stored, cents in rows
        if not is_handed_over(tx, ticket) and tx.numbers.opened(stored)[:2] in (OWN, "")
    }


class ListedTicket(msgspec.Struct, frozen=True):
    """A ticket as a page lists it, with its time and its result.

    `number` is its last four digits, or the whole number if it was redeemed here and is worth nothing.
    """

    number: str
    cents: int
    state: str
    at_ms: int


def newest(tx: Reader, most: int) -> list[ListedTicket]:
    """Return this cabinet's newest tickets, newest first (L4 requires 35)."""
    rows = tx.execute("SELECT number, cents, state, issued_ms FROM tickets ORDER BY id DESC LIMIT ?", (most,))
    return [ListedTicket(masked(number), *rest) for number, *rest in rows]


def newest_taken(tx: Reader, most: int) -> list[ListedTicket]:
    """Return the newest tickets inserted into the bill validator, with the states of `notes`, newest first."""
    rows = tx.execute(
        "SELECT ticket, value_cents, state, at_ms, redeemed FROM notes LEFT JOIN"  # noqa: S608 - a literal
        " (SELECT data ->> '$.note' AS note, data ->> '$.ticket' AS redeemed FROM ledger"
        f" WHERE kind = 'ticket_in' AND {RARE} ORDER BY seq DESC LIMIT ?1) ON note = notes.id"
        " WHERE ticket IS NOT NULL ORDER BY notes.id DESC LIMIT ?1",
        (most,),
    )
    return [ListedTicket(redeemed or masked(number), *rest) for number, *rest, redeemed in rows]


def _own(tx: Transaction, number: StoredNumber, state: str) -> None:
    """Change the state of this cabinet's ticket; for a foreign one, only its validator keeps a list."""
    ticket = _stored(tx, number)
    if ticket is not None:
        _move(tx, ticket, state)


def _move(tx: Transaction, ticket: Ticket, state: str) -> None:
    settled = tx.at_ms if state in ("redeemed", "void") else None
    tx.execute("UPDATE tickets SET state = ?, settled_ms = ? WHERE id = ?", (state, settled, ticket.id))


def _found(tx: Transaction, which: str, *parameters: str | int) -> Ticket | None:
    row = tx.execute(f"SELECT {_COLUMNS} FROM tickets WHERE {which}", parameters).fetchone()  # noqa: S608 - literals
    if row is None:
        return None
    at, stored, *rest = row
    return Ticket(at, tx.numbers.opened(stored), *rest)
