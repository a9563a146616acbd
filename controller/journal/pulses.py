"""Money in by pulses: each burst is booked once, and an interrupted or inconclusive one becomes an open item."""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from controller.journal import demo_mode
from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE
from controller.journal.open_items import PULSES, PULSES_MISSED, add_item, add_to_item
from controller.journal.transaction import Transaction
from drivers.capabilities import CoinMemory, PulseReport
from drivers.wiring import PULSE_ACCEPTORS

_DEVICES: Final = tuple(f"pulse_{kind}" for kind in PULSE_ACCEPTORS)


class _Acceptor(msgspec.Struct, frozen=True):
    """The stored state of a pulse acceptor: whether it rests, and the computer's start in which that was recorded.

    `dearest_cents` is the highest value of a coin or note of this acceptor at that time.
    """

    boot: str
    rest: bool
    dearest_cents: int


class _Burst(msgspec.Struct, frozen=True):
    """A burst that has begun, worth at most `most_cents` by the values configured at its start."""

    most_cents: int


def memory(tx: Transaction, device: str, boot: str) -> CoinMemory | None:
    """Return the stored state of an acceptor at the computer's start `boot`, or None if it was never fitted."""
    state = _stored(tx, device)
    if state is None:
        return None
    return CoinMemory(counter=0, power_lost=state.boot != boot, at_rest=state.rest, dearest_cents=state.dearest_cents)


def rests(tx: Transaction, device: str, boot: str, *, rest: bool, dearest_cents: int) -> None:
    """Record whether the acceptor gives no pulses from now on, whatever is inserted."""
    DEVICE_STATE.store(tx, device, msgspec.json.encode(_Acceptor(boot, rest, dearest_cents)).decode())


def doubt(tx: Transaction) -> None:
    """Mark the money of every acceptor as uncertain at the next start, because later books are lost."""
    for device in _DEVICES:
        if (state := _stored(tx, device)) is not None:
            rests(tx, device, "", rest=False, dearest_cents=state.dearest_cents)


def doubt_absent(tx: Transaction, fitted: Collection[str]) -> None:
    """Open an item for money that acceptors which are not `fitted` any more may have taken."""
    for device in _DEVICES:
        state = _stored(tx, device)
        if state is not None and device not in fitted:
            if not state.rest:
                missed(tx, device, None)
            DEVICE_STATE.remove(tx, device)


def _stored(tx: Transaction, device: str) -> _Acceptor | None:
    stored = DEVICE_STATE.get(tx, device)
    return None if stored is None else msgspec.json.decode(stored, type=_Acceptor)


def missed(tx: Transaction, device: str, most_cents: int | None) -> None:
    """Open an item for money that the acceptor may have taken uncounted; None means an unknown amount.

    There is one such item, with the bounds of all.
    """
    add_to_item(
        tx,
        PULSES_MISSED,
        most_cents,
        bounded=Event.PULSES_MISSED,
        unbounded=Event.PULSES_MISSED_UNBOUNDED,
        device=device,
    )


def begin(tx: Transaction, device: str, channel: str, most_cents: int) -> None:
    """Record that a burst has begun, worth at most `most_cents`."""
    DEVICE_STATE.store(tx, _state(device, channel), msgspec.json.encode(_Burst(most_cents)).decode())


def cut(tx: Transaction, device: str, most_cents: Mapping[str, int]) -> None:
    """Open an item for each burst of `device` that has begun and never ended.

    It is worth at most its channel's value when it began or now (`most_cents`), whichever is higher.
    """
    for state, stored in DEVICE_STATE.under(tx, f"{device}.").items():
        channel = state.rpartition(".")[2]
        begun = msgspec.json.decode(stored, type=_Burst)
        most = max(begun.most_cents, most_cents.get(channel, 0))
        add_item(tx, PULSES, most, Event.PULSES_CUT, least_cents=0, device=device, channel=channel)
        DEVICE_STATE.remove(tx, state)


def book(tx: Transaction, report: PulseReport) -> None:
    """Credit an ended burst, or open an item if it proves no amount.

    In demo mode its value becomes an open item and no credit.
    """
    value = report.value_cents
    if value is None:
        add_item(
            tx,
            PULSES,
            report.most_cents,
            Event.PULSES_UNKNOWN,
            least_cents=0,
            device=report.device,
            pulses=report.pulses,
            channel=report.channel,
        )
    elif demo_mode.is_on(tx):
        add_item(tx, "demo_coins", value, Event.DEMO_COINS, coins=1)
    elif report.note:
        # The note was taken before its pulses came: there is no escrow in which it could be the note in hand.
        note = tx.execute(
            "INSERT INTO notes (value_cents, state, at_ms) VALUES (?, 'acknowledged', ?)", (value, tx.at_ms)
        ).lastrowid
        meters, data = {"notes_in": value, f"note_{value}": 1}, {"note": note}
        tx.post("note", credit=value, meters=meters, data={**data, **_source(report)})
    else:
        meters = {"coins_in": value, f"coin_{value}": 1}
        tx.post("coin", credit=value, meters=meters, data={**_source(report), "way": "cash_box"})
    DEVICE_STATE.remove(tx, _state(report.device, report.channel))


def _source(report: PulseReport) -> dict[str, str | int]:
    return {"device": report.device, "channel": report.channel, "pulses": report.pulses}


def _state(device: str, channel: str) -> str:
    return f"{device}.{channel}"
