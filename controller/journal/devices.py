"""Which devices are fitted: a device that is replaced leaves its trace in the books."""

from controller.journal.key_value import device_state, keep_device_state
from controller.journal.transaction import Transaction


def found(tx: Transaction, device: str, identity: str) -> None:
    """Remember who answers as `device`; the first one and every other one after it are events."""
    key = f"{device}.identity"
    known = device_state(tx, key)
    if known == identity:
        return
    if known is None:
        tx.event("device_fitted", identity, place=device)
    else:
        tx.event("device_replaced", f"{identity}; before it: {known}", place=device)
    keep_device_state(tx, key, identity)
