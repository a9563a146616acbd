"""Refills of the hopper, counted on their own meters (U.2)."""

from controller.journal import faults
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE
from controller.journal.periods import lifetime
from controller.journal.stored_money import EMPTIED
from controller.journal.transaction import Transaction

MOST_COINS = 10_000
"""No hopper holds more coins than this."""

FILLED, EMPTY = "hopper_refill", "hopper_empty"
_IN = (FILLED, "coins_to_hopper")
_OUT = ("hopper_out", EMPTIED)


def refill_hopper(tx: Transaction, coins: int, value_cents: int, who: str) -> int:
    """Record coins put into the hopper and clear its `empty` fault; return their value in cents.

    Raise `RefusedError` for an impossible number of coins, and during a round or payout.
    """
    tx.refuse_in_play()
    if not 0 < coins <= MOST_COINS:
        raise RefusedError("From 1 to {most} coins can be put in, not {coins}", most=MOST_COINS, coins=coins)
    cents = coins * value_cents
    meters = {FILLED: cents, "hopper_refill_coins": coins}
    tx.event(Event.HOPPER_REFILL, place="hopper", meters=meters, coins=coins, value_cents=value_cents, who=who)
    if any((fault.code, fault.present) == (EMPTY, False) for fault in faults.active_faults(tx)):
        faults.clear_fault(tx, EMPTY, "hopper", who)
    return cents


def put_in_since(tx: Transaction, serial: int, value_cents: int) -> int:
    """Return the coins put into hopper `serial` since the last call, and store that they were returned.

    The first call for a hopper returns 0. The stored value is an amount, because the value of a coin may change between
    calls.
    """
    key = f"hopper.{serial}.put_in_cents"
    figures = lifetime(tx)
    cents = sum(figures.get(name, 0) for name in _IN)
    before = int(DEVICE_STATE.get(tx, key) or cents)
    coins = max(0, cents - before) // value_cents
    DEVICE_STATE.store(tx, key, str(before + coins * value_cents))
    return coins


def in_hopper_cents(tx: Transaction) -> int | None:
    """Return the cents in the hopper by the books, or None if more came out than was ever put in.

    Coins that a test took out and that are not back are not included.
    """
    figures = lifetime(tx)
    out = hopper_diagnostic.coins_out(tx)
    gone = sum(figures.get(name, 0) for name in _OUT) + out.missing * out.value_cents
    cents = sum(figures.get(name, 0) for name in _IN) - gone
    return cents if figures.get(FILLED) and cents >= 0 else None
