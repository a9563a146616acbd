"""What a recycler or SMART Hopper holds, and what of it has gone into the cash box: a collection expects that alone.

A note that a recycler's validator credits is posted as stored at once, and is no drop. What the next count of the store
shows not to have come into it lies in the cash box, and is drop from then on; so is what a move has taken out of it. A
rise that no credited note explains (a note of unknown fate, notes that a hand put in) is `surplus`: when it leaves for
the cash box it is no drop, since nobody was credited for it, and money that is found is found there first.
"""

import msgspec

from controller.journal import hoppers
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE
from controller.journal.open_items import add_item
from controller.journal.transaction import Transaction
from drivers.capabilities import StockCount
from drivers.cctalk.hopper_wire import LIFETIME_SPAN

STORED, UNSTORED, EMPTIED = "notes_stored", "notes_unstored", "hopper_emptied"
"""Meters of cents: notes passed to the store, of the store's into the cash box, and of a hopper's coins into it."""

METERS = (STORED, UNSTORED, EMPTIED)

_STORE = "payout_store"
_PASSED = f"{_STORE}.passed"


class Store(msgspec.Struct, frozen=True):
    """The newest count of one device: `pieces` of each value in cents, the `unit` it counts in, and a wanted move.

    `keep` is how many units the move leaves, None where nothing is to be moved; it has come to `moved_cents`. While it
    may be ordered and is not counted, `boxed_before` is what the device said of the operation before it, if anything.
    """

    serial: int
    unit: int
    recycles: bool
    pieces: dict[int, int] = {}
    surplus_cents: int = 0
    keep: int | None = None
    moved_cents: int = 0
    boxed_before: dict[int, int] | None = None

    @property
    def cents(self) -> int:
        """What it holds."""
        return self.cents_of(self.pieces)

    @staticmethod
    def cents_of(pieces: dict[int, int]) -> int:
        """Return what `pieces` are worth."""
        return sum(value * count for value, count in pieces.items())

    def odd_cents(self, pieces: dict[int, int]) -> int:
        """Return what of `pieces` is in coins or notes that are no multiple of the unit."""
        return sum(value * count for value, count in pieces.items() if value % self.unit)


def store_of(tx: Transaction) -> Store | None:
    """Return the store that was counted last, None where there is none."""
    text = DEVICE_STATE.get(tx, _STORE)
    return None if text is None else msgspec.json.decode(text, type=Store)


def passed_cents(tx: Transaction) -> int:
    """Return what of the credited notes has not been counted in the store, nor out of it, yet."""
    return int(DEVICE_STATE.get(tx, _PASSED) or 0)


def note_passed(tx: Transaction, cents: int) -> dict[str, int]:
    """Record that a credited note went to the store or past it; return the meters to post with its credit."""
    DEVICE_STATE.store(tx, _PASSED, str(passed_cents(tx) + cents))
    return {STORED: cents}


def found(tx: Transaction, cents: int) -> dict[str, int]:
    """Return the meters to post with money that was found: what of it lies in the store is no drop yet."""
    store = store_of(tx)
    if store is None or not store.surplus_cents:
        return {}
    there = min(store.surplus_cents, cents)
    _write(tx, msgspec.structs.replace(store, surplus_cents=store.surplus_cents - there))
    return {STORED: there}


def want(tx: Transaction, keep: int, who: str) -> None:
    """Record that all but `keep` units of the store are wanted in the cash box: made once, over any number of cuts.

    Raise `RefusedError` where that cannot be.
    """
    tx.refuse_in_play()
    store = store_of(tx)
    if store is None:
        raise RefusedError("What is stored has not been counted yet")
    if store.keep is not None:
        raise RefusedError("It is being moved already")
    if keep * store.unit >= store.cents:
        raise RefusedError("There is no more in it than that")
    _write(tx, msgspec.structs.replace(store, keep=keep, moved_cents=0))
    tx.event(Event.STORE_WANTED, place="hopper", keep_cents=keep * store.unit, held_cents=store.cents, who=who)


def moving(tx: Transaction, serial: int, boxed: dict[int, int]) -> None:
    """Record that the wanted move is about to be ordered, or with nothing in `boxed` that it has begun."""
    store = store_of(tx)
    if store is not None and store.serial == serial:
        _write(tx, msgspec.structs.replace(store, boxed_before=boxed))


def counted(tx: Transaction, count: StockCount, unit: int, *, recycles: bool, moved: bool = False) -> None:
    """Place the notes that were credited, and what a wanted move has taken out; keep the count.

    `moved`: what `count` says of the newest operation is of that move. Coins that came in meanwhile hide what it took
    from the levels, and not from that. Afterwards the lifetime count that `controller.journal.hoppers` has is one that
    no move contradicts.
    """
    store = _known(tx, count, unit, recycles=recycles)
    left = _left(tx, count) * unit
    risen = max(0, -left)
    surplus = store.surplus_cents
    if recycles:
        surplus += _place(tx, risen)
    sent = _sent(tx, store, count, left, moved=moved)
    if store.keep is not None and (left > 0 or sent or (store.boxed_before is not None and count.let_out)):
        seen = left - count.let_out * unit
        cents = max(0, seen, store.cents_of(sent) - store.odd_cents(sent))
        surplus = _boxed(tx, store, cents, surplus)
        hoppers.moved_on(tx, count.serial, min(cents, seen) // unit)
        store = msgspec.structs.replace(store, moved_cents=store.moved_cents + cents)
    store = msgspec.structs.replace(store, boxed_before=None)
    pieces = dict(sorted(count.pieces.items()))
    odd = max(store.odd_cents(store.pieces) - store.odd_cents(pieces), store.odd_cents(sent))
    if odd > 0:
        surplus = _boxed(tx, store, odd, surplus)
        moved_cents = store.moved_cents + odd if store.keep is not None else 0
        store = msgspec.structs.replace(store, moved_cents=moved_cents)
    _write(tx, msgspec.structs.replace(store, pieces=pieces, surplus_cents=min(surplus, store.cents_of(pieces))))


def move_ended(tx: Transaction, refusal: str) -> None:
    """Record that the wanted move is over, whole or as far as it came for the reason `refusal`."""
    store = store_of(tx)
    if store is None or store.keep is None:
        return
    _write(tx, msgspec.structs.replace(store, keep=None, moved_cents=0, boxed_before=None))
    moved, held = store.moved_cents, store.cents
    if refusal:
        tx.event(Event.STORE_NOT_MOVED, place="hopper", moved_cents=moved, held_cents=held, reason=refusal)
    else:
        tx.event(Event.STORE_MOVED, place="hopper", moved_cents=moved, held_cents=held)


def count_in(tx: Transaction, serial: int, unit: int) -> None:
    """Keep the store in another unit from now on: what it holds stays, and what a wanted move is to leave."""
    store = store_of(tx)
    if store is not None and store.serial == serial:
        keep = None if store.keep is None else store.keep * store.unit // unit
        _write(tx, msgspec.structs.replace(store, unit=unit, keep=keep))


def _sent(tx: Transaction, store: Store, count: StockCount, left: int, *, moved: bool) -> dict[int, int]:
    """Return the pieces that the ordered move has sent into the cash box, by its device; empty where it does not say.

    A device that says nothing, or the same as before the order, may have got none. Where its levels fell it has got it;
    where they rose, coins came in, and whether they hide what the move took is an open item.
    """
    if store.boxed_before is None:
        return {}
    boxed = count.boxed or {}
    if moved or (boxed and (boxed != store.boxed_before or left > 0)):
        return boxed
    if left < 0 and not store.recycles:
        add_item(tx, "hopper_recount", store.cents_of(boxed) or None, Event.MOVE_UNKNOWN, serial=count.serial)
    return {}


def announced(tx: Transaction, serial: int) -> None:
    """Forget what of an older dispense of `serial` fell into the cash box: a new one is announced."""
    DEVICE_STATE.remove(tx, _boxed_key(serial))


class _Boxed(msgspec.Struct, frozen=True, array_like=True):
    """What of the dispense announced at `lifetime` fell into the cash box: booked, and acknowledged of that."""

    lifetime: int
    booked: int = 0
    acknowledged: int = 0


def coins_boxed(tx: Transaction, serial: int, lifetime: int, coins: int, unit: int, *, recycles: bool) -> int:
    """Book that `coins` of the dispense announced at `lifetime` fell into the cash box since the acknowledgement.

    Return how many are booked of that dispense.
    """
    known = _boxed_of(tx, serial, lifetime)
    more = known.acknowledged + coins - known.booked
    if more <= 0:
        return known.booked
    store = _known(tx, StockCount(serial=serial, lifetime=lifetime, pieces={}), unit, recycles=recycles)
    surplus = _boxed(tx, store, more * unit, store.surplus_cents)
    _write(tx, msgspec.structs.replace(store, surplus_cents=surplus))
    hoppers.moved_on(tx, serial, more)
    _keep_boxed(tx, serial, msgspec.structs.replace(known, booked=known.booked + more))
    return known.booked + more


def boxes_acknowledged(tx: Transaction, serial: int, lifetime: int) -> None:
    """Record that the device will not report again what is booked of that dispense: what it reports next is more."""
    known = _boxed_of(tx, serial, lifetime)
    if known.acknowledged < known.booked:
        _keep_boxed(tx, serial, msgspec.structs.replace(known, acknowledged=known.booked))


def _boxed_of(tx: Transaction, serial: int, lifetime: int) -> _Boxed:
    kept = DEVICE_STATE.get(tx, _boxed_key(serial))
    known = _Boxed(lifetime) if kept is None else msgspec.json.decode(kept, type=_Boxed)
    return known if known.lifetime == lifetime else _Boxed(lifetime)


def _keep_boxed(tx: Transaction, serial: int, boxed: _Boxed) -> None:
    DEVICE_STATE.store(tx, _boxed_key(serial), msgspec.json.encode(boxed).decode())


def _known(tx: Transaction, count: StockCount, unit: int, *, recycles: bool) -> Store:
    store = store_of(tx)
    if store is None or (store.serial, store.unit, store.recycles) != (count.serial, unit, recycles):
        return Store(count.serial, unit, recycles)
    return store


def _left(tx: Transaction, count: StockCount) -> int:
    """Return how many units have left since the count before; below 0 for those that came in."""
    before = hoppers.known(tx, count.serial)
    left = 0 if before is None else (count.lifetime - before) % LIFETIME_SPAN
    return left if left <= LIFETIME_SPAN // 2 else left - LIFETIME_SPAN


def _place(tx: Transaction, risen_cents: int) -> int:
    """Book into the cash box what of the credited notes has not come into the store; return the rise beyond them."""
    passed = passed_cents(tx)
    if passed:
        DEVICE_STATE.remove(tx, _PASSED)
    past = passed - risen_cents
    if past > 0:
        tx.post("store_boxed", meters={UNSTORED: past})
    return max(0, -past)


def _boxed(tx: Transaction, store: Store, cents: int, surplus_cents: int) -> int:
    """Book that so much of what a device held fell into the cash box; return the surplus that is left in it."""
    nobodys = min(surplus_cents, cents) if store.recycles else 0
    if cents > nobodys:
        tx.post("store_boxed", meters={UNSTORED if store.recycles else EMPTIED: cents - nobodys})
    return surplus_cents - nobodys


def _write(tx: Transaction, store: Store) -> None:
    if store_of(tx) != store:
        DEVICE_STATE.store(tx, _STORE, msgspec.json.encode(store).decode())


def _boxed_key(serial: int) -> str:
    return f"hopper.{serial}.boxed"
