"""Statistics of draws: each returns the chance that a sound generator gives what is at least as odd.

Values are drawn below a bound, each as likely as another. Chi-square is two-sided: counts that are too even are as
suspicious as counts that are too uneven. Sources: Knuth, The Art of Computer Programming, volume 2, section 3.3.2.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product
from math import prod, sqrt
from statistics import NormalDist

from gamekit import catalogue
from gamekit.play import Draw
from gamekit.reels import Reels

LEAST_EXPECTED = 10
"""Classes that are expected less often are counted together."""
SIDES = 8
"""Into so many parts each reel of a pair is divided."""
COUPONS = 5
LONGEST_COUPONS = 30
LONGEST_GAP = 12
MODULUS = 251
"""The windows' numbers are counted by their rests: a prime, so that every reel enters each."""

Spins = Sequence[tuple[int, ...]]


def two_sided(deviation: float) -> float:
    """Return the chance that a standard normal variable lies at least as far out."""
    return 2 * (1 - NormalDist().cdf(abs(deviation)))


def fit_p(counts: Mapping[object, int], chances: Mapping[object, Fraction]) -> float:
    """Return the chance of counts at least as far from `chances`, or as close to them (Wilson and Hilferty)."""
    total = sum(counts.values())
    seen, expected = [0], [0.0]
    for outcome, chance in chances.items():
        if chance * total >= LEAST_EXPECTED:
            seen.append(counts.get(outcome, 0))
            expected.append(float(chance * total))
        else:
            seen[0] += counts.get(outcome, 0)
            expected[0] += float(chance * total)
    if sum(seen) != total:
        return 0.0  # something came that cannot be
    if expected[0] < LEAST_EXPECTED:
        seen[1] += seen.pop(0)
        expected[1] += expected.pop(0)
    statistic = sum((one - mean) ** 2 / mean for one, mean in zip(seen, expected, strict=True))
    freedom = len(seen) - 1
    spread = 2 / (9 * freedom)
    below = NormalDist().cdf(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))
    return 2 * min(below, 1 - below)


def chi_square_p(values: Sequence[int], bound: int) -> float:
    """How often each value came."""
    return fit_p(Counter(values), {value: Fraction(1, bound) for value in range(bound)})


def runs_p(values: Sequence[int], bound: int) -> float:
    """How many runs there are above and below the middle."""
    sides = [2 * value >= bound for value in values if 2 * value != bound - 1]
    high = sum(sides)
    low = len(sides) - high
    runs = 1 + sum(first != second for first, second in pairwise(sides))
    mean = 1 + 2 * high * low / len(sides)
    variance = (mean - 1) * (mean - 2) / (len(sides) - 1)
    return two_sided((runs - mean) / sqrt(variance)) if variance > 0 else 0.0


def correlation_p(first: Sequence[int], second: Sequence[int], bound: int, other: int) -> float:
    """How strongly values below `bound` go with those below `other` that were drawn in the same places."""
    middles = (bound - 1) / 2, (other - 1) / 2
    variances = (bound**2 - 1) / 12, (other**2 - 1) / 12
    total = sum((one - middles[0]) * (two - middles[1]) for one, two in zip(first, second, strict=True))
    return two_sided(total / sqrt(variances[0] * variances[1] * len(first)))


def serial_correlation_p(values: Sequence[int], bound: int) -> float:
    """How strongly each value goes with the one before."""
    return correlation_p(values[:-1], values[1:], bound, bound)


def gap_p(values: Sequence[int], bound: int) -> float:
    """How many draws lie between two that fall into the first quarter of the values."""
    marked = max(1, bound // 4)
    places = [place for place, value in enumerate(values) if value < marked]
    gaps = Counter(min(after - before - 1, LONGEST_GAP) for before, after in pairwise(places))
    hit = Fraction(marked, bound)
    chances = {gap: hit * (1 - hit) ** gap for gap in range(LONGEST_GAP)}
    return fit_p(gaps, {**chances, LONGEST_GAP: (1 - hit) ** LONGEST_GAP})


def coupon_p(values: Sequence[int], bound: int) -> float:
    """How many draws it takes until each of some classes has come; the classes have equally many values."""
    classes = min(COUPONS, bound)
    kept = [value % classes for value in values if value < bound // classes * classes]
    lengths: Counter[int] = Counter()
    seen: set[int] = set()
    length = 0
    for value in kept:
        seen.add(value)
        length += 1
        if len(seen) == classes:
            lengths[min(length, LONGEST_COUPONS)] += 1
            seen.clear()
            length = 0
    return fit_p(lengths, coupon_chances(classes))


def coupon_chances(classes: int) -> dict[int, Fraction]:
    """Return the chance of each length of a collection, the last one that or longer."""
    having = {0: Fraction(1)}
    chances: dict[int, Fraction] = {}
    for length in range(1, LONGEST_COUPONS):
        after: dict[int, Fraction] = {}
        for number, chance in having.items():
            after[number] = after.get(number, Fraction(0)) + chance * Fraction(number, classes)
            after[number + 1] = after.get(number + 1, Fraction(0)) + chance * Fraction(classes - number, classes)
        chances[length] = after.pop(classes, Fraction(0))
        having = after
    chances[LONGEST_COUPONS] = 1 - sum(chances.values())
    return {length: chance for length, chance in chances.items() if chance}


OF_ONE_STREAM: dict[str, Callable[[Sequence[int], int], float]] = {
    "chi-square": chi_square_p,
    "runs": runs_p,
    "serial correlation": serial_correlation_p,
    "gaps": gap_p,
    "coupons": coupon_p,
}


def together_p(first: Sequence[int], second: Sequence[int], bound: int, other: int) -> float:
    """How often each part of one reel came with each part of the other: any dependence, not a linear one alone."""
    counts = Counter((one * SIDES // bound, two * SIDES // other) for one, two in zip(first, second, strict=True))
    parts = [Counter(value * SIDES // size for value in range(size)) for size in (bound, other)]
    return fit_p(
        counts,
        {
            pair: Fraction(parts[0][pair[0]] * parts[1][pair[1]], bound * other)
            for pair in product(range(SIDES), repeat=2)
        },
    )


def windows_p(spins: Spins, lengths: Sequence[int]) -> float:
    """How often the windows' numbers leave each rest: every reel enters each number."""
    weights = [1, *accumulate(lengths[:-1], lambda done, length: done * length)]
    total = prod(lengths)
    counts = Counter(
        sum(stop * weight for stop, weight in zip(stops, weights, strict=True)) % MODULUS for stops in spins
    )
    return fit_p(
        counts, {rest: Fraction(total // MODULUS + (rest < total % MODULUS), total) for rest in range(MODULUS)}
    )


Outcome = tuple[str, int, int]
"""The first symbol of the middle row, how many in a row from reel 1 are the same, reels that show the rare symbol."""


def outcome(reels: Reels, rare: str, stops: Sequence[int]) -> Outcome:
    """Return what a player sees of a window."""
    columns = reels.window(stops)
    middle = [column[reels.rows // 2] for column in columns]
    run = next((reel for reel, symbol in enumerate(middle) if symbol != middle[0]), len(middle))
    return middle[0], run, sum(rare in column for column in columns)


def outcome_chances(reels: Reels, rare: str) -> dict[Outcome, Fraction]:
    """Return the exact chance of each outcome over all combinations of stops."""
    going: Counter[tuple[str, int, bool, int]] = Counter({("", 0, True, 0): 1})
    for reel, strip in enumerate(reels.strips):
        columns = Counter(
            (column[reels.rows // 2], rare in column)
            for column in (reels.column(reel, stop) for stop in range(len(strip)))
        )
        after: Counter[tuple[str, int, bool, int]] = Counter()
        for ((first, run, alive, shown), ways), ((middle, rares), stops) in product(going.items(), columns.items()):
            same = alive and (not reel or middle == first)
            after[first or middle, run + same, same, shown + rares] += ways * stops
        going = after
    total = prod(reels.lengths)
    chances: dict[Outcome, Fraction] = {}
    for (first, run, _, shown), ways in going.items():
        chances[first, run, shown] = chances.get((first, run, shown), Fraction(0)) + Fraction(ways, total)
    return chances


def rarest(reels: Reels) -> str:
    """Return the symbol that is on most reels and, among those, on the fewest stops."""
    symbols = sorted({symbol for strip in reels.strips for symbol in strip})
    return min(
        symbols,
        key=lambda symbol: (
            -sum(symbol in strip for strip in reels.strips),
            sum(strip.count(symbol) for strip in reels.strips),
        ),
    )


def outcomes_p(spins: Spins, reels: Reels) -> float:
    """How often each final outcome came, against its exact chance."""
    rare = rarest(reels)
    return fit_p(Counter(outcome(reels, rare, stops) for stops in spins), outcome_chances(reels, rare))


def of_spins(spins: Spins, reels: Reels) -> dict[str, float]:
    """Return the chance of each test of `spins`: of each reel, each pair of reels and whole windows."""
    streams = [*zip(*spins, strict=True)]
    lengths = reels.lengths
    found = {
        f"{name} of reel {reel}": test(stream, length)
        for reel, (stream, length) in enumerate(zip(streams, lengths, strict=True), start=1)
        for name, test in OF_ONE_STREAM.items()
    }
    for one, two in combinations(range(len(lengths)), 2):
        pair = streams[one], streams[two], lengths[one], lengths[two]
        found[f"correlation of reels {one + 1} and {two + 1}"] = correlation_p(*pair)
        found[f"reels {one + 1} and {two + 1} together"] = together_p(*pair)
    return found | {"windows": windows_p(spins, lengths), "outcomes": outcomes_p(spins, reels)}


def reels_of(name: str) -> Reels:
    """Return the reels that a paid spin of the game `name` turns."""
    strips = catalogue.module(name, "strips")
    reels: Reels = getattr(strips, "PAID_WINDOWS", None) or strips.REELS
    return reels


def spins_of(name: str, draw: Draw) -> Iterator[tuple[int, ...]]:
    """Yield the stops of paid spins of the game `name` at its highest bet, as its play draws them with `draw`."""
    game = catalogue.load(name)
    stake = game.stakes()[-1]
    while True:
        for step in game.play(stake, draw, None):
            stops = getattr(step, "stops", None)
            if stops is not None:
                yield stops
                break
