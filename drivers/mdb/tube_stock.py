"""What the tubes of an MDB coin changer hold for payouts."""

from typing import Final

from drivers.mdb.protocol import CoinSetup, Tubes

MOST_OF_A_KIND: Final = 15
"""The most coins of a DISPENSE (MDB/ICP 4.3, section 5.2)."""
LIFETIME_SPAN: Final = 1 << 24
"""Where the count of what has left begins again; the journal's counts of hoppers have the same span."""


class TubeStock:
    """What the tubes hold for payouts, in units of `unit_cents`; `failed` are tubes that say nothing of it.

    `by_value` are the coins of each value in cents, those too that no payout of whole units can use.
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
        """How many units they hold."""
        return sum(self.sizes[kind] * count for kind, count in self.pieces.items())

    @property
    def count(self) -> int:
        """What stands in for a lifetime counter of the units that have left."""
        return -self.units % LIFETIME_SPAN

    def payable(self, units: int) -> int:
        """Return the most units, at most `units`, that whole coins make up."""
        reached, mask = 1, (1 << units + 1) - 1  # bit n: n units can be paid
        for kind, count in self.pieces.items():
            for _ in range(min(count, units // self.sizes[kind])):
                reached |= reached << self.sizes[kind] & mask
        return reached.bit_length() - 1

    def of_a_kind(self, units: int) -> tuple[int, int]:
        """Return the kind of which most can be paid at once of so many units, and how many; none of it for nothing."""
        fits = [(self.sizes[kind], kind) for kind, count in self.pieces.items() if count and self.sizes[kind] <= units]
        if not fits:
            return 0, 0
        size, kind = max(fits)
        return kind, min(MOST_OF_A_KIND, self.pieces[kind], units // size)
