"""Contents of an SSP payout device and the amounts it can pay (GA138, "Get All Levels")."""

from typing import Final, NamedTuple

LIFETIME_SPAN: Final = 1 << 24
"""Modulus of the count of units paid, the same as for hopper counts in the journal."""

_LEVEL: Final = 9
_CODE: Final = slice(6, 9)


class Level(NamedTuple):
    """The number of coins or notes of one value."""

    pieces: int
    cents: int
    currency: str


def levels(data: bytes) -> list[Level]:
    """Decode the data after `OK` in the answer to `ALL_LEVELS`; raise `ValueError` if it is cut short."""
    if not data or len(data) < 1 + data[0] * _LEVEL:
        raise ValueError(f"the levels are cut short: {data.hex(' ') or 'nothing'}")
    parts = [data[1 + at * _LEVEL : 1 + (at + 1) * _LEVEL] for at in range(data[0])]
    return [
        Level(
            int.from_bytes(part[:2], "little"),
            int.from_bytes(part[2:6], "little"),
            part[_CODE].decode("ascii", "replace"),
        )
        for part in parts
    ]


class Stock:
    """The stock for payouts, in units of `unit_cents`: coins and notes of `currency` that are multiples of it.

    `pieces` is the number of coins or notes of that currency by value, including those that cannot be paid. `count`
    increases by one with each unit that leaves, like a lifetime counter, and decreases with each that comes in.
    """

    def __init__(self, found: list[Level], unit_cents: int, currency: str) -> None:
        self._pieces = {
            level.cents // unit_cents: level.pieces
            for level in found
            if level.pieces and level.currency == currency and level.cents and not level.cents % unit_cents
        }
        self.pieces = {
            level.cents: level.pieces
            for level in sorted(found, key=lambda level: level.cents)
            if level.pieces and level.currency == currency and level.cents
        }

    def __repr__(self) -> str:
        return f"<Stock of {self.units} units>"

    @property
    def units(self) -> int:
        """The number of units in stock."""
        return sum(size * count for size, count in self._pieces.items())

    @property
    def count(self) -> int:
        """A substitute for a lifetime counter of the units that have left."""
        return -self.units % LIFETIME_SPAN

    def payable(self, units: int) -> int:
        """Return the largest number of units, up to `units`, that whole coins and notes can pay."""
        reached = 1  # bit n: n units can be paid
        mask = (1 << units + 1) - 1
        for size, count in self._pieces.items():
            step, left = 1, min(count, units // size)
            while left:  # take 1, 2, 4, ... pieces at once: every number up to `count` is a sum of these
                taken = min(step, left)
                reached = (reached | reached << size * taken) & mask
                left, step = left - taken, step * 2
        return reached.bit_length() - 1
