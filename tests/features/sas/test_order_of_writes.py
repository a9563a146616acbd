"""No answer to a host precedes the commit of what it reports: every poll, by what is durable as its answer goes out.

A commit takes far longer than an answer. As the answer goes out the books must already be as the poll leaves them; each
poll of the desk's own tables has a case here in which it changes something, or is known to change nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.features.sas import queue as host_queue
from controller.features.sas.desk import Desk
from controller.journal.transaction import Transaction
from drivers.sas import transfers
from drivers.sas.exceptions import PRIORITY, Code, bill_data
from drivers.sas.frames import READS, sealed
from drivers.sas.numbers import bcd
from drivers.sas.transfers import LOCK_NOW, LockRequest, TransferQuery
from tests.rigs.hosted import ADDRESS, ALL, GENERAL, HOSTS_TICKETS, HostedRig, request
from tests.rigs.machine import PlainHopper, PlainPrinter
from tests.rigs.sas_line import MemoryLine, woken
from tests.rigs.slow_books import COMMIT_S, Rows, SlowWriter, WatchedStore, changed, watched

ANSWER_S, AFTER_S = 2.0, 12 * COMMIT_S
"""How long an answer is waited for, and what comes of a poll after it; nothing else is written meanwhile."""
STEP_S = 0.001
ELSEWHERE = "37" + "1234567890123456"
NUMBER = bytes.fromhex("37" + "0000000000000077")


class WatchedLine(MemoryLine):
    """A line that calls `on_write` as each frame goes out."""

    def __init__(self) -> None:
        super().__init__()
        self.on_write: Callable[[bytes], None] = lambda _data: None

    async def write(self, data: bytes) -> None:
        """Take what the machine sends."""
        self.on_write(data)
        await super().write(data)


class Watched(HostedRig):
    """A machine with everything that a host can ask for, and books that are watched."""

    store: type[WatchedStore]
    writer: SlowWriter
    line: WatchedLine

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, hopper=PlainHopper(), printer=PlainPrinter(), tickets=HOSTS_TICKETS)
        self.store, self.writer = watched(), SlowWriter()
        self.asking: asyncio.Task[object] | None = None

    def line_of(self) -> MemoryLine:
        """Return the line."""
        return WatchedLine()

    @property
    def desk(self) -> Desk:
        """What answers."""
        return self.ports.desks["host_port"]

    async def put_in(self) -> None:
        """Put a ticket in, and let it lie in escrow."""
        await self.sas.ask(0x1A)
        self.asking = asyncio.create_task(self.listener.ticket_in_escrow(ELSEWHERE))
        await asyncio.sleep(0.3)

    async def collect(self) -> None:
        """COLLECT, which wants a number for a ticket."""
        await self.sas.ask(0x1A)
        await self.game(1000)
        await self.press("collect", 0.3)

    async def hand_pay(self) -> None:
        """COLLECT without a printer, and more than the hopper pays."""
        assert self.printer is not None
        assert self.hopper is not None
        self.printer.ready = self.hopper.ready = False
        await self.game(1000)
        await self.press("collect")
        await self.until("handpay")

    async def seated(self) -> None:
        """A player has come."""
        await self.game(1000)

    async def moved(self) -> None:
        """A transfer that the host has not read."""
        await self.sas.ask(transfers.TRANSFER, request(500).encode(ADDRESS).data)

    async def playing(self) -> None:
        """A round has begun and ended, and nobody has read of it."""
        await self.game(2000)
        await self.press("spin")
        await self.until("idle")


async def _as_it_is(_rig: Watched) -> None:
    """Nothing is needed."""


async def _notes_off(rig: Watched) -> None:
    await rig.sas.ask(0x07)


async def _off(rig: Watched) -> None:
    await rig.sas.ask(0x01)
    await rig.sas.ask(0x03)
    await rig.sas.ask(0x0A)


class Case(NamedTuple):
    """How it comes that a poll with that data changes the books, or that it does not."""

    data: bytes = b""
    changes: bool = False
    before: Callable[[Watched], Awaitable[None]] = _as_it_is
    goes_on: bool = False
    """Whether the machine goes on upon the answer, with changes that it does not report."""


def _act(data: str = "", before: Callable[[Watched], Awaitable[None]] = _as_it_is) -> Case:
    return Case(bytes.fromhex(data), changes=True, before=before)


def _decision(cents: int = 700) -> bytes:
    data = b"\x00" + bcd(cents, 5) + b"\x00" + bytes.fromhex(ELSEWHERE)
    return bytes((len(data),)) + data


def _text(*lines: str) -> bytes:
    data = b"\x01\x00\x07" + b"".join(bytes((len(line),)) + line.encode() for line in lines)
    return bytes((len(data),)) + data


def _registration(code: int) -> bytes:
    data = transfers.Registration(code, 318).data
    return bytes((len(data),)) + data


CASES: dict[int, Case] = {
    0x01: _act(), 0x02: _act(before=_off), 0x03: _act(), 0x04: _act(before=_off), 0x05: Case(),
    0x06: _act(before=_notes_off), 0x07: _act(), 0x08: _act("10 00 00 00 00"), 0x09: _act("00 01 00"),
    0x0A: _act(), 0x0B: _act(before=_off), 0x0E: _act("01", Watched.playing),
    0x18: Case(), 0x1B: Case(before=Watched.hand_pay), 0x1C: Case(), 0x1F: Case(), 0x20: Case(), 0x2D: Case(bytes(2)),
    0x2F: Case(bytes.fromhex("03 00 00 00")), 0x3D: Case(), 0x48: Case(), 0x4D: Case(b"\x00"), 0x4F: Case(),
    0x50: Case(b"\x00"), 0x51: Case(), 0x52: Case(b"\x00\x01"), 0x53: Case(b"\x00\x01"), 0x54: Case(), 0x55: Case(),
    0x56: Case(), 0x57: Case(before=Watched.collect), 0x58: Case(NUMBER, changes=True, before=Watched.collect),
    0x6F: Case(bytes.fromhex("04 00 00 00 00")), 0x70: Case(before=Watched.put_in),
    0x71: Case(_decision(), changes=True, before=Watched.put_in),
    0x72: Case(request(500).encode(ADDRESS).data, changes=True, before=Watched.seated),
    0x73: Case(_registration(0x00), changes=True),
    0x74: Case(LockRequest(LOCK_NOW, transfers.Condition.IN, 9999).encode(ADDRESS).data, changes=True),
    0x7B: _act("08 01 00 00 00 00 00 00 00"), 0x7C: _act("07 00 05 54 4F 57 45 52"),
    0x7D: Case(_text("TOWER", "", "PIER 3"), changes=True), 0x7E: Case(), 0x7F: _act("01 31 20 26 23 59 58"),
    0x94: _act(before=Watched.hand_pay), 0xA0: Case(bytes(2)), 0xA8: _act("01", Watched.hand_pay),
    0xAF: Case(bytes.fromhex("04 00 00 00 00")), 0xB0: _act("05 00 09 00 01 00"), 0xB1: Case(), 0xB2: Case(),
    0xB3: Case(), 0xB4: Case(b"\x00\x01\x00\x01"), 0xB5: Case(b"\x00\x01"),
}  # fmt: skip
"""Every poll but those that read one meter or a row of them, and change nothing as those do."""
REJECTION = b"\x10\x84" + _decision()[2:]
PART = request(60_000, code=transfers.PARTIAL_ALLOWED).encode(ADDRESS).data
OTHERS: tuple[tuple[str, int, Case], ...] = (
    ("58 refuses", 0x58, Case(bytes(9), changes=True, before=Watched.collect, goes_on=True)),
    ("71 rejects", 0x71, Case(REJECTION, changes=True, before=Watched.put_in, goes_on=True)),
    ("72 is refused", 0x72, Case(request(5_000_000).encode(ADDRESS).data, changes=True)),
    ("72 in part", 0x72, Case(PART, changes=True, before=Watched.seated)),
    ("72 closes", 0x72, Case(TransferQuery(0xFF).encode(ADDRESS).data, before=Watched.moved)),
    ("72 looks", 0x72, Case(TransferQuery(0xFE).encode(ADDRESS).data, before=Watched.moved)),
    ("73 registers", 0x73, Case(_registration(0x01), changes=True)),
    ("94 without a hand-pay", 0x94, Case()),
)
"""Other answers to the same polls."""


class Told(NamedTuple):
    """A frame that went out, and what was durable then."""

    frame: bytes
    durable: Rows


async def told(rig: Watched, frame: bytes, wait_s: float = ANSWER_S) -> Told | None:
    """Send a frame of the host; return what is answered within that time, None for silence."""
    heard: list[Told] = []
    rig.line.on_write = lambda data: heard.append(Told(data, rig.store.durable))
    rig.line.say(woken(frame))
    for _ in range(int(wait_s / STEP_S)):
        await asyncio.sleep(STEP_S)
        if heard:
            break
    rig.line.on_write = lambda _data: None
    return heard[0] if heard else None


async def settled(rig: Watched) -> None:
    """Let what has happened be over, while the host polls others."""
    for _ in range(20):
        await rig.line.ask(ALL, 0.2)


async def check(rig: Watched, command: int, case: Case) -> None:
    """Hold the answer to a poll against what is durable as it goes out, and what is in the end."""
    await rig.sas.poll()
    await case.before(rig)
    await settled(rig)
    rig.writer.seconds = COMMIT_S
    before = rig.store.durable
    head = bytes((ADDRESS, command))
    answer = await told(rig, head if command in READS else sealed(head + case.data))
    assert answer is not None, f"{command:02X} is not answered"
    await asyncio.sleep(AFTER_S)
    after, rig.writer.seconds = rig.store.durable, 0.0
    late = changed(answer.durable, after)
    assert late == [] or case.goes_on, f"{command:02X} was answered with {answer.frame.hex(' ')} before {late} changed"
    caused = changed(before, answer.durable)
    assert bool(caused) is case.changes, f"{command:02X} has changed {caused}"


def all_cases() -> Iterator[tuple[str, int, Case]]:
    """Each case with a name."""
    yield from ((f"{command:02X}", command, case) for command, case in CASES.items())
    yield from OTHERS


@pytest.mark.parametrize(("command", "case"), [pytest.param(*case, id=name) for name, *case in all_cases()])
async def test_an_answer_goes_out_when_what_it_reports_is_durable(tmp_path: Path, command: int, case: Case) -> None:
    """Nothing that the poll has caused is written after its answer, and what must change has changed."""
    rig = Watched(tmp_path)
    async with rig:
        await check(rig, command, case)
        if rig.asking is not None:
            rig.asking.cancel()
            await asyncio.gather(rig.asking, return_exceptions=True)


async def test_each_poll_of_the_desk_has_a_case_or_reads_a_meter(tmp_path: Path) -> None:
    """By the desk's own tables: a poll that is new there must be named here."""
    async with Watched(tmp_path) as rig:
        desk = rig.desk
        assert set(desk.handlers) <= set(CASES), "a poll that may change something has no case"
        meters = set(desk.readers) - set(CASES)
        assert all(command in READS for command in meters)
        await rig.sas.poll()
        await settled(rig)
        rig.writer.seconds = COMMIT_S
        before = rig.store.durable
        for command in sorted(meters):
            assert await told(rig, bytes((ADDRESS, command))), f"{command:02X}"
            await rig.line.ask(ALL, 0.01)
        await asyncio.sleep(AFTER_S)
        assert changed(before, rig.store.durable) == []
        rig.writer.seconds = 0.0


async def next_exception(rig: Watched) -> Told:
    """Poll as fast as the machine answers until it reports an exception."""
    for _ in range(1_000):
        answer = await told(rig, GENERAL, 0.005)
        await rig.line.ask(ALL, 0.001)
        if answer is not None and answer.frame != b"\x00":
            return answer
    raise AssertionError("no exception was reported")


@pytest.mark.parametrize("code", Code)
async def test_an_exception_is_reported_once_it_is_durable(tmp_path: Path, code: Code) -> None:
    """As the byte goes out it is in the books; the next one follows once it is durable that the host has this one."""
    data = bill_data(39, 3, 1) if code is Code.BILL_ACCEPTED else b""

    def twice(tx: Transaction) -> None:
        for _ in range(2):
            host_queue.queue(tx, "host_port", code, data, priority=code in PRIORITY)

    async with Watched(tmp_path) as rig:
        await rig.sas.exceptions()
        await settled(rig)
        rig.writer.seconds = COMMIT_S
        queued = asyncio.create_task(rig.journal.do(twice))
        waiting = [len((await next_exception(rig)).durable["host_exceptions"]) for _ in range(2)]
        assert waiting == [2, 1]
        await queued


async def test_the_watch_tells_before_a_commit_from_after_it(tmp_path: Path) -> None:
    """What is not durable yet is not seen, however long it has been asked for."""
    async with Watched(tmp_path) as rig:
        await asyncio.sleep(5.0)
        rig.writer.seconds = COMMIT_S
        before = rig.store.durable
        doing = asyncio.create_task(rig.journal.do(lambda tx: host_queue.queue(tx, "host_port", Code.LAMP_ON)))
        await asyncio.sleep(COMMIT_S / 2)
        assert changed(before, rig.store.durable) == []
        await doing
        assert "host_exceptions" in changed(before, rig.store.durable)
        rig.writer.seconds = 0.0
