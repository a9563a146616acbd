"""The model of a queue of exceptions: it accepts what may be heard, and fails at what is lost, doubled or too early."""

import asyncio

import pytest

from tests.rigs.sas_puppet import Puppet, on_bits
from tests.rigs.sas_queue import MOST, OVERFLOW, QueueError, StrictHost


def fitted() -> tuple[StrictHost, Puppet]:
    """A strict host and a puppet."""
    link, puppet = on_bits()
    return StrictHost(link, now=asyncio.get_running_loop().time), puppet


def happens(host: StrictHost, puppet: Puppet, *codes: int) -> None:
    """What the machine queues and the host knows of."""
    host.put(*codes)
    puppet.queue.extend(codes)


async def test_what_is_told_in_its_turn_and_once_is_right() -> None:
    """In order, one with priority before the others, and again until it is acknowledged."""
    host, puppet = fitted()
    happens(host, puppet, 0x11, 0x12)
    host.put(0x69)
    puppet.queue.appendleft(0x69)
    await host.general_poll()
    await host.repeat()
    assert await host.collect() == [0x11, 0x12]
    assert (host.is_empty, host.told) == (True, 4)


@pytest.mark.parametrize(
    "heard", [[], [0x12, 0x11, 0x69], [0x69, 0x12], [0x69, 0x11, 0x11, 0x12], [0x69, 0x11, 0x12, 0x12]]
)
async def test_what_is_lost_doubled_or_too_early_is_found(heard: list[int]) -> None:
    """None of these is what happened."""
    host, puppet = fitted()
    host.put(0x11, 0x12, 0x69)
    puppet.queue.extend(heard)
    with pytest.raises(QueueError):
        await host.collect()


async def test_after_a_cut_only_what_was_not_surely_acknowledged_may_come_again() -> None:
    """Told and not acknowledged: it must; acknowledged without a later answer: it may; with one: never."""
    for known, again, fails in ((False, True, False), (False, False, True), (True, True, True), (True, False, False)):
        host, puppet = fitted()
        happens(host, puppet, 0x11, 0x12)
        await host.next_exception()
        if known:
            await host.next_exception()
            await host.confirm()
        host.cut()
        puppet.lose_power()
        puppet.queue.clear()
        puppet.queue.extend([0x11, 0x12] if again else [0x12])
        if fails:
            with pytest.raises(QueueError):
                await host.collect()
        else:
            await host.collect()
            assert host.is_empty


async def test_an_overflow_drops_the_oldest_and_is_told_first() -> None:
    """Once, however many are dropped."""
    host, puppet = fitted()
    codes = [0x11 + number % 4 for number in range(MOST + 3)]
    host.put(*codes)
    puppet.queue.extend([OVERFLOW, *codes[3:]])
    assert await host.collect() == [OVERFLOW, *codes[3:]]
    assert host.is_empty


async def test_what_was_not_acknowledged_before_the_loop_broke_must_come_again() -> None:
    """The machine chirps: the host's next poll confirms nothing, so the next exception is too early."""
    for again in (True, False):
        host, puppet = fitted()
        happens(host, puppet, 0x11, 0x12)
        await host.next_exception()
        puppet.lose_power()
        host.link.arrive([(1, True)])  # type: ignore[attr-defined]
        if again:
            assert await host.collect() == [0x11, 0x12]
        else:
            puppet.queue.popleft()
            with pytest.raises(QueueError):
                await host.collect()
