"""The largest win of a paid spin and of a free spin, with their exact chances.

A window full of wilds pays the most, and every respin can show one: its chance is a product over the reels, or a
product of polynomials in the number of marks if marks fall on randomly drawn cells.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import comb, prod

from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition
from gamekit.exact.extremes import Largest, largest_win
from gamekit.exact.moments import multiply
from gamekit.reels import Reels, Strip
from games.witch_feature.features import CELLS, MEGA_WILDS, feature_reels
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    EXPLOSION_SYMBOLS,
    EXPLOSION_TABLE,
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS,
    LINE_PAYS,
    LINE_RULES,
    LINES,
    MULTIPLIER_TABLE,
    RANDOM_WILDS_TABLE,
    REEL_COUNT,
    ROWS,
    WILD,
)
from games.witch_feature.potions import EXPLOSION, WitchMemory, collect, won_by
from games.witch_feature.strips import FREE_REELS
from games.witch_feature.worth import row_counts, win_chance

FULL_SCREEN = len(LINES) * LINE_PAYS[WILD][REEL_COUNT]
"""What a window full of wilds pays, in coins at one coin a line."""


class ChosenReels(Reels):
    """Reels restricted to some of their stops, given by their columns."""

    def __init__(self, columns: Sequence[Sequence[Strip]], rows: int) -> None:
        # The strips only say which symbols there are; the windows are the columns given.
        super().__init__([sum(shown, ()) for shown in columns], rows)
        self.lengths = tuple(len(shown) for shown in columns)
        self._chosen = columns

    def column(self, reel: int, stop: int) -> Strip:
        """Return column number `stop` of those given for `reel`."""
        return self._chosen[reel][stop]


def lines_of(reels: Reels) -> SpinDefinition:
    """Return a spin of `reels` by its lines alone."""
    return SpinDefinition(
        counts=tuple(row_counts(reels, reel, 0) for reel in range(REEL_COUNT)),
        rows=ROWS,
        lines=LINES,
        rules=LINE_RULES,
        scatter=ScatterRules(symbol=FREE_SPINS, pays={}),
        picks=PickRules(name="none", picks={}, mean=Fraction(0)),
        reels=reels,
    )


def _largest_lines(columns: Sequence[Sequence[Strip]]) -> Largest:
    return largest_win(lines_of(ChosenReels(columns, ROWS)), len(LINES))


def full_with_marks(reels: Reels) -> Sequence[int]:
    """Return, by number of marks, how many choices of stops and marked cells show wilds everywhere else."""
    ways: Sequence[int] = (1,)
    for reel, length in enumerate(reels.lengths):
        shown = [0] * (ROWS + 1)
        for stop in range(length):
            others = sum(symbol != WILD for symbol in reels.column(reel, stop))
            for marks in range(others, ROWS + 1):
                # Every cell without a wild is marked, and some of the wilds.
                shown[marks] += comb(ROWS - others, marks - others)
        ways = multiply(ways, shown)
    return ways


def _full_with_places(reels: Reels) -> Fraction:
    """Return the chance of a full screen with Mega Wilds."""
    chance = Fraction(0)
    for places in MEGA_WILDS:
        for cells in places:
            ways = prod(
                sum(
                    all(symbol == WILD or (reel, row) in cells for row, symbol in enumerate(reels.column(reel, stop)))
                    for stop in range(length)
                )
                for reel, length in enumerate(reels.lengths)
            )
            chance += Fraction(ways, len(MEGA_WILDS) * len(places) * prod(reels.lengths))
    return chance


@cache
def full_screen_chance(feature: str) -> Fraction:
    """Return the chance that one respin of `feature` shows wilds alone."""
    reels = feature_reels((feature,))
    stops = prod(reels.lengths)
    if feature == "mega_wild":
        return _full_with_places(reels)
    ways = full_with_marks(reels)
    if feature == EXPLOSION:
        chance = Fraction(ways[EXPLOSION_MARKS], stops * comb(len(CELLS), EXPLOSION_MARKS))
        weight = EXPLOSION_TABLE.weights[EXPLOSION_SYMBOLS.index(WILD)]
        return chance * Fraction(weight, EXPLOSION_TABLE.total)
    if feature == "random_wilds":
        table = RANDOM_WILDS_TABLE
        return sum(
            (
                Fraction(weight * ways[marks], table.total * stops * comb(len(CELLS), marks))
                for marks, weight in table.weights.items()
            ),
            Fraction(0),
        )
    return Fraction(ways[0], stops)


def largest_feature(features: tuple[str, ...]) -> Largest:
    """Return the largest win of `features`: a full screen, with the highest multiplier where there is one."""
    chance = full_screen_chance(features[0])
    if features == ("multiplier",):
        chance /= win_chance(feature_reels(features))
    if "multiplier" not in features:
        return Largest(FULL_SCREEN, chance)
    highest = MULTIPLIER_TABLE.largest
    return Largest(FULL_SCREEN * highest, chance * Fraction(MULTIPLIER_TABLE.weights[highest], MULTIPLIER_TABLE.total))


def add_largest(known: Largest, other: Largest) -> Largest:
    """Return the larger of two wins that exclude each other; their chances add up where they are the same."""
    if known.coins == other.coins:
        return Largest(known.coins, known.chance + other.chance)
    return max(known, other, key=lambda win: win.coins)


def largest_with(lines: Mapping[tuple[str, ...], Largest], memory: WitchMemory) -> Largest:
    """Return the largest win of a paid spin and its feature that starts with `memory`, free spins left out.

    `lines` are the largest line wins by the potions that land, from left to right.
    """
    largest = Largest(0, Fraction(0))
    for potions, best in lines.items():
        combination = collect(memory.carried, potions).combination
        ways = Fraction(0)
        if combination is not None:
            feature, ways = won_by(combination, memory.unlocked)
            full = largest_feature((feature,))
            largest = add_largest(largest, Largest(best.coins + full.coins, best.chance * ways * full.chance))
        if ways < 1:
            largest = add_largest(largest, Largest(best.coins, best.chance * (1 - ways)))
    return largest


@cache
def largest_free() -> Largest:
    """Return the largest win of one free spin with the feature it triggers."""
    columns = [
        [FREE_REELS.column(reel, stop) for stop in range(length)] for reel, length in enumerate(FREE_REELS.lengths)
    ]
    lines = _largest_lines(columns)
    largest = Largest(0, Fraction(0))
    for place, weight in FREE_FEATURE_TABLE.weights.items():
        features = FREE_FEATURES[place]
        best = largest_feature(features) if features else Largest(0, Fraction(1))
        chance = lines.chance * best.chance * Fraction(weight, FREE_FEATURE_TABLE.total)
        largest = add_largest(largest, Largest(lines.coins + best.coins, chance))
    return largest
