"""Money in: coins with their acceptor's event counter, and notes from escrow to credit, each booked exactly once."""

import re

import msgspec

from controller.journal import demo_mode, stored_money, tickets
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.key_value import DEVICE_STATE, Stored
from controller.journal.number_seal import StoredNumber, masked
from controller.journal.open_items import COINS_FORGOTTEN, TICKET, Resolution, add_item, add_to_item, resolution_of
from controller.journal.transaction import Transaction
from drivers import event_buffer
from drivers.capabilities import CoinMemory, CoinReport, CoinWay
from drivers.event_buffer import Events


class CoinCounter(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored state of one coin acceptor: its event counter, and the events in its buffer at that time (hex).

    `boot` names the computer's start in which this was stored. With `rest` the acceptor has been inhibited since it was
    last read.
    """

    counter: int
    events: str = ""
    boot: str = ""
    rest: bool = False


class NoteInHand(msgspec.Struct, frozen=True):
    """The note in hand, from escrow until its device has reported its end; `ticket` is the number of a ticket."""

    id: int
    value_cents: int
    state: str
    ticket: StoredNumber | None = None


class _Awaited(msgspec.Struct, frozen=True):
    """The open item of a note or ticket that a driver gave up, and whose end its device may still report.

    With `given_back`, a note was returned since then: this one or another.
    """

    value_cents: int
    item: int
    given_back: bool = False


_UNEXPECTED = "bill_validator.unexpected"
_DIALOGUE = "bill_validator.dialogue"
_TICKET = "#"
"""The placeholder for the ticket's number in the stored state of a dialogue."""
_HEARD = "bill_validator.heard"
_AWAITED = Stored(DEVICE_STATE, "bill_validator.awaited", _Awaited)


_COIN_COUNTER = re.compile(r"coin_acceptor\.\d+")
_IN_DOUBT = ".in_doubt"
_BOOT = 8

_WAY = "coin_diverter"
_METER_OF_WAY = {CoinWay.HOPPER: "coins_to_hopper", CoinWay.UNKNOWN: "coins_way_unknown"}


def coin_way(tx: Transaction) -> CoinWay:
    """Return the way that coins fall: the last recorded one, or into the cash box by default."""
    way = DEVICE_STATE.get(tx, _WAY)
    return CoinWay.CASH_BOX if way is None else CoinWay(way)


def coins_fall(tx: Transaction, way: CoinWay) -> None:
    """Record the way that coins fall from now on."""
    DEVICE_STATE.store(tx, _WAY, way.value)
    tx.event(Event.COINS_DIVERTED, place="coin diverter", way=way.value)


def coin_counter(tx: Transaction, serial: int) -> int | None:
    """Return the stored event counter of the coin acceptor with this serial number."""
    stored = _stored_counter(tx, serial)
    return None if stored is None else stored.counter


def coin_memory(tx: Transaction, serial: int, boot: str) -> CoinMemory | None:
    """Return the stored state of a coin acceptor for the computer's start `boot`, or None if there is none."""
    stored = _stored_counter(tx, serial)
    if stored is None:
        return None
    events = event_buffer.pairs(bytes.fromhex(stored.events)) if stored.events else None
    return CoinMemory(
        counter=stored.counter, events=events, power_lost=stored.boot != _short(boot), at_rest=stored.rest
    )


def coins_rest(tx: Transaction, serial: int, *, rest: bool) -> None:
    """Record whether the acceptor has been and remains inhibited since it was last read."""
    stored = _stored_counter(tx, serial)
    if stored is not None and stored.rest != rest:
        _store_counter(tx, serial, msgspec.structs.replace(stored, rest=rest))


def book_coins(tx: Transaction, report: CoinReport, boot: str) -> None:
    """Credit the coins of `report` with its event counter, and open items for coins that may be missing.

    `boot` names this start of the computer.
    """
    if report.forgot:
        coins_forgotten(
            tx,
            report.serial,
            report.counter,
            report.forgot_cents,
            holds=report.events_words,
            held=report.previous_events_words,
        )
    coins_taken(
        tx,
        report.serial,
        report.counter,
        report.values_cents,
        report.lost,
        ways=report.ways,
        lost_cents=report.lost_cents,
        holds=report.events_words,
        held=report.previous_events_words,
        events=report.events,
        boot=boot,
    )


def coins_taken(
    tx: Transaction,
    serial: int,
    counter: int,
    values_cents: tuple[int, ...],
    lost: int = 0,
    *,
    ways: tuple[CoinWay, ...] = (),
    lost_cents: int | None = None,
    holds: str = "-",
    held: str = "-",
    events: Events = (),
    boot: str = "",
) -> None:
    """Credit coins and store their event counter; `lost` events become an open item.

    The lost events are worth at most `lost_cents`, or an unknown amount if that is None. `holds` describes the
    acceptor's buffer, `held` the previously stored one; `events` are in the buffer, and `boot` names this start of the
    computer.

    `ways` lists the way of each coin; if it is empty, all fell into the cash box. A coin that fell an unknown way
    counts as drop, as without a diverter, and on a meter of its own. In demo mode coins become an open item and no
    credit.
    """
    if values_cents and demo_mode.is_on(tx):
        add_item(tx, "demo_coins", sum(values_cents), Event.DEMO_COINS, coins=len(values_cents))
        values_cents, ways = (), ()
    for value, way in zip(values_cents, ways or (CoinWay.CASH_BOX,) * len(values_cents), strict=True):
        meters, data = {"coins_in": value, f"coin_{value}": 1}, {"serial": serial, "counter": counter}
        if way in _METER_OF_WAY:
            meters[_METER_OF_WAY[way]] = value
        tx.post("coin", credit=value, meters=meters, data={**data, "way": way.value})
    if lost:
        add_item(
            tx,
            "coins_lost",
            lost_cents,
            Event.COINS_LOST_UNBOUNDED if lost_cents is None else Event.COINS_LOST,
            least_cents=0,
            lost=lost,
            most_cents=lost_cents or 0,
            serial=serial,
            before=_before(tx, serial),
            now=counter,
            holds=holds,
            held=held,
        )
    _recounted(tx, serial, counter)
    set_coin_counter(tx, serial, counter, events, boot)


def doubt_others(tx: Transaction, serial: int | None) -> None:
    """Open an item for unread coins of acceptors that are gone, which are all except `serial`."""
    for device, state in DEVICE_STATE.under(tx).items():
        if not _COIN_COUNTER.fullmatch(device):
            continue
        other, stored = int(device.rpartition(".")[2]), msgspec.json.decode(state, type=CoinCounter)
        if other != serial and not stored.rest:
            coins_forgotten(tx, other, stored.counter, None)
            coins_rest(tx, other, rest=True)


def coins_forgotten(
    tx: Transaction, serial: int, counter: int, most_cents: int | None, *, holds: str = "-", held: str = "-"
) -> None:
    """Open an item for coins that an acceptor may have taken and forgotten in a reset, before they were read.

    They are worth at most `most_cents`, or an unknown amount if that is None. Call this before the new counter is
    stored. There is one such item: each further reset replaces it by one with the bounds of both.
    """
    add_to_item(
        tx,
        COINS_FORGOTTEN,
        most_cents,
        bounded=Event.COINS_FORGOTTEN,
        unbounded=Event.COINS_FORGOTTEN_UNBOUNDED,
        serial=serial,
        before=_before(tx, serial),
        now=counter,
        holds=holds,
        held=held,
    )


def _before(tx: Transaction, serial: int) -> str:
    """Return the stored counter of an acceptor, or `unknown`."""
    stored = coin_counter(tx, serial)
    return "unknown" if stored is None else str(stored)


def doubt_coin_counters(tx: Transaction) -> None:
    """Accept the next counter of every acceptor, with an open item if it differs from the stored one.

    This is for restored books that lack the newest ones: coins counted since the backup may have been credited.
    """
    for device, state in DEVICE_STATE.under(tx).items():
        if _COIN_COUNTER.fullmatch(device):
            DEVICE_STATE.store(tx, f"{device}{_IN_DOUBT}", state)
            DEVICE_STATE.remove(tx, device)


def _recounted(tx: Transaction, serial: int, counter: int) -> None:
    """Open an item if the first counter after a restore differs from the backup's, or the backup stores no events."""
    doubtful = DEVICE_STATE.get(tx, f"{coin_acceptor(serial)}{_IN_DOUBT}")
    if doubtful is None:
        return
    before = msgspec.json.decode(doubtful, type=CoinCounter)
    if before.counter != counter or not before.events:
        add_item(tx, "coins_recount", None, Event.COINS_RECOUNTED, before=before.counter, now=counter)
    DEVICE_STATE.remove(tx, f"{coin_acceptor(serial)}{_IN_DOUBT}")


def set_coin_counter(tx: Transaction, serial: int, counter: int, events: Events = (), boot: str = "") -> None:
    """Store the event counter of the coin acceptor with this serial number, and its buffered `events`.

    `boot` names this start of the computer. If the acceptor replaces an enabled one, an item is opened for unread coins
    of that one.
    """
    stored = _stored_counter(tx, serial)
    if stored is None:
        doubt_others(tx, serial)
    rest = stored is not None and stored.rest
    _store_counter(tx, serial, CoinCounter(counter, event_buffer.flat(events).hex(), _short(boot), rest))


def _store_counter(tx: Transaction, serial: int, state: CoinCounter) -> None:
    DEVICE_STATE.store(tx, coin_acceptor(serial), msgspec.json.encode(state).decode())


def _stored_counter(tx: Transaction, serial: int) -> CoinCounter | None:
    stored = DEVICE_STATE.get(tx, coin_acceptor(serial))
    return None if stored is None else msgspec.json.decode(stored, type=CoinCounter)


def _short(boot: str) -> str:
    """Return a short unique part of a boot id; it is written with every coin."""
    return boot[:_BOOT]


def coin_acceptor(serial: int) -> str:
    """Return the name of the coin acceptor with this serial number in the books."""
    return f"coin_acceptor.{serial}"


def note_in_hand(tx: Transaction) -> NoteInHand | None:
    """Return the note in hand, which is ordered to be stacked or credited and not yet acknowledged, or None."""
    row = tx.execute(
        "SELECT id, value_cents, state, ticket FROM notes WHERE state IN ('stacking', 'credited')"
    ).fetchone()
    return None if row is None else NoteInHand(*row)


def coming_cents(tx: Transaction) -> int:
    """Return the value of the note or ticket that is being stacked and not credited yet, 0 if there is none."""
    note = note_in_hand(tx)
    return note.value_cents if note is not None and note.state == "stacking" else 0


def newest_note(tx: Transaction) -> tuple[int, str] | None:
    """Return the value in cents and the state of the newest note, or None if there never was one."""
    row = tx.execute("SELECT value_cents, state FROM notes ORDER BY id DESC LIMIT 1").fetchone()
    return None if row is None else (int(row[0]), str(row[1]))


def dialogue(tx: Transaction) -> str | None:
    """Return the stored state of the validator's dialogue about the note in hand."""
    words = DEVICE_STATE.get(tx, _DIALOGUE)
    return None if words is None else words.replace(_TICKET, _number(tx, note_in_hand(tx)))


def dialogue_at(tx: Transaction, state: str) -> None:
    """Store the state of the driver's dialogue while a note is in hand, without the number of a ticket."""
    note = note_in_hand(tx)
    if note is not None:
        number = _number(tx, note)
        DEVICE_STATE.store(tx, _DIALOGUE, state.replace(number, _TICKET) if number else state)


def bills_heard(tx: Transaction) -> str | None:
    """Return the driver's stored text about the last reports of the validator that it has handled, or None."""
    return DEVICE_STATE.get(tx, _HEARD)


def bills_heard_at(tx: Transaction, words: str) -> None:
    """Store the driver's text about the last reports of the validator that it has handled."""
    DEVICE_STATE.store(tx, _HEARD, words)


def _number(tx: Transaction, note: NoteInHand | None) -> str:
    """Return the whole number of the ticket in hand, or an empty string for a note or an unreadable number."""
    return "" if note is None or note.ticket is None else tx.numbers.opened(note.ticket)


def note_stacking(tx: Transaction, value_cents: int, ticket: StoredNumber | None = None) -> None:
    """Record a note or ticket in escrow before the device is ordered to stack it.

    A ticket of this cabinet is held until its end is reported.
    """
    if note := note_in_hand(tx):
        if note.state == "credited":
            _close(tx, note, "acknowledged")
        else:
            note_unknown(tx, "another note came into escrow before its end was reported")
    _AWAITED.remove(tx)
    if ticket is not None:
        tickets.hold(tx, ticket)
    tx.execute(
        "INSERT INTO notes (value_cents, state, at_ms, ticket) VALUES (?, 'stacking', ?, ?)",
        (value_cents, tx.at_ms, ticket),
    )


def note_stacked(tx: Transaction, value_cents: int | None, *, recycles: bool = False) -> None:
    """Credit the note in hand once, however often the device repeats its message.

    If its device `recycles`, the note counts as stored until the store is counted.

    A note that was stacked without an order (B2) or whose value differs from that in escrow becomes an open item. So
    does a ticket in hand, because a note was stacked instead.
    """
    note = note_in_hand(tx)
    if note is None:
        _unexpected(tx, value_cents)
    elif note.state == "credited":
        return
    elif note.ticket is not None:
        note_unknown(tx, "note_for_ticket")
        DEVICE_STATE.store(tx, _UNEXPECTED, "1")
    elif value_cents is not None and value_cents != note.value_cents:
        _lose(tx, note, Event.NOTE_OF_OTHER_VALUE, before_cents=note.value_cents, after_cents=value_cents)
        DEVICE_STATE.store(tx, _UNEXPECTED, "1")
    else:
        tx.post(
            "note",
            credit=note.value_cents,
            meters={
                "notes_in": note.value_cents,
                f"note_{note.value_cents}": 1,
                **(stored_money.note_passed(tx, note.value_cents) if recycles else {}),
            },
            data={"note": note.id},
        )
        _close(tx, note, "credited")


def ticket_stacked(tx: Transaction) -> None:
    """Redeem and credit the ticket in hand once, however often the device repeats its message.

    A ticket that was stacked without an order, or instead of a note, becomes an open item.
    """
    note = note_in_hand(tx)
    if note is None:
        _unexpected(tx, None)
    elif note.state == "credited":
        return
    elif note.ticket is None:
        note_unknown(tx, "ticket_for_note")
        DEVICE_STATE.store(tx, _UNEXPECTED, "1")
    else:
        number, cents = tx.numbers.opened(note.ticket), note.value_cents
        meters = {tickets.IN: cents, tickets.INS: 1, **tickets.of_own(number, tickets.OWN_IN, cents)}
        tx.post("ticket_in", credit=cents, meters=meters, data={"note": note.id, "ticket": number})
        tickets.redeem(tx, note.ticket)
        _close(tx, note, "credited")


def _unexpected(tx: Transaction, value_cents: int | None) -> None:
    if DEVICE_STATE.get(tx, _UNEXPECTED) is not None:
        return
    DEVICE_STATE.store(tx, _UNEXPECTED, "1")
    awaited = _AWAITED.read(tx)
    _AWAITED.remove(tx)
    if awaited is not None and value_cents in (None, awaited.value_cents):
        value_cents, way = awaited.value_cents, resolution_of(tx, awaited.item)
        if way is None or way == Resolution.PAID:
            tx.event(Event.NOTE_LATE_STACKED, place="bill validator")
            return
    # perhaps it was credited before, or its item was closed without a payment
    add_item(tx, "note_unexpected", value_cents, Event.NOTE_UNEXPECTED, least_cents=0)


def note_acknowledged(tx: Transaction) -> None:
    """Record that the device has received the ACK: the next credit message belongs to another note."""
    DEVICE_STATE.remove(tx, _UNEXPECTED)
    note = note_in_hand(tx)
    if note is not None and note.state == "credited":
        _close(tx, note, "acknowledged")


def note_never_ordered(tx: Transaction) -> None:
    """Close the note in hand whose driver proves that it was never ordered to be stacked: the player has it."""
    if note_in_hand(tx) is not None:
        note_returned(tx, "it was never ordered to be stacked")


def note_returned(tx: Transaction, reason: str) -> None:
    """Record that the device returned the note; one that was credited or paid by hand becomes an open item."""
    note = note_in_hand(tx)
    if note is None:
        _returned_late(tx, reason)
    elif note.state == "credited":
        _returned_twice(tx, note.value_cents, reason, least_cents=note.value_cents)
        _close(tx, note, "acknowledged")
    else:
        if note.ticket is None:
            tx.event(Event.NOTE_RETURNED, place="bill validator", reason=reason, note=note.id)
        else:
            tickets.release(tx, note.ticket)
            tx.event(Event.TICKET_RETURNED, place="bill validator", reason=reason, ticket=masked(note.ticket))
        _close(tx, note, "returned")


def _returned_late(tx: Transaction, reason: str) -> None:
    """Record that a note was returned after one was given up; it may be a different note."""
    awaited = _AWAITED.read(tx)
    if awaited is None or awaited.given_back:
        return
    _AWAITED.write(tx, msgspec.structs.replace(awaited, given_back=True))
    if resolution_of(tx, awaited.item) == Resolution.PAID:
        _returned_twice(tx, awaited.value_cents, reason, least_cents=0)
    else:
        tx.event(Event.NOTE_LATE_RETURNED, place="bill validator", reason=reason)


def _returned_twice(tx: Transaction, cents: int, reason: str, *, least_cents: int) -> None:
    """Open an item for a note that was both paid for and returned to the player."""
    add_item(
        tx,
        "note_returned_after_credit",
        cents,
        Event.CREDITED_NOTE_RETURNED,
        least_cents=least_cents,
        value_cents=cents,
        reason=reason,
    )


def note_given_up(tx: Transaction, reason: str) -> None:
    """Open an item for the note in hand, whose end its device has not reported and may still report."""
    note = note_in_hand(tx)
    item = note_unknown(tx, reason)
    if note is not None and item is not None:
        _AWAITED.write(tx, _Awaited(note.value_cents, item))


def note_unknown(tx: Transaction, reason: str) -> int | None:
    """Open an item for the note in hand whose end no device reports: it is owed in full or not at all.

    Return the item's number, or None if no uncredited note is in hand.
    """
    note = note_in_hand(tx)
    if note is None or note.state == "credited":
        return None
    event = Event.NOTE_UNKNOWN if note.ticket is None else Event.TICKET_UNKNOWN
    return _lose(tx, note, event, value_cents=note.value_cents, reason=reason)


def _lose(tx: Transaction, note: NoteInHand, event: EventKind, **figures: str | int) -> int:
    kind = "note_unknown" if note.ticket is None else TICKET
    item = add_item(tx, kind, note.value_cents, event, least_cents=0, **figures)
    if note.ticket is not None:
        tickets.in_doubt(tx, note.ticket, item)
    _close(tx, note, "unknown")
    return item


def doubt_note(tx: Transaction, reason: str) -> None:
    """End the note in hand: later reports of a validator are about another note."""
    note_unknown(tx, reason)
    note_acknowledged(tx)
    _AWAITED.remove(tx)
    DEVICE_STATE.remove(tx, _HEARD)


def _close(tx: Transaction, note: NoteInHand, state: str) -> None:
    tx.execute("UPDATE notes SET state = ? WHERE id = ?", (state, note.id))
    if state != "credited":
        DEVICE_STATE.remove(tx, _DIALOGUE)
