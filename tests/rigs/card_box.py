"""What takes the cards of a reader in tests."""


class CardBox:
    """Keeps every number, and "" for what could not be read."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def card(self, number: str) -> None:
        """Keep a number."""
        self.seen.append(number)

    def unread(self) -> None:
        """Keep that something was not read."""
        self.seen.append("")
