"""Copies what hosts have not read, and their transfer history, into new or restored books.

After a full clear, a restore or a rebuild a host may ask for the result of a transfer; the answer must not be that it
never happened.
"""

from typing import Final

from controller.journal.carried_rows import Keeping, Rows, rows_of, write_rows
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

_TABLES: Final = ("host_exceptions", "host_transfers", "host_records", "host_redemptions")
_OF_THESE_BOOKS: Final = frozenset({"note", "item"})
"""Foreign keys that are not copied: no row that they refer to is open at a clear."""


_UNSETTLED: Final = {
    "host_transfers": "id IN (SELECT max(id) FROM host_transfers GROUP BY port)",
    "host_records": "NOT read",
    "host_redemptions": "NOT closed",
}
"""Conditions for what a host may still ask about: its newest transfer and what it has not read."""
_READ: Final = {
    "host_transfers": ("closed", ("port", "position", "transaction_id")),
    "host_records": ("read", ("port", "position", "number")),
    "host_redemptions": ("closed", ("port", "number", "state")),
}
"""For each table, the column that marks a row as read and the key columns that identify the row in other books."""


def host_rows(tx: Reader) -> Rows:
    """Return all rows of the host tables."""
    return {table: rows_of(tx, table, without=_OF_THESE_BOOKS) for table in _TABLES}


def unsettled(tx: Reader) -> Rows:
    """Return what hosts may still ask about; a ticket in stacking is set to escrow, which the next start ends."""
    found = {table: rows_of(tx, table, which, without=_OF_THESE_BOOKS) for table, which in _UNSETTLED.items()}
    columns, tickets = found["host_redemptions"]
    in_escrow = [tuple("escrow" if value == "stacking" else value for value in row) for row in tickets]
    return {**found, "host_redemptions": (columns, in_escrow)}


def go_on_from(tx: Transaction, present: Rows) -> None:
    """Copy into restored books what hosts have read since the backup, and the current queues of exceptions.

    Both books have the same transfers and tickets, because none was made in between.
    """
    tx.execute("DELETE FROM host_exceptions")
    write_rows(tx, {"host_exceptions": present["host_exceptions"]})
    for table, (read, keys) in _READ.items():
        columns, rows = present[table]
        for row in rows:
            values = dict(zip(columns, row, strict=True))
            if values[read]:
                same = " AND ".join(f"{key} = ?" for key in keys)
                sql = f"UPDATE {table} SET {read} = 1 WHERE {same}"  # noqa: S608 - our own words
                tx.execute(sql, tuple(values[key] for key in keys))


def keep_hosts(present: Transaction | None) -> Keeping:
    """Read the host tables of the present books, None for lost ones; return what continues them in restored books."""
    if present is None:
        return lambda _tx: None
    rows = host_rows(present)
    return lambda tx: go_on_from(tx, rows)
