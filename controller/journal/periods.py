"""Accounting periods: a collection closes one, and what the meters have counted since then is the next one's."""

import msgspec

from controller.journal.transaction import Transaction


class Period(msgspec.Struct, frozen=True):
    """A closed period: its number, when and by whom it was closed, and what each meter counted in it."""

    number: int
    closed_ms: int
    who: str
    meters: dict[str, int]


def lifetime(tx: Transaction) -> dict[str, int]:
    """Return every meter since the cabinet's first start."""
    return dict(tx.execute("SELECT name, value FROM meters ORDER BY name").fetchall())


def since_collection(tx: Transaction) -> dict[str, int]:
    """Return what every meter has counted since the last collection."""
    return dict(tx.execute("SELECT name, value - collected FROM meters ORDER BY name").fetchall())


def close_period(tx: Transaction, who: str) -> Period:
    """Close the period: a collection. No meter falls; the figures it stands at are where the next one begins."""
    counted = since_collection(tx)
    seq = tx.event("collection", f"period closed by {who}", place="cash box", meters={"collections": 1})
    tx.execute("UPDATE meters SET collected = value")
    tx.execute(
        "INSERT INTO periods (closed_ms, seq, who, meters) VALUES (?, ?, ?, ?)",
        (tx.at_ms, seq, who, msgspec.json.encode(counted).decode()),
    )
    return periods(tx, 1)[0]


def periods(tx: Transaction, most: int) -> list[Period]:
    """Return the closed periods, newest first, `most` at the most."""
    rows = tx.execute("SELECT id, closed_ms, who, meters FROM periods ORDER BY id DESC LIMIT ?", (most,))
    return [Period(number, closed, who, msgspec.json.decode(meters)) for number, closed, who, meters in rows]
