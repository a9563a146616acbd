"""Open items: money that nobody could account for beyond doubt, until an attendant resolves it."""

from enum import StrEnum

import msgspec

from controller.journal.errors import RefusedError
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
    def is_money(self) -> bool:
        """Whether resolving it may move money."""
        return any(way.moves_money for way in self.ways)

    @property
    def ways(self) -> tuple["Resolution", ...]:
        """How it may be resolved."""
        return _WAYS[self.kind]


class Resolution(StrEnum):
    """What the attendant found, and did.

    PAID: the money is in the machine and was never credited; its owner was paid by hand.
    LEFT: coins had left the hopper uncounted; they are taken off the credit.
    RETURNED: the money is back where it came from; nothing is booked.
    VOID: nothing was owed to anybody, for the reason given.
    MERGED: a later item of its kind stands for it too; nobody chooses this.
    """

    PAID = "paid"
    LEFT = "left"
    RETURNED = "returned"
    VOID = "void"
    MERGED = "merged"

    @property
    def moves_money(self) -> bool:
        """Whether an amount is booked with it."""
        return self in {Resolution.PAID, Resolution.LEFT}


FOUND = "found_in"
"""The meter of money that came in without being credited, and was found by an attendant."""

_CAME_IN = ("coins_lost", "coins_forgotten", "coins_recount", "demo_coins", "note_unknown", "note_unexpected")
_WAYS = {
    **dict.fromkeys(_CAME_IN, (Resolution.PAID, Resolution.RETURNED, Resolution.VOID)),
    "payout_undecided": (Resolution.LEFT, Resolution.RETURNED, Resolution.VOID),
    "hopper_overpaid": (Resolution.RETURNED, Resolution.VOID),
    "hopper_recount": (Resolution.RETURNED, Resolution.VOID),
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


def merge_item(tx: Transaction, item: OpenItem, into: int) -> None:
    """Close an item whose matter a later one, numbered `into`, is about too."""
    _close(tx, item, Resolution.MERGED, f"merged into item {into}", {"into": into})


def open_items(tx: Transaction) -> list[OpenItem]:
    """Return every unresolved item, oldest first."""
    rows = tx.execute(
        "SELECT id, opened_ms, kind, amount_cents, text, least_cents FROM open_items"
        " WHERE resolution IS NULL ORDER BY id"
    )
    return [OpenItem(*row) for row in rows]


def resolve_item(
    tx: Transaction,
    number: int,
    way: Resolution,
    who: str,
    *,
    amount_cents: int = 0,
    most_cents: int | None = None,
    reason: str = "",
) -> None:
    """Resolve an item in the books, once, as `who` found it.

    `amount_cents` is what was paid by hand or had left the hopper, for PAID and LEFT; at most the item's amount where
    that is known, and in any case `most_cents`. Raise `RefusedError` where the item is not open, cannot be resolved so,
    lacks its amount or reason, or where the credit no longer holds what had left.
    """
    item = next((item for item in open_items(tx) if item.id == number), None)
    if item is None:
        raise RefusedError("Item {number} is not open: it may have been resolved already", number=number)
    if way not in item.ways:
        raise RefusedError("Item {number} cannot be resolved in this way", number=number)
    if way is Resolution.VOID and not reason:
        raise RefusedError("Item {number} cannot be voided without a reason", number=number)
    tx.audit()
    if way.moves_money:
        _check_amount(item, amount_cents, most_cents)
        if tx.execute("SELECT 1 FROM payouts WHERE state = 'open'").fetchone():
            raise RefusedError("A payout is in progress: it must end first")
        _book(tx, item, way, amount_cents)
    paid = {"amount_cents": amount_cents} if way.moves_money else {}
    did = f"{way} {amount_cents} cents" if way.moves_money else str(way)
    _close(tx, item, way, f"{did}, says the {who} {reason}".strip(), {"who": who, "reason": reason, **paid})


def _close(tx: Transaction, item: OpenItem, way: Resolution, words: str, data: dict[str, str | int]) -> None:
    tx.execute("UPDATE open_items SET resolution = ?, resolved_ms = ? WHERE id = ?", (str(way), tx.at_ms, item.id))
    told = {"item": item.id, "way": str(way), **data}
    tx.event("open_item_resolved", f"item {item.id} ({item.kind}): {words}", data=told)


def _book(tx: Transaction, item: OpenItem, way: Resolution, amount_cents: int) -> None:
    """Book a payment by hand, or coins that had left the hopper, with a payout of its own."""
    if way is Resolution.PAID:
        kind, credit, meters = "hand_pay", 0, {FOUND: amount_cents, "hand_pay": amount_cents, "hand_pays": 1}
    else:
        kind, credit = "hopper", -amount_cents
        meters = {"hopper_out": amount_cents, "hopper_coins": _coins(tx, item, amount_cents)}
    tx.post("open_item", credit=credit, meters=meters, data={"item": item.id})
    tx.execute(
        "INSERT INTO payouts (kind, amount_cents, paid_cents, state, started_ms, ended_ms)"
        " VALUES (?, ?, ?, 'done', ?, ?)",
        (kind, amount_cents, amount_cents, tx.at_ms, tx.at_ms),
    )


def _coins(tx: Transaction, item: OpenItem, amount_cents: int) -> int:
    """Return how many coins that amount is, of those that the payout which the item is about was to pay."""
    (value,) = tx.execute(
        "SELECT coin_value_cents FROM payouts WHERE state = 'undecided' AND ended_ms = ? ORDER BY id DESC LIMIT 1",
        (item.opened_ms,),
    ).fetchone()
    if amount_cents % value:
        raise RefusedError(
            "Item {number} is about coins of {value_cents}, which never are {amount_cents}",
            number=item.id,
            value_cents=value,
            amount_cents=amount_cents,
        )
    return int(amount_cents // value)


def _check_amount(item: OpenItem, amount_cents: int, most_cents: int | None) -> None:
    if amount_cents <= 0:
        raise RefusedError("Item {number} needs an amount", number=item.id)
    bounds = [most for most in (item.amount_cents, most_cents) if most is not None]
    if bounds and amount_cents > min(bounds):
        raise RefusedError("Item {number} is {most_cents} at the most", number=item.id, most_cents=min(bounds))
