"""U.2: refill of the hopper, metered by count and value."""

from collections.abc import Sequence

from controller.faults import explain, place_in_words
from controller.journal import faults
from controller.journal.periods import lifetime
from controller.journal.refills import FILLED, MOST_COINS, in_hopper_cents, refill_hopper
from controller.journal.transaction import Transaction
from controller.service.attendant import in_play
from controller.service.page import Entry, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine

BOOKED = "The coins are booked"
HOPPER = "hopper"
NO_HOPPER = "No hopper is fitted"
_LEVELS = frozenset({"hopper_empty", "hopper_low", "hopper_full"})


def _refill(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the hopper's level by sensors and journal, and the refill, which is operator's money and not credit."""
    hopper = machine.settings.config.hopper
    if hopper is None:
        return (Line(NO_HOPPER),)
    if busy := in_play(machine):
        return busy
    value = hopper.coin_value_cents

    def fill(tx: Transaction, submission: Submission) -> str:
        refill_hopper(tx, int(submission.typed.get("coins") or 0), value, submission.who)
        return BOOKED

    figures = lifetime(tx)
    level_faults = [fault for fault in faults.active_faults(tx) if fault.place == HOPPER and fault.code in _LEVELS]
    content = in_hopper_cents(tx)
    action = MenuTransaction(
        fill,
        (Entry("coins", "How many coins", "number", limits=(1, MOST_COINS)),),
        question="Book these coins as put into the hopper?",
        confirmations=1,
    )
    return (
        *(Line(explain(fault.code).text, tone="bad", place=place_in_words(fault.place)) for fault in level_faults),
        Line("Coins of", cents=value),
        *(() if content is None else (Line("In the hopper by the books", count=content // value, cents=value),)),
        Line("Put in so far", cents=figures.get(FILLED, 0)),
        Line("Coins put in so far", count=figures.get("hopper_refill_coins", 0)),
        Line("Put coins in", leads=action),
    )


PAGES = (Page("U.2", "Hopper refill", _refill, technician=True, shared="attendant_refills"),)
