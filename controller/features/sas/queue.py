"""The exceptions that wait for a host, in the books until it has acknowledged them (protocols.md, section 3).

Those with priority go first, all others in the order in which they came. Beyond `MOST` of either the oldest is
dropped, and an exception that reports the overflow waits in its place.
"""

from typing import Final

import msgspec

from controller.journal.transaction import Transaction

MOST: Final = 50
"""The most exceptions with priority that wait for one host, and the most without."""


class Waiting(msgspec.Struct, frozen=True):
    """One exception: its number, which no other has while it waits, code, and data in real time."""

    number: int
    code: int
    data: bytes = b""


def queue(
    tx: Transaction, port: str, code: int, data: bytes = b"", *, priority: bool = False, overflow: int = 0
) -> None:
    """Have an exception wait for the host at `port`; `overflow` is the code that reports that one was dropped."""
    tx.execute(
        "INSERT INTO host_exceptions (port, code, data, priority, at_ms) VALUES (?, ?, ?, ?, ?)",
        (port, code, data.hex(), priority, tx.at_ms),
    )
    dropped = tx.execute(
        "DELETE FROM host_exceptions WHERE number IN (SELECT number FROM host_exceptions"
        " WHERE port = ? AND priority = ? ORDER BY number DESC LIMIT -1 OFFSET ?)",
        (port, priority, MOST),
    ).rowcount
    if dropped and overflow and not _waits(tx, port, overflow):
        queue(tx, port, overflow, priority=True)


def _waits(tx: Transaction, port: str, code: int) -> bool:
    found = tx.execute("SELECT 1 FROM host_exceptions WHERE port = ? AND code = ?", (port, code)).fetchone()
    return found is not None


def waiting(tx: Transaction, port: str) -> list[Waiting]:
    """Return what waits for the host at `port`, what is to be reported first at the front."""
    rows = tx.execute(
        "SELECT number, code, data FROM host_exceptions WHERE port = ? ORDER BY priority DESC, number", (port,)
    )
    return [Waiting(number, code, bytes.fromhex(data)) for number, code, data in rows]


def acknowledge(tx: Transaction, port: str, number: int) -> None:
    """Remove an exception that its host has; one that was dropped meanwhile is gone already."""
    tx.execute("DELETE FROM host_exceptions WHERE port = ? AND number = ?", (port, number))


def drop(tx: Transaction, port: str, code: int) -> None:
    """Remove every exception of that code, which is not to be reported any more."""
    tx.execute("DELETE FROM host_exceptions WHERE port = ? AND code = ?", (port, code))


def forget(tx: Transaction, ports: frozenset[str]) -> None:
    """Remove what waits for hosts whose ports are not configured any more."""
    for (port,) in tx.execute("SELECT DISTINCT port FROM host_exceptions").fetchall():
        if port not in ports:
            tx.execute("DELETE FROM host_exceptions WHERE port = ?", (port,))
