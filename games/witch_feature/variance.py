"""The variances of a round of Witch Feature and of its parts, exactly, in coins at one coin a line.

A feature is drawn independently of the window that won it, but the potions and Free Spins symbols in a window correlate
with its pay: these covariances are included. For a free spin's tree Y (itself and the spins it wins), with its win X,
the K spins it wins and q = E[K], E[Y] = E[X] / (1 - q) and Var(Y) = Var(X + K E[Y]) / (1 - q).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

from gamekit.reels import Reels, Strip
from games.witch_feature.highest import ChosenReels
from games.witch_feature.known_squares import SQUARES
from games.witch_feature.pays import (
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    MULTIPLIER_TABLE,
    ROWS,
)
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import WitchMemory, collect, won_by
from games.witch_feature.states import feature_chances
from games.witch_feature.strips import FREE_REELS, RESPIN_REELS
from games.witch_feature.windows import BOTH, COMBINATIONS, paid_windows
from games.witch_feature.worth import feature_mean, lines_mean, win_chance

_OUTER = (0, len(PAID_REELS.strips) - 1)
_FREE_CHANCES: dict[tuple[str, ...], Fraction] = {
    FREE_FEATURES[place]: Fraction(weight, FREE_FEATURE_TABLE.total)
    for place, weight in FREE_FEATURE_TABLE.weights.items()
    if FREE_FEATURES[place]
}


def feature_square(features: tuple[str, ...]) -> Fraction:
    """Return the mean square of what `features` win; Multiplier alone respins until a win."""
    square = SQUARES[features[0]]
    if "multiplier" in features:
        square *= MULTIPLIER_TABLE.variance + MULTIPLIER_TABLE.mean**2
    return square / win_chance(RESPIN_REELS) if features == ("multiplier",) else square


def _part_of_mean(reels: Reels, columns: Sequence[Sequence[Strip]]) -> tuple[Fraction, Fraction]:
    """Return the chance that a spin shows `columns` alone, and its line wins' mean, 0 where it shows others."""
    chance = Fraction(prod(map(len, columns)), prod(reels.lengths))
    return chance, chance * lines_mean(ChosenReels(columns, ROWS))


@cache
def _by_free_spins() -> dict[int, tuple[Fraction, Fraction]]:
    """Return for 0 to 2 Free Spins symbols the chance that a free spin shows so many, and its line wins' mean then."""
    reels = FREE_REELS
    shown = [[reels.column(reel, stop) for stop in range(length)] for reel, length in enumerate(reels.lengths)]
    parts = {count: (Fraction(0), Fraction(0)) for count in range(3)}
    for first, last in product((False, True), repeat=2):
        columns = list(shown)
        for reel, wanted in zip(_OUTER, (first, last), strict=True):
            columns[reel] = [column for column in shown[reel] if (FREE_SPINS in column) == wanted]
        chance, mean = _part_of_mean(reels, columns)
        known = parts[first + last]
        parts[first + last] = (known[0] + chance, known[1] + mean)
    return parts


@cache
def _by_potions() -> Mapping[tuple[str, ...], Fraction]:
    """Return the line wins' mean where these potions land from left to right, 0 where a paid spin shows others."""
    means: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for shown, ways in paid_windows().items():
        means[shown.potions] += Fraction(sum(coins * count for coins, count in ways.items()), COMBINATIONS)
    return means


@cache
def _with_free_spins() -> tuple[Fraction, Fraction]:
    """Return the chance that a paid spin wins free spins, and its line wins' mean, 0 where it does not."""
    won = [ways for shown, ways in paid_windows().items() if shown.free_spins == BOTH]
    mean = sum(coins * count for ways in won for coins, count in ways.items())
    return Fraction(sum(sum(ways.values()) for ways in won), COMBINATIONS), Fraction(mean, COMBINATIONS)


class FreeSpinTrees:
    """Free spins of which only some wins count: line wins or not, and some of the features."""

    def __init__(self, *, lines: bool, features: Sequence[tuple[str, ...]]) -> None:
        spins = {0: 0, 1: FREE_SPINS_ADDED, 2: FREE_SPINS_WON}
        shown = _by_free_spins()
        again = sum((spins[count] * chance for count, (chance, _) in shown.items()), Fraction(0))
        again_square = sum((spins[count] ** 2 * chance for count, (chance, _) in shown.items()), Fraction(0))
        mean = lines_mean(FREE_REELS) if lines else Fraction(0)
        square = SQUARES["free"] if lines else Fraction(0)
        mixed = sum((spins[count] * win for count, (_, win) in shown.items()), Fraction(0)) if lines else Fraction(0)
        won = sum((_FREE_CHANCES[name] * feature_mean(name) for name in features), Fraction(0))
        won_square = sum((_FREE_CHANCES[name] * feature_square(name) for name in features), Fraction(0))
        tree = (mean + won) / (1 - again)
        spread = square + 2 * tree * mixed + tree**2 * again_square - (mean + tree * again) ** 2
        self.mean = FREE_SPINS_WON * tree
        self.variance = FREE_SPINS_WON * (spread + won_square - won**2) / (1 - again)

    @property
    def square(self) -> Fraction:
        """The mean square of what ten free spins and those they win pay."""
        return self.variance + self.mean**2


@cache
def free_part_variance(*, lines: bool = False, features: tuple[str, ...] = ()) -> Fraction:
    """Return the variance, per round, of free spins' line wins or of one of their features."""
    trees = FreeSpinTrees(lines=lines, features=[features] if features else [])
    chance, _ = _with_free_spins()
    return chance * trees.square - (chance * trees.mean) ** 2


def feature_variance(feature: str, chance: Fraction) -> Fraction:
    """Return the variance, per round, of a feature that potions win with `chance`."""
    return chance * feature_square((feature,)) - (chance * feature_mean((feature,))) ** 2


def lines_variance() -> Fraction:
    """Return the variance of a paid spin's line wins."""
    return SQUARES["paid"] - lines_mean(PAID_REELS) ** 2


@cache
def round_variance(memory: WitchMemory) -> Fraction:
    """Return the variance of a whole round that starts with `memory`."""
    trees = FreeSpinTrees(lines=True, features=list(_FREE_CHANCES))
    both, lines_with_free_spins = _with_free_spins()
    chances = feature_chances(memory)
    lines = lines_mean(PAID_REELS)
    won = sum((chance * feature_mean((feature,)) for feature, chance in chances.items()), Fraction(0))
    won_square = sum((chance * feature_square((feature,)) for feature, chance in chances.items()), Fraction(0))
    lines_with_features = Fraction(0)
    for potions, mean in _by_potions().items():
        combination = collect(memory.carried, [potion for potion in potions if potion]).combination
        if combination is not None:
            feature, chance = won_by(combination, memory.unlocked)
            lines_with_features += mean * chance * feature_mean((feature,))
    square = SQUARES["paid"] + won_square + both * trees.square
    mixed = lines_with_features + lines_with_free_spins * trees.mean + won * both * trees.mean
    return square + 2 * mixed - (lines + won + both * trees.mean) ** 2
