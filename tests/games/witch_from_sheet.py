"""Witch Feature's returns worked out from its filed sheet alone, as `tests.games.from_sheet` does for other games."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from math import comb

from tests.games.from_filed_sheet import Filed
from tests.games.from_sheet import (
    Cell,
    Lines,
    Row,
    Window,
    basics,
    cell,
    counts,
    mean_of,
    reels_that_stop,
    table,
    windows,
    with_free_spins,
)

State = tuple[int, tuple[str, ...]]
"""The features unlocked after the first, and the potions carried, sorted."""


class WitchFeature:
    """Witch Feature in each of its states."""

    def __init__(self, sheet: Filed) -> None:
        basics(sheet)
        self.known = known = sheet.constants
        self.shown = reels_that_stop(sheet)
        say = sheet.order.say
        self.potions: list[str] = known[
            say(
                "The {potions} in the window are collected from left to right: what is above one in its reel falls, and"
                " the strip's symbol above the window enters on top."
            )["potions"]
        ]
        self.rules = Lines(sheet)
        self.lines = self.rules.lines
        self.full: int = known[
            say(
                "Potions collected are carried, for each bet, after those carried before. The first {number} of them,"
                " once there are so many, make a combination, in whatever order, and are used up; the others are"
                " carried on."
            )["number"]
        ]
        won = say(
            "A combination wins the feature that {features} gives for it, if that is unlocked. If it is locked it wins"
            " the {locked} with its chance in {chances}; each other combination wins the {other} with {chance}."
        )
        self.features = {tuple(potions): feature for potions, feature in known[won["features"]]}
        self.locked_chances, self.other_chance = known[won["chances"]], Fraction(known[won["chance"]])
        self.explosion = known[won["locked"]]
        assert known[won["other"]] == self.explosion
        self.unlocked: list[str] = known[
            say("At first the first of {features} is unlocked; each that a combination wins unlocks the next.")[
                "features"
            ]
        ]
        reels = say(
            "A feature is one respin, which pays its lines and nothing else. {one} turns {its}, all others turn"
            " {others}."
        )
        self.own_reels = {reels["one"]: windows(known[reels["its"]])}
        self.respins = windows(known[reels["others"]])
        wilds = say("{name} puts {symbol} into so many of {cells} as {number} draws, every set of them as likely.")
        mega = say(
            "{name} puts {symbol} into the cells of a place of {kinds}: first its kind is drawn, then its place, each"
            " as likely as another."
        )
        times = say("{name} respins until a respin pays, and pays that so many times as {times} draws.")
        explodes = say(
            "The {name} puts one symbol into {number} of {cells}, every set of them as likely: that of {symbols},"
            " counted from 0, which {which} draws."
        )
        self.scattered = {
            wilds["name"]: [
                (number, known[wilds["symbol"]], Fraction(weight, known[wilds["number"]]["total"]))
                for number, weight in known[wilds["number"]]["weights"]
            ],
            known[explodes["name"]]: [
                (
                    known[explodes["number"]],
                    known[explodes["symbols"]][place],
                    Fraction(weight, known[explodes["which"]]["total"]),
                )
                for place, weight in known[explodes["which"]]["weights"]
            ],
        }
        self.cells: int = len(known[wilds["cells"]])
        assert wilds["cells"] == explodes["cells"]
        self.mega, self.mega_symbol, self.mega_kinds = mega["name"], known[mega["symbol"]], known[mega["kinds"]]
        self.until, self.multiplier = times["name"], mean_of(known[times["times"]]["weights"])
        won_paid = say("Two of {symbol} in the window of a paid spin win {spins} free spins, one wins none.")
        turned = say(
            "Free spins follow, each behind a press, at the same bet: each turns {reels}, on which there are no"
            " potions, and pays its lines."
        )
        drawn = say(
            "Then {which} draws which features of {features}, counted from 0, are played, whatever is unlocked. {times}"
            " beside another multiplies that one's respin, and none follows."
        )
        again = say(
            "Then two of {symbol} in its window win {two} more, one wins {one} more; they queue behind, without limit."
        )
        say(
            "A state is how many features are unlocked after the first, and the potions carried. What the spin itself"
            " returns is what it pays. The return counts also what is carried after it: it is that of endless play at"
            " one bet."
        )
        sheet.order.end()
        assert drawn["times"] == self.until
        self.free_reels = windows(known[turned["reels"]])
        weights = known[drawn["which"]]
        self.free_features = [
            (known[drawn["features"]][place], Fraction(weight, weights["total"]))
            for place, weight in weights["weights"]
        ]
        self.symbol = known[won_paid["symbol"]]
        assert known[again["symbol"]] == self.symbol
        self.won = {2: known[won_paid["spins"]]}
        self.won_again = {1: known[again["one"]], 2: known[again["two"]]}
        self.feature = cache(self._feature)
        self._marked = cache(self._find_marked)

    def states(self) -> list[State]:
        """Return all states."""
        most = self.full - 1
        carried = [
            tuple(sorted(some))
            for count in range(most + 1)
            for some in combinations_with_replacement(self.potions, count)
        ]
        return [(unlocked, some) for unlocked in range(len(self.unlocked)) for some in carried]

    def own_return(self, state: State) -> Fraction:
        """Return what a paid spin begun in `state` returns by itself."""
        unlocked, carried = state
        won = sum(chance * self._brewed(carried, landed, unlocked) for landed, chance in self.landings.items())
        return self.without_potions + won

    def returned(self) -> Callable[[Row], Fraction]:
        """Return the return of a row of the sheet."""
        total = self.in_the_long_run()
        return lambda _row: total

    def state_of(self, row: Row) -> State:
        """Return the state of a row."""
        unlocked, _, carried = row["state"].partition(":")
        named = {potion.rpartition("_")[2]: potion for potion in self.potions}
        return int(unlocked), tuple(sorted(named[one] for one in carried.split("+") if one != "none"))

    def in_the_long_run(self) -> Fraction:
        """Return the mean return of endless play at one bet, in which all features get unlocked."""
        unlocked = len(self.unlocked) - 1
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
        held, full = [*carried, *landed], self.full
        if len(held) < full:
            return None, tuple(sorted(held))
        return tuple(sorted(held[:full])), tuple(sorted(held[full:]))

    def _brewed(self, carried: Sequence[str], landed: Sequence[str], unlocked: int) -> Fraction:
        """Return what the combination, if there is one, wins on average."""
        combination, _ = self._collected(carried, landed)
        if combination is None:
            return Fraction(0)
        feature = self.features.get(combination)
        if feature is None:
            return self.other_chance * self.feature(self.explosion)
        if self.unlocked.index(feature) <= unlocked:
            return self.feature(feature)
        return Fraction(self.locked_chances[feature]) * self.feature(self.explosion)

    @cached_property
    def landings(self) -> Mapping[tuple[str, ...], Fraction]:
        """Return the chances of the potions that land, from left to right."""
        law: dict[tuple[str, ...], Fraction] = {(): Fraction(1)}
        for reel in self.shown:
            shown = Counter(tuple(symbol for symbol in window if symbol in self.potions) for window in reel)
            before, law = law, {}
            for (had, chance), (new, stops) in product(before.items(), shown.items()):
                law[*had, *new] = law.get((*had, *new), Fraction(0)) + chance * Fraction(stops, len(reel))
        return law

    def _collected_windows(self) -> list[list[Window]]:
        """Return the paid windows with their potions taken out, the strip's next symbol above entering on top."""
        reels = []
        for windows_ in self.shown:
            tops = [window[0] for window in windows_]
            shown = []
            for stop, window in enumerate(windows_):
                kept = [symbol for symbol in window if symbol not in self.potions]
                above = [tops[(stop - 1 - taken) % len(tops)] for taken in range(len(window) - len(kept))]
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
        features = sum(chance * self._joined(features) for features, chance in self.free_features)
        free = self._mean(self.free_reels) + features
        again = counts(self.free_reels, self.symbol)
        won_again = sum(chance * self.won_again.get(number, 0) for number, chance in again.items())
        won = sum(chance * self.won.get(number, 0) for number, chance in counts(shown, self.symbol).items())
        return with_free_spins(Fraction(paid, len(self.lines)), Fraction(won), free, Fraction(won_again))

    def _joined(self, features: Sequence[str]) -> Fraction:
        """Return what the features of a free spin win on average: the one with multipliers multiplies another."""
        if not features:
            return Fraction(0)
        if len(features) == 1:
            return self.feature(features[0])
        (other,) = (feature for feature in features if feature != self.until)
        return self.feature(other) * self.multiplier

    def _feature(self, name: str) -> Fraction:
        """Return what a feature wins on average, in bets."""
        if name in self.own_reels:
            return self._mean(self.own_reels[name])
        if name == self.until:
            return self._mean(self.respins) / (1 - self._nothing()) * self.multiplier
        if name == self.mega:
            return sum(
                (
                    self._mean_with(places, self.mega_symbol) / len(kind) / len(self.mega_kinds)
                    for kind in self.mega_kinds
                    for places in kind
                ),
                Fraction(0),
            )
        return sum(
            (chance * self._scattered(marks, symbol) for marks, symbol, chance in self.scattered[name]), Fraction(0)
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
        cells, reels = self.cells, len(self.respins)
        total = Fraction(0)
        for marks in product((False, True), repeat=reels):
            rest = count - sum(marks)
            if 0 <= rest <= cells - reels:
                total += Fraction(comb(cells - reels, rest), comb(cells, count)) * self._marked(marks, symbol)
        return total

    def _nothing(self) -> Fraction:
        """Return the chance that a respin wins nothing: every symbol pays from three on, so three reels decide."""
        assert {min(table(pays.items())) for pays in self.rules.pays.values()} == {3}
        wild = self.rules.wild
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
