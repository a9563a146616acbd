"""Ticket numbers as the journal stores them: sealed with the cabinet's own key (`controller.keys`).

Anyone who can read an unredeemed ticket's number can print its barcode. So the books, and every copy of them that
leaves the machine, contain only the last four digits of a number and a seal that the key opens. A seal is
deterministic: equal numbers have equal seals, so that a number can be looked up.
"""

from typing import Final, NewType, Protocol

SHOWN: Final = 4
"""The number of final digits that anybody may read."""
MARK: Final = "."
"""The separator of a seal and the last digits; a plain number never contains it."""

StoredNumber = NewType("StoredNumber", str)
"""A ticket number as the journal stores it."""


class NumberSeal(Protocol):
    """Seals ticket numbers for the journal and opens them."""

    def sealed(self, number: str) -> StoredNumber:
        """Return the stored form of a whole number."""

    def opened(self, stored: StoredNumber) -> str:
        """Return the whole number, or an empty string if it was sealed with another key."""


class PlainNumbers:
    """Numbers of a journal without a key, as tools create: they are stored as they are."""

    def sealed(self, number: str) -> StoredNumber:
        """Return the number itself."""
        return StoredNumber(number)

    def opened(self, stored: StoredNumber) -> str:
        """Return the number, or an empty string if it is sealed."""
        return "" if MARK in stored else stored


PLAIN: Final = PlainNumbers()


def masked(number: str) -> str:
    """Return the public part of a number, whole or stored: its last four digits."""
    return f"…{number[-SHOWN:]}"
