"""The input and the confirmation of an action of the service menu."""

from collections.abc import Mapping
from enum import Enum, auto

import msgspec

from controller.service.confirmation import Confirmation, confirmation_of
from controller.service.page import DeviceAction, Entry, Job, MenuTransaction
from controller.service.typing import Typing
from ui.protocol.messages import ServicePage

Action = MenuTransaction | Job | DeviceAction


class Answer(Enum):
    """The outcome of a key while a question is open."""

    OPEN = auto()
    NO = auto()
    AGAIN = auto()
    YES = auto()


class Dialog:
    """Collects the entries of an `action`, then its confirmations; `typed` has the input by the entry's name."""

    def __init__(self) -> None:
        self.forget()

    def __repr__(self) -> str:
        return f"<Dialog {'typing' if self.typing else 'confirming' if self._question else 'idle'}>"

    def forget(self) -> None:
        """Drop the action and its input."""
        self.typing: Typing | None = None
        self.typed: dict[str, str] = {}
        self.action: Action | None = None
        self._question = 0
        self._yes = False

    @property
    def is_confirming(self) -> bool:
        """Whether a question is open."""
        return self._question > 0

    @property
    def is_open(self) -> bool:
        """Whether an entry or a question is open."""
        return self.typing is not None or self.is_confirming

    @property
    def controls(self) -> frozenset[str]:
        """The touch controls of the open entry or question."""
        if self.typing is not None:
            return self.typing.controls
        return frozenset({"service:no", "service:yes"} if self.is_confirming else ())

    @property
    def buttons(self) -> Mapping[str, str] | None:
        """The keys of the panel's buttons for an entry that is typed without a cursor."""
        return None if self.typing is None else self.typing.buttons

    def ask_for(self, entry: Entry) -> None:
        """Open an entry."""
        self.typing = Typing(entry)

    def go_on(self) -> Action | None:
        """Open the next entry or the question; return the action once both are complete."""
        action = self.action
        if action is None:
            return None
        left = [entry for entry in action.entries if entry.name not in self.typed]
        if left:
            self.ask_for(left[0])
        elif action.confirmations:
            self._question = 1
        else:
            return action
        return None

    def type(self, key: str) -> str | None:
        """Take a key of the open entry; return its input once it is complete.

        Raise `RefusedError` for input outside its limits, and `LookupError` if BACK leaves the entry.
        """
        typing = self.typing
        if typing is None:
            return None
        if key.startswith("pad:"):
            key = typing.pad(int(key.removeprefix("pad:")))
        if key in ("up", "down"):
            typing.step(up=key == "up")
        elif key == "back":
            if typing.back():
                raise LookupError
        elif f"service:{key}" in typing.controls | {"service:enter"}:
            return typing.take(key)
        return None

    def answer(self, key: str) -> Answer:
        """Take a key of the open question."""
        action = self.action
        if key in ("no", "yes"):
            self._yes = key == "yes"
        if key in ("up", "down"):
            self._yes = not self._yes
            return Answer.OPEN
        if action is None or key == "back" or not self._yes:
            return Answer.NO
        self._yes = False
        if self._question < action.confirmations:
            self._question += 1
            return Answer.AGAIN
        return Answer.YES

    def over(self, page: ServicePage) -> ServicePage:
        """Return the page with the open entry or question."""
        typing = self.typing
        if typing is not None:
            return msgspec.structs.replace(
                page,
                entry=typing.entry.label,
                entry_kind=typing.entry.kind,
                unit=typing.entry.unit,
                options=tuple(typing.options),
                limits=typing.entry.limits,
                typed=typing.shown,
                digit=typing.digit,
                group=typing.group,
                may_be_done=typing.may_be_done,
            )
        shown = confirmation_of(self.action, self.typed) if self.is_confirming else Confirmation()
        question = self.action.question if self.action is not None and self.is_confirming else ""
        return msgspec.structs.replace(
            page, entry_kind=shown.kind, unit=shown.unit, typed=shown.typed, question=question, yes=self._yes
        )
