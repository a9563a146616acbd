"""Listener interface for readers of staff cards."""

from typing import Final, Protocol

CARD_READER: Final = "card_reader"
"""The driver's name."""
SHORTEST, LONGEST = 4, 32
"""The minimum and maximum length of a card's number."""


def is_card_number(number: str) -> bool:
    """Return whether `number` is a valid card number."""
    return number.isascii() and number.replace("-", "").isalnum() and SHORTEST <= len(number) <= LONGEST


class CardListener(Protocol):
    """Receives cards from readers; all methods return at once."""

    def card(self, number: str) -> None:
        """Handle the number of a presented card (letters, digits and hyphens); it is a secret."""

    def unread(self) -> None:
        """Handle a presentation without a readable number: two cards at once, or a card removed too early."""
