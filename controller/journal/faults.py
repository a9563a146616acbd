"""Faults in the journal: kept across power cuts until what they say is no longer so and they were cleared."""

from collections.abc import Mapping

import msgspec

from controller.journal.transaction import Transaction


class RecordedFault(msgspec.Struct, frozen=True):
    """A fault that stands: `present` while the device still says so, else waiting to be cleared by a person."""

    code: str
    place: str
    detail: str
    since_ms: int
    present: bool


COUNTED: Mapping[str, int] = {"faults": 1}
"""What a fault raises the meters by, if nothing else is said."""


def raise_fault(tx: Transaction, code: str, place: str, detail: str, *, meters: Mapping[str, int] = COUNTED) -> bool:
    """Record a fault; one that stands already only becomes present again. Return whether that is news."""
    known = tx.execute("SELECT present FROM faults WHERE code = ? AND place = ?", (code, place)).fetchone()
    if known is None:
        tx.execute(
            "INSERT INTO faults (code, place, detail, since_ms, present) VALUES (?, ?, ?, ?, 1)",
            (code, place, detail, tx.at_ms),
        )
        tx.event(code, detail or "raised", place=place, meters=meters)
        return True
    if known[0]:
        return False
    tx.execute("UPDATE faults SET present = 1 WHERE code = ? AND place = ?", (code, place))
    return True


def fault_gone(tx: Transaction, code: str, place: str) -> bool:
    """The device no longer reports the fault; it stands until it is cleared. Return whether that is news."""
    gone = tx.execute("UPDATE faults SET present = 0 WHERE code = ? AND place = ? AND present", (code, place))
    return gone.rowcount > 0


def clear_fault(tx: Transaction, code: str, place: str, who: str) -> bool:
    """Take a standing fault away, and log by whom; return whether there was one."""
    if not forget(tx, code, place):
        return False
    tx.event("fault_cleared", f"{code} cleared by {who}", place=place)
    return True


def forget(tx: Transaction, code: str, place: str) -> bool:
    """Take a standing fault away where something else that is logged has ended it; return whether there was one."""
    return tx.execute("DELETE FROM faults WHERE code = ? AND place = ?", (code, place)).rowcount > 0


def begin_retest(tx: Transaction) -> None:
    """At a start no device has said anything yet: what stands goes on standing, until it is found again or cleared."""
    tx.execute("UPDATE faults SET present = 0")


def active_faults(tx: Transaction) -> list[RecordedFault]:
    """Return every fault that stands, oldest first."""
    rows = tx.execute("SELECT code, place, detail, since_ms, present FROM faults ORDER BY since_ms, code, place")
    return [RecordedFault(code, place, detail, since, bool(present)) for code, place, detail, since, present in rows]
