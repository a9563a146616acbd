"""The bounds of a number in a settings file, declared at the field that holds it."""

import msgspec


def between(least: int, most: int, unit: str) -> msgspec.Meta:
    """Return the bounds of a number, both included; `unit` says what it counts, and may give the reason for a bound."""
    return msgspec.Meta(ge=least, le=most, extra={"unit": unit})
