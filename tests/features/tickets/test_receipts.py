"""A ticket or slip that is printed before its commit cannot be written: mypy refuses it."""

from pathlib import Path

import pytest

from tests.rigs.typed import early, refused

CODE = """
from controller.features.tickets.attendant_slips import SlipClerk
from controller.features.tickets.slip_journal import AttendantSlip
from controller.journal.tickets import Ticket
from controller.machine.journal_port import JournalPort
from controller.machine.tickets import SlipPrinter, TicketDesk
from drivers.capabilities import Slip

async def prints(
    printer: SlipPrinter, desk: TicketDesk, clerk: SlipClerk, journal: JournalPort,
    slip: Slip, ticket: Ticket, begun: AttendantSlip,
) -> None:
    await printer.print(slip)  # early
    await printer.print(desk.slip(ticket))  # early
    await printer.print(desk.slip(await journal.do(desk.begin_own)))  # early
    await printer.print((await journal.commit(desk.begin_own)).map(desk.slip))
    await clerk._out(begun)  # early
"""


@pytest.mark.processes
def test_a_print_takes_a_receipt(tmp_path: Path) -> None:
    """Neither a ticket nor an attendant's slip is printed from what is not committed."""
    assert refused(CODE, tmp_path) == early(CODE)
