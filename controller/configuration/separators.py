"""The format of amounts and days: from `[cabinet.money]` and `cabinet.dates`, or the cabinet's language by default."""

from typing import Final, Literal, get_args

from drivers.wiring import BY_LANGUAGE

USUAL: Final = {"en": (".", ","), "de": (",", ".")}
"""The signs for decimals and for thousands of each language."""

DATES: Final = {"en": "yyyy-mm-dd", "de": "dd.mm.yyyy"}
"""How each language writes days."""
DateFormat = Literal["yyyy-mm-dd", "dd/mm/yyyy", "dd/mm/yy", "mm/dd/yyyy", "mm/dd/yy", "dd.mm.yyyy", "dd.mm.yy"]
DATE_FORMATS: Final[tuple[DateFormat, ...]] = get_args(DateFormat)
"""How days may be written: year, month and day in figures."""


def separators(language: str, decimal: str, thousands: str) -> tuple[str, str]:
    """Return the signs for decimals and for thousands."""
    own, grouping = USUAL.get(language, USUAL["en"])
    return own if decimal == BY_LANGUAGE else decimal, grouping if thousands == BY_LANGUAGE else thousands
