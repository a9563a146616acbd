"""Service credit and voided credit, each counted on its own meters (A.4, U.5)."""

from controller.journal import demo_mode
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction

SERVICE, VOIDED = "service_credit", "credits_voided"
"""The meters of credit given for service and of credit removed without payment, in cents. Neither is money in or out,
and no hard meter repeats them."""


def give_service_credit(tx: Transaction, cents: int, who: str, *, most_cents: int, limit_cents: int) -> None:
    """Give service credit: at most `most_cents` at once, and up to a total credit of `limit_cents` (B5).

    Raise `RefusedError` for a larger amount, while a round or payout is in progress, and in demo mode.
    """
    _refuse(tx)
    if cents <= 0:
        raise RefusedError("An amount is needed")
    if cents > most_cents:
        raise RefusedError("At most {most_cents} can be given at once", most_cents=most_cents)
    if tx.credit_cents + cents > limit_cents:
        raise RefusedError("The credit cannot exceed {limit_cents}", limit_cents=limit_cents)
    before = tx.credit_cents
    tx.post(SERVICE, credit=cents, meters={SERVICE: cents, "service_credits": 1}, data={"who": who})
    after = tx.credit_cents
    tx.event(Event.SERVICE_CREDIT, who=who, amount_cents=cents, before_cents=before, after_cents=after)


def void_credits(tx: Transaction, cents: int, who: str, reason: str) -> None:
    """Remove the whole credit without payment, for a reason; raise `RefusedError` if the credit is not `cents`."""
    _refuse(tx)
    if tx.credit_cents != cents or not cents:
        raise RefusedError("The credit has changed: look again")
    if not reason:
        raise RefusedError("A reason is needed")
    tx.post(VOIDED, credit=-cents, meters={VOIDED: cents, "credit_voids": 1}, data={"who": who, "reason": reason})
    tx.event(Event.CREDITS_VOIDED, who=who, amount_cents=cents, before_cents=cents, after_cents=0, reason=reason)


def _refuse(tx: Transaction) -> None:
    """Raise `RefusedError` while a round or payout is open and in demo mode; run the self-audit."""
    tx.refuse_in_play()
    if demo_mode.is_on(tx):
        raise RefusedError("Demo mode gives and takes back its own free credits (U.9)")
    tx.audit()
