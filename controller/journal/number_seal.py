"""The numbers of tickets as the journal stores them: sealed with the cabinet's own key (`controller.keys`).

Whoever can read an unredeemed ticket's number can print its barcode. So the books, and every copy of them that leaves
the machine, have of a number its last four digits and what only the key opens. A seal is deterministic: equal numbers
have equal seals, by which they are found.
"""

from typing import Final, NewType, Protocol

SHOWN: Final = 4
"""How many digits of a number anybody may read, from its end."""
MARK: Final = "."
"""What a sealed number has before its last digits, and a plain number nowhere."""

StoredNumber = NewType("StoredNumber", str)
"""A number as the journal stores it."""


class NumberSeal(Protocol):
    """Seals numbers for the journal, and opens them."""

    def sealed(self, number: str) -> StoredNumber:
        """Return a whole number as the journal stores it."""

    def opened(self, stored: StoredNumber) -> str:
        """Return the whole number, empty where it was sealed with another key."""


class PlainNumbers:
    """A journal without a key, as tools make: numbers are stored as they are."""

    def sealed(self, number: str) -> StoredNumber:
        """Return the number itself."""
        return StoredNumber(number)

    def opened(self, stored: StoredNumber) -> str:
        """Return a number that is not sealed, empty for one that is."""
        return "" if MARK in stored else stored


PLAIN: Final = PlainNumbers()


def masked(number: str) -> str:
    """Return what anybody may read of a number, whole or stored: its last four digits."""
    return f"…{number[-SHOWN:]}"
