"""The bounds of a number in a settings file, declared at the field that holds it."""

import msgspec

NOT_EMPTY = msgspec.Meta(min_length=1)
"""A text that must be given."""


def between(least: int, most: int, unit: str) -> msgspec.Meta:
    """Return the bounds of a number, both included; `unit` says what it counts, and may give the reason for a bound."""
    return msgspec.Meta(ge=least, le=most, extra={"unit": unit})
