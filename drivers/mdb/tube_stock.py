"""What the tubes of an MDB coin changer hold for payouts."""

from typing import Final

from drivers.mdb.protocol import CoinSetup, Tubes

MOST_OF_A_KIND: Final = 15
"""The maximum number of coins in one DISPENSE (MDB/ICP 4.3, section 5.2)."""
LIFETIME_SPAN: Final = 1 << 24
"""Modulus of the count of units paid, the same as for hopper counts in the journal."""


class TubeStock:
    """Contents of the tubes for payouts, in units of `unit_cents`; `failed` are defective tubes.

    `by_value` is the number of coins per value in cents, including coins that are not a multiple of the unit.
    """

    def __init__(self, found: Tubes, setup: CoinSetup, unit_cents: int) -> None:
        self.failed = found.defective & setup.tubed
        self.pieces = {
            kind: found.counts[kind]
            for kind, cents in setup.values_cents.items()
            if kind in setup.tubed and not cents % unit_cents
        }
        self.sizes = {kind: setup.values_cents[kind] // unit_cents for kind in self.pieces}
        self.by_value: dict[int, int] = {}
        for kind in sorted(setup.tubed & setup.values_cents.keys()):
            cents = setup.values_cents[kind]
            self.by_value[cents] = self.by_value.get(cents, 0) + found.counts[kind]

    def __repr__(self) -> str:
        return f"<TubeStock of {self.units} units>"

    @property
    def units(self) -> int:
        """The number of units in the tubes."""
        return sum(self.sizes[kind] * count for kind, count in self.pieces.items())

    @property
    def count(self) -> int:
        """A substitute for a lifetime counter of the units that have left."""
        return -self.units % LIFETIME_SPAN

    def payable(self, units: int) -> int:
        """Return the largest number of units, up to `units`, that whole coins can pay."""
        reached, mask = 1, (1 << units + 1) - 1  # bit n: n units can be paid
        for kind, count in self.pieces.items():
            for _ in range(min(count, units // self.sizes[kind])):
                reached |= reached << self.sizes[kind] & mask
        return reached.bit_length() - 1

    def of_a_kind(self, units: int) -> tuple[int, int]:
        """Return the largest coin type that fits into `units` and how many of it to pay; (0, 0) if none fits."""
        fits = [(self.sizes[kind], kind) for kind, count in self.pieces.items() if count and self.sizes[kind] <= units]
        if not fits:
            return 0, 0
        size, kind = max(fits)
        return kind, min(MOST_OF_A_KIND, self.pieces[kind], units // size)
