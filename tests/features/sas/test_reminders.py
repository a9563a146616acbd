"""What is reported again while its cause stands, to a host that has acknowledged it and then asked for nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from controller.features.sas import queue as host_queue
from controller.features.sas.reminders import AGAIN_S, SOON_S
from drivers.capabilities import Verdict
from drivers.sas import transfers
from drivers.sas.exceptions import PRIORITY, Code
from drivers.sas.numbers import bcd
from drivers.sas.transfers import LOCK_NOW, LockRequest, TransferQuery
from tests.rigs.hosted import ADDRESS, ALL, HOSTS_TICKETS, HostedRig, request
from tests.rigs.machine import PlainPrinter
from tests.rigs.sas_answers import read_answer
from tests.rigs.slow_books import COMMIT_S, SlowWriter

ELSEWHERE = "37" + "1234567890123456"
NEXT = "37" + "6543210987654321"
NUMBER = bytes.fromhex("37" + "0000000000000077")
READ_END = bytes.fromhex("01 FF")
READ_TRANSFER = TransferQuery(transfers.INTERROGATE_AND_CLOSE).encode(ADDRESS).data
CENTS = 700
LONG_S = 60.0


def decision(number: str, cents: int = CENTS) -> bytes:
    """The data of 71 by which the host has a ticket taken."""
    data = b"\x00" + bcd(cents, 5) + b"\x00" + bytes.fromhex(number)
    return bytes((len(data),)) + data


class Printing(HostedRig):
    """A machine with a printer, whose tickets the host validates."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, printer=PlainPrinter(), tickets=HOSTS_TICKETS)
        self.asking: asyncio.Task[Verdict] | None = None

    async def put_in(self, number: str = ELSEWHERE) -> None:
        """Put a ticket in, and let it lie in escrow."""
        await self.sas.ask(0x1A)  # it is only taken while the host is there
        self.asking = asyncio.create_task(self.listener.ticket_in_escrow(number))
        await asyncio.sleep(0.3)

    async def taken(self, number: str = ELSEWHERE) -> bool:
        """Put a ticket in that the host takes; return whether it was stacked."""
        await self.put_in(number)
        assert self.asking is not None
        await acknowledged(self, Code.TICKET_IN)
        await self.sas.ask(0x70)
        await self.sas.ask(0x71, decision(number))
        if await self.asking is not Verdict.STACK:
            return False
        await self.listener.ticket_stacked()
        await self.listener.bill_acknowledged()
        return True

    async def printed(self) -> None:
        """Print a ticket with a number of the host's."""
        await collected(self)
        await acknowledged(self, Code.VALIDATION_WANTED)
        await self.sas.ask(0x57)
        await self.sas.ask(0x58, NUMBER)
        await asyncio.sleep(6.0)


async def acknowledged(rig: HostedRig, code: int) -> None:
    """Poll until that exception has come, or nothing waits, and acknowledge it."""
    while await rig.sas.poll() not in (code, 0):
        pass
    await rig.line.ask(ALL)


async def collected(rig: HostedRig) -> None:
    """COLLECT, with credit."""
    await rig.sas.ask(0x1A)
    await rig.game(1000)
    await rig.press("collect")
    await asyncio.sleep(0.3)


async def moved(rig: HostedRig) -> None:
    """A transfer to the machine."""
    await rig.sas.ask(transfers.TRANSFER, request(500).encode(ADDRESS).data)


async def locked(rig: HostedRig) -> None:
    """A lock for as long as there is."""
    await rig.sas.ask(transfers.LOCK, LockRequest(LOCK_NOW, transfers.Condition.IN, 9999).encode(ADDRESS).data)


class Case(NamedTuple):
    """How a cause comes about, and what the host asks then; whether the cause is there after a restart."""

    begin: Callable[[Printing], Awaitable[object]]
    ask: Callable[[Printing], Awaitable[object]]
    again_s: float = AGAIN_S
    outlasts: bool = True


CASES = {
    Code.TICKET_IN_DONE: Case(Printing.taken, lambda rig: rig.sas.ask(0x71, READ_END)),
    Code.TICKET_PRINTED: Case(Printing.printed, lambda rig: rig.sas.ask(0x4D, b"\x00")),
    Code.TRANSFER_COMPLETE: Case(moved, lambda rig: rig.sas.ask(transfers.TRANSFER, READ_TRANSFER)),
    Code.GAME_LOCKED: Case(
        locked,
        lambda rig: rig.sas.ask(transfers.LOCK, LockRequest(transfers.LOCK_CANCEL, 0, 0).encode(ADDRESS).data),
        outlasts=False,
    ),
    Code.HAND_PAY_PENDING: Case(collected, lambda rig: rig.sas.ask(0x1B)),
    Code.VALIDATION_WANTED: Case(collected, lambda rig: rig.sas.ask(0x57), SOON_S, outlasts=False),
    Code.TICKET_IN: Case(Printing.put_in, lambda rig: rig.sas.ask(0x70), SOON_S, outlasts=False),
}


async def heard(rig: HostedRig, code: int, seconds: float) -> int:
    """Poll for so long, five times a second; return how often that exception was reported."""
    times = 0
    for _ in range(int(seconds * 5)):  # two polls of 0.1 s
        times += await rig.sas.poll() == code
    return times


def of(code: Code, folder: Path) -> Printing:
    """A machine in which that can come about: it pays by hand where no printer is ready."""
    rig = Printing(folder)
    assert rig.printer is not None
    rig.printer.ready = code is not Code.HAND_PAY_PENDING
    return rig


async def test_each_reminder_has_a_case_here(tmp_path: Path) -> None:
    """The desk's own list."""
    async with Printing(tmp_path) as rig:
        assert {each.code for each in rig.ports.desks["host_port"].reminders} == set(CASES)


@pytest.mark.parametrize("code", CASES)
async def test_it_is_reported_again_until_the_host_asks(tmp_path: Path, code: Code) -> None:
    """Acknowledged and nothing asked: again after a while, and never again once it is asked for."""
    case = CASES[code]
    async with of(code, tmp_path) as rig:
        await case.begin(rig)
        await acknowledged(rig, code)
        assert await heard(rig, code, case.again_s - 0.5) == 0
        assert await heard(rig, code, 1.5) == 1
        await case.ask(rig)
        assert await heard(rig, code, LONG_S) == 0


@pytest.mark.parametrize("code", [code for code, case in CASES.items() if case.outlasts])
async def test_it_is_reported_again_after_a_restart(tmp_path: Path, code: Code) -> None:
    """At once, though the host had acknowledged it before."""
    case = CASES[code]
    async with of(code, tmp_path) as rig:
        await case.begin(rig)
        assert code in await rig.sas.exceptions()
        await rig.restart()
        assert await heard(rig, code, 3.0) == 1
        await case.ask(rig)
        assert await heard(rig, code, LONG_S) == 0


@pytest.mark.parametrize("code", [Code.TICKET_IN_DONE, Code.TICKET_PRINTED])
async def test_a_host_that_validates_no_more_reads_what_it_had_not_read(tmp_path: Path, code: Code) -> None:
    """`validated_by` was changed meanwhile: it is reported until the host has it; then its polls are silent."""
    case = CASES[code]
    async with Printing(tmp_path) as rig:
        await case.begin(rig)
        rig.config = replace(rig.config, tickets=replace(rig.config.tickets, validated_by="cabinet"))
        await rig.restart(until=None)
        assert await heard(rig, code, 2 * AGAIN_S)
        assert await case.ask(rig)
        await rig.line.ask(ALL)
        await asyncio.sleep(1.0)
        assert not await heard(rig, code, 2 * AGAIN_S)
        assert await case.ask(rig) == b""


@pytest.mark.parametrize("code", [code for code in CASES if code in PRIORITY])
async def test_a_host_that_never_empties_its_queue_is_reminded_all_the_same(tmp_path: Path, code: Code) -> None:
    """What has priority is reported again before the others that wait, and each of those still comes."""
    case = CASES[code]
    async with of(code, tmp_path) as rig:
        await case.begin(rig)
        await acknowledged(rig, code)
        heard_codes = []
        for _ in range(int(case.again_s * 2) + 4):  # polls half a second apart
            await rig.journal.do(lambda tx: host_queue.queue(tx, "host_port", Code.LAMP_ON))
            heard_codes.append(await rig.sas.poll())
            await asyncio.sleep(0.3)
        assert code in heard_codes
        assert Code.LAMP_ON in heard_codes[-2:]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_host_that_has_missed_the_end_of_a_ticket_gets_it_later(tmp_path: Path, *, restarts: bool) -> None:
    """It asks 71 FF once for each 68: the ticket after a missed answer goes back, and the one after that is taken."""
    async with Printing(tmp_path) as rig:
        await rig.game(1000)
        assert await rig.taken()
        await rig.sas.exceptions()
        assert not await rig.taken(NEXT)
        if restarts:
            await rig.restart(until="idle")
        for _ in range(int(AGAIN_S * 5) + 5):
            if await rig.sas.poll() == Code.TICKET_IN_DONE:
                await rig.sas.ask(0x71, READ_END)
        assert await rig.taken(NEXT)
        assert rig.credit == 1000 + 2 * CENTS


async def test_what_is_asked_at_once_is_answered_however_long_a_commit_takes(tmp_path: Path) -> None:
    """71 FF right after 68, 4D right after 3D, 72 FF right after 69: within the time that a host waits."""
    rig = Printing(tmp_path)
    rig.writer = SlowWriter()
    async with rig:
        await rig.printed()
        assert await rig.taken()
        await rig.until("idle")
        await moved(rig)
        rig.writer.seconds = 3 * COMMIT_S
        asked = {
            Code.TICKET_PRINTED: (0x4D, b"\x00"),
            Code.TICKET_IN_DONE: (0x71, READ_END),
            Code.TRANSFER_COMPLETE: (transfers.TRANSFER, READ_TRANSFER),
        }
        for _ in range(60):
            code = await rig.sas.poll_once()
            if code in asked:
                assert await rig.sas.ask_once(*asked.pop(Code(code)))
            await rig.line.ask(ALL)
        assert asked == {}
        rig.writer.hurry()
        assert await rig.rows("SELECT read FROM host_records") == [(1,)]
        assert await rig.rows("SELECT closed FROM host_redemptions") == [(1,)]
        assert await rig.rows("SELECT closed FROM host_transfers") == [(1,)]


@pytest.mark.parametrize("code", [Code.TICKET_IN_DONE, Code.TICKET_PRINTED, Code.TRANSFER_COMPLETE])
async def test_an_answer_that_the_host_may_not_have_got_is_not_taken_for_read(tmp_path: Path, code: Code) -> None:
    """The power fails before the host acknowledges it: the exception comes again."""
    case = CASES[code]
    async with of(code, tmp_path) as rig:
        await case.begin(rig)
        await acknowledged(rig, code)
        await case.ask(rig)
        await rig.restart()
        assert await heard(rig, code, 3.0) == 1


async def test_what_follows_at_once_knows_that_the_answer_before_it_has_arrived(tmp_path: Path) -> None:
    """No poll lies between, and its commit takes long: a transfer after 72 FF is made, and 4D FF finds no record."""
    rig = Printing(tmp_path)
    rig.writer = SlowWriter()
    async with rig:
        await rig.printed()
        await rig.until("idle")
        await moved(rig)
        await rig.sas.exceptions()
        rig.writer.seconds = COMMIT_S
        assert await rig.sas.ask_once(0x4D, b"\x00") != await rig.sas.ask_once(0x4D, b"\xff")
        assert await rig.sas.ask_once(transfers.TRANSFER, READ_TRANSFER)
        next_one = request(300, "A2").encode(ADDRESS).data
        answer = read_answer(await rig.sas.ask_once(transfers.TRANSFER, next_one, 1.0))
        assert isinstance(answer, transfers.TransferAnswer)
        assert answer.status == transfers.Status.FULL
        rig.writer.hurry()
