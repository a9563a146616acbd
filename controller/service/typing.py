"""Typing with four keys or by touch: digits, an amount, a number, a text, or one of some choices."""

from collections.abc import Sequence

from controller.journal.errors import RefusedError
from controller.service.leaf import Entry

STARS = "*"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ"
SIGNS = "0123456789 -./&"
SHIFT = "aA"
"""The key between capital and small letters."""


class Typing:
    """One entry being typed: up and down choose a digit, a letter or a choice, and enter takes it.

    `digit` is the place of the cursor: 0 to 9, a choice, or a key of `options`. Past the last digit and letter stands
    DONE, with which enter ends the entry.
    """

    DONE = 10

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.typed = ""
        self._capitals = True
        self.digit = {"choice": self._chosen, "text": 0}.get(entry.kind, 1)

    @property
    def _chosen(self) -> int:
        entry = self.entry
        return entry.choices.index(entry.now) if entry.now in entry.choices else 0

    @property
    def options(self) -> Sequence[str]:
        """The choices, or the keys of a text; nothing where digits are typed."""
        if self.entry.kind == "choice":
            return self.entry.choices
        return (*(CAPITALS if self._capitals else CAPITALS.lower()), *SIGNS, SHIFT) if self._is_text else ()

    @property
    def _is_text(self) -> bool:
        return self.entry.kind == "text"

    @property
    def _done(self) -> int:
        return len(self.options) if self._is_text else self.DONE

    @property
    def shown(self) -> str:
        """What the screen shows of it."""
        if self.entry.kind == "choice":
            return self.entry.choices[self.digit]
        return STARS * len(self.typed) if self.entry.kind == "digits" else self.typed

    @property
    def controls(self) -> frozenset[str]:
        """What may be touched: digits or letters and DONE, or the choices."""
        if self.entry.kind == "choice":
            return frozenset(f"service:choice:{place}" for place in range(len(self.options)))
        if self._is_text:
            return frozenset(f"service:letter:{place}" for place in range(len(self.options))) | {"service:done"}
        return frozenset(f"service:digit:{digit}" for digit in range(10)) | {"service:done"}

    def step(self, *, up: bool) -> None:
        """Move up or down: up to the next digit, or to the choice or letter above."""
        count = len(self.options) if self.entry.kind == "choice" else self._done + 1
        forward = up is (not self.options)
        self.digit = (self.digit + (1 if forward else -1)) % count

    def take(self, key: str) -> str | None:
        """Take ENTER, DONE or a touch; return the whole entry where that ends it, else None.

        Raise `RefusedError` for a number that is not within the entry's limits.
        """
        kind, _, place = key.partition(":")
        if kind in ("digit", "letter", "choice"):
            self.digit = int(place)
        if self.entry.kind == "choice":
            return self.entry.choices[self.digit]
        if key == "done" or (key == "enter" and self.digit == self._done):
            return self._ended()
        self._add()
        return None

    def _ended(self) -> str | None:
        if not self.typed and not self.entry.may_be_empty:
            return None
        if self.entry.limits is not None:
            low, high = self.entry.limits
            if not low <= int(self.typed) <= high:
                self.typed = ""
                if self.entry.kind == "cents":
                    raise RefusedError("It must be {low_cents} to {high_cents}", low_cents=low, high_cents=high)
                raise RefusedError("It must be {low} to {high}", low=low, high=high)
        return self.typed

    def _add(self) -> None:
        """Add what stands under the cursor, or change between capital and small letters."""
        key = self.options[self.digit] if self._is_text else str(self.digit)
        if key == SHIFT:
            self._capitals = not self._capitals
        elif len(self.typed) < self.entry.longest:
            self.typed += key
            if self.entry.kind in ("cents", "number"):
                self.typed = str(int(self.typed))

    def back(self) -> bool:
        """Take the BACK key: rub out the last digit or letter; return whether there was none, which leaves it."""
        empty = not self.typed
        self.typed = self.typed[:-1]
        return empty
