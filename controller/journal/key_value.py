"""What the books keep beside the ledger: a text for each setting, and for what each device said last."""

from controller.journal.transaction import Transaction


def setting(tx: Transaction, name: str) -> str | None:
    """Return what stands under that name, None where nothing was ever kept."""
    row = tx.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def keep_setting(tx: Transaction, name: str, value: str) -> None:
    """Keep a setting in place of what stood there."""
    tx.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, value))


def settings_under(tx: Transaction, prefix: str) -> dict[str, str]:
    """Return every setting whose name begins with `prefix`, by its name."""
    rows = tx.execute("SELECT name, value FROM settings WHERE substr(name, 1, ?) = ?", (len(prefix), prefix))
    return dict(rows.fetchall())


def forget_setting(tx: Transaction, name: str) -> None:
    """Keep nothing under that name any more."""
    tx.execute("DELETE FROM settings WHERE name = ?", (name,))


def device_state(tx: Transaction, device: str) -> str | None:
    """Return what is kept of that device, None where nothing is."""
    row = tx.execute("SELECT state FROM device_state WHERE device = ?", (device,)).fetchone()
    return None if row is None else str(row[0])


def device_states(tx: Transaction) -> dict[str, str]:
    """Return what is kept of every device, by its name."""
    return dict(tx.execute("SELECT device, state FROM device_state").fetchall())


def keep_device_state(tx: Transaction, device: str, state: str) -> None:
    """Keep a device's state in place of what stood there."""
    tx.execute("INSERT OR REPLACE INTO device_state (device, state) VALUES (?, ?)", (device, state))


def forget_device_state(tx: Transaction, device: str) -> None:
    """Keep nothing of that device any more."""
    tx.execute("DELETE FROM device_state WHERE device = ?", (device,))
