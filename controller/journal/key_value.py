# ruff: noqa: S608 - names of tables and columns, literals of this module
"""Named values beside the ledger: the table `settings`, and `device_state` for the last reported state of devices."""

from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

R = TypeVar("R")


class KeyValue(NamedTuple):
    """A table of texts by name: its name and its columns."""

    table: str
    name: str
    value: str

    def get(self, tx: Reader, name: str) -> str | None:
        """Return the text of this name, or None."""
        row = tx.execute(f"SELECT {self.value} FROM {self.table} WHERE {self.name} = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def under(self, tx: Reader, prefix: str = "") -> dict[str, str]:
        """Return all texts whose names begin with `prefix`, by name."""
        rows = tx.execute(
            f"SELECT {self.name}, {self.value} FROM {self.table} WHERE substr({self.name}, 1, ?) = ?",
            (len(prefix), prefix),
        )
        return dict(rows.fetchall())

    def store(self, tx: Transaction, name: str, text: str) -> None:
        """Store a text, replacing the previous one."""
        tx.execute(f"INSERT OR REPLACE INTO {self.table} ({self.name}, {self.value}) VALUES (?, ?)", (name, text))

    def remove(self, tx: Transaction, name: str) -> None:
        """Remove the text of this name."""
        tx.execute(f"DELETE FROM {self.table} WHERE {self.name} = ?", (name,))


SETTINGS: Final = KeyValue("settings", "name", "value")
DEVICE_STATE: Final = KeyValue("device_state", "device", "state")


class Stored(Generic[R]):
    """One record of type `kind`, as JSON under a name in `table`."""

    def __init__(self, table: KeyValue, name: str, kind: type[R]) -> None:
        self._table = table
        self._name = name
        self._kind = kind

    def __repr__(self) -> str:
        return f"<Stored {self._table.table}.{self._name} {self._kind.__name__}>"

    def read(self, tx: Reader) -> R | None:
        """Return the record, or None."""
        text = self._table.get(tx, self._name)
        return None if text is None else msgspec.json.decode(text, type=self._kind)

    def write(self, tx: Transaction, record: R) -> None:
        """Store `record`, replacing the previous one."""
        self._table.store(tx, self._name, msgspec.json.encode(record).decode())

    def remove(self, tx: Transaction) -> None:
        """Remove the record."""
        self._table.remove(tx, self._name)
