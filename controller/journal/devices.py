"""Which devices are fitted: a device that is replaced leaves its trace in the books."""

from controller.journal.transaction import Transaction


def found(tx: Transaction, device: str, identity: str) -> None:
    """Remember who answers as `device`; the first one and every other one after it are events."""
    key = f"{device}.identity"
    known = tx.execute("SELECT state FROM device_state WHERE device = ?", (key,)).fetchone()
    if known is not None and known[0] == identity:
        return
    if known is None:
        tx.event("device_fitted", identity, place=device)
    else:
        tx.event("device_replaced", f"{identity}; before it: {known[0]}", place=device)
    tx.execute("INSERT OR REPLACE INTO device_state (device, state) VALUES (?, ?)", (key, identity))
