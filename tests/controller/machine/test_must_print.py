"""A cabinet whose printer is all that pays: without it nothing is staked and no money is taken, where it must."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.machine.presenter import conditions
from controller.machine.tickets import NO_TICKETS
from controller.machine.view import view_of
from tests.rigs.ticket_cabinet import WORTH, TicketCabinet

pytestmark = pytest.mark.requirement("D5")

FAULTS: dict[str, tuple[Callable[[TicketCabinet], None], Callable[[TicketCabinet], None]]] = {
    "paper_out": (lambda cabinet: cabinet.printer.shorten(0), lambda cabinet: cabinet.printer.load(50_000)),
    "cover_open": (
        lambda cabinet: cabinet.printer.set_fault("cover_open", True),  # noqa: FBT003 - the simulated devices' own
        lambda cabinet: cabinet.printer.set_fault("cover_open", False),  # noqa: FBT003 - the simulated devices' own
    ),
    "no_reply": (lambda cabinet: cabinet.printer.power(on=False), lambda cabinet: cabinet.printer.power(on=True)),
}
"""What keeps the printer from printing, by the fault's code: how it begins and how it ends."""


@asynccontextmanager
async def with_credit(folder: Path, *, must_print: bool) -> AsyncIterator[TicketCabinet]:
    """A whole cabinet without a hopper, idle in a game with credit."""
    cabinet = TicketCabinet(folder, "id003")
    rules = replace(cabinet.config.tickets, must_print=must_print)
    cabinet.config = replace(cabinet.config, tickets=rules, hopper=None)
    await cabinet.start()
    try:
        await asyncio.sleep(12.0)
        await cabinet.insert_note(WORTH)
        await cabinet.until(lambda: cabinet.state == "idle" and cabinet.credit == WORTH)
        yield cabinet
    finally:
        await cabinet.kill()


def codes(cabinet: TicketCabinet) -> set[str]:
    """The active faults."""
    assert cabinet.supervisor is not None
    return {code for code, _ in cabinet.supervisor.machine.conditions.active}


@pytest.mark.parametrize("code", FAULTS)
async def test_play_stops_until_the_printer_prints(tmp_path: Path, code: str) -> None:
    """SPIN stakes nothing, notes come back, the screen says why; the credit stays, and play goes on by itself."""
    begin, end = FAULTS[code]
    async with with_credit(tmp_path, must_print=True) as cabinet:
        begin(cabinet)
        await cabinet.until(lambda: {code, NO_TICKETS} <= codes(cabinet))
        await cabinet.tap("spin")
        await asyncio.sleep(3.0)
        assert (cabinet.state, cabinet.credit) == ("idle", WORTH)
        assert cabinet.supervisor is not None
        machine = cabinet.supervisor.machine
        assert (machine.states.takes_coins, machine.states.takes_notes) == (False, False)
        assert "fault" in conditions(machine.parts)
        notices = {notice.code: notice for notice in view_of(machine.parts).notices}
        assert notices[NO_TICKETS].stops_play
        assert "cannot print" in notices[NO_TICKETS].text
        end(cabinet)
        await cabinet.until(lambda: NO_TICKETS not in codes(cabinet))
        await cabinet.tap("spin")
        await cabinet.until(lambda: cabinet.credit != WORTH)


async def test_credit_that_is_there_is_paid_by_hand(tmp_path: Path) -> None:
    """COLLECT without paper is a hand-pay, as in any cabinet."""
    async with with_credit(tmp_path, must_print=True) as cabinet:
        FAULTS["paper_out"][0](cabinet)
        await cabinet.until(lambda: NO_TICKETS in codes(cabinet))
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.state == "handpay")
        assert cabinet.credit == WORTH


async def test_by_default_play_goes_on(tmp_path: Path) -> None:
    """Paper that is out is a fault and stops nothing."""
    async with with_credit(tmp_path, must_print=False) as cabinet:
        FAULTS["paper_out"][0](cabinet)
        await cabinet.until(lambda: "paper_out" in codes(cabinet))
        await cabinet.tap("spin")
        await cabinet.until(lambda: cabinet.credit != WORTH)
        assert NO_TICKETS not in codes(cabinet)


async def test_paper_that_is_low_stops_nothing(tmp_path: Path) -> None:
    """It prints on."""
    async with with_credit(tmp_path, must_print=True) as cabinet:
        cabinet.printer.shorten(300)
        await cabinet.until(lambda: "paper_low" in codes(cabinet))
        await cabinet.tap("spin")
        await cabinet.until(lambda: cabinet.credit != WORTH)
