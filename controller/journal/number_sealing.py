"""The key with which stored ticket numbers are sealed, and sealing them with another key."""

from typing import Final

from controller.journal.key_value import SETTINGS
from controller.journal.number_seal import MARK, PLAIN, NumberSeal
from controller.journal.parts import journal_parts
from controller.journal.transaction import Transaction

SEALED_WITH: Final = "ticket_numbers_sealed_with"
"""The setting with the public key of the cabinet whose private key opens the numbers; absent before the first."""
_COLUMNS: Final = (("tickets", "number"), ("notes", "ticket"))
"""The core's tables with numbers, and their columns."""


def seal_with(tx: Transaction, key: str, before: NumberSeal = PLAIN) -> bool:
    """Seal every number with `tx.numbers`, whose cabinet has the public `key`; return whether all are sealed.

    `before` opens those sealed with another key. A number that it cannot open stays unchanged permanently.
    """
    sealed_with = SETTINGS.get(tx, SEALED_WITH)
    if sealed_with == key:
        return True
    tx.execute("PRAGMA secure_delete = 1")  # no copy of the file may have what is overwritten here
    is_whole = True
    for table, column in (*_COLUMNS, *(column for part in journal_parts() for column in part.ticket_numbers)):
        found = tx.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL").fetchall()  # noqa: S608
        for (stored,) in found:
            if MARK in stored and tx.numbers.opened(stored):
                continue
            number = before.opened(stored) or PLAIN.opened(stored)
            is_whole = is_whole and bool(number)
            if number:
                tx.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608 - our own names
                    (tx.numbers.sealed(number), stored),
                )
    SETTINGS.store(tx, SEALED_WITH, key)
    return is_whole
