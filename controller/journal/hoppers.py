"""The last lifetime count of each hopper, used to detect coins that left without an order."""

from typing import NamedTuple

from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE
from controller.journal.open_items import add_item
from controller.journal.transaction import Transaction
from drivers.cctalk.hopper_wire import LIFETIME_SPAN

MOST_STRAYS = 10_000
"""No hopper holds more coins than this; a larger step of a counter is not a count of coins."""


class Finding(NamedTuple):
    """A fault's code and the detail of what was found."""

    code: str
    detail: str


def moved_on(tx: Transaction, serial: int, coins: int) -> None:
    """Add booked coins to the lifetime count of hopper `serial`."""
    before = known(tx, serial)
    if before is not None:
        DEVICE_STATE.store(tx, _key(serial), str((before + coins) % LIFETIME_SPAN))


def forget(tx: Transaction, serial: int) -> None:
    """Accept the next lifetime count of hopper `serial` as it is."""
    DEVICE_STATE.remove(tx, _key(serial))
    DEVICE_STATE.remove(tx, _step_key(serial))


def step_of(tx: Transaction, serial: int) -> int | None:
    """Return the step in cents of the stored level-based count of hopper `serial`, or None if there is none."""
    step = DEVICE_STATE.get(tx, _step_key(serial))
    return None if step is None else int(step)


def count_in(tx: Transaction, serial: int, lifetime: int, step_cents: int) -> None:
    """Store a level-based count and its step, so that the next count is compared in the same step."""
    DEVICE_STATE.store(tx, _key(serial), str(lifetime))
    DEVICE_STATE.store(tx, _step_key(serial), str(step_cents))


def counted(tx: Transaction, serial: int, lifetime: int, value_cents: int, *, by_level: bool = False) -> Finding | None:
    """Store a hopper's lifetime count; a difference from the stored count becomes an open item and is returned.

    A count `by_level` is computed from the hopper's content, in steps of `value_cents`: it falls when coins are put in,
    which is not a discrepancy. If it rises, coins may have left, or a hand has taken them or set the count: the item is
    worth 0 or more. A count with a different step starts a new comparison.
    """
    before = known(tx, serial)
    if by_level:
        if step_of(tx, serial) not in (None, value_cents):
            before = None
        count_in(tx, serial, lifetime, value_cents)
    if before == lifetime:
        return None
    DEVICE_STATE.store(tx, _key(serial), str(lifetime))
    if before is None:
        return None
    coins = (lifetime - before) % LIFETIME_SPAN
    if by_level and LIFETIME_SPAN - coins <= MOST_STRAYS:
        return None
    if coins > MOST_STRAYS:
        add_item(tx, "hopper_recount", None, Event.HOPPER_RECOUNTED, serial=serial, before=before, after=lifetime)
        return Finding("hopper_memory", f"its lifetime counter went from {before} to {lifetime}")
    add_item(
        tx,
        "hopper_overpaid",
        coins * value_cents,
        Event.COINS_UNORDERED,
        least_cents=0 if by_level else None,
        coins=coins,
        serial=serial,
        before=before,
        after=lifetime,
    )
    return Finding("hopper_runaway", f"{coins} coins left while none was ordered")


def _key(serial: int) -> str:
    return f"hopper.{serial}"


def _step_key(serial: int) -> str:
    return f"hopper.{serial}.step"


def known(tx: Transaction, serial: int) -> int | None:
    """Return the stored lifetime count of hopper `serial`, or None."""
    lifetime = DEVICE_STATE.get(tx, _key(serial))
    return None if lifetime is None else int(lifetime)
