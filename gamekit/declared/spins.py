"""The laws of a declared game's spins: paid spins, free spins, and free spins with sticky wilds."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib import import_module
from math import prod

from gamekit.beats import Cell
from gamekit.declared.declaration import Declaration, LineWins
from gamekit.declared.play import covered, expanded
from gamekit.exact.runs import Runs
from gamekit.exact.spin_law import Outcome, SpinLaw, Tagged, law_of
from gamekit.exact.walks import Columns, Walk
from gamekit.exact.ways import combinations_of, ways_won
from gamekit.reels import Reels, Strip

_COUNT_BITS = 6
_HELD_BITS = 2 * _COUNT_BITS


class Tags:
    """The fields of a tag: scatters in the window, hold-and-win symbols, and the wilds held after the spin.

    The tags of the reels add up: each cell that can hold a wild has its own bit.
    """

    def __init__(self, declared: Declaration) -> None:
        self._scatter = declared.scatter.symbol
        self._hold = None if declared.hold is None else declared.hold.rules.symbol

    def of(self, column: Strip) -> int:
        """Return the tag of a column without held wilds."""
        held = 0 if self._hold is None else column.count(self._hold) << _COUNT_BITS
        return column.count(self._scatter) + held

    @staticmethod
    def scatters(tag: int) -> int:
        """Return the number of scatters in `tag`."""
        return tag & ((1 << _COUNT_BITS) - 1)

    @staticmethod
    def holds(tag: int) -> int:
        """Return the number of hold-and-win symbols in `tag`."""
        return (tag >> _COUNT_BITS) & ((1 << _COUNT_BITS) - 1)

    @staticmethod
    def wilds(tag: int) -> int:
        """Return the bits of the wilds held after this spin."""
        return tag >> _HELD_BITS


class DeclaredSpins:
    """The laws of the spins of `declared`, at one coin a line; each law is computed once."""

    def __init__(self, declared: Declaration) -> None:
        self.declared = declared
        self.tags = Tags(declared)
        self._known: dict[tuple[bool, int, int], SpinLaw] = {}

    def law(self, *, free: bool, lines: int, held: int = 0) -> SpinLaw:
        """Return the law of a spin with `lines` lines; `held` has a bit for each held wild (`held_bits`)."""
        key = (free, lines, held)
        if key not in self._known:
            if self.declared.cascades is not None:
                self._known |= {(kind, lines, 0): law for kind, (law, _) in self._cascading.items()}
            else:
                self._known[key] = self._of_columns(free=free, lines=lines, held=held)
        return self._known[key]

    @cached_property
    def falls(self) -> int:
        """The number of falls in the longest chain of any combination of stops, paid or free; 0 without cascades.

        If it is below the `most` of the rules, that limit ends no chain.
        """
        return max((falls for _, falls in self._cascading.values()), default=0)

    def held_bits(self, cells: Iterable[Cell]) -> int:
        """Return the bits of the wilds in `cells`."""
        rows = self.declared.free_reels.rows
        return sum(1 << (reel * rows + row) for reel, row in cells)

    def _cells(self, held: int) -> set[Cell]:
        rows = self.declared.free_reels.rows
        return {divmod(bit, rows) for bit in range(held.bit_length()) if (held >> bit) & 1}

    @cached_property
    def _cascading(self) -> Mapping[bool, tuple[SpinLaw, int]]:
        """The laws of the paid and the free spin with cascades, and the falls of their longest chain."""
        declared = self.declared
        base, free = declared.cascades, declared.free_cascades
        if base is None or free is None or isinstance(declared.wins, LineWins):
            return {}
        # numpy is for those who work figures out, not for those who show them.
        cascades = import_module("gamekit.exact.cascades")
        alike = declared.free_reels is declared.reels and base.most == free.most
        laws: list[tuple[SpinLaw, int]] = []
        for reels, rules in ((declared.reels, (base, free) if alike else (base,)), (declared.free_reels, (free,))):
            if len(laws) <= 1:
                chain = cascades.chain_of(reels, declared.wins, rules[0].most, self.tags.of)
                won = cascades.cascades_won(chain, rules)
                laws += [(law_of(prod(reels.lengths), ways), won.falls) for ways in won.by_rules]
        return dict(zip((False, True), laws, strict=True))

    def _of_columns(self, *, free: bool, lines: int, held: int) -> SpinLaw:
        declared = self.declared
        reels = declared.free_reels if free else declared.reels
        columns = self._columns(reels, self._cells(held), sticky=free and declared.free_spins.sticky)
        multiplier = declared.free_spins.multiplier if free else 1
        ways: Mapping[Outcome, int]
        if isinstance(declared.wins, LineWins):
            ways = _lines_won(columns, declared.wins, lines)
        else:
            ways = ways_won(columns, declared.wins)
        multiplied: dict[Outcome, int] = {(tag, coins * multiplier): count for (tag, coins), count in ways.items()}
        return law_of(combinations_of(columns), multiplied)

    def _columns(self, reels: Reels, held: set[Cell], *, sticky: bool) -> Tagged:
        """Return each reel's columns with wilds held and expanded, tagged by the column before."""
        declared = self.declared
        found: list[Mapping[tuple[Strip, int], int]] = []
        for reel, length in enumerate(reels.lengths):
            shown: Counter[tuple[Strip, int]] = Counter()
            for stop in range(length):
                (column,) = covered(
                    (reels.column(reel, stop),), {(0, row) for at, row in held if at == reel}, declared.wild
                )
                tag = self.tags.of(column)
                if declared.expanding:
                    (column,) = expanded((column,), declared.wild)
                if sticky:
                    wilds = self.held_bits((reel, row) for row, cell in enumerate(column) if cell == declared.wild)
                    tag += wilds << _HELD_BITS
                shown[column, tag] += 1
            found.append(shown)
        return found


def _lines_won(columns: Tagged, wins: LineWins, lines: int) -> dict[Outcome, int]:
    """Return the number of combinations by tag and by the coins that the first `lines` lines win."""
    symbols = dict.fromkeys(cell for shown in columns for column, _ in shown for cell in column)
    runs = Runs(wins.rules, wins.rules.pays, tuple(symbols), wins.wild_multipliers)
    walked: list[Columns] = [{((column,), tag): stops for (column, tag), stops in shown.items()} for shown in columns]
    return {
        (tag, coins): ways
        for tag, by_coins in Walk(wins.lines[:lines], walked, (runs,)).ways().items()
        for coins, ways in by_coins.items()
    }
