"""What a key of a settings file may hold, declared at the field that holds it.

The docstring below a field says what the key does, and becomes its line in docs/configuration.md.
"""

from collections.abc import Callable, Collection, Sequence

import msgspec

NOT_EMPTY = msgspec.Meta(min_length=1)
"""A text that must be given."""


def between(least: int, most: int, unit: str) -> msgspec.Meta:
    """Return the bounds of a number, both included; `unit` says what it counts, and may give the reason for a bound."""
    return msgspec.Meta(ge=least, le=most, extra={"unit": unit})


def one_of(values: Collection[str]) -> msgspec.Meta:
    """Return the allowed values of a text that are only known when the program runs; others are a `Literal`."""
    return msgspec.Meta(extra={"choices": tuple(values)})


def entries(thing: str, names: Sequence[str] | Callable[[], Sequence[str]] = ()) -> msgspec.Meta:
    """Return the allowed names of a table's entries, each of them a `thing`; without `names` they are whole numbers."""
    return msgspec.Meta(extra={"thing": thing, "names": names if callable(names) else lambda: names})
