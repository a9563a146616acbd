"""The lines of A.2, U.3 and M.2 that print slips for attendants; without a printer there are none."""

from collections.abc import Awaitable, Callable

from controller.features.tickets.attendant_slips import SlipClerk
from controller.features.tickets.slip_journal import AttendantSlip, SlipKind, newest
from controller.journal.transaction import Transaction
from controller.service.page import Job, Line, Submission
from controller.service.serviced_machine import ServicedMachine
from drivers.capabilities import PrintEnd

LISTED = 6
"""The most hand-pays or collections whose slips a page offers."""
_SAID = {
    PrintEnd.PRINTED: "The slip is printed",
    PrintEnd.NOT_PRINTED: "The printer is not ready: nothing was printed",
    PrintEnd.UNKNOWN: "The printer did not report the slip as printed",
}


def hand_pays(tx: Transaction, machine: ServicedMachine) -> tuple[Line, ...]:
    """Return a line for each of the newest hand-pays, which prints its slip."""
    return _lines(tx, machine, SlipKind.HAND_PAY)


def collections(tx: Transaction, machine: ServicedMachine) -> tuple[Line, ...]:
    """Return a line for each of the newest collections, which prints its slip."""
    return _lines(tx, machine, SlipKind.COLLECTION)


def meters(tx: Transaction, machine: ServicedMachine) -> tuple[Line, ...]:
    """Return the line that prints the meters since the last collection."""
    del tx
    return () if machine.fitted(SlipClerk) is None else (Line("Print these figures", leads=Job(_print_meters)),)


def _lines(tx: Transaction, machine: ServicedMachine, kind: SlipKind) -> tuple[Line, ...]:
    if machine.fitted(SlipClerk) is None:
        return ()
    return tuple(
        Line("Print slip {place}", place=str(slip.number), cents=slip.cents, leads=Job(_prints(slip)))
        for slip in newest(tx, kind, LISTED)
    )


def _prints(slip: AttendantSlip) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    async def run(machine: ServicedMachine, _submission: Submission) -> str:
        clerk = machine.fitted(SlipClerk)
        return _SAID[PrintEnd.NOT_PRINTED if clerk is None else await clerk.print(slip.kind, slip.number)]

    return run


async def _print_meters(machine: ServicedMachine, submission: Submission) -> str:
    clerk = machine.fitted(SlipClerk)
    return _SAID[PrintEnd.NOT_PRINTED if clerk is None else await clerk.print_meters(submission.name)]
