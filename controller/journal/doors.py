"""Doors in the journal: when they opened and closed."""

from controller.faults import DOOR_CLOSED, DOOR_OPEN
from controller.journal.faults import raise_fault, record_fault, remove_fault
from controller.journal.transaction import Transaction

_OPEN_AT_POWER_OFF = """
SELECT code = 'door_open' FROM events
WHERE place = ? AND code IN ('door_open', 'door_closed')
AND seq < (SELECT max(seq) FROM events WHERE code = 'power_up')
ORDER BY seq DESC LIMIT 1
"""
_OPENED_SINCE_RESET = """
SELECT 1 FROM events
WHERE place = ? AND code = 'door_open'
AND seq > (SELECT coalesce(max(seq), 0) FROM events WHERE code IN ('latch_reset', 'power_up'))
"""


def door_opened(tx: Transaction, door: str) -> None:
    """Count and log an opening; a door that was already open before a restart is not counted again."""
    remove_fault(tx, DOOR_CLOSED, door)
    record_fault(tx, DOOR_OPEN, door, "opened", meters={f"door_{door}": 1})


def door_closed(tx: Transaction, door: str) -> None:
    """Log a closing, with a notice that stays until the next play (D3)."""
    if remove_fault(tx, DOOR_OPEN, door):
        raise_fault(tx, DOOR_CLOSED, door, "closed")


def was_open_at_power_off(tx: Transaction, door: str) -> bool:
    """Whether the door was open when the cabinet was last switched off."""
    return _first(tx, _OPEN_AT_POWER_OFF, door)


def has_opened_since_reset(tx: Transaction, door: str) -> bool:
    """Whether the door has opened since both the last reset of its latch and the last power-up."""
    return _first(tx, _OPENED_SINCE_RESET, door)


def _first(tx: Transaction, query: str, door: str) -> bool:
    row = tx.execute(query, (door,)).fetchone()
    return row is not None and bool(row[0])
