"""One row of the fault model: what a device can do wrong, what becomes of the money, and who says so."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class How(StrEnum):
    """How a row is brought about."""

    NEXT = "next"
    """It befalls the next occasions, as many as are ordered, or each with a probability."""
    LASTS = "lasts"
    """It begins and ends."""
    HAND = "hand"
    """Somebody does it now."""
    ALWAYS = "always"
    """It is so whenever it comes to that, unordered."""


class Row(NamedTuple):
    """What a device can do wrong.

    `name` is the word by which it is brought about, `event` what happens, `money` what a real device does with the
    money then, `source` the document and its section, and `test` the test that holds the simulated device to it, in
    `tests/drivers/simulated`.
    """

    name: str
    how: How
    event: str
    money: str
    source: str
    test: str


def befalling(rows: Iterable[Row]) -> list[str]:
    """Return the names of the rows that befall an occasion."""
    return [row.name for row in rows if row.how is How.NEXT]
