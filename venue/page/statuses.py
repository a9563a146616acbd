"""What a cabinet says of itself (docs/venue-protocol.md), decoded once, by types: whatever it has sent is one of these.

A cabinet that was broken open may send anything. What is not of its key's type is left out, what is long is cut, and of
what is many the first are taken, so that no page fails and no tile grows for it.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

LONGEST = 60
"""The most letters of a name, a code, a place."""
LONGEST_REASON = 300
MOST = 20
"""The most doors and faults."""

_Cents = Annotated[int, msgspec.Meta(ge=-(10**15), le=10**15)]
_Milliseconds = Annotated[int, msgspec.Meta(ge=0, lt=253_402_300_800_000)]
"""Until the end of the year 9999."""
_BOUNDED = msgspec.Meta(ge=-(10**9), le=10**9)
_Figure = Annotated[int, _BOUNDED] | Annotated[float, _BOUNDED]


class Fault(msgspec.Struct, frozen=True):
    """A fault that is present."""

    code: str = ""
    place: str = ""
    stops_play: bool = False


class Software(msgspec.Struct, frozen=True):
    """The program's version, and its state: `running`, `locked` or `differs`."""

    version: str = ""
    state: str = ""


class Books(msgspec.Struct, frozen=True):
    """When the books were proved, in milliseconds since 1970, and whether they are whole; None where unknown."""

    proved_at_ms: _Milliseconds | None = None
    whole: bool | None = None

    @property
    def proved_at(self) -> datetime | None:
        """When they were proved."""
        return None if self.proved_at_ms is None else datetime.fromtimestamp(self.proved_at_ms / 1000, UTC)


class Health(msgspec.Struct, frozen=True):
    """The computer's health; None where it says nothing."""

    temperature_c: _Figure | None = None
    disk_free_mb: _Figure | None = None
    card_wear_percent: _Figure | None = None
    commit_ms: _Figure | None = None

    @property
    def known(self) -> dict[str, int | float]:
        """The figures that there are, by name."""
        return {name: one for name, one in msgspec.structs.asdict(self).items() if one is not None}


class Status(msgspec.Struct, frozen=True):
    """A cabinet's status; empty texts and None are what it has not said."""

    state: str = ""
    game: str = ""
    credit_cents: _Cents | None = None
    doors: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    software: Software = Software()
    books: Books = Books()
    health: Health = Health()
    lock: str = ""
    trial: str = ""


_Kind = TypeVar("_Kind", bound=msgspec.Struct)


def read(said: object) -> Status:
    """Return the status that a cabinet's JSON means."""
    return _read(Status, said if isinstance(said, Mapping) else {})


def _read(kind: type[_Kind], said: Mapping[str, object]) -> _Kind:
    fields = (field for field in msgspec.structs.fields(kind) if field.name in said)
    longest = {"lock": LONGEST_REASON}
    found = {field.name: _value(field.type, said[field.name], longest.get(field.name, LONGEST)) for field in fields}
    return kind(**{name: value for name, value in found.items() if value is not None})


def _value(kind: Any, said: object, longest: int) -> Any:
    """Return a value of this type; None for what is of another."""
    if get_origin(kind) is tuple:
        each = (_value(get_args(kind)[0], one, longest) for one in (said if isinstance(said, list) else [])[:MOST])
        return tuple(one for one in each if one is not None)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _read(kind, said) if isinstance(said, Mapping) else None
    try:
        known = msgspec.convert(said, kind)
    except msgspec.ValidationError:
        return None
    return cut(known, longest) if isinstance(known, str) else known


def cut(text: str, longest: int) -> str:
    """Return a text of at most `longest` letters; three dots stand for the rest of one that has more."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"
