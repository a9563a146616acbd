"""The identities of the fitted devices; each replacement is an event."""

from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE
from controller.journal.transaction import Transaction


def found(tx: Transaction, device: str, identity: str) -> None:
    """Record the identity that `device` reports; the first identity and each change are events."""
    key = f"{device}.identity"
    known = DEVICE_STATE.get(tx, key)
    if known == identity:
        return
    if known is None:
        tx.event(Event.DEVICE_FITTED, place=device, device=identity)
    else:
        tx.event(Event.DEVICE_REPLACED, place=device, device=identity, before=known)
    DEVICE_STATE.store(tx, key, identity)
