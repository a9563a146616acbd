"""Draws of the operating system's generator pass each test of draws at 99 %.

Scaled draws are tested by themselves, then the stops of spins: each reel, each pair of reels, whole windows and what
they show. All tests of a run together fail a sound generator one time in a hundred: each test's limit is that chance
divided by the number of tests (Bonferroni). A sample that fails is therefore drawn once more, and only two in a row are
a failure. `tests/games/test_draws.py` has the short form and shows that each test sees a spoilt generator.
"""

from collections.abc import Callable
from itertools import islice

import pytest

from controller.features.designer.draws import scaled
from controller.rounds.randomness import WatchedGenerator
from gamekit.catalogue import load, names
from tests.rigs.draw_statistics import OF_ONE_STREAM, of_spins, reels_of, spins_of

pytestmark = [pytest.mark.proof, pytest.mark.requirement("R1", "R5", "R6", "R7", "R9")]

DRAWS = 2_000_000
SPINS = 500_000
FEWEST = 20_000
LEVEL = 0.01
PARTS = 64
"""A bound that is too large for its values to be counted one by one is divided into so many."""
Recorder = Callable[[str, object], None]


def of_draws(name: str) -> dict[str, float]:
    """Return the chance of each test of the scaled draws of a game's rounds, bound by bound."""
    by_bound: dict[int, list[int]] = {}
    for one in islice(scaled(load(name), WatchedGenerator()), DRAWS):
        by_bound.setdefault(one.bound, []).append(one.value)
    found = {}
    for bound, drawn in by_bound.items():
        size, values = bound, drawn
        if len(drawn) < 10 * bound and bound % PARTS == 0:
            size, values = PARTS, [value // (bound // PARTS) for value in drawn]
        if size > 1 and len(values) >= max(FEWEST, 10 * size):
            found |= {f"{test} below {bound}": chance(values, size) for test, chance in OF_ONE_STREAM.items()}
    return found


def of_stops(name: str) -> dict[str, float]:
    """Return the chance of each test of a game's spins."""
    return of_spins([*islice(spins_of(name, WatchedGenerator().draw), SPINS)], reels_of(name))


@pytest.mark.parametrize("sample", [of_draws, of_stops])
@pytest.mark.parametrize("name", names())
def test_scaled_draws_are_uniform_and_independent(
    name: str, sample: Callable[[str], dict[str, float]], record_property: Recorder
) -> None:
    """Every value is equally likely, in no order, and goes with no other reel's; final outcomes come as they should."""
    for _ in range(2):
        found = sample(name)
        limit = LEVEL / (len(found) * len(names()))
        least = min(found, key=lambda test: found[test])
        drawn = f"{DRAWS:,} draws" if sample is of_draws else f"{SPINS:,} spins"
        words = f"{name}: {drawn}, {len(found)} tests, least p {found[least]:.2g} ({least}), limit {limit:.2g}"
        record_property("proof", words)
        if found[least] >= limit:
            return
    pytest.fail(f"two samples in a row: {words}")
