"""U.6: backups and archives of the books, and their second copy."""

from collections.abc import Sequence

from controller.books import second_copy
from controller.journal.faults import active_faults
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page, added_lines
from controller.service.serviced_machine import ServicedMachine

NO_COPY, COPY_FAILS, COPY_WRITTEN = "none is named in cabinet.toml", "a fault is present", "written at each commit"


def _backups(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return (
        *added_lines("U.6", tx, machine),
        *added_lines("U.6.archives", tx, machine),
        _second_copy(tx, machine),
    )


def _second_copy(tx: Transaction, machine: ServicedMachine) -> Line:
    """Return the state of the second copy of the books, which is written at each commit."""
    if machine.settings.config.cabinet.second_copy_file is None:
        return Line("Second copy of the books", NO_COPY, tone="bad")
    fails = any(fault.place == second_copy.PLACE for fault in active_faults(tx))
    return Line("Second copy of the books", COPY_FAILS if fails else COPY_WRITTEN, tone="bad" if fails else "good")


PAGES = (Page("U.6", "Back up and restore", _backups, technician=True),)
