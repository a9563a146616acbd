"""A.4 and U.5: give service credit, and void credit without payment."""

from collections.abc import Callable, Sequence

from controller.journal.credits import SERVICE, VOIDED, give_service_credit, void_credits
from controller.journal.periods import lifetime
from controller.journal.transaction import Transaction
from controller.service.attendant import in_play
from controller.service.page import Entry, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine

GIVEN, TAKEN = "It is credited", "The credit is void"
VOID_REASONS = ("service credit", "credited by mistake", "player was paid otherwise", "test by a technician")
"""The reasons for voiding credit: a list, since the panel has no letters."""


def _service_credit(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the page of service credit, which has its own meter and its own term in the self-audit equation (M7)."""
    if busy := in_play(machine):
        return busy
    limits = machine.settings.config.limits

    def give(tx: Transaction, submission: Submission) -> str:
        cents = int(submission.typed.get("amount") or 0)
        most, limit = limits.service_credit_cents, limits.credit_cents
        give_service_credit(tx, cents, submission.who, most_cents=most, limit_cents=limit)
        return GIVEN

    action = MenuTransaction(
        give, (Entry("amount", "Amount", "cents"),), question="Give this amount as service credit?", confirmations=2
    )
    return (
        Line("Credit", cents=tx.credit_cents),
        Line("Most at once", cents=limits.service_credit_cents),
        Line("Service credit so far", cents=lifetime(tx).get(SERVICE, 0)),
        Line("Give service credit", leads=action if limits.service_credit_cents else None),
    )


def _clear_credits(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    if busy := in_play(machine):
        return busy
    so_far = Line("Voided so far", cents=lifetime(tx).get(VOIDED, 0))
    if not tx.credit_cents:
        return (Line("There is no credit", tone="good"), so_far)
    entry = Entry("reason", "Reason", "choice", VOID_REASONS)
    action = MenuTransaction(
        _voids(tx.credit_cents), (entry,), question="Take the whole credit away without payment?", confirmations=2
    )
    return (
        Line("Credit", cents=tx.credit_cents),
        so_far,
        Line("Void the credit", cents=tx.credit_cents, tone="bad", leads=action),
    )


def _voids(asked_cents: int) -> Callable[[Transaction, Submission], str]:
    """Return the action that voids exactly the credit shown on the screen."""

    def void(tx: Transaction, submission: Submission) -> str:
        void_credits(tx, asked_cents, submission.who, submission.typed.get("reason", ""))
        return TAKEN

    return void


PAGES = (
    Page("A.4", "Service credit", _service_credit),
    Page("U.5", "Clear credits", _clear_credits, technician=True),
)
