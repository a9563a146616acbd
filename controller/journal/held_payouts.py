"""Held payouts: money that may have left the hopper, held apart from the credit until that is known.

When a payout ends before its hopper has reported how many coins left it, the value of the uncertain coins can be
neither played nor paid: it moves from the credit to the meter `payouts_held` and becomes an open item. `held_released`
counts the way back. The hopper settles it with its own counters when it answers again; otherwise a technician does.
Coins that had left are booked as usual, and the rest belongs to the player.
"""

import msgspec

from controller.journal import hoppers
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.open_items import add_item, close_item, lower_item
from controller.journal.transaction import Transaction
from drivers.cctalk.hopper_wire import LIFETIME_SPAN

HELD, RELEASED = "payouts_held", "held_released"
"""The meters of all money ever held and of all money ever released."""

DOUBT, REST = "payout_held", "payout_rest"
"""The kinds of open items: an amount in doubt, and an amount that is proved to be the player's."""

_WHEN_OTHERS_PLAY = "open_item"
"""The ledger's kind of a payment that is not shown to the present player as theirs."""
_TURNOVER = ("stakes", "coins_in", "notes_in", "service_credit", "host_in", "tickets_in")


class PayoutProgress(msgspec.Struct, frozen=True):
    """The progress of a payout; hopper amounts are whole coins of `coin_value_cents`.

    `event_counter`, `lifetime` and `paid_before` are the values recorded before the newest dispense of hopper `serial`.
    """

    id: int
    amount_cents: int
    paid_cents: int
    coin_value_cents: int | None
    event_counter: int | None
    lifetime: int | None
    paid_before: int
    overpaid: int
    serial: int | None

    def is_next(self, paid: int) -> bool:
        """Return whether the `paid`-th coin is not booked yet; raise `RefusedError` if an earlier coin is missing."""
        booked = self.paid_cents // (self.coin_value_cents or 0) + self.overpaid
        if paid > booked + 1:
            raise RefusedError(
                "Coin {paid} of payout {payout} cannot follow coin {booked}", paid=paid, payout=self.id, booked=booked
            )
        return paid > booked


class HeldPayout(PayoutProgress, frozen=True):
    """An ended payout of which `held_cents` are still held, for the open item `item`.

    `serial` is the hopper that can settle it, or None if only a technician can.
    """

    held_cents: int
    item: int
    turnover_cents: int


_COLUMNS = ", ".join(HeldPayout.__struct_fields__)


def held_cents(tx: Transaction) -> int:
    """Return the total amount that is held."""
    (cents,) = tx.execute("SELECT coalesce(sum(held_cents), 0) FROM payouts WHERE item IS NOT NULL").fetchone()
    return int(cents)


def pending(tx: Transaction) -> list[HeldPayout]:
    """Return the held payouts that are not settled yet."""
    return _all(tx, "item > ?", 0)


def held_by(tx: Transaction, serial: int) -> HeldPayout | None:
    """Return the held payout that hopper `serial` can settle, or None."""
    return _pending(tx, "serial = ?", serial)


def held_as(tx: Transaction, item: int) -> HeldPayout:
    """Return the held payout of an open item; raise `RefusedError` if it is settled."""
    held = _pending(tx, "item = ?", item)
    if held is None:
        raise RefusedError("Item {number} is not open: it may have been resolved already", number=item)
    return held


def hold(tx: Transaction, payout_id: int, cents: int, *, serial: int | None, reason: str) -> None:
    """Move `cents` of an ending payout out of the credit; `serial` is the hopper that can settle it later, if any."""
    tx.post(DOUBT, credit=-cents, meters={HELD: cents}, data={"payout": payout_id})
    if serial is None:
        item = add_item(tx, DOUBT, cents, Event.PAYOUT_UNCOUNTED, least_cents=0, rest_cents=cents, reason=reason)
    else:
        item = add_item(
            tx, DOUBT, cents, Event.PAYOUT_UNCOUNTED_BY, least_cents=0, rest_cents=cents, serial=serial, reason=reason
        )
    tx.execute(
        "UPDATE payouts SET held_cents = ?, item = ?, serial = ?, turnover_cents = ? WHERE id = ?",
        (cents, item, serial, _turnover(tx), payout_id),
    )


def coin_left(tx: Transaction, payout_id: int, paid: int) -> None:
    """Book the `paid`-th coin of a held payout as its hopper counted it; a coin that is already booked changes nothing.

    A coin beyond the order becomes an open item. After a technician has decided, nothing is booked.
    """
    held = _pending(tx, "id = ?", payout_id)
    if held is None or held.serial is None or not held.is_next(paid):
        return
    value = held.coin_value_cents or 0
    hoppers.moved_on(tx, held.serial, 1)
    if paid * value > held.amount_cents:
        overpaid(tx, held.id, value)
    else:
        _book_coins(tx, held, value, 1)


def overpaid(tx: Transaction, payout_id: int, value_cents: int) -> None:
    """Open an item for a coin that left the hopper beyond the order."""
    add_item(tx, "hopper_overpaid", value_cents, Event.COIN_BEYOND_ORDER, value_cents=value_cents)
    tx.execute("UPDATE payouts SET overpaid = overpaid + 1 WHERE id = ?", (payout_id,))


def counted(tx: Transaction, payout_id: int) -> None:
    """Settle a held payout whose hopper has counted every coin; the rest never left it."""
    held = _pending(tx, "id = ?", payout_id)
    if held is not None and held.serial is not None:
        close_item(tx, held.item, "counted", "hopper")
        _give_back(tx, held.id)


def cannot_settle(tx: Transaction, payout_id: int, *, recount: bool = True) -> None:
    """Leave a held payout to the technician, because its hopper's counters contradict each other.

    With `recount` the next lifetime count of the hopper is accepted as it is.
    """
    held = _pending(tx, "id = ?", payout_id)
    if recount and held is not None and held.serial is not None:
        hoppers.forget(tx, held.serial)
    tx.execute("UPDATE payouts SET serial = NULL WHERE id = ?", (payout_id,))


def overtaken(tx: Transaction, serial: int, lifetime: int) -> None:
    """Settle the payout held for a hopper from its lifetime count, before the hopper gets another order."""
    held, known = held_by(tx, serial), hoppers.known(tx, serial)
    if held is None:
        return
    value = held.coin_value_cents or 1
    passed = 0 if known is None else (lifetime - known) % LIFETIME_SPAN
    if known is None or passed > hoppers.MOST_STRAYS:
        cannot_settle(tx, held.id, recount=False)  # the comparison that follows reports the same difference
        return
    coins = min(passed, held.held_cents // value)
    if coins:
        hoppers.moved_on(tx, serial, coins)
        _book_coins(tx, held, coins * value, coins)
    counted(tx, held.id)


def in_doubt(tx: Transaction) -> None:
    """Leave every held payout to the technician, because the hoppers continued without these books."""
    tx.execute("UPDATE payouts SET serial = NULL WHERE item IS NOT NULL")


def take_left(tx: Transaction, item: int, cents: int) -> None:
    """Book the amount that a technician found to have left the hopper; the rest of open item `item` is the player's."""
    held = held_as(tx, item)
    value = held.coin_value_cents or cents or 1
    if cents % value:
        raise RefusedError(
            "Item {number} is about coins of {value_cents}, which never are {amount_cents}",
            number=item,
            value_cents=value,
            amount_cents=cents,
        )
    coins = cents // value
    if held.serial is not None:
        hoppers.moved_on(tx, held.serial, coins)  # a later counter difference becomes a separate open item
    if coins:
        _book_coins(tx, held, cents, coins)
    _give_back(tx, held.id)


def pay_by_hand(tx: Transaction, item: int) -> None:
    """Book the whole of open item `item` as paid by an attendant."""
    held = held_as(tx, item)
    cents = held.held_cents
    _settle(tx, held)
    meters = {"hand_pay": cents, "hand_pays": 1}
    tx.post(_WHEN_OTHERS_PLAY, credit=-cents, meters=meters, data={"item": item, "payout": held.id})
    tx.execute(
        "INSERT INTO payouts (kind, amount_cents, paid_cents, state, started_ms, ended_ms, follows)"
        " VALUES ('hand_pay', ?, ?, 'done', ?, ?, ?)",
        (cents, cents, tx.at_ms, tx.at_ms, held.id),
    )


def give_to_credit(tx: Transaction, item: int) -> None:
    """Put the whole of open item `item` back on the credit."""
    _settle(tx, held_as(tx, item))


def _book_coins(tx: Transaction, held: HeldPayout, cents: int, coins: int) -> None:
    _release(tx, held, cents)
    kind = "hopper_coin" if _turnover(tx) == held.turnover_cents else _WHEN_OTHERS_PLAY
    meters = {"hopper_out": cents, "hopper_coins": coins}
    tx.post(kind, credit=-cents, meters=meters, data={"payout": held.id, "coins": coins})
    tx.execute("UPDATE payouts SET paid_cents = paid_cents + ? WHERE id = ?", (cents, held.id))
    lower_item(tx, held.item, held.held_cents - cents)


def _give_back(tx: Transaction, payout_id: int) -> None:
    """Return the held amount to the credit, or open an item for it if another player may have come."""
    held = _pending(tx, "id = ?", payout_id)
    if held is None:
        return
    if not held.held_cents or _turnover(tx) == held.turnover_cents:
        _settle(tx, held)
        return
    item = add_item(tx, REST, held.held_cents, Event.PAYOUT_REST, rest_cents=held.held_cents)
    tx.execute("UPDATE payouts SET item = ?, serial = NULL WHERE id = ?", (item, held.id))


def _settle(tx: Transaction, held: HeldPayout) -> None:
    """Return the held amount to the credit and settle the payout."""
    if held.held_cents:
        _release(tx, held, held.held_cents)
    tx.execute("UPDATE payouts SET item = NULL WHERE id = ?", (held.id,))


def _release(tx: Transaction, held: HeldPayout, cents: int) -> None:
    tx.post(RELEASED, credit=cents, meters={RELEASED: cents}, data={"payout": held.id})
    tx.execute("UPDATE payouts SET held_cents = held_cents - ? WHERE id = ?", (cents, held.id))


def _turnover(tx: Transaction) -> int:
    """Return the sum of all stakes and all money in, which rises as soon as the machine is used."""
    marks = ", ".join("?" * len(_TURNOVER))
    sql = f"SELECT coalesce(sum(value), 0) FROM meters WHERE name IN ({marks})"  # noqa: S608 - question marks
    return int(tx.execute(sql, _TURNOVER).fetchone()[0])


def _pending(tx: Transaction, condition: str, value: int) -> HeldPayout | None:
    return next(iter(_all(tx, condition, value)), None)


def _all(tx: Transaction, condition: str, value: int) -> list[HeldPayout]:
    sql = f"SELECT {_COLUMNS} FROM payouts WHERE item IS NOT NULL AND {condition}"  # noqa: S608 - literals of this module
    return [HeldPayout(*row) for row in tx.execute(sql, (value,))]
