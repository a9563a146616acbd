"""A ticket printer's driver: status, faults, and what it says became of a slip, against a peer from the reference."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.capabilities import PrintEnd, Slip
from drivers.errors import IdentityError, NoReplyError, SettingsError
from drivers.escpos.printer import PRINT_LIMIT_S, EscposPrinter
from drivers.simulated.line import Line
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way
from drivers.wiring import TicketPrinter as Settings
from tests.rigs.escpos_peer import CLEAN, Peer
from tests.rigs.escpos_rig import TICKET, PrinterRig

NUMBERED = pytest.mark.parametrize("numbered", [True, False], ids=["process-id", "status"])
SEEN_S = 2.0
"""After this a change of the status is reported."""


Started = Callable[[Peer], AbstractAsyncContextManager[PrinterRig]]


@pytest.fixture(params=["serial", "network"])
def started(request: pytest.FixtureRequest) -> Started:
    """Run the driver on a peer, on a serial line and on the network, until it is ready."""

    @asynccontextmanager
    async def run(peer: Peer) -> AsyncIterator[PrinterRig]:
        rig = PrinterRig(peer, network=request.param == "network")
        await rig.start()
        try:
            yield rig
        finally:
            await rig.end()

    return run


async def in_the_middle(peer: Peer) -> None:
    """Return when the first ten characters of a slip are on paper."""
    while len(peer.slip) < 10:  # noqa: ASYNC110 - the peer tells nobody
        await asyncio.sleep(0.0005)


async def cut(peer: Peer) -> None:
    """Return when a slip is cut, and not reported yet."""
    while not peer.printed:  # noqa: ASYNC110 - the peer tells nobody
        await asyncio.sleep(0.0005)


@NUMBERED
async def test_a_slip_is_printed_and_cut_once(started: Started, *, numbered: bool) -> None:
    """The report belongs to paper that was cut, with everything on it."""
    peer = Peer(numbered=numbered)
    async with started(peer) as rig:
        assert rig.printer.ready
        assert rig.faults.found == [f"EPSON TM-T88V ({'process ID' if numbered else 'status'})"]
        assert await rig.printer.print(TICKET) is PrintEnd.PRINTED
        (slip,) = peer.printed
        assert slip == b"CASH-OUT TICKET\n12,30 \xd5\n" + b"Machine 12\n"
        assert rig.faults.present == {}


@NUMBERED
async def test_slips_that_come_together_take_turns(started: Started, *, numbered: bool) -> None:
    """Each is on paper of its own."""
    peer = Peer(numbered=numbered)
    async with started(peer) as rig:
        ends = await asyncio.gather(*(rig.printer.print(Slip(title=name)) for name in "ABC"))
        assert ends == [PrintEnd.PRINTED] * 3
        assert peer.printed == [b"A\n", b"B\n", b"C\n"]


@pytest.mark.requirement("B14")
@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        (2, 0x16, "cover_open"),
        (2, 0x32, "paper_out"),
        (2, 0x52, "printer_failure"),
        (3, 0x16, "paper_jam"),
        (3, 0x1A, "cutter_jam"),
        (3, 0x32, "printer_failure"),
        (3, 0x52, "head_hot"),
        (4, 0x72, "paper_out"),
    ],
)
async def test_each_status_bit_is_its_fault_and_stops_tickets(
    kind: int, value: int, code: str, started: Started
) -> None:
    """Nothing is sent while it is present, and it is gone when the printer says so."""
    peer = Peer()
    async with started(peer) as rig:
        peer.set(kind, value)
        await asyncio.sleep(SEEN_S)
        assert set(rig.faults.faults) == {code}
        assert not rig.printer.ready
        assert await rig.printer.print(TICKET) is PrintEnd.NOT_PRINTED
        peer.set(kind, 0x12)
        await asyncio.sleep(SEEN_S)
        assert rig.faults.faults == {}
        assert await rig.printer.print(TICKET) is PrintEnd.PRINTED
        assert len(peer.printed) == 1


async def test_little_paper_is_a_warning(started: Started) -> None:
    """It stops nothing."""
    peer = Peer()
    async with started(peer) as rig:
        peer.set(4, 0x1E)
        await asyncio.sleep(SEEN_S)
        assert set(rig.faults.faults) == {"paper_low"}
        assert await rig.printer.print(TICKET) is PrintEnd.PRINTED


async def test_one_odd_status_is_no_fault(started: Started) -> None:
    """Two in a row must agree; yet while it says so nothing is printed."""
    peer = Peer()
    async with started(peer) as rig:
        peer.set(2, 0x16)
        await asyncio.sleep(0.4)
        peer.set(2, 0x12)
        await asyncio.sleep(SEEN_S)
        assert rig.faults.raised == []


async def test_a_printer_that_is_offline_without_a_cause_has_failed_after_a_while(started: Started) -> None:
    """After its cover is shut it is offline for a moment; the feed button alone is no failure."""
    peer = Peer()
    async with started(peer) as rig:
        peer.status[1] = 0x5A
        await asyncio.sleep(30)
        assert rig.faults.raised == []
        assert not rig.printer.ready
        peer.status[1] = 0x1A
        await asyncio.sleep(9)
        assert rig.faults.raised == []
        await asyncio.sleep(4)
        assert set(rig.faults.faults) == {"printer_failure"}


async def test_a_jammed_printer_is_asked_to_go_on(started: Started) -> None:
    """It cannot know that a hand has freed it; with its cover open nothing may move."""
    peer = Peer()
    async with started(peer) as rig:
        peer.set(3, 0x1A)
        await asyncio.sleep(40)
        assert 2 <= peer.recovers <= 3
        peer.set(2, 0x16)
        before = peer.recovers
        await asyncio.sleep(40)
        assert peer.recovers == before
        assert rig.faults.raised == ["cutter_jam", "cover_open"]


@NUMBERED
@pytest.mark.parametrize("stop_at", [1, 30, 90])
async def test_paper_that_ends_in_the_middle_leaves_it_unknown_and_the_rest_is_forgotten(
    started: Started, *, numbered: bool, stop_at: int
) -> None:
    """New paper brings nothing of it to light, and it is not printed again."""
    peer = Peer(numbered=numbered)
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        peer.stop_at = stop_at
        assert await printing is PrintEnd.UNKNOWN
        assert peer.status[4] == 0x72
        peer.set(4, 0x12)
        await asyncio.sleep(PRINT_LIMIT_S)
        assert peer.printed == []
        assert await rig.printer.print(Slip(title="next")) is PrintEnd.PRINTED
        assert peer.printed[-1].endswith(b"next\n")
        assert len(peer.printed) == 1


@NUMBERED
async def test_a_cover_opened_in_the_middle_leaves_it_unknown(started: Started, *, numbered: bool) -> None:
    """Though the printer, closed again, would have gone on."""
    peer = Peer(numbered=numbered)
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        peer.set(2, 0x16)
        assert await printing is PrintEnd.UNKNOWN
        assert peer.printed == []
        await asyncio.sleep(SEEN_S)
        assert peer.clears == 2


class Unforgetting(Peer):
    """A printer that cannot be told to forget: it goes on where it stood still."""

    def _at_once(self, command: bytes) -> None:
        if command[1] == 0x04:
            super()._at_once(command)


async def test_a_cover_opened_for_a_moment_leaves_it_unknown(started: Started) -> None:
    """The printer goes on and reports the slip, and what a hand did to it meanwhile nobody knows."""
    peer = Unforgetting()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        peer.set(2, 0x16)
        await asyncio.sleep(1)
        peer.set(2, 0x12)
        assert await printing is PrintEnd.UNKNOWN
        await asyncio.sleep(5)
        assert len(peer.printed) == 1


async def test_an_answer_that_nobody_asked_for_is_no_report(started: Started) -> None:
    """A status that answers in its turn has no number: one alone stands for nothing, and its own come after the cut."""
    peer = Peer(numbered=False)
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        peer.say(b"\x00")
        while not printing.done():
            assert not peer.printed
            await asyncio.wait({printing, asyncio.create_task(cut(peer))}, return_when=asyncio.FIRST_COMPLETED)
            assert peer.printed
            await asyncio.wait({printing})


async def test_a_report_beside_an_error_is_not_believed(started: Started) -> None:
    """The paper ran out with the cut: whether the ticket is whole nobody knows."""
    peer = Peer()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await cut(peer)
        peer.status[4] = 0x72
        assert await printing is PrintEnd.UNKNOWN


@pytest.mark.parametrize(("kind", "value"), [(1, 0x1A), (3, 0x52)])
async def test_a_report_is_believed_once_the_printer_is_clean(kind: int, value: int, started: Started) -> None:
    """Offline for a moment, or with a hot head, it may still say that something is wrong."""
    peer = Peer()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await cut(peer)
        peer.status[kind] = value
        await asyncio.sleep(5)
        assert not printing.done()
        peer.status[kind] = 0x12
        assert await printing is PrintEnd.PRINTED


async def test_a_head_that_cools_down_is_waited_for(started: Started) -> None:
    """It goes on by itself."""
    peer = Peer()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        peer.set(3, 0x52)
        await asyncio.sleep(5)
        peer.set(3, 0x12)
        assert await printing is PrintEnd.PRINTED


@NUMBERED
async def test_without_a_report_it_is_unknown_within_its_time(started: Started, *, numbered: bool) -> None:
    """A printer that stands still and reports nothing is waited for no longer."""
    peer = Peer(numbered=numbered)
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        peer.status[1] = 0x1A
        began = rig.clock.now()
        assert await printing is PrintEnd.UNKNOWN
        assert rig.clock.now() - began <= PRINT_LIMIT_S + 2
        await asyncio.sleep(SEEN_S)
        assert peer.clears == 2


async def test_a_late_report_of_one_slip_is_none_of_the_next(started: Started) -> None:
    """A printer that cannot be told to forget prints the first slip when it goes on: the second has its own report."""
    long = Slip(title="first", lines=("it takes eight seconds to print",) * 250)
    for numbered in (True, False):
        peer = Unforgetting(numbered=numbered)
        async with started(peer) as rig:
            printing = asyncio.create_task(rig.printer.print(long))
            while not peer.slip:  # noqa: ASYNC110 - the peer tells nobody
                await asyncio.sleep(0.0005)
            peer.set(2, 0x16)
            assert await printing is PrintEnd.UNKNOWN
            peer.set(2, 0x12)
            end = PrintEnd.NOT_PRINTED
            async with asyncio.timeout(60):
                while end is PrintEnd.NOT_PRINTED:
                    end = await rig.printer.print(Slip(title="second"))
                    assert end is PrintEnd.NOT_PRINTED or len(peer.printed) == 2
                    await asyncio.sleep(0.1)
            assert end is PrintEnd.PRINTED
            assert [slip.partition(b"\n")[0] for slip in peer.printed] == [b"first", b"second"]


async def test_half_a_report_is_none(started: Started) -> None:
    """The end of it was lost."""
    peer = Peer()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await cut(peer)
        rig.line.misbehaviour.inject(Kind.CUT, way=Way.TO_HOST)
        assert await printing is PrintEnd.UNKNOWN


@NUMBERED
async def test_a_line_lost_while_printing_leaves_it_unknown(started: Started, *, numbered: bool) -> None:
    """The slip may be on paper; it is not sent again when the line is back."""
    peer = Peer(numbered=numbered)
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        rig.line.unplug()
        assert await printing is PrintEnd.UNKNOWN
        await asyncio.sleep(SEEN_S)
        # who pulls a network's cable only makes the printer silent
        assert rig.faults.faults.keys() & {"port_lost", "no_reply"}
        assert await rig.printer.print(TICKET) is PrintEnd.NOT_PRINTED
        rig.line.plug()
        await asyncio.sleep(60)
        assert rig.printer.ready
        assert rig.faults.faults == {}
        assert len(peer.printed) <= 1


@pytest.mark.requirement("B14")
async def test_a_silent_printer_is_lost_and_found_again(started: Started) -> None:
    """The fault says what to look at; what was ordered meanwhile was not sent."""
    peer = Peer()
    async with started(peer) as rig:
        peer.deaf = True
        await asyncio.sleep(10)
        assert rig.faults.faults["no_reply"].startswith(f"{rig.line.port.path}: the ticket printer does not answer")
        assert await rig.printer.print(TICKET) is PrintEnd.NOT_PRINTED
        peer.deaf = False
        await asyncio.sleep(30)
        assert rig.faults.faults == {}
        assert await rig.printer.print(TICKET) is PrintEnd.PRINTED


async def test_a_printer_that_answers_no_status_while_it_prints_is_waited_for(started: Started) -> None:
    """Some do; the report comes all the same."""
    peer = Peer()
    async with started(peer) as rig:
        rig.line.misbehaviour.inject(Kind.DROP, way=Way.TO_HOST)
        assert await rig.printer.print(TICKET) is PrintEnd.PRINTED


async def test_a_printer_that_starts_without_paper_is_asked_who_it_is_later(started: Started) -> None:
    """It says so only when its turn comes."""
    peer = Peer()
    peer.set(4, 0x72)
    async with started(peer) as rig:
        assert rig.faults.found == []
        assert set(rig.faults.faults) == {"paper_out"}
        peer.set(4, 0x12)
        await asyncio.sleep(5)
        assert len(rig.faults.found) == 1
        assert rig.printer.ready


async def test_a_slip_whose_waiting_ends_early_is_not_printed_later(started: Started) -> None:
    """Nobody would know of it."""
    peer = Peer()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await asyncio.sleep(0)
        printing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await printing
        await asyncio.sleep(5)
        assert peer.printed == []
        assert await rig.printer.print(TICKET) is PrintEnd.PRINTED


async def test_a_stop_in_the_middle_leaves_it_unknown(started: Started) -> None:
    """Whoever waits is told so."""
    peer = Peer()
    async with started(peer) as rig:
        printing = asyncio.create_task(rig.printer.print(TICKET))
        await in_the_middle(peer)
        await rig.end()
        assert await printing is PrintEnd.UNKNOWN


class Other:
    """A device that answers everything with the same bytes, or with random ones."""

    def __init__(self, answer: bytes = b"", seed: int | None = None) -> None:
        self.answer = answer
        self.chance = None if seed is None else random.Random(seed)
        self.line: Line | None = None
        self.said = 0

    def connect(self, line: Line) -> None:
        self.line = line

    def receive(self, data: bytes) -> None:  # noqa: ARG002 - the device's signature
        answer = self.answer if self.chance is None else self.chance.randbytes(self.chance.randrange(40))
        self.said += len(answer)
        if self.line is not None:
            self.line.send(answer)

    def power(self, *, on: bool) -> None:
        """Know no difference."""


@pytest.mark.parametrize("answer", [b"\xfc\x05\x11\x27\x56", b"\x01\x00\x02\x00\xfd", b"\xff"])
async def test_another_device_is_no_printer(answer: bytes) -> None:
    """A bill validator's or a hopper's answer is none of a printer."""
    rig = PrinterRig(Other(answer))
    with pytest.raises(IdentityError, match="no ESC/POS printer"):
        await rig.printer.run()


async def test_nothing_at_the_port_does_not_answer() -> None:
    """No wrong device, but none."""
    rig = PrinterRig(Other())
    with pytest.raises(NoReplyError):
        await rig.printer.run()


async def test_a_printer_that_cannot_report_is_refused() -> None:
    """Every ticket of it would be paid by hand."""
    rig = PrinterRig(Peer(numbered=False, transmits=False))
    with pytest.raises(IdentityError, match="neither GS"):
        await rig.printer.run()


async def test_a_printer_without_a_name_works(started: Started) -> None:
    """Not all of them say who they are."""
    async with started(Peer(words=False)) as rig:
        assert rig.faults.found == ["ESC/POS printer without a name (process ID)"]
        assert rig.printer.ready


@pytest.mark.parametrize("late_s", [1.9, 2.1, 3.9, 4.1, 5.0])
async def test_a_late_answer_makes_no_other_printer(late_s: float) -> None:
    """What it said of its maker is no answer about its model: its name is believed when two answers agree."""
    peer = Peer()
    peer.late_s = late_s
    rig = PrinterRig(peer)
    await rig.start(40.0)
    await rig.end()
    assert rig.faults.found == ["EPSON TM-T88V (process ID)"]


async def test_a_profile_that_cannot_work_is_a_fault() -> None:
    """The port is not even opened."""
    line = MemoryLine(Peer())
    rig = PrinterRig(Peer())
    printer = EscposPrinter(Settings(port="memory", profile="none"), line.port, rig.clock, rig.faults)
    with pytest.raises(SettingsError):
        await printer.run()


async def flooded(bytes_wanted: int, seed: int) -> list[PrintEnd]:
    """What becomes of slips where a device answers random bytes."""
    other = Other(seed=seed)
    rig = PrinterRig(other)
    await rig.start(1)
    ends = []
    while other.said < bytes_wanted:
        ends.append(await rig.printer.print(TICKET))
        await asyncio.sleep(1)
    await rig.end()
    return ends


async def test_ten_thousand_random_bytes_print_nothing() -> None:
    """Noise is never a report."""
    assert set(await flooded(10_000, 1)) <= {PrintEnd.NOT_PRINTED, PrintEnd.UNKNOWN}


@pytest.mark.proof
async def test_a_million_random_bytes_print_nothing() -> None:
    """Noise is never a report, however long it lasts."""
    assert set(await flooded(1_000_000, 2)) <= {PrintEnd.NOT_PRINTED, PrintEnd.UNKNOWN}


steps = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([0.01, 0.1, 0.3, 0.7, 3.0, 25.0])),
    st.tuples(st.just("print"), st.just(0.0)),
    st.tuples(
        st.just("status"), st.sampled_from([0x212, 0x216, 0x31A, 0x312, 0x372, 0x412, 0x41E, 0x472, 0x112, 0x11A])
    ),
    st.tuples(st.just("line"), st.sampled_from([0.0, 1.0])),
    st.tuples(st.just("deaf"), st.sampled_from([0.0, 1.0])),
    st.tuples(st.just("power"), st.just(0.0)),
    st.tuples(st.just("spoil"), st.sampled_from(list(Kind))),
    st.tuples(st.just("say"), st.sampled_from([b"\x00", b"\x12", b"\x37\x22AAAA\x00", b"\xff", b"\x00" * 4])),
)


class Life:
    """What can happen to a printer, its line and its driver, and the slips that were ordered meanwhile."""

    def __init__(self, *, numbered: bool) -> None:
        self.peer = Peer(numbered=numbered)
        self.rig = PrinterRig(self.peer, poll_ms=3_000)
        self.slips: dict[bytes, asyncio.Task[PrintEnd]] = {}

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def print(self) -> None:
        title = f"slip {len(self.slips)}"
        order = self.rig.printer.print(Slip(title=title, lines=("end of it",)))
        self.slips[f"{title}\nend of it\n".encode()] = asyncio.create_task(order)
        await asyncio.sleep(0)

    async def status(self, kind: int, byte: int) -> None:
        self.peer.set(kind, byte)

    async def line(self, *, plugged: bool) -> None:
        (self.rig.line.plug if plugged else self.rig.line.unplug)()

    async def deaf(self, *, deaf: bool) -> None:
        self.peer.deaf = deaf

    async def power(self) -> None:
        self.peer.power(on=False)
        self.peer.power(on=True)

    async def spoil(self, kind: Kind) -> None:
        self.rig.line.misbehaviour.inject(kind, way=Way.TO_HOST)

    async def say(self, data: bytes) -> None:
        self.peer.say(data)

    async def ends(self) -> dict[bytes, PrintEnd]:
        """Put everything in order, and return what was said of each slip."""
        self.rig.line.plug()
        self.peer.deaf = False
        for kind, byte in CLEAN.items():
            self.peer.set(kind, byte)
        ends = {slip: await task for slip, task in self.slips.items()}
        await asyncio.sleep(5)
        await self.rig.end()
        return ends


Step = Callable[[Life], Awaitable[None]]

usual_steps: st.SearchStrategy[Step] = st.one_of(
    st.sampled_from([0.01, 0.1, 0.3, 0.7, 3.0, 25.0]).map(lambda seconds: lambda life: life.wait(seconds)),
    st.just(Life.print),
    st.sampled_from(
        [(2, 0x12), (2, 0x16), (3, 0x1A), (3, 0x12), (3, 0x72), (4, 0x12), (4, 0x1E), (4, 0x72), (1, 0x12), (1, 0x1A)]
    ).map(lambda status: lambda life: life.status(*status)),
    st.booleans().map(lambda plugged: lambda life: life.line(plugged=plugged)),
    st.booleans().map(lambda deaf: lambda life: life.deaf(deaf=deaf)),
    st.just(Life.power),
    st.sampled_from([Kind.DROP, Kind.DELAY, Kind.CUT]).map(lambda kind: lambda life: life.spoil(kind)),
)
wild_steps: st.SearchStrategy[Step] = st.one_of(
    usual_steps,
    st.sampled_from(Kind).map(lambda kind: lambda life: life.spoil(kind)),
    st.sampled_from([b"\x00", b"\x12", b"\x37\x22AAAA\x00", b"\xff"]).map(lambda data: lambda life: life.say(data)),
)
"""Answers that nobody asked for too, which have no number where a printer reports by its status."""


def lives(most: int) -> st.SearchStrategy[tuple[str, list[Step]]]:
    """How a printer reports, and at most so many steps of a life with it."""
    return st.one_of(
        st.tuples(st.just("process ID"), st.lists(wild_steps, max_size=most)),
        st.tuples(st.just("status"), st.lists(usual_steps, max_size=most)),
    )


async def check_life(reports_by: str, steps: list[Step]) -> None:
    """Live so; a slip that is said to be printed must be on paper, whole, and none may be there twice."""
    life = Life(numbered=reports_by == "process ID")
    await life.rig.start(5)
    for step in steps:
        await step(life)
    for slip, end in (await life.ends()).items():
        copies = sum(slip in each for each in life.peer.printed)
        assert copies <= 1
        assert copies == 1 or end is not PrintEnd.PRINTED
        assert copies == 0 or end is not PrintEnd.NOT_PRINTED


@settings(max_examples=15)
@given(lives(12))
async def test_no_order_of_events_makes_a_slip_printed_that_is_not(life: tuple[str, list[Step]]) -> None:
    """Printed means on paper, with its end and its cut; not printed means no paper; never twice."""
    await check_life(*life)


@pytest.mark.proof
@settings(max_examples=3_000)
@given(lives(40))
async def test_no_long_life_makes_a_slip_printed_that_is_not(life: tuple[str, list[Step]]) -> None:
    """The same, longer and more often."""
    await check_life(*life)
