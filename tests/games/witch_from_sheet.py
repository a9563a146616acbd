"""Witch Feature's returns worked out from its PAR sheet alone, as `tests.games.from_sheet` does for the other games."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from math import comb

from tests.games.from_sheet import Cell, Lines, Sheet, Window, cell, counts, mean_of, table, windows, with_free_spins

State = tuple[int, tuple[str, ...]]
"""The features unlocked after the first, and the potions carried, sorted."""


class WitchFeature:
    """Witch Feature in each of its states."""

    def __init__(self, sheet: Sheet) -> None:
        self.known = sheet["constants"]
        self.rules = Lines(self.known["LINE_RULES"])
        self.lines: list[list[int]] = self.known["LINES"]
        self.potions: list[str] = self.known["POTIONS"]
        self.respins = windows(self.known["RESPIN_REELS"])
        self.feature = cache(self._feature)
        self._marked = cache(self._find_marked)
        self.multiplier = mean_of(self.known["MULTIPLIER_TABLE"]["weights"])

    def states(self) -> list[State]:
        """Return all states."""
        most = self.known["COMBINATION"] - 1
        carried = [
            tuple(sorted(some))
            for count in range(most + 1)
            for some in combinations_with_replacement(self.potions, count)
        ]
        return [(unlocked, some) for unlocked in range(len(self.known["FEATURES"])) for some in carried]

    def own_return(self, state: State) -> Fraction:
        """Return what a paid spin begun in `state` returns by itself."""
        unlocked, carried = state
        won = sum(chance * self._brewed(carried, landed, unlocked) for landed, chance in self.landings.items())
        return self.without_potions + won

    def in_the_long_run(self) -> Fraction:
        """Return the mean return of endless play at one bet, in which all features get unlocked."""
        unlocked = len(self.known["FEATURES"]) - 1
        states = [carried for at, carried in self.states() if at == unlocked]
        rows = [[Fraction(0)] * len(states) for _ in states]
        for number, carried in enumerate(states):
            for landed, chance in self.landings.items():
                rows[number][states.index(self._collected(carried, landed)[1])] += chance
        shares = stationary(rows)
        return sum(
            (share * self.own_return((unlocked, carried)) for share, carried in zip(shares, states, strict=True)),
            Fraction(0),
        )

    def _collected(
        self, carried: Sequence[str], landed: Sequence[str]
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """Return the combination that comes of `landed` and what is carried afterwards."""
        held, full = [*carried, *landed], self.known["COMBINATION"]
        if len(held) < full:
            return None, tuple(sorted(held))
        return tuple(sorted(held[:full])), tuple(sorted(held[full:]))

    def _brewed(self, carried: Sequence[str], landed: Sequence[str], unlocked: int) -> Fraction:
        """Return what the combination, if there is one, wins on average."""
        combination, _ = self._collected(carried, landed)
        if combination is None:
            return Fraction(0)
        features = {tuple(potions): feature for potions, feature in self.known["FEATURE_OF"]}
        feature = features.get(combination)
        if feature is None:
            return Fraction(self.known["OTHER_CHANCE"]) * self.feature(self.known["EXPLOSION"])
        if self.known["FEATURES"].index(feature) <= unlocked:
            return self.feature(feature)
        return Fraction(self.known["LOCKED_CHANCES"][feature]) * self.feature(self.known["EXPLOSION"])

    @cached_property
    def landings(self) -> Mapping[tuple[str, ...], Fraction]:
        """Return the chances of the potions that land, from left to right."""
        law: dict[tuple[str, ...], Fraction] = {(): Fraction(1)}
        for reel in windows(self.known["PAID_WINDOWS"]):
            shown = Counter(tuple(symbol for symbol in window if symbol in self.potions) for window in reel)
            before, law = law, {}
            for (had, chance), (new, stops) in product(before.items(), shown.items()):
                law[*had, *new] = law.get((*had, *new), Fraction(0)) + chance * Fraction(stops, len(reel))
        return law

    def _collected_windows(self) -> list[list[Window]]:
        """Return the paid windows with their potions taken out, the strip's next symbol above entering on top."""
        reels = []
        rows = self.known["PAID_WINDOWS"]["rows"]
        for strip in (words.split() for words in self.known["PAID_WINDOWS"]["strips"]):
            shown = []
            for stop in range(len(strip)):
                window = [strip[(stop + row) % len(strip)] for row in range(rows)]
                kept = [symbol for symbol in window if symbol not in self.potions]
                above = [strip[(stop - 1 - taken) % len(strip)] for taken in range(rows - len(kept))]
                shown.append((*reversed(above), *kept))
            reels.append(shown)
        return reels

    @cached_property
    def without_potions(self) -> Fraction:
        """Return what the lines of a paid spin and its free spins return."""
        shown = self._collected_windows()
        paid = sum(
            self.rules.mean([cell(reel, row) for reel, row in zip(shown, line, strict=True)]) for line in self.lines
        )
        free_reels = windows(self.known["FREE_REELS"])
        table_ = self.known["FREE_FEATURE_TABLE"]
        features = sum(
            Fraction(weight, table_["total"]) * self._joined(self.known["FREE_FEATURES"][place])
            for place, weight in table_["weights"]
        )
        free = self._mean(free_reels) + features
        again = {0: 0, 1: self.known["FREE_SPINS_ADDED"], 2: self.known["FREE_SPINS_WON"]}
        won_again = sum(chance * again[number] for number, chance in self._free_spins_shown(free_reels).items())
        won = self._free_spins_shown(shown)[2] * self.known["FREE_SPINS_WON"]
        return with_free_spins(Fraction(paid, len(self.lines)), Fraction(won), free, Fraction(won_again))

    def _free_spins_shown(self, reels: Sequence[Sequence[Window]]) -> Mapping[int, Fraction]:
        return counts(reels, self.known["FREE_SPINS"])

    def _joined(self, features: Sequence[str]) -> Fraction:
        """Return what the features of a free spin win on average: Multiplier beside another multiplies it."""
        if not features:
            return Fraction(0)
        if len(features) == 1:
            return self.feature(features[0])
        (other,) = (feature for feature in features if feature != "multiplier")
        return self.feature(other) * self.multiplier

    def _feature(self, name: str) -> Fraction:
        """Return what a feature wins on average, in bets."""
        known = self.known
        if name == "high_symbols":
            return self._mean(windows(known["HIGH_REELS"]))
        if name == "multiplier":
            return self._mean(self.respins) / (1 - self._nothing()) * self.multiplier
        if name == "mega_wild":
            kinds = known["MEGA_WILDS"]
            return sum(
                (self._mean_with(places, known["WILD"]) / len(kind) / len(kinds) for kind in kinds for places in kind),
                Fraction(0),
            )
        if name == "random_wilds":
            weights = known["RANDOM_WILDS_TABLE"]
            return sum(
                (
                    Fraction(weight, weights["total"]) * self._scattered(marks, known["WILD"])
                    for marks, weight in weights["weights"]
                ),
                Fraction(0),
            )
        symbols = known["EXPLOSION_TABLE"]
        return sum(
            (
                Fraction(weight, symbols["total"])
                * self._scattered(known["EXPLOSION_MARKS"], known["EXPLOSION_SYMBOLS"][place])
                for place, weight in symbols["weights"]
            ),
            Fraction(0),
        )

    def _mean(self, reels: Sequence[Sequence[Window]]) -> Fraction:
        """Return the mean of the lines, in bets: all rows of a strip show the same."""
        return self.rules.mean([cell(reel, 0) for reel in reels])

    def _find_marked(self, marks: tuple[bool, ...], symbol: str) -> Fraction:
        """Return the mean of a line of a respin that shows `symbol` on the reels of `marks`."""
        cells: list[Cell] = [
            {symbol: Fraction(1)} if mark else cell(reel, 0) for mark, reel in zip(marks, self.respins, strict=True)
        ]
        return self.rules.mean(cells)

    def _mean_with(self, places: Sequence[Sequence[int]], symbol: str) -> Fraction:
        """Return the mean of the lines, in bets, with `symbol` in these places."""
        marks = {tuple(place) for place in places}
        every = (tuple((reel, row) in marks for reel, row in enumerate(line)) for line in self.lines)
        return sum((self._marked(line, symbol) for line in every), Fraction(0)) / len(self.lines)

    def _scattered(self, count: int, symbol: str) -> Fraction:
        """Return the mean of the lines, in bets, with `symbol` in `count` of the cells, every set equally likely."""
        cells, reels = len(self.known["CELLS"]), len(self.respins)
        total = Fraction(0)
        for marks in product((False, True), repeat=reels):
            rest = count - sum(marks)
            if 0 <= rest <= cells - reels:
                total += Fraction(comb(cells - reels, rest), comb(cells, count)) * self._marked(marks, symbol)
        return total

    def _nothing(self) -> Fraction:
        """Return the chance that a respin wins nothing: every symbol pays from three on, so three reels decide."""
        assert {min(table(pays)) for pays in self.known["LINE_RULES"]["pays"].values()} == {3}
        wild = self.known["WILD"]
        starts = {tuple(line[:3]) for line in self.lines}
        first, second, third = (Counter(reel) for reel in self.respins[:3])
        empty = 0
        for (a, p), (b, q) in product(first.items(), second.items()):
            pairs = {}
            for x, y, z in starts:
                kinds = {a[x], b[y]} - {wild}
                if len(kinds) < 2:
                    pairs.setdefault(z, set()).update(kinds or {""})
            for c, r in third.items():
                if not any("" in kinds or c[z] == wild or c[z] in kinds for z, kinds in pairs.items()):
                    empty += p * q * r
        return Fraction(empty, first.total() * second.total() * third.total())


def stationary(rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return the shares of a chain's states in the long run, by Gauss' elimination."""
    size = len(rows)
    # Each state's share is what flows into it; the last equation says that all shares are 1 together.
    system = [[rows[b][a] - (a == b) for b in range(size)] + [Fraction(0)] for a in range(size - 1)]
    system.append([Fraction(1)] * (size + 1))
    for column in range(size):
        pivot = next(row for row in range(column, size) if system[row][column])
        system[column], system[pivot] = system[pivot], system[column]
        system[column] = [value / system[column][column] for value in system[column]]
        for row in range(size):
            if row != column and system[row][column]:
                factor = system[row][column]
                system[row] = [a - factor * b for a, b in zip(system[row], system[column], strict=True)]
    return [row[-1] for row in system]
