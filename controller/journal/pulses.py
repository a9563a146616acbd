"""Money in by pulses: each burst once, and an open item for one that was cut or proves nothing."""

from collections.abc import Mapping

from controller.journal import demo_mode
from controller.journal.event_catalogue import Event
from controller.journal.key_value import DEVICE_STATE
from controller.journal.open_items import PULSES, add_item
from controller.journal.transaction import Transaction
from drivers.capabilities import PulseReport


def begin(tx: Transaction, device: str, channel: str) -> None:
    """Record that a burst has begun."""
    DEVICE_STATE.store(tx, _state(device, channel), str(tx.at_ms))


def cut(tx: Transaction, device: str, most_cents: Mapping[str, int]) -> None:
    """Open an item for each burst of `device` that has begun and never ended, worth at most `most_cents`."""
    for state in DEVICE_STATE.under(tx, f"{device}."):
        channel = state.rpartition(".")[2]
        # a channel that is configured no more may have had any values
        most = most_cents.get(channel)
        add_item(tx, PULSES, most, Event.PULSES_CUT, least_cents=0, device=device, channel=channel)
        DEVICE_STATE.remove(tx, state)


def book(tx: Transaction, report: PulseReport) -> None:
    """Credit a burst, or open an item for one that proves nothing; it has ended.

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
        # It has been taken for good before its pulses came: there is no escrow in which it could be the note in hand.
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
