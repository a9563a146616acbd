"""Status reports of cabinets (docs/venue-protocol.md), decoded into typed values.

A compromised cabinet may send anything. Decoding drops values of the wrong type, cuts long texts and keeps only the
first entries of long lists, so that no page fails and no tile grows too large.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

LONGEST = 60
"""Maximum length of a name, a code or a place."""
LONGEST_REASON = 300
MOST = 20
"""Maximum number of doors and of faults."""

_Cents = Annotated[int, msgspec.Meta(ge=-(10**15), le=10**15)]
_Milliseconds = Annotated[int, msgspec.Meta(ge=0, lt=253_402_300_800_000)]
"""Milliseconds since 1970, up to the end of the year 9999."""
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
    """Time of the last check of the books in milliseconds since 1970, and whether they are intact; None if unknown."""

    proved_at_ms: _Milliseconds | None = None
    whole: bool | None = None

    @property
    def proved_at(self) -> datetime | None:
        """Time of the last check."""
        return None if self.proved_at_ms is None else datetime.fromtimestamp(self.proved_at_ms / 1000, UTC)


class Health(msgspec.Struct, frozen=True):
    """Health of the cabinet's computer; None for a figure it does not report."""

    temperature_c: _Figure | None = None
    disk_free_mb: _Figure | None = None
    card_wear_percent: _Figure | None = None
    commit_ms: _Figure | None = None

    @property
    def known(self) -> dict[str, int | float]:
        """The reported figures by name."""
        return {name: one for name, one in msgspec.structs.asdict(self).items() if one is not None}


class Status(msgspec.Struct, frozen=True):
    """A cabinet's status; a value it did not report is an empty text, an empty tuple or None."""

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
    """Decode a cabinet's status JSON; anything but an object gives an empty status."""
    return _read(Status, said if isinstance(said, Mapping) else {})


def _read(kind: type[_Kind], said: Mapping[str, object]) -> _Kind:
    fields = (field for field in msgspec.structs.fields(kind) if field.name in said)
    longest = {"lock": LONGEST_REASON}
    found = {field.name: _value(field.type, said[field.name], longest.get(field.name, LONGEST)) for field in fields}
    return kind(**{name: value for name, value in found.items() if value is not None})


def _value(kind: Any, said: object, longest: int) -> Any:
    """Convert a value to this type; return None if it has another type."""
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
    """Cut a text to at most `longest` characters; an ellipsis replaces the end of a longer text."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"
