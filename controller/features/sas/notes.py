"""The SAS codes of note values and countries (sas.md, section 5.4)."""

from collections.abc import Mapping
from typing import Final

VALUES: Final = (
    1,
    2,
    5,
    10,
    20,
    25,
    50,
    100,
    200,
    250,
    500,
    1_000,
    2_000,
    2_500,
    5_000,
    10_000,
    20_000,
    25_000,
    50_000,
    100_000,
    200_000,
    250_000,
    500_000,
    1_000_000,
)
"""Note values in units of their currency; a note's code is its index here."""

COUNTRIES: Final[Mapping[str, int]] = {
    "AUD": 2,
    "CAD": 7,
    "CHF": 35,
    "CZK": 10,
    "DKK": 11,
    "EUR": 39,
    "GBP": 15,
    "HUF": 19,
    "NOK": 28,
    "PLN": 29,
    "RON": 31,
    "RUB": 32,
    "SEK": 34,
    "USD": 37,
    "ZAR": 33,
}
"""Country codes by currency; an unknown currency is sent as 0."""


def code_of(value_cents: int) -> int | None:
    """Return the code of a note, or None if its value has none."""
    units, rest = divmod(value_cents, 100)
    return VALUES.index(units) if not rest and units in VALUES else None


def meter_of(units: int) -> str:
    """Return the name of the journal's meter that counts notes of this value."""
    return f"note_{units * 100}"
