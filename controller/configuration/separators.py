"""The separators of amounts: as `[cabinet.money]` says, or as the cabinet's language writes them."""

from typing import Final

from drivers.wiring import BY_LANGUAGE

USUAL: Final = {"en": (".", ","), "de": (",", ".")}
"""The signs for decimals and for thousands of each language."""


def separators(language: str, decimal: str, thousands: str) -> tuple[str, str]:
    """Return the signs for decimals and for thousands."""
    own, grouping = USUAL.get(language, USUAL["en"])
    return own if decimal == BY_LANGUAGE else decimal, grouping if thousands == BY_LANGUAGE else thousands
