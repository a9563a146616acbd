"""Typing with four keys or by touch: digits, an amount, or one of some choices."""

from controller.service.leaf import Entry

STARS = "*"
MOST_DIGITS = 8


class Typing:
    """One entry being typed: up and down choose a digit, enter adds it; with the cursor past the end, enter is done.

    `digit` is 0 to 9, or `DONE`; a choice is chosen with up and down alone.
    """

    DONE = 10

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.typed = ""
        self.digit = self._first

    @property
    def _first(self) -> int:
        return 0 if self.entry.kind == "choice" else 1

    @property
    def shown(self) -> str:
        """What the screen shows of it."""
        if self.entry.kind == "choice":
            return self.entry.choices[self.digit]
        return STARS * len(self.typed) if self.entry.kind == "digits" else self.typed

    def step(self, by: int) -> None:
        """Move up or down."""
        count = len(self.entry.choices) if self.entry.kind == "choice" else self.DONE + 1
        self.digit = (self.digit + by) % count

    def add(self, digit: int) -> None:
        """Add a digit, by touch or by enter."""
        if self.entry.kind != "choice" and len(self.typed) < MOST_DIGITS:
            self.typed = (self.typed + str(digit)) if self.entry.kind == "digits" else str(int(self.typed + str(digit)))

    def whole(self, *, done: bool) -> str:
        """Take ENTER, or the pad's DONE: return the whole entry where that ends it, else an empty text."""
        if self.entry.kind == "choice":
            return self.entry.choices[self.digit]
        if done or self.digit == self.DONE:
            return self.typed
        self.add(self.digit)
        return ""

    def back(self) -> bool:
        """Take the BACK key: rub out the last digit; return whether there was none, which leaves the entry."""
        empty = not self.typed
        self.typed = self.typed[:-1]
        return empty
