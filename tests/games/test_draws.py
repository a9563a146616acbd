"""Draws of a fixed seed pass each test at 99 %, corrected for their number, and a spoilt generator does not.

The seed's bytes go through the cabinet's own generator and each game's own play, so what is tested is how bytes become
stops. `tests/proofs/test_draws.py` does the same with many draws of the operating system's generator.
"""

import random
from collections.abc import Callable, Iterator
from itertools import cycle, islice

import pytest

from controller.rounds.randomness import WatchedGenerator
from gamekit.catalogue import names
from gamekit.play import Draw
from tests.rigs.draw_statistics import (
    OF_ONE_STREAM,
    coupon_chances,
    of_spins,
    outcome,
    outcome_chances,
    rarest,
    reels_of,
    spins_of,
)

pytestmark = pytest.mark.requirement("R5", "R6", "R7")

SPINS = 20_000
LEVEL = 0.01
NEPTUNE = reels_of("neptune")


def sound(seed: int) -> WatchedGenerator:
    """Return the cabinet's generator over the bytes of `seed`."""
    return WatchedGenerator(random.Random(seed).randbytes)  # a test's draws must be the same every time


def spins(draw: Draw) -> list[tuple[int, ...]]:
    """Return spins of Neptune."""
    return [*islice(spins_of("neptune", draw), SPINS)]


def failed(played: list[tuple[int, ...]]) -> set[str]:
    """Return the tests that spins of Neptune fail."""
    found = of_spins(played, NEPTUNE)
    return {test for test, chance in found.items() if chance < LEVEL / len(found)}


@pytest.mark.requirement("R9")
@pytest.mark.parametrize("name", names())
def test_each_reel_each_pair_and_whole_windows_are_as_chance_gives_them(name: str) -> None:
    """Stops of a reel are equally likely and in no order, reels go their own ways, and so do final outcomes."""
    reels = reels_of(name)
    played = [*islice(spins_of(name, sound(1).draw), SPINS)]
    found = of_spins(played, reels)
    pairs = len(reels.strips) * (len(reels.strips) - 1) // 2
    assert len(found) == len(reels.strips) * len(OF_ONE_STREAM) + 2 * pairs + 2
    limit = LEVEL / (len(found) * len(names()))
    assert {test: chance for test, chance in found.items() if chance < limit} == {}


def test_modulo_bias_is_seen() -> None:
    """Without rejection the lower stops come more often: of every reel, and of the outcomes that they show."""
    raw = sound(1).raw
    seen = failed(spins(lambda bound: raw(1)[0] % bound))
    assert {f"chi-square of reel {reel}" for reel in range(1, 6)} <= seen


def test_a_reel_that_is_copied_from_another_is_seen() -> None:
    """Each reel by itself is sound: the pair is not, nor are whole windows."""
    draw = sound(1).draw

    def copied() -> Iterator[tuple[int, ...]]:
        for _ in range(SPINS):
            stops = [draw(length) for length in NEPTUNE.lengths]
            stops[2] = stops[0]
            yield tuple(stops)

    assert NEPTUNE.lengths[0] == NEPTUNE.lengths[2]
    seen = failed([*copied()])
    assert {"correlation of reels 1 and 3", "reels 1 and 3 together", "outcomes"} <= seen
    assert not {test for test in seen if test.endswith("of reel 3")}


def test_reels_that_depend_without_a_correlation_are_seen() -> None:
    """A reel that mirrors another one about its middle in half of the spins has no correlation with it."""
    draw, coin = sound(1).draw, random.Random(1)

    def mirrored() -> Iterator[tuple[int, ...]]:
        for _ in range(SPINS):
            stops = [draw(length) for length in NEPTUNE.lengths]
            stops[2] = stops[0] if coin.random() < 0.5 else NEPTUNE.lengths[0] - 1 - stops[0]
            yield tuple(stops)

    seen = failed([*mirrored()])
    assert "correlation of reels 1 and 3" not in seen
    assert "reels 1 and 3 together" in seen


def test_a_period_is_seen() -> None:
    """A generator that begins again after 500 spins shows each of its windows forty times."""
    once = spins(sound(1).draw)[:500]
    assert {"windows", "outcomes"} <= failed([*islice(cycle(once), SPINS)])


def test_counts_that_are_too_even_are_seen() -> None:
    """A counter gives each stop equally often, and no generator does."""
    counted = [tuple(number % length for length in NEPTUNE.lengths) for number in range(SPINS)]
    assert {f"chi-square of reel {reel}" for reel in range(1, 6)} <= failed(counted)


@pytest.mark.requirement("R8")
def test_a_second_decision_is_seen() -> None:
    """Every other run of three in the middle row drawn again leaves each reel alone, and not the outcomes."""
    rare, coin = rarest(NEPTUNE), random.Random(1)
    honest = spins_of("neptune", sound(1).draw)
    kept = (stops for stops in honest if outcome(NEPTUNE, rare, stops)[1] < 3 or coin.random() < 0.5)
    assert "outcomes" in failed([*islice(kept, SPINS)])


def sticky(draw: Draw) -> Iterator[int]:
    """Yield draws of which one in thirty is the one before."""
    value = 0
    while True:
        value = draw(40) if draw(30) else value
        yield value


def reluctant(draw: Draw) -> Iterator[int]:
    """Yield draws of which one in ten goes again where it falls into the quarter of the one before."""
    value = 0
    while True:
        new = draw(40)
        value = draw(40) if new < 10 and value < 10 and draw(3) == 0 else new
        yield value


def collecting(draw: Draw) -> Iterator[int]:
    """Yield draws that avoid the classes of the last four, one time in five."""
    last = [0, 0, 0, 0]
    while True:
        value = draw(40)
        if value % 5 in last and draw(5) == 0:
            value = draw(40)
        last = [*last[1:], value % 5]
        yield value


def alternating(draw: Draw) -> Iterator[int]:
    """Yield draws that change sides a little more often than chance does."""
    value = 0
    while True:
        new = draw(40)
        value = 39 - new if (new < 20) == (value < 20) and draw(20) == 0 else new
        yield value


@pytest.mark.parametrize(
    ("test", "spoilt"),
    [
        ("serial correlation", sticky),
        ("gaps", reluctant),
        ("coupons", collecting),
        ("runs", alternating),
    ],
)
def test_each_test_of_order_sees_what_it_is_for(test: str, spoilt: Callable[[Draw], Iterator[int]]) -> None:
    """A generator that is spoilt a little fails the test, and the sound one passes it."""
    assert OF_ONE_STREAM[test]([*islice(spoilt(sound(1).draw), 100_000)], 40) < LEVEL / 100
    draw = sound(1).draw
    assert OF_ONE_STREAM[test]([draw(40) for _ in range(100_000)], 40) > LEVEL


@pytest.mark.parametrize("name", names())
def test_the_chances_of_outcomes_are_those_of_the_strips(name: str) -> None:
    """They add up to one, and so do the lengths of collections."""
    reels = reels_of(name)
    assert sum(outcome_chances(reels, rarest(reels)).values()) == 1
    assert sum(coupon_chances(5).values()) == 1
