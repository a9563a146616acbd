"""Finds the number that a table had reached at a given time; the lists of the service menu use it to go to a day."""

from typing import NamedTuple

from controller.journal.transaction import Transaction

NEWEST = 2**62
"""A number above every number in the books."""


class Numbers(NamedTuple):
    """A table numbered in order of time: its name, and its columns for number and time."""

    table: str
    number: str
    at_ms: str


LEDGER = Numbers("ledger", "seq", "at_ms")
ROUNDS = Numbers("rounds", "id", "started_ms")
PAYOUTS = Numbers("payouts", "id", "started_ms")
TICKETS = Numbers("tickets", "id", "issued_ms")


def first_at(tx: Transaction, numbers: Numbers, at_ms: int) -> int:
    """Return the first number at or after the given time, or `NEWEST` if there is none, by bisection.

    If the clock was put back, several numbers match; one of them is returned.
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
