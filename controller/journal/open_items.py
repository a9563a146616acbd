"""Open items: money that could not be accounted for, until an attendant or a technician resolves it.

`controller.journal.resolutions` resolves them.
"""

from enum import StrEnum
from typing import Any

import msgspec

from controller.journal.event_catalogue import Event, EventKind
from controller.journal.event_words import in_english
from controller.journal.transaction import Transaction


class OpenItem(msgspec.Struct, frozen=True):
    """An open item, worth `least_cents` to `amount_cents`; the latter is None if it is unbounded."""

    id: int
    opened_ms: int
    kind: str
    amount_cents: int | None
    text: str
    least_cents: int = 0

    @property
    def proved(self) -> bool:
        """Whether the amount is certain."""
        return self.amount_cents == self.least_cents

    @property
    def is_exact(self) -> bool:
        """Whether exactly this amount is owed to a player."""
        return self.kind in _EXACT

    @property
    def for_technician(self) -> bool:
        """Whether only a technician may resolve it, because the amount is not certain."""
        return not self.proved

    def wants_technician(self, most_cents: int) -> bool:
        """Return whether a technician must resolve it; an attendant may book at most `most_cents`."""
        books = any(way.moves_money for way in self.ways)
        return self.for_technician or (books and (self.amount_cents or 0) > most_cents)

    @property
    def ways(self) -> tuple["Resolution", ...]:
        """The ways to resolve it; an unknown number of coins beyond an order cannot be taken off the credit."""
        ways = _WAYS[self.kind]
        return ways if self.amount_cents is not None else tuple(way for way in ways if way is not Resolution.LEFT)


class Resolution(StrEnum):
    """What was found and done.

    PAID: the money is in the machine and was never credited; its owner was paid by hand.
    LEFT: coins had left the hopper uncounted; they are taken off the credit.
    RETURNED: the money is back where it came from; nothing is booked.
    VOID: nothing was owed, for the reason given.
    MERGED: a later item of its kind includes it; not offered as a choice.
    KEPT: none of the coins held for a payout had left the hopper; they are the player's.
    CREDITED: the amount that is certainly the player's is on the credit again.
    """

    PAID = "paid"
    LEFT = "left"
    RETURNED = "returned"
    VOID = "void"
    MERGED = "merged"
    KEPT = "kept"
    CREDITED = "credited"

    @property
    def moves_money(self) -> bool:
        """Whether it books an amount."""
        return self in {Resolution.PAID, Resolution.LEFT, Resolution.CREDITED}


FOUND = "found_in"
"""The meter of money that came in without being credited and was found by an attendant."""

TICKET = "ticket_unknown"
"""A ticket whose location is unknown."""
LOST_TICKETS = "tickets_lost"
"""The tickets that were printed before books were lost (`controller.features.tickets.lost`)."""
COINS_FORGOTTEN = "coins_forgotten"
"""Coins that an acceptor may have taken and forgotten before they were read."""
PULSES = "pulses_unknown"
"""Pulses of a coin or note acceptor that prove no amount."""
PULSES_MISSED = "pulses_missed"
"""Money that an acceptor may have taken while its pulses were not counted."""
_CAME_IN = (
    "coins_lost",
    COINS_FORGOTTEN,
    "coins_recount",
    "demo_coins",
    "note_unknown",
    "note_unexpected",
    PULSES,
    PULSES_MISSED,
    TICKET,
)
JACKPOT, JACKPOT_VOID = "jackpot_held", "jackpot_void"
"""A venue's payment for a claim that no round pays out: of an earlier epoch, or of a void round."""
JACKPOTS = frozenset((JACKPOT, JACKPOT_VOID))
_EXACT = frozenset(("payout_rest", *JACKPOTS))
_WAYS = {
    **dict.fromkeys(_CAME_IN, (Resolution.PAID, Resolution.RETURNED, Resolution.VOID)),
    "payout_undecided": (Resolution.LEFT, Resolution.RETURNED, Resolution.VOID),
    "hopper_overpaid": (Resolution.RETURNED, Resolution.VOID),
    "hopper_recount": (Resolution.RETURNED, Resolution.VOID),
    "payout_held": (Resolution.LEFT, Resolution.KEPT),
    "payout_rest": (Resolution.PAID, Resolution.CREDITED),
    JACKPOT: (Resolution.CREDITED, Resolution.VOID),
    JACKPOT_VOID: (Resolution.PAID, Resolution.VOID),
    "note_returned_after_credit": (Resolution.RETURNED, Resolution.VOID),
    LOST_TICKETS: (Resolution.RETURNED, Resolution.VOID),
}


def add_item(
    tx: Transaction,
    kind: str,
    amount_cents: int | None,
    event: EventKind,
    *,
    least_cents: int | None = None,
    **figures: Any,
) -> int:
    """Open an item, record it as an event, and return its number.

    It is worth at most `amount_cents` (None for unknown) and at least `least_cents`, which defaults to the same.
    """
    least = (amount_cents or 0) if least_cents is None else least_cents
    item = tx.execute(
        "INSERT INTO open_items (opened_ms, kind, amount_cents, least_cents, text) VALUES (?, ?, ?, ?, ?)",
        (tx.at_ms, kind, amount_cents, least, in_english(event, figures)),
    ).lastrowid
    tx.event(event, kind=kind, amount_cents=amount_cents, least_cents=least, **figures)
    return int(item or 0)


def add_to_item(
    tx: Transaction, kind: str, most_cents: int | None, *, bounded: EventKind, unbounded: EventKind, **figures: Any
) -> None:
    """Open an item of this kind, worth 0 to `most_cents` (None for unknown), and merge earlier ones into it.

    It has the bounds of all of them and is recorded as `bounded` with `most_cents`, or as `unbounded`.
    """
    before = [item for item in open_items(tx) if item.kind == kind]
    bounds = [most_cents, *(item.amount_cents for item in before)]
    total = None if None in bounds else sum(cents or 0 for cents in bounds)
    event = unbounded if total is None else bounded
    number = add_item(tx, kind, total, event, least_cents=0, most_cents=total or 0, **figures)
    for item in before:
        merge_item(tx, item, number)


def is_open(tx: Transaction, kind: str) -> bool:
    """Whether an item of this kind is unresolved."""
    row = tx.execute("SELECT 1 FROM open_items WHERE kind = ? AND resolution IS NULL LIMIT 1", (kind,)).fetchone()
    return row is not None


def resolution_of(tx: Transaction, number: int) -> str | None:
    """Return how an item was resolved, or None if it is open."""
    (way,) = tx.execute("SELECT resolution FROM open_items WHERE id = ?", (number,)).fetchone()
    return None if way is None else str(way)


def lower_item(tx: Transaction, number: int, most_cents: int) -> None:
    """Lower the maximum value of an unresolved item, because the rest has been accounted for."""
    tx.execute("UPDATE open_items SET amount_cents = ? WHERE id = ? AND resolution IS NULL", (most_cents, number))


def merge_item(tx: Transaction, item: OpenItem, into: int) -> None:
    """Close an item that the later item `into` includes."""
    _close(tx, item.id, Resolution.MERGED, Event.ITEM_MERGED, into=into)


def close_item(
    tx: Transaction, number: int, way: str, who: str, *, amount_cents: int | None = None, reason: str = ""
) -> None:
    """Close an item as `who` resolved it, with an event; the caller books the money."""
    if amount_cents is None:
        _close(tx, number, way, Event.ITEM_RESOLVED_BECAUSE if reason else Event.ITEM_RESOLVED, who=who, reason=reason)
    else:
        booked = Event.ITEM_BOOKED_BECAUSE if reason else Event.ITEM_BOOKED
        _close(tx, number, way, booked, who=who, reason=reason, amount_cents=amount_cents)


def _close(tx: Transaction, number: int, way: str, event: EventKind, **figures: Any) -> None:
    tx.execute("UPDATE open_items SET resolution = ?, resolved_ms = ? WHERE id = ?", (str(way), tx.at_ms, number))
    tx.event(event, item=number, way=str(way), **figures)


def open_items(tx: Transaction) -> list[OpenItem]:
    """Return every unresolved item, oldest first."""
    rows = tx.execute(
        "SELECT id, opened_ms, kind, amount_cents, text, least_cents FROM open_items"
        " WHERE resolution IS NULL ORDER BY id"
    )
    return [OpenItem(*row) for row in rows]
