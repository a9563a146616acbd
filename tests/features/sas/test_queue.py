"""Any order of what happens, polls, transfers and power cuts: every exception is told in its turn, and once."""

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.rigs.stateful.host_queue import HostQueue

FOUND_ONLY = (Phase.explicit, Phase.reuse, Phase.generate)
"""A failure is reported as it was found: shrinking one takes minutes, which `make proofs` has."""


@contextmanager
def life() -> Iterator[HostQueue]:
    """One order of steps, whose end is held to the same rules."""
    machine = HostQueue()
    try:
        yield machine
    finally:
        machine.teardown()


def test_no_order_of_events_and_cuts_loses_or_doubles_an_exception() -> None:
    """A few orders; `make proofs` tries hundreds."""
    few = settings(max_examples=5, stateful_step_count=12, phases=FOUND_ONLY)
    run_state_machine_as_test(HostQueue, settings=few)


def test_in_real_time_an_order_is_repeated_until_no_exception_waits() -> None:
    """Any poll is answered with the exception that waits, so a host asks on until the queue is empty."""
    with life() as machine:
        machine.polls(polls=1)
        machine.real_time(on=True)
        machine.happens(numbers=[0, 0, 0], times=9)
        machine.polls(polls=1)
        machine.real_time(on=False)
        assert machine.host.is_empty


def test_in_real_time_a_meter_is_asked_for_until_no_exception_waits() -> None:
    """The same of a poll that has an answer of its own."""
    with life() as machine:
        machine.polls(polls=1)
        machine.real_time(on=True)
        machine.happens(numbers=[0, 0, 0], times=9)
        machine.reads(command=0x1A)
        assert machine.host.is_empty


def test_an_exception_that_the_loop_broke_upon_is_told_again() -> None:
    """A host that was silent for 5 s has confirmed nothing: its next poll to all only begins anew."""
    with life() as machine:
        machine.polls(polls=5)
        machine.happens(numbers=[0, 1, 2], times=1)
        machine.polls(polls=1)
        machine.time_passes(seconds=6.0)
        machine.polls(polls=2)


def test_an_exception_after_a_broken_loop_is_in_its_turn_after_a_cut_too() -> None:
    """Long queues, a broken loop, and a cut between the acknowledgement and the next answer."""
    with life() as machine:
        machine.polls(polls=1)
        machine.reads(command=0x1A)
        machine.happens(numbers=[0, 0, 0], times=9)
        machine.reads(command=0x1A)
        machine.polls(polls=8)
        machine.will_be_cut(steps=7)
        machine.happens(numbers=[4, 0, 4, 5, 3, 4], times=1)
        machine.time_passes(seconds=6.0)
        machine.repeats(times=2)
        machine.real_time(on=False)
        machine.will_be_cut(steps=11)
        machine.reads(command=0x51)
