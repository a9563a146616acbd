"""The content of a recycler or SMART Hopper, and the part of it that went into the cash box and counts as drop.

A note that a recycler's validator credits is posted as stored at once and is no drop. If the next count of the store
shows that a note did not arrive there, it is in the cash box and counts as drop; so does money that a move takes out of
the store. A rise that no credited note explains (a note of unknown fate, notes inserted by hand) is `surplus`. When
surplus moves to the cash box it is no drop, because nobody was credited for it. Money that is found is taken from the
surplus first.
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
"""Meters in cents: notes passed to the store, stored notes moved into the cash box, and hopper coins moved into it."""

METERS = (STORED, UNSTORED, EMPTIED)

_STORE = "payout_store"
_PASSED = f"{_STORE}.passed"


class Store(msgspec.Struct, frozen=True):
    """The newest count of one device: `pieces` by value in cents, the `unit` of its count, and a requested move.

    `keep` is the number of units that the move leaves, or None if no move is requested; `moved_cents` is its progress.
    While the move may be ordered and is not counted, `boxed_before` is what the device reported of the previous
    operation, if anything.
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
        """The value of its content."""
        return self.cents_of(self.pieces)

    @staticmethod
    def cents_of(pieces: dict[int, int]) -> int:
        """Return the value of `pieces`."""
        return sum(value * count for value, count in pieces.items())

    def odd_cents(self, pieces: dict[int, int]) -> int:
        """Return the value of those `pieces` that are not multiples of the unit."""
        return sum(value * count for value, count in pieces.items() if value % self.unit)


def store_of(tx: Transaction) -> Store | None:
    """Return the store that was counted last, or None."""
    text = DEVICE_STATE.get(tx, _STORE)
    return None if text is None else msgspec.json.decode(text, type=Store)


def passed_cents(tx: Transaction) -> int:
    """Return the value of credited notes that are not counted yet, in the store or in the cash box."""
    return int(DEVICE_STATE.get(tx, _PASSED) or 0)


def note_passed(tx: Transaction, cents: int) -> dict[str, int]:
    """Record that a credited note went to the store or past it; return the meters to post with its credit."""
    DEVICE_STATE.store(tx, _PASSED, str(passed_cents(tx) + cents))
    return {STORED: cents}


def found(tx: Transaction, cents: int) -> dict[str, int]:
    """Return the meters to post with money that was found; the part that is in the store is no drop yet."""
    store = store_of(tx)
    if store is None or not store.surplus_cents:
        return {}
    there = min(store.surplus_cents, cents)
    _write(tx, msgspec.structs.replace(store, surplus_cents=store.surplus_cents - there))
    return {STORED: there}


def want(tx: Transaction, keep: int, who: str) -> None:
    """Record a request to move all but `keep` units of the store into the cash box, once, across power cuts.

    Raise `RefusedError` if that is impossible.
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
    """Record that the requested move is about to be ordered, or with an empty `boxed` that it has begun."""
    store = store_of(tx)
    if store is not None and store.serial == serial:
        _write(tx, msgspec.structs.replace(store, boxed_before=boxed))


def counted(tx: Transaction, count: StockCount, unit: int, *, recycles: bool, moved: bool = False) -> None:
    """Attribute the credited notes and the money taken out by a requested move; store the count.

    With `moved`, the newest operation in `count` is that move. Coins that come in meanwhile hide the moved amount in
    the levels, but not in that operation. Afterwards the lifetime count in `controller.journal.hoppers` agrees with the
    move.
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
    """Record that the requested move is over, complete or incomplete for the reason `refusal`."""
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
    """Change the unit of the store's count; its content, and the amount that a requested move leaves, stay the same."""
    store = store_of(tx)
    if store is not None and store.serial == serial:
        keep = None if store.keep is None else store.keep * store.unit // unit
        _write(tx, msgspec.structs.replace(store, unit=unit, keep=keep))


def _sent(tx: Transaction, store: Store, count: StockCount, left: int, *, moved: bool) -> dict[int, int]:
    """Return the pieces that the device reports as moved into the cash box, or nothing if it does not report them.

    A device that reports nothing, or the same as before the order, may not have received the order. If its levels fell,
    it did. If they rose, coins came in that may hide the move: that becomes an open item.
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
    """Discard the cash-box count of an older dispense of `serial`, because a new one is announced."""
    DEVICE_STATE.remove(tx, _boxed_key(serial))


class _Boxed(msgspec.Struct, frozen=True, array_like=True):
    """The coins of the dispense announced at `lifetime` that fell into the cash box: booked, and acknowledged."""

    lifetime: int
    booked: int = 0
    acknowledged: int = 0


def coins_boxed(tx: Transaction, serial: int, lifetime: int, coins: int, unit: int, *, recycles: bool) -> int:
    """Book that `coins` of the dispense announced at `lifetime` fell into the cash box since the acknowledgement.

    Return the total booked for that dispense.
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
    """Record that the device was acknowledged: it reports only further coins of that dispense from now on."""
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
    """Return how many units have left since the previous count; a negative number means that units came in."""
    before = hoppers.known(tx, count.serial)
    left = 0 if before is None else (count.lifetime - before) % LIFETIME_SPAN
    return left if left <= LIFETIME_SPAN // 2 else left - LIFETIME_SPAN


def _place(tx: Transaction, risen_cents: int) -> int:
    """Book credited notes that did not arrive in the store as cash-box notes; return the unexplained rise."""
    passed = passed_cents(tx)
    if passed:
        DEVICE_STATE.remove(tx, _PASSED)
    past = passed - risen_cents
    if past > 0:
        tx.post("store_boxed", meters={UNSTORED: past})
    return max(0, -past)


def _boxed(tx: Transaction, store: Store, cents: int, surplus_cents: int) -> int:
    """Book that an amount of a device's content fell into the cash box; return the remaining surplus."""
    nobodys = min(surplus_cents, cents) if store.recycles else 0
    if cents > nobodys:
        tx.post("store_boxed", meters={UNSTORED if store.recycles else EMPTIED: cents - nobodys})
    return surplus_cents - nobodys


def _write(tx: Transaction, store: Store) -> None:
    if store_of(tx) != store:
        DEVICE_STATE.store(tx, _STORE, msgspec.json.encode(store).decode())


def _boxed_key(serial: int) -> str:
    return f"hopper.{serial}.boxed"
