"""A ticket's whole life in a whole cabinet: printed, put in, and the supervisor killed at each moment of it."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from drivers.masked_hex import masked_hex
from drivers.validator_protocols import ticket_readers
from tests.rigs.logged_events import words_of
from tests.rigs.ticket_cabinet import WORTH, TicketCabinet

EACH = pytest.mark.parametrize("protocol", ticket_readers())
PHASES = 12


async def cabinet_with(folder: Path, protocol: str) -> TicketCabinet:
    """Start a cabinet and put a note in."""
    cabinet = TicketCabinet(folder, protocol)
    await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    await asyncio.sleep(10.0)
    cabinet.bills.insert(WORTH)
    await cabinet.until(lambda: cabinet.credit == WORTH)
    await asyncio.sleep(3.0)
    return cabinet


def killed(after_s: float) -> Callable[[TicketCabinet], Awaitable[None]]:
    """Return what ends the supervisor so long after the ticket was put in, and starts it again."""

    async def strike(cabinet: TicketCabinet) -> None:
        await asyncio.sleep(after_s)
        await cabinet.kill_and_start()

    return strike


async def drilled(folder: Path, protocol: str, strikes: list[Callable[[TicketCabinet], Awaitable[None]]]) -> None:
    """Print a ticket, put it in, let `strike` happen, and see that it is credited once; again for each strike."""
    cabinet = await cabinet_with(folder, protocol)
    for strike in strikes:
        number = await cabinet.print_ticket()
        cabinet.bills.insert_ticket(number)
        await strike(cabinet)
        await cabinet.settle(number)
    await cabinet.stop()
    cabinet.audited()


@EACH
async def test_a_ticket_is_printed_taken_and_never_taken_again(protocol: str, tmp_path: Path) -> None:
    """The number that was printed is the one that the validator reads; its copy comes back, after a kill too."""

    async def nothing(_cabinet: TicketCabinet) -> None:
        await asyncio.sleep(6.0)

    await drilled(tmp_path, protocol, [nothing, killed(0.7)])


@pytest.mark.proof
@EACH
@pytest.mark.parametrize("phase", range(PHASES))
async def test_the_supervisor_is_killed_at_any_moment(protocol: str, phase: int, tmp_path: Path) -> None:
    """Every 20 ms of a ticket's life, and started again: credited once if stacked, else not used up."""
    await drilled(tmp_path, protocol, [killed(step * 0.02) for step in range(phase, 120, PHASES)])


@pytest.mark.proof
@EACH
@pytest.mark.parametrize("phase", range(PHASES))
async def test_the_power_fails_around_any_transaction(protocol: str, phase: int, tmp_path: Path) -> None:
    """Before each commit and after it, before anybody is told of it."""

    def cut(step: int) -> Callable[[TicketCabinet], Awaitable[None]]:
        async def strike(cabinet: TicketCabinet) -> None:
            cabinet.power.comes_back(step)
            await asyncio.sleep(4.0)
            await cabinet.kill_and_start()

        return strike

    await drilled(tmp_path, protocol, [cut(step) for step in range(1 + phase, 31, PHASES)])


@pytest.mark.proof
@EACH
@pytest.mark.parametrize("phase", range(PHASES))
async def test_the_mains_fail_at_any_moment(protocol: str, phase: int, tmp_path: Path) -> None:
    """Cabinet and devices lose their power together; one credit or one ticket in hand is left, or an open item."""
    cabinet = await cabinet_with(tmp_path, protocol)
    for step in range(phase, 60, PHASES):
        number = await cabinet.print_ticket()
        cabinet.bills.insert_ticket(number)
        await asyncio.sleep(step * 0.04)
        await cabinet.crash()
        cabinet.mains(on=False)
        await asyncio.sleep(1.0)
        await cabinet.start()
        await asyncio.sleep(15.0)
        await cabinet.settle(number)
    await cabinet.stop()
    cabinet.audited()


def without_parity(message: str) -> str:
    """A message whose bytes have seven bits: the eighth of an EBDS line is the parity."""
    return re.sub(r"\b[89A-F][0-9A-F]\b", lambda byte: f"{int(byte[0], 16) & 0x7F:02X}", message)


@EACH
async def test_only_the_last_digits_of_a_ticket_are_logged_and_recorded(
    protocol: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Every frame is logged while it is printed, refused and given back: no log, trace or event has its number."""
    caplog.set_level(logging.DEBUG)
    cabinet = await cabinet_with(tmp_path, protocol)
    assert cabinet.supervisor is not None
    cabinet.supervisor.hardware.driver_log.log_frames(on=True)
    number = await cabinet.print_ticket()
    strange = f"{number[:-4]}{(int(number[-4:]) + 1) % 10_000:04}"
    await asyncio.sleep(10.0)
    cabinet.bills.insert_ticket(strange)
    await cabinet.until(lambda: cabinet.returned_tickets == [strange])
    cabinet.returned_tickets.clear()
    await asyncio.sleep(3.0)
    seen = [without_parity(record.getMessage()) for record in caplog.records if record.name == "drivers.wire_trace"]
    read = [] if protocol == "ssp" else [strange]  # whose answers are encrypted
    for each in (number, *read):
        first, last = masked_hex(each[-4:-3].encode()), masked_hex(each[-3:].encode())
        shown = re.compile(rf"\*\* (?:{first} )?{last}")  # a checksum that is a digit too hides one more
        assert any(shown.search(message) for message in seen)
    logs = "\n".join([*seen, *(record.getMessage() for record in caplog.records)])
    for each in (number, strange):
        for written in (each, each.encode().hex(" ").upper(), each.encode().hex()):
            assert written not in logs
    said = await cabinet.supervisor.journal.do(lambda tx: words_of(tx.execute, "ticket"))
    assert f"Ticket …{strange[-4:]} not taken: it is not in this machine's list" in said
    await cabinet.stop()
    assert strange.encode() not in tmp_path.joinpath("journal.sqlite").read_bytes()
