"""The exact mean wins of Witch Feature's windows: spins, respins with marks, and whole features.

Wins are in coins at one coin on each of the fifty lines. A line's mean is computed by a walk over its reels with the
symbols' counts; marks on randomly drawn cells matter only by which of a line's five cells they cover.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, prod

from gamekit.exact.runs import Counts, Futures, Runs
from gamekit.reels import Reels
from games.witch_feature.features import CELLS, MEGA_WILDS, evaluator, feature_reels
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    EXPLOSION_SYMBOLS,
    EXPLOSION_TABLE,
    LINE_PAYS,
    LINE_RULES,
    LINES,
    MULTIPLIER_TABLE,
    RANDOM_WILDS_TABLE,
    REEL_COUNT,
    SYMBOLS,
    WILD,
)
from games.witch_feature.potions import EXPLOSION

Covered = tuple[int, ...]
"""The reels on which a line's cell is marked."""

Spread = Mapping[Covered, Fraction]
"""How many of the fifty lines are covered so, on average."""

_RUNS = Runs(LINE_RULES, LINE_PAYS, SYMBOLS)


def _line_mean(counts: tuple[Counts, ...]) -> Fraction:
    return Fraction(Futures(_RUNS, counts).total(), prod(sum(reel.values()) for reel in counts))


def row_counts(reels: Reels, reel: int, row: int) -> Counts:
    """Return how many stops of `reel` show each symbol in `row`."""
    return Counter(reels.column(reel, stop)[row] for stop in range(reels.lengths[reel]))


@cache
def lines_mean(reels: Reels) -> Fraction:
    """Return the mean of all line wins of one spin of `reels`, whose rows need not be alike."""
    counts = [[row_counts(reels, reel, row) for row in range(reels.rows)] for reel in range(len(reels.strips))]
    return sum((_line_mean(tuple(counts[reel][row] for reel, row in enumerate(line))) for line in LINES), Fraction(0))


def marked_mean(reels: Reels, spread: Spread, symbol: str) -> Fraction:
    """Return the mean of all line wins of one spin of `reels` with marks of `symbol` in this spread over the lines.

    The strips themselves are shown, so every row of a reel has the same counts.
    """
    plain = [Counter(strip) for strip in reels.strips]
    return sum(
        (
            lines
            * _line_mean(tuple(Counter([symbol]) if reel in covered else plain[reel] for reel in range(REEL_COUNT)))
            for covered, lines in spread.items()
        ),
        Fraction(0),
    )


def spread_of_cells(count: int) -> Spread:
    """Return how `count` distinct cells, every set equally likely, cover the lines."""
    others = len(CELLS) - REEL_COUNT
    return {
        covered: Fraction(len(LINES) * comb(others, count - size), comb(len(CELLS), count))
        for size in range(min(REEL_COUNT, count) + 1)
        for covered in combinations(range(REEL_COUNT), size)
    }


def spread_of_mega_wilds() -> Spread:
    """Return how the Mega Wilds cover the lines: both kinds equally likely, and each kind's places."""
    spread: dict[Covered, Fraction] = {}
    for places in MEGA_WILDS:
        for cells in places:
            for line in LINES:
                covered = tuple(reel for reel, row in enumerate(line) if (reel, row) in cells)
                spread[covered] = spread.get(covered, Fraction(0)) + Fraction(1, len(MEGA_WILDS) * len(places))
    return spread


def losing_ways(reels: Reels, marks: Sequence[Sequence[str]] = ()) -> Counter[tuple[str, ...]]:
    """Return how many combinations of stops of reels 1 to 3 win nothing, grouped by the three marks.

    `marks` gives a grouping key for each stop of each of these reels. Three reels decide, because every symbol pays
    from three on.
    """
    lines = evaluator(reels)
    named = marks or [[""] * length for length in reels.lengths[:3]]
    columns = [Counter(zip(lines.covers[reel], names, strict=True)) for reel, names in enumerate(named)]
    ways: Counter[tuple[str, ...]] = Counter()
    for (first, a), first_stops in columns[0].items():
        for (second, b), second_stops in columns[1].items():
            alive = first & second
            for (third, c), third_stops in columns[2].items():
                if not alive & third:
                    ways[a, b, c] += first_stops * second_stops * third_stops
    return ways


@cache
def win_chance(reels: Reels) -> Fraction:
    """Return the chance that a spin of `reels` wins on any line."""
    return 1 - Fraction(losing_ways(reels).total(), prod(reels.lengths[:3]))


@cache
def respin_mean(feature: str) -> Fraction:
    """Return the mean of one respin of `feature`, before any multiplier."""
    reels = feature_reels((feature,))
    if feature == "random_wilds":
        return _mixed(
            (weight, marked_mean(reels, spread_of_cells(count), WILD))
            for count, weight in RANDOM_WILDS_TABLE.weights.items()
        )
    if feature == "mega_wild":
        return marked_mean(reels, spread_of_mega_wilds(), WILD)
    if feature == EXPLOSION:
        spread = spread_of_cells(EXPLOSION_MARKS)
        return _mixed(
            (weight, marked_mean(reels, spread, EXPLOSION_SYMBOLS[place]))
            for place, weight in EXPLOSION_TABLE.weights.items()
        )
    return lines_mean(reels)


def _mixed(weighed: Iterable[tuple[int, Fraction]]) -> Fraction:
    parts = list(weighed)
    return sum((weight * mean for weight, mean in parts), Fraction(0)) / sum(weight for weight, _ in parts)


def feature_mean(features: tuple[str, ...]) -> Fraction:
    """Return the mean win of `features`; Multiplier alone respins until a win."""
    mean = MULTIPLIER_TABLE.mean if "multiplier" in features else Fraction(1)
    (first, *_) = features
    if features == ("multiplier",):
        return mean * respin_mean(first) / win_chance(feature_reels(features))
    return mean * respin_mean(first)
