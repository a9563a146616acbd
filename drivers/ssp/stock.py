"""What an SSP payout device holds, and which amounts it can pay of that (GA138, "Get All Levels")."""

from typing import Final, NamedTuple

LIFETIME_SPAN: Final = 1 << 24
"""Where the count of what has left begins again; the journal's counts of hoppers have the same span."""

_LEVEL: Final = 9
_CODE: Final = slice(6, 9)


class Level(NamedTuple):
    """So many coins or notes of one value."""

    pieces: int
    cents: int
    currency: str


def levels(data: bytes) -> list[Level]:
    """Read the answer to `ALL_LEVELS`, which follows its `OK`; raise `ValueError` where it is cut short."""
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
    """What is kept for payouts, in units of `unit_cents`: coins and notes of `currency` that are multiples of it.

    `pieces` are all that it holds of that currency by value, with those that can't be paid. `count` rises by one with
    each unit that leaves, as a lifetime counter does, and goes back with each that comes in.
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
        """How many units it holds."""
        return sum(size * count for size, count in self._pieces.items())

    @property
    def count(self) -> int:
        """What stands in for a lifetime counter of the units that have left."""
        return -self.units % LIFETIME_SPAN

    def payable(self, units: int) -> int:
        """Return the most units, at most `units`, that whole coins and notes of it make up."""
        reached = 1  # bit n: n units can be paid
        mask = (1 << units + 1) - 1
        for size, count in self._pieces.items():
            step, left = 1, min(count, units // size)
            while left:  # so many at once, by halves: any number of them is a sum of those
                taken = min(step, left)
                reached = (reached | reached << size * taken) & mask
                left, step = left - taken, step * 2
        return reached.bit_length() - 1
