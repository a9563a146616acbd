"""U.3 and U.4: end an accounting period, with or without its collection."""

from collections.abc import Sequence

from controller.journal.periods import CLEARED, Period, clear_period, close_period, periods, since_collection
from controller.journal.transaction import Transaction
from controller.service.meters import MONEY
from controller.service.page import Line, MenuTransaction, Page, Submission, added_lines
from controller.service.serviced_machine import ServicedMachine
from controller.service.stored import collection_lines
from ui.protocol.values import moment

CLOSED, BEGUN = "The period is closed", "The period meters begin anew"
COLLECTED_PERIOD, CLEARED_PERIOD = "Period {place}", "Period {place}, cleared"
KEPT = 12
"""The most closed periods that the page lists."""


def _collection(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    action = MenuTransaction(_close, question="Close the period now?", confirmations=2)
    since = since_collection(tx)
    return (
        Line("Collect and close the period", leads=action),
        *(Line(MONEY[name], cents=since.get(name, 0)) for name in ("coins_in", "notes_in")),
        *collection_lines(tx, since),
        Line("Since last collection", leads="M.2"),
        *map(_period, periods(tx, KEPT)),
        *added_lines("U.3", tx, machine),
    )


def _clearing(tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
    action = MenuTransaction(_clear, question="Begin the period meters anew, without a collection?", confirmations=2)
    return (Line("Clear the period meters", tone="bad", leads=action), *map(_period, periods(tx, KEPT)))


def _period(period: Period) -> Line:
    came = period.meters.get("coins_in", 0) + period.meters.get("notes_in", 0)
    label = CLEARED_PERIOD if period.kind == CLEARED else COLLECTED_PERIOD
    return Line(label, moment(period.closed_ms), place=str(period.number), cents=came)


def _close(tx: Transaction, submission: Submission) -> str:
    close_period(tx, submission.who)
    return CLOSED


def _clear(tx: Transaction, submission: Submission) -> str:
    clear_period(tx, submission.who)
    return BEGUN


PAGES = (
    Page("U.3", "Collection", _collection, technician=True, shared="attendant_collects"),
    Page("U.4", "Clear period meters", _clearing, technician=True),
)
