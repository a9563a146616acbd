"""A game's spins as data, for the exact mathematics.

A spin is reels, lines and rules. Reels are strips, or only the counts of symbols on them: means need no more, sigma
and hit frequency need strips.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from gamekit.exact.runs import Counts, Values
from gamekit.lines import LineRules, Payline
from gamekit.reels import Reels, Strip


class DefinitionError(ValueError):
    """A definition lacks what a calculation needs, or contradicts itself."""


@dataclass(frozen=True)
class ScatterRules:
    """`symbol` anywhere: `pays` by count, times the whole bet, and `free_spins` by count.

    Where `weights` names symbols, the count is the sum of their weights instead. Two kinds of scatter are counted at
    once by giving the second a weight above any number of the first.
    """

    symbol: str
    pays: Mapping[int, int]
    free_spins: Mapping[int, int] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)

    @property
    def counted(self) -> bool:
        """Whether the count makes any difference."""
        return bool(self.pays or self.free_spins)

    def count(self, column: Strip) -> int:
        """Return what `column` adds to the count."""
        return sum(self.weights.get(shown, 0) for shown in column) if self.weights else column.count(self.symbol)


@dataclass(frozen=True)
class PickRules:
    """A bonus won on a line: `picks` by count of its symbol; each pick pays a prize per coin on the line.

    `mean` and `variance` are one prize's; the `largest` falls with `largest_chance`. Prizes are independent. `name` is
    what its part of the return is called, `table` what the sheet calls the table of prizes.
    """

    name: str
    picks: Values
    mean: Fraction
    variance: Fraction = Fraction(0)
    largest: int = 0
    largest_chance: Fraction = Fraction(1)
    table: str = "the table of prizes"


NO_PICKS = PickRules(name="", picks={}, mean=Fraction(0))
"""The picks of a game that has none."""


@dataclass(frozen=True)
class SpinDefinition:
    """One kind of spin; `multiplier` holds for line wins alone, `reels` may be left out where only `counts` matter.

    `wild_multipliers` hold for line wins with 1, 2, ... wilds in them, the last of them for any more.
    """

    counts: tuple[Counts, ...]
    rows: int
    lines: tuple[Payline, ...]
    rules: LineRules
    scatter: ScatterRules
    picks: PickRules = NO_PICKS
    multiplier: int = 1
    wild_multipliers: tuple[int, ...] = ()
    reels: Reels | None = None

    def __post_init__(self) -> None:
        """Raise `DefinitionError` where a wild could begin a line and multiply it: which symbol it is stays open."""
        if self.wild_multipliers and self.counts[0].get(self.rules.wild or "", 0):
            raise DefinitionError("wilds that multiply may not be on the first reel")

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol on any reel."""
        return tuple(dict.fromkeys(symbol for counts in self.counts for symbol in counts))

    @property
    def combinations(self) -> int:
        """How many combinations of stops there are."""
        product = 1
        for counts in self.counts:
            product *= sum(counts.values())
        return product

    def strips(self) -> Reels:
        """Return the reels; raise `DefinitionError` where only counts are known."""
        if self.reels is None:
            raise DefinitionError("this figure depends on the order of the strips: give the definition `reels`")
        return self.reels


def count_symbols(reels: Reels) -> tuple[Counts, ...]:
    """Return how many stops show each symbol in a cell of each reel; every row has the same."""
    return tuple(Counter(strip) for strip in reels.strips)


def scatters_shown(spin: SpinDefinition) -> tuple[tuple[int, ...], ...]:
    """Return for each reel how many stops show 0, 1, 2 ... scatters in the window.

    Without strips no two scatters of a reel may be in view together, which is for the definition's author to see to.
    """
    if spin.reels is None:
        symbol = spin.scatter.symbol
        return tuple(
            (sum(counts.values()) - spin.rows * counts.get(symbol, 0), spin.rows * counts.get(symbol, 0))
            for counts in spin.counts
        )
    reels = spin.reels
    shown = []
    for reel, length in enumerate(reels.lengths):
        tally = Counter(spin.scatter.count(reels.column(reel, stop)) for stop in range(length))
        shown.append(tuple(tally[count] for count in range(max(tally) + 1)))
    return tuple(shown)
