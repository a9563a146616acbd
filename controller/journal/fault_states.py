"""What stands in the journal and holds the machine up or is told on its screen, and how faults come and go there.

The journal keeps faults as data; what each means, and so how it is kept and cleared, is the catalogue's.
"""

from collections.abc import Collection

from controller.faults import DOOR_CLOSED, DOOR_OPEN, UNASKED, Clears, explain, in_words
from controller.journal import faults
from controller.journal.faults import RecordedFault
from controller.journal.transaction import Transaction

_KEYS = {"attendant": Clears.ATTENDANT, "technician": Clears.TECHNICIAN}


def raise_fault(tx: Transaction, code: str, place: str, detail: str = "") -> bool:
    """Raise a fault as the catalogue has it, `detail` for the log; return whether that is news."""
    kind = explain(code)
    meters = {} if kind.clears is Clears.NEXT_PLAY else {"faults": 1}
    news = faults.raise_fault(tx, code, place, detail or in_words(code, place), meters=meters)
    if kind.momentary:
        faults.fault_gone(tx, code, place)
    return news


def fault_over(tx: Transaction, code: str, place: str) -> bool:
    """Take a device's word that its fault is over; one that clears by itself is then cleared. Return whether it was."""
    if explain(code).clears is Clears.ITSELF:
        return faults.clear_fault(tx, code, place, "itself")
    return faults.fault_gone(tx, code, place)


def clear_unfound(tx: Transaction) -> None:
    """Clear the faults that clear by themselves and that no device has found again since the start (P5).

    Those of a device that could not be asked stand until it could.
    """
    unasked = {fault.place for fault in faults.active_faults(tx) if fault.present and fault.code in UNASKED}
    _clear(tx, Clears.ITSELF, "itself", but_at=unasked)


def may_clear(fault: RecordedFault, key: str) -> bool:
    """Whether this key may clear a fault now: it is of its class, and its cause is gone."""
    return not fault.present and explain(fault.code).clears is _KEYS.get(key)


def clear_by_key(tx: Transaction, key: str, seen: Collection[tuple[str, str]] | None = None) -> bool:
    """Clear the faults that this key may clear, or only those that were `seen`; return whether there was any."""
    due = [
        fault
        for fault in faults.active_faults(tx)
        if may_clear(fault, key) and (seen is None or (fault.code, fault.place) in seen)
    ]
    for fault in due:
        faults.clear_fault(tx, fault.code, fault.place, key)
    return bool(due)


def clear_by_play(tx: Transaction) -> bool:
    """Clear what is told until the next play (D4); return whether there was any."""
    return _clear(tx, Clears.NEXT_PLAY, "the next play")


def door_opened(tx: Transaction, name: str) -> None:
    """Meter and log an opening; a door that stood open before a restart was not opened again."""
    faults.forget(tx, DOOR_CLOSED, name)
    faults.raise_fault(tx, DOOR_OPEN, name, "opened", meters={f"door_{name}": 1})


def door_closed(tx: Transaction, name: str) -> None:
    """Log a closing, and tell of it until the next play (D3)."""
    if faults.forget(tx, DOOR_OPEN, name):
        raise_fault(tx, DOOR_CLOSED, name, "closed")


def _clear(tx: Transaction, clears: Clears, who: str, *, but_at: Collection[str] = ()) -> bool:
    due = [
        fault
        for fault in faults.active_faults(tx)
        if not fault.present and explain(fault.code).clears is clears and fault.place not in but_at
    ]
    for fault in due:
        faults.clear_fault(tx, fault.code, fault.place, who)
    return bool(due)
