"""Which number a table had reached at a moment: how the lists of the service menu go to a day."""

from typing import NamedTuple

from controller.journal.transaction import Transaction

NEWEST = 2**62
"""Above every number in the books."""


class Numbers(NamedTuple):
    """A table that is numbered in the order of time: its name, and its columns of the number and the moment."""

    table: str
    number: str
    at_ms: str


LEDGER = Numbers("ledger", "seq", "at_ms")
ROUNDS = Numbers("rounds", "id", "started_ms")
PAYOUTS = Numbers("payouts", "id", "started_ms")
TICKETS = Numbers("tickets", "id", "issued_ms")


def first_at(tx: Transaction, numbers: Numbers, at_ms: int) -> int:
    """Return the first number of that moment or later, `NEWEST` for none, by bisection.

    Where the clock was put back there are several such places; one of them is returned.
    """
    table, number, moment = numbers
    low, high = tx.execute(f"SELECT min({number}), max({number}) FROM {table}").fetchone()  # noqa: S608 - our own names
    if low is None:
        return NEWEST
    end = high + 1
    while low < end:
        middle = (low + end) // 2
        sql = f"SELECT {moment} FROM {table} WHERE {number} >= ? ORDER BY {number} LIMIT 1"  # noqa: S608
        (was_ms,) = tx.execute(sql, (middle,)).fetchone()
        if was_ms < at_ms:
            low = middle + 1
        else:
            end = middle
    return NEWEST if low > high else low
