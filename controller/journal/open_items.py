"""Open items: money that nobody could account for beyond doubt, until an attendant resolves it."""

import msgspec

from controller.journal.transaction import Transaction


class OpenItem(msgspec.Struct, frozen=True):
    """One unresolved matter; `amount_cents` is None where even the amount is unknown."""

    id: int
    opened_ms: int
    kind: str
    amount_cents: int | None
    text: str


def add_item(tx: Transaction, kind: str, amount_cents: int | None, text: str) -> None:
    """Open an item and record it as an event."""
    tx.execute(
        "INSERT INTO open_items (opened_ms, kind, amount_cents, text) VALUES (?, ?, ?, ?)",
        (tx.at_ms, kind, amount_cents, text),
    )
    tx.event("open_item", text, data={"kind": kind, "amount_cents": amount_cents})


def open_items(tx: Transaction) -> list[OpenItem]:
    """Return every unresolved item, oldest first."""
    rows = tx.execute(
        "SELECT id, opened_ms, kind, amount_cents, text FROM open_items WHERE resolution IS NULL ORDER BY id"
    )
    return [OpenItem(*row) for row in rows]
