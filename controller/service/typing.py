"""Typing with four keys or by touch: digits, an amount, a number, a text, a choice, or a page's code."""

from collections.abc import Mapping, Sequence

from controller.journal.errors import RefusedError
from controller.service.page import Entry
from ui.protocol.messages import PAD, PAD_BUTTONS

STARS = "*"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ"
SIGNS = "0123456789 -./&"
SHIFT = "aA"
"""The key that switches between capital and small letters."""

NO_GROUP = -1


class Typing:
    """An entry being typed.

    Figures are typed on a pad (`ui.protocol.messages.PAD`), with two presses per digit. Everything else has `options`
    with `digit` as the cursor: up and down move it, enter takes the option. DONE follows the last letter of a text, and
    a code that is already complete; enter on it ends the entry.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.typed = ""
        self.group = NO_GROUP
        """The three digits of the pad's button that was pressed first."""
        self._capitals = True
        self.digit = self._chosen if entry.kind == "choice" else 0

    @property
    def _chosen(self) -> int:
        entry = self.entry
        return entry.choices.index(entry.now) if entry.now in entry.choices else 0

    @property
    def is_figure(self) -> bool:
        """Whether the entry is typed on the pad."""
        return self.entry.kind in ("digits", "cents", "number")

    @property
    def options(self) -> Sequence[str]:
        """The choices, the letters of a text, or the next characters of a code; empty for digits."""
        match self.entry.kind:
            case "choice":
                return self.entry.choices
            case "text":
                return (*(CAPITALS if self._capitals else CAPITALS.lower()), *SIGNS, SHIFT)
            case "code":
                return self._next_of_code
        return ()

    @property
    def _next_of_code(self) -> tuple[str, ...]:
        """The possible next characters of the code; its dot is not typed."""
        typed = self.typed
        rest = [_keyed(code).removeprefix(typed) for code in self._codes if _keyed(code) != typed]
        return tuple(dict.fromkeys(code[0] for code in rest))

    @property
    def _codes(self) -> list[str]:
        return [code for code in self.entry.choices if _keyed(code).startswith(self.typed)]

    @property
    def _whole_code(self) -> str:
        """The typed code if it is complete, even if a longer one starts with it."""
        return next((code for code in self._codes if _keyed(code) == self.typed), "")

    @property
    def may_be_done(self) -> bool:
        """Whether DONE is offered."""
        return self.entry.kind not in ("choice", "card") and (self.entry.kind != "code" or bool(self._whole_code))

    @property
    def shown(self) -> str:
        """The text shown on the screen."""
        match self.entry.kind:
            case "choice":
                return self.entry.choices[self.digit]
            case "digits":
                return STARS * len(self.typed)
            case "code":
                return self._whole_code or self.typed
        return self.typed

    @property
    def buttons(self) -> Mapping[str, str] | None:
        """The pad's keys by panel button, or None if the buttons move a cursor."""
        if not self.is_figure:
            return None
        return {button: f"pad:{place}" for place, button in enumerate(PAD_BUTTONS)}

    @property
    def controls(self) -> frozenset[str]:
        """The touch controls: digits or letters and DONE, or the choices."""
        if self.entry.kind == "card":
            return frozenset({"service:back"})
        kind = {"choice": "choice", "text": "letter", "code": "letter"}.get(self.entry.kind)
        if kind is None:
            return frozenset(f"service:digit:{digit}" for digit in range(10)) | {"service:done", "service:back"}
        done = {"service:done"} if self.may_be_done else frozenset[str]()
        return frozenset(f"service:{kind}:{place}" for place in range(len(self.options))) | done

    def step(self, *, up: bool) -> None:
        """Move the cursor up or down; it wraps."""
        count = len(self.options) + self.may_be_done
        if count:
            self.digit = (self.digit + (-1 if up else 1)) % count

    def pad(self, button: int) -> str:
        """Handle a button of the pad; return "", a digit, `done` or `back`."""
        if self.group == NO_GROUP:
            self.group = button
            return ""
        chosen = PAD[self.group]
        self.group = NO_GROUP
        what = chosen[button] if button < len(chosen) else ""
        return f"digit:{what}" if what.isdigit() else what

    def take(self, key: str) -> str | None:
        """Handle ENTER, DONE or a touch; return the input if this completes it, else None.

        Raise `RefusedError` for a number outside the entry's limits.
        """
        self.group = NO_GROUP
        if self.entry.kind == "card":
            return None
        kind, _, place = key.partition(":")
        if kind == "digit":
            self._add_digit(place)
            return None
        if kind in ("letter", "choice"):
            self.digit = int(place)
        if self.entry.kind == "choice":
            return self.entry.choices[self.digit]
        if key == "done" or (key == "enter" and not self.is_figure and self.digit == len(self.options)):
            return self._ended()
        if self.options:
            self._add(self.options[self.digit])
            return self._whole_code if self.entry.kind == "code" and not self.options else None
        return None

    def _ended(self) -> str | None:
        if self.entry.kind == "code":
            return self._whole_code or None
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

    def _add_digit(self, digit: str) -> None:
        if len(self.typed) < self.entry.longest:
            self.typed += digit
            if self.entry.kind in ("cents", "number"):
                self.typed = str(int(self.typed))

    def _add(self, key: str) -> None:
        """Add a letter, or switch between capital and small ones; after a letter of a code the cursor restarts."""
        if key == SHIFT:
            self._capitals = not self._capitals
        elif len(self.typed) < self.entry.longest:
            self.typed += key
            if self.entry.kind == "code":
                self._to_likeliest()

    def _to_likeliest(self) -> None:
        """Move the cursor to DONE if a complete code was typed, else to the first option."""
        self.digit = len(self.options) if "." in self._whole_code else 0

    def back(self) -> bool:
        """Handle BACK: delete the last character; return True if there was none, which leaves the entry."""
        empty, self.group = not self.typed, NO_GROUP
        self.typed = self.typed[:-1]
        if self.entry.kind == "code":
            self._to_likeliest()
        return empty


def _keyed(code: str) -> str:
    """Return a page's code as it is typed, without the dot."""
    return code[:1] + code[2:]
