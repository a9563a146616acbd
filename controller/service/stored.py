"""U.15: the contents of a recycler or SMART Hopper by value, and moving them into the cash box."""

from collections.abc import Sequence

from controller.journal import stored_money
from controller.journal.stored_money import Store
from controller.journal.transaction import Transaction, hard_figures
from controller.service.attendant import in_play
from controller.service.page import Entry, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine

WANTED = "It will be moved into the cash box"
NO_STORE = "No device that stores money is fitted"
NOT_COUNTED = "What is stored has not been counted yet"
EXPECTED, STORED = "Expected in the cash box", "In the store, not in the cash box"


def _stored(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    hopper, store = machine.settings.config.hopper, stored_money.store_of(tx)
    if hopper is None or hopper.protocol != "ssp":
        return (Line(NO_STORE),)
    if store is None:
        return (Line(NOT_COUNTED),)
    if busy := in_play(machine):
        return busy
    passed = stored_money.passed_cents(tx)
    pieces = "Notes of" if store.recycles else "Coins of"
    return (
        Line("In the store", cents=store.cents, tone="heading"),
        *(Line(pieces, count=count, cents=value) for value, count in store.pieces.items()),
        *((Line("Credited and not counted yet", cents=passed),) if passed else ()),
        *((Line("Credited to nobody", cents=store.surplus_cents, tone="bad"),) if store.surplus_cents else ()),
        *_acts(store),
    )


def _acts(store: Store) -> Sequence[Line]:
    if store.keep is not None:
        keep = store.keep * store.unit
        return (Line("On its way into the cash box", cents=store.moved_cents), Line("To be kept", cents=keep))
    if not store.cents:
        return ()
    empty = MenuTransaction(_empty, question="Empty the store into the cash box?", confirmations=2)
    if store.cents <= store.unit:
        return (Line("Empty into the cash box", tone="bad", leads=empty),)
    entry = Entry("cents", "How much to keep", "cents", limits=(store.unit, store.cents))
    float_down = MenuTransaction(_float, (entry,), question="Move all but this into the cash box?", confirmations=1)
    return (
        Line("Empty into the cash box", tone="bad", leads=empty),
        Line("Keep a float, the rest into the cash box", leads=float_down),
    )


def _empty(tx: Transaction, submission: Submission) -> str:
    stored_money.want(tx, 0, submission.who)
    return WANTED


def _float(tx: Transaction, submission: Submission) -> str:
    store = stored_money.store_of(tx)
    unit = 1 if store is None else store.unit
    stored_money.want(tx, int(submission.typed.get("cents") or 0) // unit, submission.who)
    return WANTED


def collection_lines(tx: Transaction, since: dict[str, int]) -> Sequence[Line]:
    """Return the amounts that a collection finds in the cash box and in the store; empty without a store."""
    store = stored_money.store_of(tx)
    if store is None:
        return ()
    expected = hard_figures(since).get("drop", 0)
    return (Line(EXPECTED, cents=expected), Line(STORED, cents=store.cents + stored_money.passed_cents(tx)))


PAGES = (Page("U.15", "Stored money", _stored, technician=True, shared="attendant_refills"),)
