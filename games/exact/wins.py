"""What one spin's lines and scatters win: the whole distribution, over every combination of stops.

The reels are walked from left to right, merging what is alike. A line stands in one state of its automaton
(`games.exact.runs`), and each state has a field of bits, one for each line. So a column of a reel keeps lines alive by
one AND, and what the lines are worth is a count of bits. What the reels to come add depends on those fields alone:
it is worked out once for each.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from games.exact.definition import SpinDefinition
from games.exact.extremes import Largest
from games.exact.runs import Runs, State, Values

_Law = Mapping[int, int]
"""By scatters shown, the ways to each number of coins, packed into one integer: a field of bits for each coin."""

_END: _Law = {0: 1}
"""Behind the last reel: nothing more in one way."""

_Column = tuple[int, int, tuple[tuple[int, int], ...], int]
"""The bits that a column keeps, those that a wild moves on, lines with a symbol and its new field, its scatters."""


@dataclass(frozen=True)
class WinLaw:
    """How many combinations of stops win each number of coins; `bet` is what the spin costs in the same coins."""

    bet: int
    ways: Mapping[int, int]

    @cached_property
    def combinations(self) -> int:
        """All combinations of stops."""
        return sum(self.ways.values())

    @property
    def largest(self) -> Largest:
        """The largest win and its chance."""
        coins = max(self.ways)
        return Largest(coins, Fraction(self.ways[coins], self.combinations))

    def bands(self, edges: Sequence[int]) -> list[tuple[int, int]]:
        """Return the ways and the sum of coins of wins up to each of `edges` bets, and last of those above them all."""
        ways, coins = [0] * (len(edges) + 1), [0] * (len(edges) + 1)
        for win, times in self.ways.items():
            band = bisect_left(edges, Fraction(win, self.bet))
            ways[band] += times
            coins[band] += win * times
        return list(zip(ways, coins, strict=True))


class _Fields:
    """Where each state of a line has its bits; the first field holds the lines that show nothing but wilds."""

    def __init__(self, runs: Runs, symbols: Sequence[str], spin: SpinDefinition, lines: int) -> None:
        self._runs = runs
        self.every_line = (1 << lines) - 1
        reels = range(len(spin.counts))
        multiplied = len(spin.wild_multipliers)
        # Wilds that a run began with matter only where they pay of their own; those that multiply may come anywhere.
        self._wilds = [min(n, multiplied) or (n if runs.worth((n, None), n) else 0) for n in reels]
        states: list[State | None] = [None]
        states += [(wilds, symbol) for wilds in sorted(set(self._wilds)) for symbol in symbols]
        self._places = {state: number * lines for number, state in enumerate(states)}
        self.one_wild_on = len(symbols) * lines if multiplied else 0
        self._most_wilds = multiplied

    def place(self, wilds: int, symbol: str) -> int:
        """Return how far the field is shifted of a run of `symbol` that began with `wilds` wilds."""
        return self._places[self._wilds[wilds], symbol]

    def acts(self, symbol: str, crossed: int, wild: int) -> tuple[int, int]:
        """Return the bits of runs of `symbol` that stay in their fields, and that a wild moves one field on."""
        stays = moves = 0
        for state, place in self._places.items():
            if state is None or state[1] != symbol:
                continue
            if state[0] < self._most_wilds:
                stays |= crossed << place
                moves |= wild << place
            else:
                stays |= (crossed | wild) << place
        return stays, moves

    def worths(self, length: int) -> list[tuple[int, int]]:
        """Return what lines are worth whose runs have `length` cells: each worth with the mask of its fields."""
        masks: Counter[int] = Counter()
        for state, place in self._places.items():
            masks[self._runs.worth(state or (length, None), length)] |= self.every_line << place
        return [(worth, mask) for worth, mask in masks.items() if worth]


class SpinWins:
    """What the first `lines` lines of `spin`, at one coin each, win together with its scatters.

    Features are left out; `with_picks` counts what is won on a line, every pick at its largest.
    """

    def __init__(self, spin: SpinDefinition, lines: int, *, with_picks: bool = False) -> None:
        self._lines = lines
        self._pays = spin.scatter.pays
        self._reels = spin.strips()
        values: Values = spin.rules.pays
        if with_picks:
            prize = spin.picks.largest
            picks = {s: {n: picks * prize for n, picks in by.items()} for s, by in spin.picks.picks.items()}
            values = {**values, **picks}
        runs = Runs(spin.rules, values, spin.symbols, spin.wild_multipliers)
        self._symbols = [symbol for symbol in values if symbol != spin.rules.wild]
        self._fields = _Fields(runs, self._symbols, spin, lines)
        reels = range(len(self._reels.strips))
        self._columns = [self._act(spin, reel) for reel in reels]
        self._worths = [self._fields.worths(length) for length in range(len(reels) + 1)]
        # Wide enough for all combinations, in whole bytes.
        self._field = (spin.combinations.bit_length() // 8 + 1) * 8
        self._known: list[dict[int, _Law]] = [{} for _ in reels]

    def law(self) -> WinLaw:
        """Return the law of the coins won."""
        ways: Counter[int] = Counter()
        for scatters, packed in self._from(0, self._fields.every_line).items():
            paid = self._pays.get(scatters, 0) * self._lines
            size = self._field // 8
            counts = packed.to_bytes(packed.bit_length() // 8 + size, "little")
            for coins in range(len(counts) // size):
                count = int.from_bytes(counts[coins * size : (coins + 1) * size], "little")
                if count:
                    ways[coins + paid] += count
        return WinLaw(self._lines, dict(sorted(ways.items())))

    def _act(self, spin: SpinDefinition, reel: int) -> Mapping[_Column, int]:
        """Return what the different columns of `reel` do, with the number of stops that show each."""
        crossing = [
            sum(1 << line for line, rows in enumerate(spin.lines[: self._lines]) if rows[reel] == row)
            for row in range(spin.rows)
        ]
        tally: Counter[_Column] = Counter()
        for stop in range(self._reels.lengths[reel]):
            column = self._reels.column(reel, stop)
            crossed: Counter[str] = Counter()
            for shown, lines in zip(column, crossing, strict=True):
                crossed[shown] |= lines
            wild = crossed[spin.rules.wild] if spin.rules.wild else 0
            keeps, moves, begins = wild, 0, []
            for symbol in self._symbols:
                covered = wild if symbol in spin.rules.pays else 0
                stays, wilds = self._fields.acts(symbol, crossed[symbol], covered)
                keeps |= stays
                moves |= wilds
                # A feature's symbol behind wilds starts nothing.
                if crossed[symbol] and (covered == wild or not reel):
                    begins.append((crossed[symbol], self._fields.place(reel, symbol)))
            scatters = spin.scatter.count(column) if self._pays else 0
            tally[keeps, moves, tuple(begins), scatters] += 1
        return tally

    def _from(self, reel: int, alive: int) -> _Law:
        """Return what reels `reel` and those behind it add to the coins, and their scatters, where `alive` runs."""
        if reel == len(self._columns):
            return _END
        known = self._known[reel].get(alive)
        if known is None:
            known = self._known[reel][alive] = self._walk(reel, alive)
        return known

    def _walk(self, reel: int, alive: int) -> _Law:
        wilds = alive & self._fields.every_line
        on = self._fields.one_wild_on
        going: Counter[tuple[int, int, int]] = Counter()
        for (keeps, moves, begins, scatters), stops in self._columns[reel].items():
            before = alive & keeps
            after = before
            if moves:
                moved = alive & moves
                before |= moved
                after |= moved << on
            if wilds:
                for crossed, place in begins:
                    begun = wilds & crossed
                    before |= begun
                    after |= begun << place
            going[before, after, scatters] += stops
        law: dict[int, int] = {}
        for (before, after, scatters), stops in going.items():
            # Growing runs never lose worth, so this is no less than nothing.
            coins = self._worth(after, reel + 1) - self._worth(before, reel)
            for more, packed in self._from(reel + 1, after).items():
                shown = scatters + more
                law[shown] = law.get(shown, 0) + ((packed * stops) << (coins * self._field))
        return law

    def _worth(self, alive: int, length: int) -> int:
        return sum(worth * (alive & mask).bit_count() for worth, mask in self._worths[length])
