"""The queue of exceptions for a host, kept in the journal until acknowledged (protocols.md, section 3).

Exceptions with priority go first, all others in the order in which they were queued. Beyond `MOST` of either kind the
oldest is dropped and an overflow exception is queued.
"""

from typing import Final

import msgspec

from controller.journal.transaction import Transaction

MOST: Final = 50
"""The most queued exceptions with priority for one host, and also the most without."""


class Waiting(msgspec.Struct, frozen=True):
    """One exception: its number, unique while it is queued, its code, and its data for real-time reporting."""

    number: int
    code: int
    data: bytes = b""


def queue(
    tx: Transaction, port: str, code: int, data: bytes = b"", *, priority: bool = False, overflow: int = 0
) -> None:
    """Queue an exception for the host at `port`; `overflow` is the code to queue if an older one is dropped."""
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
    """Return the queue of the host at `port`, the next exception first."""
    rows = tx.execute(
        "SELECT number, code, data FROM host_exceptions WHERE port = ? ORDER BY priority DESC, number", (port,)
    )
    return [Waiting(number, code, bytes.fromhex(data)) for number, code, data in rows]


def acknowledge(tx: Transaction, port: str, number: int) -> None:
    """Remove an acknowledged exception; it may have been dropped already."""
    tx.execute("DELETE FROM host_exceptions WHERE port = ? AND number = ?", (port, number))


def drop(tx: Transaction, port: str, code: int) -> None:
    """Remove all exceptions with this code."""
    tx.execute("DELETE FROM host_exceptions WHERE port = ? AND code = ?", (port, code))


def forget(tx: Transaction, ports: frozenset[str]) -> None:
    """Remove the exceptions of ports that are not in `ports`."""
    for (port,) in tx.execute("SELECT DISTINCT port FROM host_exceptions").fetchall():
        if port not in ports:
            tx.execute("DELETE FROM host_exceptions WHERE port = ?", (port,))
