"""What is typed and asked on a page of the service menu before something is done."""

from collections.abc import Mapping
from enum import Enum, auto

import msgspec

from controller.service.confirmation import Asked, asked_of
from controller.service.page import Act, Drive, Entry, Work
from controller.service.typing import Typing
from ui.messages import ServicePage

Doing = Act | Work | Drive


class Answer(Enum):
    """What comes of a key while a question is asked."""

    OPEN = auto()
    NO = auto()
    AGAIN = auto()
    YES = auto()


class Dialog:
    """What is being typed, then asked, for an `act`; `typed` is what has been typed for it, by the entry's name."""

    def __init__(self) -> None:
        self.forget()

    def __repr__(self) -> str:
        return f"<Dialog {'typing' if self.typing else 'asking' if self._asked else 'idle'}>"

    def forget(self) -> None:
        """Leave whatever was being typed or asked."""
        self.typing: Typing | None = None
        self.typed: dict[str, str] = {}
        self.act: Doing | None = None
        self._asked = 0
        self._yes = False

    @property
    def asks(self) -> bool:
        """Whether a question is asked."""
        return self._asked > 0

    @property
    def is_open(self) -> bool:
        """Whether anything is typed or asked."""
        return self.typing is not None or self.asks

    @property
    def controls(self) -> frozenset[str]:
        """What may be touched to type or to answer."""
        if self.typing is not None:
            return self.typing.controls
        return frozenset({"service:no", "service:yes"} if self.asks else ())

    @property
    def buttons(self) -> Mapping[str, str] | None:
        """What the panel's buttons are while something is typed in another way than with a cursor."""
        return None if self.typing is None else self.typing.buttons

    def ask_for(self, entry: Entry) -> None:
        """Have an entry typed."""
        self.typing = Typing(entry)

    def go_on(self) -> Doing | None:
        """Have typed or asked what is still missing for the act; return the act where nothing is."""
        act = self.act
        if act is None:
            return None
        left = [entry for entry in act.entries if entry.name not in self.typed]
        if left:
            self.ask_for(left[0])
        elif act.asks:
            self._asked = 1
        else:
            return act
        return None

    def type(self, key: str) -> str | None:
        """Take a key while something is typed; return the whole entry where that ends it.

        Raise `RefusedError` for what does not fit the entry, and `LookupError` where BACK leaves it.
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
        """Take a key while a question is asked; NO, and leaving it, leaves everything as it is."""
        act = self.act
        if key in ("no", "yes"):
            self._yes = key == "yes"
        if key in ("up", "down"):
            self._yes = not self._yes
            return Answer.OPEN
        if act is None or key == "back" or not self._yes:
            return Answer.NO
        self._yes = False
        if self._asked < act.asks:
            self._asked += 1
            return Answer.AGAIN
        return Answer.YES

    def over(self, page: ServicePage) -> ServicePage:
        """Return the page with what is typed or asked on it."""
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
        asked = asked_of(self.act, self.typed) if self.asks else Asked()
        question = self.act.question if self.act is not None and self.asks else ""
        return msgspec.structs.replace(
            page, entry_kind=asked.kind, unit=asked.unit, typed=asked.typed, question=question, yes=self._yes
        )
