"""Coins that a service test had the hopper give: counted apart from payouts, and owed back to the hopper (T.10).

A test's dispense is announced with the hopper's counters as a payout's is, and each coin moves the lifetime count that
is kept of that hopper, so that coins nobody ordered still show. No meter and no credit moves. What the tests have taken
out of the hopper and what has not come back stays written until it has.
"""

import msgspec

from controller.journal import hoppers
from controller.journal.errors import RefusedError
from controller.journal.key_value import device_state, forget_device_state, keep_device_state
from controller.journal.transaction import InPlay, Transaction
from drivers.capabilities import CoinWay, PayoutOrder
from drivers.cctalk.hopper_wire import LIFETIME_SPAN

CODE = "T.10"
"""The test's place in the menu, and its name with the coin acceptor."""

EVENT = "hopper_test"
PLACE = "hopper"
_DISPENSE = "hopper.test"
_OUT = "hopper.test_coins"


class Dispense(msgspec.Struct, frozen=True, kw_only=True):
    """A test's dispense that has not ended; the fields are those of `drivers.capabilities.PayoutOrder`."""

    coins: int
    value_cents: int
    serial: int | None = None
    event_counter: int | None = None
    lifetime: int | None = None
    paid_before: int = 0
    paid: int = 0

    @property
    def order(self) -> PayoutOrder:
        """The dispense as its hopper needs to know it."""
        return PayoutOrder(
            coins=self.coins,
            serial=self.serial,
            event_counter=self.event_counter,
            lifetime=self.lifetime,
            paid_before=self.paid_before,
            paid=self.paid,
        )


class CoinsOut(msgspec.Struct, frozen=True, kw_only=True):
    """The coins of ended and open tests that are not back in the hopper: `missing` of `value_cents` each."""

    missing: int = 0
    value_cents: int = 0


def dispense(tx: Transaction) -> Dispense | None:
    """Return the test's dispense that has not ended, None for none."""
    kept = device_state(tx, _DISPENSE)
    return None if kept is None else msgspec.json.decode(kept, type=Dispense)


def coins_out(tx: Transaction) -> CoinsOut:
    """Return which coins have still to be put back."""
    kept = device_state(tx, _OUT)
    return CoinsOut() if kept is None else msgspec.json.decode(kept, type=CoinsOut)


def begin(tx: Transaction, coins: int, value_cents: int) -> Dispense:
    """Begin a dispense of `coins`; raise `RefusedError` while coins are missing, or a payout or another is open."""
    tx.refuse_in_play(InPlay.PAYOUT)
    if dispense(tx) is not None:
        raise RefusedError("The dispense before has not ended")
    if coins_out(tx).missing:
        raise RefusedError("Put the coins back first")
    begun = Dispense(coins=coins, value_cents=value_cents)
    _keep(tx, begun)
    tx.event(EVENT, f"{CODE}: {coins} coin(s) of {value_cents} cents ordered, no payout", place=PLACE)
    return begun


def announced(tx: Transaction, serial: int, event_counter: int, lifetime: int) -> None:
    """Keep the hopper and its counters before the dispense is sent."""
    held = _required(tx)
    _keep(
        tx,
        msgspec.structs.replace(
            held, serial=serial, event_counter=event_counter, lifetime=lifetime, paid_before=held.paid
        ),
    )


def coin_passed(tx: Transaction, paid: int) -> None:
    """Count the `paid`-th coin of the dispense as one that is out; repeats of the same figure change nothing."""
    held = _required(tx)
    if paid <= held.paid:
        return
    if paid != held.paid + 1 or held.serial is None:
        raise RefusedError("Coin {number} of the test cannot follow coin {before}", number=paid, before=held.paid)
    hoppers.moved_on(tx, held.serial, 1)
    _out(tx, held, 1)


def end(tx: Transaction, how: str, *, recount: bool = False) -> None:
    """End the dispense; with `recount` its hopper's next lifetime count is a new beginning."""
    held = _required(tx)
    if recount and held.serial is not None:
        hoppers.forget(tx, held.serial)
    forget_device_state(tx, _DISPENSE)
    words = f"{CODE}: {held.paid} of {held.coins} coin(s) came out: {how}"
    tx.event(EVENT, words, place=PLACE, data={"given": held.paid})


def holds(tx: Transaction, serial: int) -> bool:
    """Whether hopper `serial` has a test's dispense to finish: its coins are the test's."""
    held = dispense(tx)
    return held is not None and held.serial == serial


def overtaken(tx: Transaction, serial: int, lifetime: int) -> None:
    """End a dispense that was cut off, since its hopper is about to pay: what it has given since was the test's.

    `lifetime` is the hopper's count now. At most the coins that the test had ordered are its own.
    """
    held = dispense(tx)
    known = hoppers.known(tx, serial)
    if held is None or held.serial != serial or known is None:
        return
    coins = min((lifetime - known) % LIFETIME_SPAN, held.coins - held.paid)
    if coins > 0:
        hoppers.moved_on(tx, serial, coins)
        _out(tx, held, coins)
    end(tx, "cut off")


def coins_came(tx: Transaction, values_cents: tuple[int, ...], ways: tuple[CoinWay, ...]) -> None:
    """Count the hopper's coins that fell back into it through the coin acceptor.

    Those that fell into the cash box, or nobody knows where, are not back: a hand must take them there.
    """
    out = coins_out(tx)
    fell = sum(
        value == out.value_cents and way is CoinWay.HOPPER for value, way in zip(values_cents, ways, strict=True)
    )
    back = min(out.missing, fell)
    if back:
        _came_back(tx, out, back, "came back through the coin acceptor")


def put_back(tx: Transaction, coins: int, who: str) -> None:
    """Take the word of `who` that so many coins are in the hopper again; raise `RefusedError` where fewer are out."""
    out = coins_out(tx)
    if not 0 < coins <= out.missing:
        raise RefusedError("So many coins are not missing")
    _came_back(tx, out, coins, f"were put back by hand, says the {who}")


def _came_back(tx: Transaction, out: CoinsOut, coins: int, how: str) -> None:
    left = msgspec.structs.replace(out, missing=out.missing - coins)
    if left.missing:
        keep_device_state(tx, _OUT, msgspec.json.encode(left).decode())
    else:
        forget_device_state(tx, _OUT)
    tx.event(EVENT, f"{CODE}: {coins} coin(s) {how}; {left.missing} missing", place=PLACE, data={"back": coins})


def _out(tx: Transaction, held: Dispense, coins: int) -> None:
    _keep(tx, msgspec.structs.replace(held, paid=held.paid + coins))
    out = CoinsOut(missing=coins_out(tx).missing + coins, value_cents=held.value_cents)
    keep_device_state(tx, _OUT, msgspec.json.encode(out).decode())


def _keep(tx: Transaction, held: Dispense) -> None:
    keep_device_state(tx, _DISPENSE, msgspec.json.encode(held).decode())


def _required(tx: Transaction) -> Dispense:
    held = dispense(tx)
    if held is None:
        raise RefusedError("No dispense of a test is in progress")
    return held
