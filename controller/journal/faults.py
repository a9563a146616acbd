"""Faults in the journal, where they survive a power cut: raised by devices, gone, and cleared (P5).

The catalogue (`controller.faults`) says what a fault means and which key clears it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec

from controller.faults import UNREACHABLE, Clears, explain, in_words
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.event_words import in_english
from controller.journal.transaction import Transaction

_KEYS = {"attendant": Clears.ATTENDANT, "technician": Clears.TECHNICIAN}


class RecordedFault(msgspec.Struct, frozen=True):
    """An active fault: `present` while its device reports it, otherwise waiting to be cleared."""

    code: str
    place: str
    detail: str
    since_ms: int
    present: bool


def raise_fault(
    tx: Transaction, code: str, place: str, detail: str = "", *, event: EventKind | None = None, **figures: Any
) -> bool:
    """Raise a fault as the catalogue describes it; return whether it was not present before.

    The log stores its `detail`, or an `event` with figures instead of the fault's own words.
    """
    kind = explain(code)
    meters = {} if kind.clears is Clears.NEXT_PLAY else {"faults": 1}
    if not detail:
        detail = in_words(code, place) if event is None else in_english(event, figures, place)
    news = record_fault(tx, code, place, detail, meters=meters, event=event, **figures)
    if kind.momentary:
        fault_gone(tx, code, place)
    return news


def record_fault(
    tx: Transaction,
    code: str,
    place: str,
    detail: str,
    *,
    meters: Mapping[str, int],
    event: EventKind | None = None,
    **figures: Any,
) -> bool:
    """Record a fault and raise `meters`, or mark an active one as present; return whether it was not present."""
    known = tx.execute("SELECT present FROM faults WHERE code = ? AND place = ?", (code, place)).fetchone()
    if known is None:
        tx.execute(
            "INSERT INTO faults (code, place, detail, since_ms, present) VALUES (?, ?, ?, ?, 1)",
            (code, place, detail, tx.at_ms),
        )
        if event is None:
            tx.log(code, detail, place=place, meters=meters)
        else:
            tx.event(event, place=place, meters=meters, **figures)
        return True
    if known[0]:
        return False
    tx.execute("UPDATE faults SET present = 1 WHERE code = ? AND place = ?", (code, place))
    return True


def fault_gone(tx: Transaction, code: str, place: str) -> bool:
    """Record that a device stopped reporting a fault, which stays active; return whether it was present."""
    gone = tx.execute("UPDATE faults SET present = 0 WHERE code = ? AND place = ? AND present", (code, place))
    return gone.rowcount > 0


def fault_over(tx: Transaction, code: str, place: str) -> bool:
    """Record that a fault ended, and clear it if it clears by itself; return whether anything changed."""
    if explain(code).clears is Clears.ITSELF:
        return clear_fault(tx, code, place, "itself")
    return fault_gone(tx, code, place)


def clear_fault(tx: Transaction, code: str, place: str, who: str) -> bool:
    """Clear a fault and log who cleared it; return whether it was active."""
    if not remove_fault(tx, code, place):
        return False
    tx.event(Event.FAULT_CLEARED, place=place, fault=code, who=who)
    return True


def remove_fault(tx: Transaction, code: str, place: str) -> bool:
    """Remove a fault without logging, because another event ends it; return whether it was active."""
    return tx.execute("DELETE FROM faults WHERE code = ? AND place = ?", (code, place)).rowcount > 0


def begin_retest(tx: Transaction) -> None:
    """Mark every active fault as not present, as at a start, until a device reports it again."""
    tx.execute("UPDATE faults SET present = 0")


def active_faults(tx: Transaction) -> list[RecordedFault]:
    """Return every active fault, oldest first."""
    rows = tx.execute("SELECT code, place, detail, since_ms, present FROM faults ORDER BY since_ms, code, place")
    return [RecordedFault(code, place, detail, since, bool(present)) for code, place, detail, since, present in rows]


def may_clear(fault: RecordedFault, key: str) -> bool:
    """Whether this key may clear the fault now: the fault's class matches the key, and its cause is gone."""
    return key in _KEYS and _is_over(fault, _KEYS[key])


def _is_over(fault: RecordedFault, clears: Clears) -> bool:
    return not fault.present and explain(fault.code).clears is clears


def clear_by_key(tx: Transaction, key: str, seen: Collection[tuple[str, str]] | None = None) -> bool:
    """Clear the faults that this key may clear, or only those in `seen` (code, place); return whether any was."""
    return _clear(tx, lambda it: may_clear(it, key) and (seen is None or (it.code, it.place) in seen), key)


def clear_by_play(tx: Transaction) -> bool:
    """Clear the notices that last until the next play (D4); return whether there were any."""
    return _clear(tx, lambda it: _is_over(it, Clears.NEXT_PLAY), "the next play")


def clear_unfound(tx: Transaction) -> None:
    """Clear the self-clearing faults that no device has reported since the start (P5).

    The faults of a device that has not answered yet stay active.
    """
    unreachable = {it.place for it in active_faults(tx) if it.present and it.code in UNREACHABLE}
    _clear(tx, lambda it: _is_over(it, Clears.ITSELF) and it.place not in unreachable, "itself")


def _clear(tx: Transaction, is_due: Callable[[RecordedFault], bool], who: str) -> bool:
    due = [fault for fault in active_faults(tx) if is_due(fault)]
    for fault in due:
        clear_fault(tx, fault.code, fault.place, who)
    return bool(due)
