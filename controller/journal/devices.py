"""Which devices are fitted: a device that is replaced leaves its trace in the books."""

from controller.journal.key_value import DEVICE_STATE
from controller.journal.transaction import Transaction


def found(tx: Transaction, device: str, identity: str) -> None:
    """Remember who answers as `device`; the first one and every other one after it are events."""
    key = f"{device}.identity"
    known = DEVICE_STATE.get(tx, key)
    if known == identity:
        return
    if known is None:
        tx.event("device_fitted", identity, place=device)
    else:
        tx.event("device_replaced", f"{identity}; before it: {known}", place=device)
    DEVICE_STATE.store(tx, key, identity)
