"""A link answers its host's polls, and knows which of its answers have arrived."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise

import pytest

from drivers.clock import LoopClock
from drivers.errors import WireError
from drivers.sas import frames
from drivers.sas.frames import Poll
from drivers.sas.link import CHIRP_S, LOOP_BREAK_S, UNHEARD_S, Link, Pending, Reply
from drivers.sas.reader import MARKED_GAP_S, WAKE
from tests.rigs.sas_line import MemoryLine, woken

GENERAL, OTHERS, ALL = b"\x81", b"\x82", b"\x80"
ONCE = frozenset({0x4D, 0x71})
"""The polls whose answers report something once."""
DOOR, BILL = Pending(1, 0x11), Pending(2, 0x4F, bytes.fromhex("37 02 00 00 00 09"))


class Machine:
    """What answers: a queue of exceptions, and a serial number that counts how often it was asked for."""

    def __init__(self) -> None:
        self.real_time = False
        self.waiting: list[Pending] = []
        self.confirmed: list[Pending] = []
        self.asked: list[Poll] = []
        self.all: list[Poll] = []
        self.arrivals: list[Poll] = []
        self.links: list[tuple[bool, str]] = []
        self.failures: list[tuple[Poll, Exception]] = []
        self.error: Exception | None = None
        self.fatal: Exception | None = None
        self.commit_s = 0.0
        self.think_s = 0.0

    def pending(self) -> Pending | None:
        """Return the oldest."""
        return self.waiting[0] if self.waiting else None

    async def acknowledged(self, exception: Pending) -> None:
        """Forget it, once that is durable."""
        await asyncio.sleep(self.commit_s)
        self.waiting.remove(exception)
        self.confirmed.append(exception)

    async def answer(self, poll: Poll) -> Reply | None:
        """Return how often anything was asked; that the answer to one of `ONCE` has arrived is kept."""
        if self.error is not None:
            raise self.error
        self.asked.append(poll)
        await asyncio.sleep(self.think_s)
        frame = frames.answer(1, poll.command, bytes((len(self.asked),)))
        return Reply(frame, partial(self._arrived, poll)) if poll.command in ONCE else Reply(frame)

    async def _arrived(self, poll: Poll) -> None:
        await asyncio.sleep(self.commit_s)
        if self.fatal is not None:
            raise self.fatal
        self.arrivals.append(poll)

    async def broadcast(self, poll: Poll) -> None:
        """Keep it."""
        if self.error is not None:
            raise self.error
        self.all.append(poll)

    def failed(self, poll: Poll, error: Exception) -> None:
        """Keep it, but for what is fatal."""
        if error is self.fatal:
            raise error
        self.failures.append((poll, error))

    def link(self, *, up: bool, why: str) -> None:
        """Keep it."""
        self.links.append((up, why))


@asynccontextmanager
async def linked(*, by_time: bool = False, synced: bool = True) -> AsyncIterator[tuple[MemoryLine, Machine, Link]]:
    """Run a link whose host has polled another machine."""
    line, machine = MemoryLine(by_time=by_time), Machine()
    link = Link("host_port", 1, line, LoopClock(), machine)
    running = asyncio.create_task(link.run())
    await asyncio.sleep(0.1)
    if synced:
        await line.ask(ALL)
    try:
        yield line, machine, link
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("by_time", [False, True])
async def test_polls_are_answered_within_twenty_milliseconds(*, by_time: bool) -> None:
    """A general poll with the exception or 00, a long poll with what the machine says."""
    async with linked(by_time=by_time) as (line, machine, _):
        assert await line.ask(GENERAL, 0.02) == b"\x00"
        machine.waiting.append(DOOR)
        assert await line.ask(GENERAL, 0.02) == b"\x11"
        assert await line.ask(b"\x01\x1f", 0.02) == frames.answer(1, 0x1F, b"\x01")


async def test_nothing_is_answered_until_another_was_polled() -> None:
    """After a start the first polls may be echoes: only another's address shows that a host polls in turn."""
    async with linked(synced=False) as (line, machine, _):
        assert await line.ask(GENERAL) == b""
        assert await line.ask(b"\x01\x1f") == b""
        await line.ask(OTHERS)
        assert await line.ask(GENERAL) == b"\x00"
        assert machine.asked == []


@pytest.mark.parametrize("confirms", [OTHERS, ALL, b"\x01\x1f"])
async def test_an_exception_is_sent_until_another_poll_confirms_it(confirms: bytes) -> None:
    """The same poll again gets the same byte; another one confirms, and only then the next exception follows."""
    async with linked() as (line, machine, _):
        machine.waiting += [DOOR, BILL]
        assert [await line.ask(GENERAL) for _ in range(3)] == [b"\x11"] * 3
        assert machine.confirmed == []
        await line.ask(confirms)
        assert machine.confirmed == [DOOR]
        assert await line.ask(GENERAL) == b"\x4f"


async def test_a_frame_with_a_wrong_crc_confirms_nothing_and_is_not_answered() -> None:
    """Silence on a bad CRC: the host asks again, and gets the exception again."""
    async with linked() as (line, machine, _):
        machine.waiting.append(DOOR)
        await line.ask(GENERAL)
        assert await line.ask(bytes.fromhex("01 01 51 09")) == b""
        assert await line.ask(GENERAL) == b"\x11"
        assert machine.confirmed == []


async def test_a_repeated_long_poll_gets_the_same_bytes() -> None:
    """It is a NACK: the machine is not asked again, until a different poll came."""
    async with linked() as (line, machine, _):
        first = await line.ask(b"\x01\x1f")
        assert await line.ask(b"\x01\x1f") == first
        assert len(machine.asked) == 1
        await line.ask(GENERAL)
        assert await line.ask(b"\x01\x1f") != first


async def test_in_real_time_any_poll_is_answered_with_the_exception() -> None:
    """With its data; the poll itself is answered once the exception is confirmed and nothing waits."""
    async with linked() as (line, machine, _):
        machine.real_time = True
        assert await line.ask(GENERAL) == bytes.fromhex("01 FF 00 1C A5")
        machine.waiting.append(BILL)
        assert await line.ask(b"\x01\x1f") == frames.Event(1, 0x4F, BILL.data).encode()
        assert await line.ask(b"\x01\x1f") == frames.Event(1, 0x4F, BILL.data).encode()
        await line.ask(ALL)
        assert await line.ask(b"\x01\x1f") == frames.answer(1, 0x1F, b"\x01")


async def test_the_next_exception_waits_until_the_one_before_is_durable() -> None:
    """A host that polls on meanwhile hears nothing, and asks again; long polls are answered all the same."""
    async with linked() as (line, machine, _):
        machine.waiting += [DOOR, BILL]
        machine.commit_s = 1.0
        await line.ask(GENERAL)
        assert await line.ask(b"\x01\x1f", 0.02) != b""
        assert await line.ask(GENERAL) == b""
        await asyncio.sleep(1.0)
        assert await line.ask(GENERAL) == b"\x4f"


async def test_a_late_answer_is_not_sent_into_the_next_poll() -> None:
    """An address byte that has come meanwhile is answered instead; a late answer to a quiet line is sent."""
    async with linked() as (line, machine, _):
        machine.think_s = 0.05
        assert await line.ask(b"\x01\x1f") != b""
        line.say(woken(b"\x01\x54"))
        await asyncio.sleep(0.03)
        assert await line.ask(GENERAL) == b"\x00"
        assert len(line.said) == 2


async def test_a_repeat_that_came_with_another_poll_leaves_the_exception_unconfirmed() -> None:
    """The host has asked again for what it did not hear; that it goes on without it confirms nothing."""
    async with linked() as (line, machine, _):
        machine.waiting.append(DOOR)
        await line.ask(GENERAL)
        line.say([*woken(GENERAL), *woken(OTHERS)])
        await asyncio.sleep(0.1)
        assert machine.confirmed == []
        assert await line.ask(GENERAL) == b"\x11"


async def test_a_silent_line_is_chirped_on_until_an_address_comes() -> None:
    """After 5 s every 200 ms, and the link is down; afterwards another must be polled first."""
    async with linked() as (line, machine, link):
        await line.ask(GENERAL)
        assert machine.links == [(True, "")]
        await asyncio.sleep(LOOP_BREAK_S - 0.5)
        assert (line.chirps, link.up) == ([], True)
        await asyncio.sleep(1.5)
        assert len(line.chirps) >= 4
        assert all(0.19 <= after - before <= CHIRP_S + 0.02 for before, after in pairwise(line.chirps))
        assert machine.links == [(True, ""), (False, "unpolled")]
        assert await line.ask(GENERAL) == b""
        chirped = len(line.chirps)
        await line.ask(ALL)
        assert await line.ask(GENERAL) == b"\x00"
        assert (len(line.chirps), machine.links[-1]) == (chirped, (True, ""))


@pytest.mark.parametrize("stray", [b"\x00", b"\x81", b"\xff\x01"])
async def test_stray_bytes_delay_neither_the_chirp_nor_the_end_of_the_link(stray: bytes) -> None:
    """Bytes without the wake-up bit are no address: noise every 10 ms is as silent as no host."""
    async with linked() as (line, machine, link):
        await line.ask(GENERAL)
        for _ in range(600):
            line.say(stray)
            await asyncio.sleep(0.01)
        assert machine.links == [(True, ""), (False, "unpolled")]
        assert len(line.chirps) >= 4
        assert all(0.19 <= after - before <= CHIRP_S + 0.05 for before, after in pairwise(line.chirps))
        await line.ask(ALL)
        assert await line.ask(GENERAL) == b"\x00"
        assert link.up


@pytest.mark.parametrize("marked", [1, 2, 3, 0])
@pytest.mark.parametrize("noise", [b"\x85", b"\x01", random.Random(1).randbytes(1_745)])
async def test_noise_at_line_speed_is_read_many_bytes_at_once(noise: bytes, marked: int) -> None:
    """Whether each byte has the wake-up bit, every second or third, or none; the next poll is answered in time."""
    async with linked() as (line, _, _link):
        before = line.reads
        for at in range(1_745):
            wake = WAKE if marked and at % marked == 0 else 0
            line.say([noise[at % len(noise)] | wake])
            await asyncio.sleep(1 / 1_745)
        assert line.reads - before < 100
        await asyncio.sleep(0.05)
        await line.ask(ALL)
        assert await line.ask(GENERAL, 0.02) == b"\x00"


async def test_a_host_whose_frames_are_all_broken_is_down_after_half_a_minute() -> None:
    """Its address bytes come, so the loop is not broken; but no answer can arrive."""
    async with linked() as (line, machine, link):
        await line.ask(GENERAL)
        for _ in range(int(UNHEARD_S) + 2):
            assert await line.ask(bytes.fromhex("01 01 51 09"), 1.0) == b""
        assert machine.links == [(True, ""), (False, "unheard")]
        assert line.chirps == []
        assert await line.ask(GENERAL) == b"\x00"
        assert link.up


async def test_an_exception_upon_which_the_loop_broke_is_sent_again() -> None:
    """The poll that ends the silence begins anew: the host's line may have been open when the answer went out."""
    async with linked() as (line, machine, _):
        machine.waiting.append(DOOR)
        assert await line.ask(GENERAL) == b"\x11"
        await asyncio.sleep(LOOP_BREAK_S + 1.0)
        await line.ask(ALL)
        assert await line.ask(GENERAL) == b"\x11"
        assert machine.confirmed == []


async def test_that_an_answer_has_arrived_is_known_by_the_next_other_poll() -> None:
    """Of what is reported once: not by the same poll again, nor by the one that ends a broken loop."""
    query = Poll(1, 0x71, b"\x01\xff")
    async with linked() as (line, machine, _):
        first = await line.ask(query.raw)
        assert await line.ask(query.raw) == first
        assert machine.arrivals == []
        await line.ask(ALL)
        assert machine.arrivals == [query]
        await line.ask(query.raw)
        await asyncio.sleep(LOOP_BREAK_S + 1.0)
        await line.ask(ALL)
        await line.ask(Poll(1, 0x1F).raw)
        assert machine.arrivals == [query]


@pytest.mark.parametrize("real_time", [False, True])
async def test_a_poll_is_answered_at_once_while_what_was_before_it_becomes_durable(*, real_time: bool) -> None:
    """An exception's acknowledgement and a record's arrival hold up the next exception alone."""
    record, end = Poll(1, 0x4D, b"\x00"), Poll(1, 0x71, b"\x01\xff")
    async with linked() as (line, machine, _):
        machine.commit_s, machine.real_time = 1.0, real_time
        machine.waiting += [DOOR, BILL]
        assert await line.ask(GENERAL) != b""
        for asked, poll in enumerate((record, end, record), start=1):
            assert await line.ask(poll.raw, 0.02) == frames.answer(1, poll.command, bytes((asked,)))
        assert await line.ask(GENERAL) == b"", "the door's acknowledgement is not durable"
        await asyncio.sleep(1.5)
        assert machine.arrivals == [record, end, record]
        assert machine.confirmed == [DOOR]


async def test_an_arrival_that_ends_everything_ends_the_link() -> None:
    """Books that cannot record what the host has: no poll is answered any more, and the error goes on."""
    async with linked() as (line, machine, link):
        machine.fatal = OSError("the disk is full")
        await line.ask(Poll(1, 0x4D, b"\x00").raw)
        await line.ask(ALL)
        assert await line.ask(Poll(1, 0x4D, b"\x00").raw) == b""
        assert not link.up


async def test_a_host_that_confirms_nothing_for_half_a_minute_is_down() -> None:
    """It is answered on: the exception is neither lost nor confirmed."""
    async with linked() as (line, machine, link):
        machine.waiting.append(DOOR)
        for _ in range(int(UNHEARD_S) + 2):
            assert await line.ask(GENERAL, 1.0) == b"\x11"
        assert not link.up
        assert machine.confirmed == []
        await line.ask(ALL)
        assert await line.ask(GENERAL) == b"\x00"
        assert link.up


async def paused(line: MemoryLine, pause_s: float, frame: bytes = b"\x01\x1f") -> bytes:
    """Send a long poll with a pause behind each byte but the last; return what is answered."""
    before = len(line.said)
    *first, last = woken(frame)
    for symbol in first:
        line.say([symbol])
        await asyncio.sleep(pause_s)
    line.say([last])
    await asyncio.sleep(0.1)
    return b"".join(line.said[before:])


@pytest.mark.parametrize("pause_s", [0.008, 0.02, 0.15])
async def test_a_pause_within_a_frame_is_borne_where_the_wake_up_bit_marks_its_beginning(pause_s: float) -> None:
    """Behind the address, as public hosts pause, and anywhere in a frame with a CRC."""
    async with linked() as (line, machine, _):
        assert await paused(line, pause_s) == frames.answer(1, 0x1F, b"\x01")
        assert await paused(line, pause_s, Poll(1, 0x08, bytes(5)).raw) == frames.answer(1, 0x08, b"\x02")
        assert [poll.command for poll in machine.asked] == [0x1F, 0x08]


@pytest.mark.parametrize(("by_time", "pause_s"), [(True, 0.02), (False, MARKED_GAP_S + 0.01)])
async def test_a_longer_pause_ends_a_frame(*, by_time: bool, pause_s: float) -> None:
    """No answer; general polls go on."""
    async with linked(by_time=by_time) as (line, machine, _):
        assert (await paused(line, pause_s), machine.asked) == (b"", [])
        await line.ask(ALL)
        assert await line.ask(GENERAL) == b"\x00"


async def test_a_new_address_ends_what_was_left_unfinished() -> None:
    """The wake-up bit begins a frame whatever came before it, without a pause."""
    async with linked() as (line, machine, _):
        line.say(woken(b"\x01"))
        assert await line.ask(b"\x01\x1f", 0.02) == frames.answer(1, 0x1F, b"\x01")
        assert [poll.command for poll in machine.asked] == [0x1F]


async def test_a_broadcast_is_handed_on_and_not_answered() -> None:
    """The clock of all machines is set in silence."""
    async with linked() as (line, machine, _):
        clock = Poll(0, 0x7F, bytes.fromhex("01 02 20 26 12 30 00"))
        assert await line.ask(clock.raw) == b""
        assert machine.all == [clock]


async def test_an_exception_that_was_not_confirmed_is_sent_after_a_restart() -> None:
    """What had been sent is forgotten with the program: the queue decides."""
    async with linked() as (line, machine, _):
        machine.waiting.append(DOOR)
        await line.ask(GENERAL)
    async with linked() as (line, again, _):
        again.waiting += machine.waiting
        assert await line.ask(GENERAL) == b"\x11"


@pytest.mark.parametrize(("error", "failures"), [(IndexError("defect"), 2), (WireError("nonsense"), 0)])
async def test_an_error_ends_its_own_answer_alone(error: Exception, failures: int) -> None:
    """A defect is passed on as failed, nonsense is dropped, and the next poll is answered."""
    async with linked() as (line, machine, _link):
        machine.error = error
        assert await line.ask(b"\x01\x1a") == b""
        assert await line.ask(Poll(0, 0x7F, bytes(7)).raw) == b""
        assert [poll.command for poll, _ in machine.failures] == [0x1A, 0x7F][:failures]
        machine.error = None
        assert await line.ask(b"\x01\x1a") == frames.answer(1, 0x1A, b"\x01")
