"""Open items: money that nobody could account for beyond doubt, until an attendant resolves it.

How a person's decision resolves one is in `controller.journal.resolutions`.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from controller.journal.transaction import Transaction


class OpenItem(msgspec.Struct, frozen=True):
    """One unresolved matter, worth `least_cents` to `amount_cents`; None for the most where nobody knows even that."""

    id: int
    opened_ms: int
    kind: str
    amount_cents: int | None
    text: str
    least_cents: int = 0

    @property
    def proved(self) -> bool:
        """Whether its amount is known for certain."""
        return self.amount_cents == self.least_cents

    @property
    def is_exact(self) -> bool:
        """Whether the whole amount, and no less, is owed to a player."""
        return self.kind in _EXACT

    @property
    def for_technician(self) -> bool:
        """Whether only the technician may decide, in whichever way: its amount is not proved."""
        return not self.proved

    def wants_technician(self, most_cents: int) -> bool:
        """Return whether an attendant, who books at most `most_cents`, may not decide it."""
        books = any(way.moves_money for way in self.ways)
        return self.for_technician or (books and (self.amount_cents or 0) > most_cents)

    @property
    def ways(self) -> tuple["Resolution", ...]:
        """How it may be resolved. Coins beyond an order whose number nobody knows never were credit."""
        ways = _WAYS[self.kind]
        return ways if self.amount_cents is not None else tuple(way for way in ways if way is not Resolution.LEFT)


class Resolution(StrEnum):
    """What the attendant found, and did.

    PAID: the money is in the machine and was never credited; its owner was paid by hand.
    LEFT: coins had left the hopper uncounted; they are taken off the credit.
    RETURNED: the money is back where it came from; nothing is booked.
    VOID: nothing was owed to anybody, for the reason given.
    MERGED: a later item of its kind stands for it too; nobody chooses this.
    KEPT: of what is held for a payout no coin had left the hopper; it is the player's.
    CREDITED: what is proved to be the player's is on the credit again.
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
        """Whether an amount is booked with it."""
        return self in {Resolution.PAID, Resolution.LEFT, Resolution.CREDITED}


FOUND = "found_in"
"""The meter of money that came in without being credited, and was found by an attendant."""

_CAME_IN = ("coins_lost", "coins_forgotten", "coins_recount", "demo_coins", "note_unknown", "note_unexpected")
_EXACT = frozenset(("payout_rest",))
_WAYS = {
    **dict.fromkeys(_CAME_IN, (Resolution.PAID, Resolution.RETURNED, Resolution.VOID)),
    "payout_undecided": (Resolution.LEFT, Resolution.RETURNED, Resolution.VOID),
    "hopper_overpaid": (Resolution.RETURNED, Resolution.VOID),
    "hopper_recount": (Resolution.RETURNED, Resolution.VOID),
    "payout_held": (Resolution.LEFT, Resolution.KEPT),
    "payout_rest": (Resolution.PAID, Resolution.CREDITED),
    "note_returned_after_credit": (Resolution.RETURNED, Resolution.VOID),
}


def add_item(tx: Transaction, kind: str, amount_cents: int | None, text: str, *, least_cents: int | None = None) -> int:
    """Open an item and record it as an event; return its number.

    It is worth `amount_cents` at the most, None where nobody knows, and `least_cents` at the least. Without that its
    amount is proved.
    """
    least = (amount_cents or 0) if least_cents is None else least_cents
    item = tx.execute(
        "INSERT INTO open_items (opened_ms, kind, amount_cents, least_cents, text) VALUES (?, ?, ?, ?, ?)",
        (tx.at_ms, kind, amount_cents, least, text),
    ).lastrowid
    tx.event("open_item", text, data={"kind": kind, "amount_cents": amount_cents, "least_cents": least})
    return int(item or 0)


def lower_item(tx: Transaction, number: int, most_cents: int) -> None:
    """Lower what an unresolved item is worth at the most: the rest of it has been accounted for."""
    tx.execute("UPDATE open_items SET amount_cents = ? WHERE id = ? AND resolution IS NULL", (most_cents, number))


def merge_item(tx: Transaction, item: OpenItem, into: int) -> None:
    """Close an item whose matter a later one, numbered `into`, is about too."""
    _close(tx, item.id, Resolution.MERGED, f"merged into item {into}", {"into": into})


def close_item(
    tx: Transaction, number: int, way: str, who: str, *, amount_cents: int | None = None, reason: str = ""
) -> None:
    """Close an item as `who` found it, and record that as an event; what it moves is booked elsewhere."""
    paid = {} if amount_cents is None else {"amount_cents": amount_cents}
    did = way if amount_cents is None else f"{way} {amount_cents} cents"
    _close(tx, number, way, f"{did}, says the {who} {reason}".strip(), {"who": who, "reason": reason, **paid})


def _close(tx: Transaction, number: int, way: str, words: str, data: Mapping[str, str | int]) -> None:
    (kind,) = tx.execute("SELECT kind FROM open_items WHERE id = ?", (number,)).fetchone()
    tx.execute("UPDATE open_items SET resolution = ?, resolved_ms = ? WHERE id = ?", (str(way), tx.at_ms, number))
    told = {"item": number, "way": str(way), **data}
    tx.event("open_item_resolved", f"item {number} ({kind}): {words}", data=told)


def open_items(tx: Transaction) -> list[OpenItem]:
    """Return every unresolved item, oldest first."""
    rows = tx.execute(
        "SELECT id, opened_ms, kind, amount_cents, text, least_cents FROM open_items"
        " WHERE resolution IS NULL ORDER BY id"
    )
    return [OpenItem(*row) for row in rows]
