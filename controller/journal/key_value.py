# ruff: noqa: S608 - names of tables and columns, literals of this module
"""Values by name beside the ledger: the tables `settings`, and `device_state` for what each device last reported."""

from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

R = TypeVar("R")


class KeyValue(NamedTuple):
    """A table of texts by name: what it is called, and its columns."""

    table: str
    name: str
    value: str

    def get(self, tx: Reader, name: str) -> str | None:
        """Return the text of that name, None where there is none."""
        row = tx.execute(f"SELECT {self.value} FROM {self.table} WHERE {self.name} = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def under(self, tx: Reader, prefix: str = "") -> dict[str, str]:
        """Return every text whose name begins with `prefix`, by its name."""
        rows = tx.execute(
            f"SELECT {self.name}, {self.value} FROM {self.table} WHERE substr({self.name}, 1, ?) = ?",
            (len(prefix), prefix),
        )
        return dict(rows.fetchall())

    def store(self, tx: Transaction, name: str, text: str) -> None:
        """Store a text in place of the one before."""
        tx.execute(f"INSERT OR REPLACE INTO {self.table} ({self.name}, {self.value}) VALUES (?, ?)", (name, text))

    def remove(self, tx: Transaction, name: str) -> None:
        """Remove the text of that name."""
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
        """Return the record, None where there is none."""
        text = self._table.get(tx, self._name)
        return None if text is None else msgspec.json.decode(text, type=self._kind)

    def write(self, tx: Transaction, record: R) -> None:
        """Store `record` in place of the one before."""
        self._table.store(tx, self._name, msgspec.json.encode(record).decode())

    def remove(self, tx: Transaction) -> None:
        """Remove the record."""
        self._table.remove(tx, self._name)
