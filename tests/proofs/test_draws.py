"""Scaled draws of the cabinet's generator pass chi-square, runs and serial-correlation tests (R1, R5, R6, R7).

All tests of one run together fail a sound generator once in 10,000 runs: each test's limit is that chance divided by
the number of tests (Bonferroni).
"""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import sqrt
from statistics import NormalDist

import pytest

from controller.commands.draws import scaled
from controller.rounds.randomness import WatchedGenerator
from games.catalogue import load, names

pytestmark = pytest.mark.proof

DRAWS = 2_000_000
FEWEST = 20_000
ALL_TOGETHER = 1e-4


def chi_square_p(values: list[int], bound: int) -> float:
    """Return the chance of counts at least as uneven, by Wilson and Hilferty's approximation."""
    expected = len(values) / bound
    counts = Counter(values)
    statistic = sum((counts[value] - expected) ** 2 for value in range(bound)) / expected
    freedom = bound - 1
    spread = 2 / (9 * freedom)
    return 1 - NormalDist().cdf(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def runs_p(values: list[int], bound: int) -> float:
    """Return the chance of a number of runs above and below the middle that is at least as far off (two-sided)."""
    sides = [2 * value >= bound for value in values if 2 * value != bound - 1]
    high = sum(sides)
    low = len(sides) - high
    runs = 1 + sum(first != second for first, second in pairwise(sides))
    mean = 1 + 2 * high * low / len(sides)
    variance = (mean - 1) * (mean - 2) / (len(sides) - 1)
    return two_sided((runs - mean) / sqrt(variance))


def serial_correlation_p(values: list[int], bound: int) -> float:
    """Return the chance of a correlation with the draw before that is at least as strong (two-sided)."""
    middle = (bound - 1) / 2
    variance = (bound * bound - 1) / 12
    total = sum((first - middle) * (second - middle) for first, second in pairwise(values))
    return two_sided(total / variance / sqrt(len(values) - 1))


def two_sided(deviation: float) -> float:
    """Return the chance that a standard normal variable lies at least as far out."""
    return 2 * (1 - NormalDist().cdf(abs(deviation)))


TESTS: dict[str, Callable[[list[int], int], float]] = {
    "chi-square": chi_square_p,
    "runs": runs_p,
    "serial correlation": serial_correlation_p,
}


@pytest.mark.parametrize("name", names())
def test_scaled_draws_are_uniform_and_independent(name: str, record_property: Callable[[str, object], None]) -> None:
    """For every bound that a game draws often, its values are uniform, in no order, and unlike their neighbours."""
    by_bound: dict[int, list[int]] = {}
    drawn = scaled(load(name), WatchedGenerator())
    for _ in range(DRAWS):
        bound, value = next(drawn)
        by_bound.setdefault(bound, []).append(value)
    tested = {
        bound: values for bound, values in by_bound.items() if bound > 1 and len(values) >= max(FEWEST, 10 * bound)
    }
    assert tested
    limit = ALL_TOGETHER / (len(tested) * len(TESTS) * len(names()))
    found = {(bound, test): chance(values, bound) for bound, values in tested.items() for test, chance in TESTS.items()}
    least = min(found, key=lambda key: found[key])
    record_property(
        "proof",
        f"{name}: {DRAWS:,} draws, {len(found)} tests, least p {found[least]:.2g} (bound {least[0]}, {least[1]}),"
        f" limit {limit:.2g}",
    )
    assert found[least] > limit


def biased(bound: int) -> list[int]:
    """Draw with the modulo bias that rejection avoids: the lower values come more often."""
    generator = WatchedGenerator()
    return [int.from_bytes(generator.raw(1), "big") % bound for _ in range(200_000)]


def test_the_tests_see_modulo_bias() -> None:
    """What an unbiased generator must not do, the chi-square test sees."""
    assert chi_square_p(biased(41), 41) < ALL_TOGETHER


def test_the_tests_see_order() -> None:
    """Draws that rise and fall by turns, or stay close to the one before, are seen."""
    assert runs_p([0, 9] * 5000, 10) < ALL_TOGETHER
    assert serial_correlation_p([value // 100 % 10 for value in range(10_000)], 10) < ALL_TOGETHER
