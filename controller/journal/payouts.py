"""Money out: coins as they pass and hand-pays when the attendant confirms them, each metered exactly once."""

from collections.abc import Callable

import msgspec

from controller.journal import demo_mode, held_payouts, hoppers
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.held_payouts import PayoutProgress
from controller.journal.ledger import RARE
from controller.journal.open_items import add_item
from controller.journal.transaction import Transaction
from ui.protocol.values import Paid


class OpenPayout(PayoutProgress, frozen=True):
    """The payout in progress.

    For a hand-pay, `coins_cents` is the amount that the preceding hopper payout paid in coins, and `held_cents` the
    amount of it that is held.
    """

    kind: str
    coins_cents: int
    held_cents: int


def open_payout(tx: Transaction) -> OpenPayout | None:
    """Return the payout in progress, or None."""
    row = tx.execute(
        f"SELECT {_PROGRESS}, p.kind, coalesce(f.paid_cents, 0), coalesce(f.held_cents, 0)"  # noqa: S608 - columns
        " FROM payouts p LEFT JOIN payouts f ON f.id = p.follows WHERE p.state = 'open'"
    ).fetchone()
    return None if row is None else OpenPayout(*row)


def open_hand_pay(tx: Transaction) -> OpenPayout | None:
    """Return the hand-pay that waits for an attendant, or None."""
    payout = open_payout(tx)
    return payout if payout is not None and payout.kind == "hand_pay" else None


_PROGRESS = ", ".join(f"p.{column}" for column in PayoutProgress.__struct_fields__)


class PayoutRow(msgspec.Struct, frozen=True):
    """A payout in a list; `confirmed_by` names the person who confirmed a hand-pay, if known."""

    id: int
    kind: str
    amount_cents: int
    paid_cents: int
    state: str
    started_ms: int
    confirmed_by: str = ""


def payouts_before(tx: Transaction, before: int, most: int) -> list[PayoutRow]:
    """Return at most `most` payouts with a number below `before`, newest first."""
    confirmed = tx.execute(
        "SELECT data ->> '$.payout' AS payout, data ->> '$.by.name' FROM ledger"  # noqa: S608 - a literal
        f" WHERE kind = 'hand_pay' AND {RARE} AND payout < ? ORDER BY seq DESC LIMIT ?",
        (before, most),
    )
    names = dict(confirmed.fetchall())
    rows = tx.execute(
        "SELECT id, kind, amount_cents, paid_cents, state, started_ms FROM payouts WHERE id < ?"
        " ORDER BY id DESC LIMIT ?",
        (before, most),
    )
    return [PayoutRow(*(*row, names.get(row[0]) or "")) for row in rows]


def paid_since_play(tx: Transaction) -> Paid:
    """Return the amounts in cents paid since the last stake, by kind (B11)."""
    newest = "SELECT seq FROM ledger WHERE kind = 'stake' ORDER BY round_id DESC LIMIT 1"
    (stake,) = tx.execute(f"SELECT coalesce(({newest}), 0)").fetchone()
    sums = tx.execute(
        "SELECT kind, -sum(credit_delta) FROM ledger"  # noqa: S608 - a literal
        f" WHERE kind IN ('hopper_coin', 'ticket_out', 'hand_pay') AND {RARE} AND seq > ? GROUP BY kind",
        (stake,),
    )
    paid = dict(sums)
    return Paid(
        coins_cents=paid.get("hopper_coin", 0),
        ticket_cents=paid.get("ticket_out", 0),
        hand_cents=paid.get("hand_pay", 0),
    )


def begin_payout(
    tx: Transaction, kind: str, amount_cents: int, coin_value_cents: int | None = None, *, follows: int | None = None
) -> OpenPayout:
    """Begin a `hopper` payout, or a `ticket` or `hand_pay` that completes the payout `follows`, if any.

    Raise `RefusedError` during a round or if the amount exceeds the credit.
    """
    tx.audit()
    tx.refuse_in_play()
    if demo_mode.is_on(tx):
        raise RefusedError("The free credits of demo mode are not paid out")
    if not 0 < amount_cents <= tx.credit_cents:
        raise RefusedError(
            "{amount_cents} cannot be taken from a credit of {credit_cents}",
            amount_cents=amount_cents,
            credit_cents=tx.credit_cents,
        )
    tx.execute(
        "INSERT INTO payouts (kind, amount_cents, coin_value_cents, state, started_ms, follows)"
        " VALUES (?, ?, ?, 'open', ?, ?)",
        (kind, amount_cents, coin_value_cents, tx.at_ms, follows),
    )
    tx.event(Event.PAYOUT_BEGUN, kind=kind, amount_cents=amount_cents)
    return required_payout(tx)


def dispensing(tx: Transaction, serial: int, event_counter: int, lifetime: int) -> None:
    """Record the hopper and its counters just before a dispense is sent."""
    payout = required_payout(tx)
    tx.execute(
        "UPDATE payouts SET serial = ?, event_counter = ?, lifetime = ?, paid_before = paid_cents / coin_value_cents"
        " WHERE id = ?",
        (serial, event_counter, lifetime, payout.id),
    )


def coin_paid(tx: Transaction, paid: int) -> None:
    """Take the `paid`-th coin of the payout off the credit; a coin that is already booked changes nothing.

    A coin beyond the order becomes an open item.
    """
    payout = required_payout(tx)
    if not payout.is_next(paid):
        return
    value = payout.coin_value_cents or 0
    if payout.serial is not None:
        hoppers.moved_on(tx, payout.serial, 1)
    if paid * value > payout.amount_cents:
        held_payouts.overpaid(tx, payout.id, value)
        return
    tx.post(
        "hopper_coin",
        credit=-value,
        meters={"hopper_out": value, "hopper_coins": 1},
        data={"payout": payout.id, "coin": paid},
    )
    tx.execute("UPDATE payouts SET paid_cents = paid_cents + ? WHERE id = ?", (value, payout.id))


def end_hopper_payout(
    tx: Transaction, state: str, reason: str = "", *, recount: bool = False, settles: bool = False
) -> None:
    """End the hopper payout as `done`, `short` (the rest stays credit) or `undecided` (the rest is held).

    With `recount` the hopper's lifetime counter cannot be compared with the books any more. An undecided payout that
    `settles` is settled by the hopper when it answers again, otherwise by a technician.
    """
    payout = required_payout(tx)
    rest = payout.amount_cents - payout.paid_cents
    if state == "done" and rest:
        raise RefusedError("Payout {payout} still owes {rest_cents}", payout=payout.id, rest_cents=rest)
    if recount and payout.serial is not None:
        hoppers.forget(tx, payout.serial)
    if state == "undecided" and rest:
        held_payouts.hold(tx, payout.id, rest, serial=payout.serial if settles else None, reason=reason)
    elif state == "undecided":
        add_item(tx, "payout_undecided", None, Event.COINS_BEYOND_ORDER, reason=reason)
    tx.event(
        _ended(state, reason),
        paid_cents=payout.paid_cents,
        amount_cents=payout.amount_cents,
        state=state,
        reason=reason,
    )
    _end(tx, payout.id, state)


def _ended(state: str, reason: str) -> EventKind:
    if state == "done":
        return Event.PAID_ALL
    if (state, reason) == ("undecided", "undecided"):
        return Event.PAID_PERHAPS_MORE
    return Event.PAID_PART_BECAUSE if reason else Event.PAID_PART


def follows(tx: Transaction, payout_id: int) -> int | None:
    """Return the number of the payout that this one completes, or None if it is the first of its cash-out."""
    (number,) = tx.execute("SELECT follows FROM payouts WHERE id = ?", (payout_id,)).fetchone()
    return None if number is None else int(number)


def end_ticket_payout(tx: Transaction, payout_id: int, *, paid: bool) -> None:
    """End a payout by ticket; the caller books the amount (`controller.journal.tickets`)."""
    if paid:
        tx.execute("UPDATE payouts SET paid_cents = amount_cents WHERE id = ?", (payout_id,))
    _end(tx, payout_id, "done" if paid else "cancelled")


def confirm_hand_pay(tx: Transaction) -> None:
    """Take the amount of the hand-pay off the credit after the attendant has paid it."""
    payout = required_payout(tx)
    if payout.kind != "hand_pay":
        raise RefusedError("No hand-pay is waiting")
    tx.audit()
    tx.post(
        "hand_pay",
        credit=-payout.amount_cents,
        meters={"hand_pay": payout.amount_cents, "hand_pays": 1},
        data={"payout": payout.id},
    )
    tx.execute("UPDATE payouts SET paid_cents = amount_cents WHERE id = ?", (payout.id,))
    _end(tx, payout.id, "done")


def cancel_hand_pay(tx: Transaction) -> None:
    """End the hand-pay because the player cancels it; the credit stays."""
    payout = required_payout(tx)
    if payout.kind != "hand_pay":
        raise RefusedError("No hand-pay is waiting")
    tx.event(Event.HAND_PAY_CANCELLED, amount_cents=payout.amount_cents)
    _end(tx, payout.id, "cancelled")


def hand_pay_after(
    tx: Transaction, number: int, act: Callable[[Transaction], None] | None = None
) -> tuple[str, OpenPayout | None]:
    """Run `act` to confirm or cancel this hand-pay if it is still open; a host may have ended it before.

    Return its state, and the hand-pay itself while it is open.
    """
    if act is not None and _is_open(tx, number):
        act(tx)
    (state,) = tx.execute("SELECT state FROM payouts WHERE id = ?", (number,)).fetchone()
    return state, open_payout(tx) if state == "open" else None


def _is_open(tx: Transaction, number: int) -> bool:
    payout = open_payout(tx)
    return payout is not None and payout.id == number


def required_payout(tx: Transaction) -> OpenPayout:
    """Return the payout in progress; raise `RefusedError` if there is none."""
    payout = open_payout(tx)
    if payout is None:
        raise RefusedError("No payout is in progress")
    return payout


def _end(tx: Transaction, payout_id: int, state: str) -> None:
    tx.execute("UPDATE payouts SET state = ?, ended_ms = ? WHERE id = ?", (state, tx.at_ms, payout_id))
