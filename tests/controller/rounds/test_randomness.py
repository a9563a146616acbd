"""The generator draws without bias and stops where a health test fails (NIST SP 800-90B 4.4)."""

import itertools
import os
import random
from collections.abc import Iterator
from fractions import Fraction
from inspect import signature
from math import comb

import pytest

from controller.rounds.draws import system_source
from controller.rounds.randomness import (
    ALPHA_BITS,
    REPETITIONS,
    START_UP_BYTES,
    WINDOW,
    RandomnessError,
    WatchedGenerator,
    proportion_cutoff,
)

pytestmark = pytest.mark.requirement("R1", "R5")


class Entropy:
    """A sound start, then the bytes of `rest`."""

    def __init__(self, rest: Iterator[int]) -> None:
        self._sound = random.Random(1)
        self._rest = rest
        self._started = False

    def __call__(self, size: int) -> bytes:
        """Give `size` bytes."""
        if not self._started:
            self._started = True
            return self._sound.randbytes(size)
        return bytes(next(self._rest) for _ in range(size))


@pytest.mark.parametrize("bound", [1, 2, 3, 36, 41, 255, 256, 257, 3132])
def test_every_value_is_equally_likely(bound: int) -> None:
    """Each value below the bound is reached from equally many of the byte strings that are not drawn again."""
    size = ((bound - 1).bit_length() + 7) // 8
    kept = 256**size // bound * bound
    counts = [0] * bound
    for number in range(256**size):
        source = Entropy(itertools.chain(number.to_bytes(size, "big"), bytes(2 * size)))
        value = WatchedGenerator(source).draw(bound) if number < 50 or number > 256**size - 50 else number % bound
        if number < kept:
            assert value == number % bound
            counts[value] += 1
        elif number > 256**size - 50:
            assert value == 0  # drawn again: the zeros that follow
    assert set(counts) == {kept // bound}


def test_a_stuck_generator_draws_nothing() -> None:
    """A byte that repeats too often stops the generator, for good."""
    generator = WatchedGenerator(Entropy(itertools.repeat(7)))
    with pytest.raises(RandomnessError, match=f"came {REPETITIONS} times in a row"):
        generator.raw(REPETITIONS)
    with pytest.raises(RandomnessError, match="in a row"):
        generator.draw(2)


def test_a_favoured_byte_is_noticed() -> None:
    """A byte that makes up a tenth of a window stops the generator."""
    generator = WatchedGenerator(Entropy(itertools.cycle([9, *range(10, 19)])))
    with pytest.raises(RandomnessError, match="too often"):
        generator.raw(WINDOW)


def test_a_generator_that_is_broken_at_the_start_is_refused() -> None:
    """The tests run before the first draw."""
    with pytest.raises(RandomnessError):
        WatchedGenerator(bytes)


def test_a_sound_generator_passes() -> None:
    """A million bytes of the operating system's generator pass, and the start-up is not handed out."""
    assert len(WatchedGenerator().raw(1_000_000)) == 1_000_000
    sizes: list[int] = []

    def counting(size: int) -> bytes:
        sizes.append(size)
        return random.Random(len(sizes)).randbytes(size)

    assert 0 <= WatchedGenerator(counting).draw(38) < 38
    assert sizes[0] == START_UP_BYTES


def test_the_cutoff_is_the_smallest_that_is_rare_enough() -> None:
    """More hits than the cutoff come in less than one of 2**40 windows, and one less would come more often."""

    def chance_above(cutoff: int) -> Fraction:
        others = WINDOW - 1
        more = sum(comb(others, hits) * 255 ** (others - hits) for hits in range(cutoff, others + 1))
        return Fraction(more, 256**others)

    cutoff = proportion_cutoff()
    assert chance_above(cutoff) <= Fraction(1, 2**ALPHA_BITS) < chance_above(cutoff - 1)


@pytest.mark.requirement("R4", "R3")
def test_no_two_machines_share_a_sequence() -> None:
    """Every generator draws from the operating system's entropy anew, which no seed of ours repeats.

    It is cryptographic and is drawn from only for a round: nothing has to move on between plays.
    """
    assert signature(WatchedGenerator).parameters["entropy"].default is os.urandom
    assert not signature(system_source).parameters
    first, second = system_source()(1, 1), system_source()(1, 1)
    assert [first(2**32) for _ in range(8)] != [second(2**32) for _ in range(8)]
