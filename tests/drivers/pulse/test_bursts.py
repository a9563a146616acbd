"""Tests of drivers.pulse.bursts."""

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.pins.debounce import Change, Debouncer
from drivers.pulse.bursts import Burst, BurstCounter, Doubt

MOST_S, END_S, HOLD_S = 0.15, 0.4, 0.015
TIMES = st.floats(0.016, 0.149)


def counter(trusted_at: float = 0.0) -> BurstCounter:
    """Return a counter with the usual times."""
    return BurstCounter(most_s=MOST_S, end_s=END_S, hold_s=HOLD_S, trusted_at=trusted_at)


def play(pulses: list[tuple[float, float]], at: float = 1.0, trusted_at: float = 0.0) -> tuple[list[Burst], float]:
    """Return the bursts of pulses of that length, each with its pause, and the time after them."""
    counting, found = counter(trusted_at), []
    for length, pause in pulses:
        found.append(counting.change(active=True, at=at))
        found.append(counting.change(active=False, at=at + length))
        at += length + pause
    found.append(counting.settle(at + END_S + HOLD_S))
    assert counting.due is None
    assert not counting.under_way
    return [burst for burst in found if burst is not None], at


@given(st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=250))
def test_pulses_close_together_are_one_burst(pulses: list[tuple[float, float]]) -> None:
    """So many pulses as there were, however long each of them and its pause."""
    bursts, _ = play(pulses)
    assert bursts == [Burst(len(pulses), 1.0, None)]


@given(st.lists(st.integers(1, 20), min_size=1, max_size=10), st.floats(0.4001, 5.0))
def test_each_burst_is_one_whatever_the_loop_was_doing(counts: list[int], pause_s: float) -> None:
    """A loop that comes back late sees each burst as it was, by the times of its changes alone."""
    pulses = [(0.05, 0.05 if number < count else pause_s) for count in counts for number in range(1, count + 1)]
    bursts, _ = play(pulses)
    assert [burst.pulses for burst in bursts] == counts
    assert {burst.doubt for burst in bursts} == {None}


def test_a_burst_that_may_have_begun_before_is_doubted() -> None:
    """What comes within a pause of the start may be the rest of something."""
    bursts, _ = play([(0.05, 0.05)] * 3, at=1.0, trusted_at=1.2)
    assert bursts == [Burst(3, 1.0, Doubt.CUT)]
    bursts, _ = play([(0.05, 0.05)] * 3, at=1.2, trusted_at=1.2)
    assert bursts == [Burst(3, 1.2, None)]


def test_a_long_pulse_is_doubted() -> None:
    """A line that is stuck for a while gives no credit, and is said to be stuck while it is."""
    counting = counter()
    counting.change(active=True, at=1.0)
    assert counting.due == 1.0 + MOST_S + HOLD_S
    assert not counting.stuck(1.1)
    assert counting.settle(1.2) is None
    assert counting.stuck(1.2)
    assert counting.due is None
    counting.change(active=False, at=9.0)
    assert counting.settle(9.0 + END_S + HOLD_S) == Burst(1, 1.0, Doubt.LONG)


def test_more_pulses_than_anything_is_worth_are_doubted() -> None:
    """A line that chatters for ever grows no number that stands for money."""
    bursts, _ = play([(0.05, 0.05)] * 251)
    assert bursts == [Burst(251, 1.0, Doubt.MANY)]


@pytest.mark.proof
def test_a_million_random_edges_are_counted_and_end_nothing(record_property: Callable[[str, object], None]) -> None:
    """Through debouncing and counting: every settled pulse is in one burst, and no burst is without any."""
    chance, at, began = random.Random(5), 1.0, time.monotonic()
    contact, counting = Debouncer(level=False, hold=HOLD_S), counter()
    bursts: list[Burst | None] = []
    pulses = 0

    def take(change: Change | None) -> None:
        nonlocal pulses
        if change is not None:
            pulses += not change.level
            bursts.append(counting.change(active=change.level, at=change.at))

    for _ in range(1_000_000):
        at += chance.choice((0.0, 0.0001, 0.002, 0.02, 0.06, 0.2, 0.6))
        take(contact.settle(at))
        bursts.append(counting.settle(at))
        take(contact.edge(level=chance.random() < 0.5, at=at))
    take(contact.edge(level=False, at=at + 1.0))
    take(contact.settle(at + 2.0))
    bursts.append(counting.settle(at + 3.0))
    whole = [burst for burst in bursts if burst is not None]
    assert sum(burst.pulses for burst in whole) == pulses
    assert min(burst.pulses for burst in whole) > 0
    took_s = time.monotonic() - began
    record_property("proof", f"1,000,000 random edges: {pulses:,} pulses in {len(whole):,} bursts, {took_s:.0f} s")


def test_repeated_levels_change_nothing() -> None:
    """The inputs report settled changes; one that is repeated is none."""
    counting = counter()
    assert counting.change(active=False, at=0.5) is None
    counting.change(active=True, at=1.0)
    counting.change(active=True, at=1.01)
    counting.change(active=False, at=1.05)
    counting.change(active=False, at=1.06)
    assert counting.settle(3.0) == Burst(1, 1.0, None)
    assert counting.settle(4.0) is None
