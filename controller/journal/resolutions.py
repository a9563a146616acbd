"""Resolves open items: each once, by a person's decision, with the money that it moves."""

from controller.journal import held_payouts, lost_tickets, stored_money, tickets
from controller.journal.errors import RefusedError
from controller.journal.open_items import (
    FOUND,
    JACKPOTS,
    LOST_TICKETS,
    TICKET,
    OpenItem,
    Resolution,
    close_item,
    open_items,
)
from controller.journal.parts import journal_parts
from controller.journal.transaction import InPlay, Transaction


def resolve_item(
    tx: Transaction,
    number: int,
    way: Resolution,
    who: str,
    *,
    amount_cents: int = 0,
    most_cents: int | None = None,
    reason: str = "",
) -> None:
    """Resolve an open item as `who` decided.

    `amount_cents` is the amount that was paid by hand, had left the hopper or goes onto the credit (PAID, LEFT,
    CREDITED). It is at most `most_cents` and at most the item's amount if that is known, and equals it if that is
    exact. Raise `RefusedError` if the item is not open, cannot be resolved in this way, lacks an amount or reason, or
    if the credit is lower than the amount that had left.
    """
    item = next((item for item in open_items(tx) if item.id == number), None)
    if item is None:
        raise RefusedError("Item {number} is not open: it may have been resolved already", number=number)
    if way not in item.ways:
        raise RefusedError("Item {number} cannot be resolved in this way", number=number)
    if way is Resolution.VOID and not reason:
        raise RefusedError("Item {number} cannot be voided without a reason", number=number)
    tx.audit()
    if way.moves_money:
        _check_amount(item, amount_cents, most_cents)
    held = item.kind in (held_payouts.DOUBT, held_payouts.REST)
    if held:
        tx.refuse_in_play()
    elif way.moves_money and way is not Resolution.CREDITED:  # a jackpot is credited by its round
        tx.refuse_in_play(InPlay.PAYOUT)
        _book(tx, item, way, amount_cents)
    _decide(tx, item, way)
    close_item(tx, number, way, who, amount_cents=amount_cents if way.moves_money else None, reason=reason)
    if held:
        _settle(tx, item, way, amount_cents)


def _decide(tx: Transaction, item: OpenItem, way: Resolution) -> None:
    """Pass the decision on to what waits for it."""
    if item.kind == TICKET:
        tickets.decide(tx, item.id, way)
    elif item.kind == LOST_TICKETS:
        lost_tickets.close(tx, way)
    for part in journal_parts():
        if decide := part.decide.get(item.kind):
            decide(tx, item, way)


def _settle(tx: Transaction, item: OpenItem, way: Resolution, amount_cents: int) -> None:
    """Book a decision about money that is held for a payout."""
    match way:
        case Resolution.PAID:
            held_payouts.pay_by_hand(tx, item.id)
        case Resolution.CREDITED:
            held_payouts.give_to_credit(tx, item.id)
        case _:
            held_payouts.take_left(tx, item.id, amount_cents if way is Resolution.LEFT else 0)


def _book(tx: Transaction, item: OpenItem, way: Resolution, amount_cents: int) -> None:
    """Book a payment by hand, or coins that had left the hopper, as a separate payout."""
    if way is Resolution.PAID:
        source = "wins" if item.kind in JACKPOTS else FOUND
        stored = stored_money.found(tx, amount_cents) if source == FOUND else {}
        kind, credit = "hand_pay", 0
        meters = {source: amount_cents, "hand_pay": amount_cents, "hand_pays": 1, **stored}
    else:
        kind, credit = "hopper", -amount_cents
        meters = {"hopper_out": amount_cents, "hopper_coins": _coins(tx, item, amount_cents)}
    tx.post("open_item", credit=credit, meters=meters, data={"item": item.id})
    tx.execute(
        "INSERT INTO payouts (kind, amount_cents, paid_cents, state, started_ms, ended_ms)"
        " VALUES (?, ?, ?, 'done', ?, ?)",
        (kind, amount_cents, amount_cents, tx.at_ms, tx.at_ms),
    )


def _coins(tx: Transaction, item: OpenItem, amount_cents: int) -> int:
    """Return the number of coins of the item's payout that make up the amount."""
    (value,) = tx.execute(
        "SELECT coin_value_cents FROM payouts WHERE state = 'undecided' AND ended_ms = ? ORDER BY id DESC LIMIT 1",
        (item.opened_ms,),
    ).fetchone()
    if amount_cents % value:
        raise RefusedError(
            "Item {number} is about coins of {value_cents}, which never are {amount_cents}",
            number=item.id,
            value_cents=value,
            amount_cents=amount_cents,
        )
    return int(amount_cents // value)


def _check_amount(item: OpenItem, amount_cents: int, most_cents: int | None) -> None:
    if amount_cents <= 0:
        raise RefusedError("Item {number} needs an amount", number=item.id)
    if item.is_exact and item.amount_cents is not None and amount_cents != item.amount_cents:
        raise RefusedError(
            "Item {number} is {most_cents}, no less and no more", number=item.id, most_cents=item.amount_cents
        )
    bounds = [most for most in (item.amount_cents, most_cents) if most is not None]
    if bounds and amount_cents > min(bounds):
        raise RefusedError("Item {number} is {most_cents} at the most", number=item.id, most_cents=min(bounds))
