"""One row of the fault model: a fault of a device, its effect on the money, and its source."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class How(StrEnum):
    """How a row is triggered."""

    NEXT = "next"
    """It happens on the next occasions, as many as are queued, or on each with a probability."""
    LASTS = "lasts"
    """It is begun, and lasts until it is ended."""
    HAND = "hand"
    """It happens once, when it is triggered."""
    ALWAYS = "always"
    """It always happens on its occasion, without a trigger."""


class Row(NamedTuple):
    """A fault of a device.

    `name` triggers it, `event` is what happens, `money` what a real device then does with the money, `source` the
    document and its section, and `test` the test of the simulated device in `tests/drivers/simulated`.
    """

    name: str
    how: How
    event: str
    money: str
    source: str
    test: str


def befalling(rows: Iterable[Row]) -> list[str]:
    """Return the names of the rows that happen on an occasion."""
    return [row.name for row in rows if row.how is How.NEXT]
