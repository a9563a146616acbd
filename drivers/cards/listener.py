"""What readers of staff cards report."""

from typing import Final, Protocol

CARD_READER: Final = "card_reader"
"""The name of the reader as a driver."""
SHORTEST, LONGEST = 4, 32
"""The least and the most characters of a card's number."""


def is_card_number(number: str) -> bool:
    """Whether this can be the number of a card."""
    return number.isascii() and number.replace("-", "").isalnum() and SHORTEST <= len(number) <= LONGEST


class CardListener(Protocol):
    """Where readers report cards; nothing here ever waits."""

    def card(self, number: str) -> None:
        """Take the number of a card that was presented: letters, digits and hyphens between; it is a secret."""

    def unread(self) -> None:
        """Take it that something was presented that no number could be read from: two cards at once, half a card."""
