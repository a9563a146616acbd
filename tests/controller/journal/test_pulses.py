"""Tests of controller.journal.pulses: money in by pulses, in the books."""

from pathlib import Path

import msgspec
import pytest

from controller.books.audit import audit
from controller.journal import demo_mode, money, pulses
from controller.journal.open_items import open_items
from controller.journal.periods import meter
from controller.journal.store import Store
from drivers.capabilities import PulseReport
from tests.rigs.books import opened

COIN = PulseReport(
    device="pulse_coin", note=False, channel="a", pulses=2, value_cents=100, most_cents=200, unasked=False
)
NOTE = msgspec.structs.replace(COIN, device="pulse_note", note=True, value_cents=500)
UNKNOWN = msgspec.structs.replace(COIN, value_cents=None)
METERS = {"coins_in": 100, "coin_100": 1, "notes_in": 500, "note_500": 1}
MOST = {"a": 200}


def took(store: Store, report: PulseReport) -> None:
    """Book a burst from its first pulse to its end."""
    store.transact(lambda tx: pulses.begin(tx, report.device, report.channel, 200))
    store.transact(lambda tx: pulses.book(tx, report))


def proved(store: Store) -> None:
    """The books hold from the first row to the last."""
    assert audit(store.path, lambda *_: None).failures == []


def test_coins_and_notes_by_pulses_are_credited_and_metered(tmp_path: Path) -> None:
    """On the same meters as those of other acceptors; nothing is left under way."""
    with opened(tmp_path) as store:
        took(store, COIN)
        took(store, NOTE)
        assert store.credit_cents == 600
        meters = store.transact(lambda tx: {name: meter(tx, name) for name in METERS})
        assert meters == METERS
        store.transact(lambda tx: pulses.cut(tx, "pulse_coin", MOST))
        store.transact(lambda tx: pulses.cut(tx, "pulse_note", MOST))
        assert store.transact(open_items) == []
        proved(store)


def test_a_note_by_pulses_leaves_the_note_in_hand_alone(tmp_path: Path) -> None:
    """A bill validator beside it may be stacking one of its own."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: money.note_stacking(tx, 2000))
        took(store, NOTE)
        store.transact(lambda tx: money.note_stacked(tx, 2000))
        assert store.credit_cents == 2500
        store.transact(money.note_acknowledged)
        proved(store)


@pytest.mark.parametrize(("most", "configured"), [(200, MOST), (200, {}), (200, {"a": 50}), (400, {"a": 400})])
def test_a_burst_that_was_cut_is_one_item(tmp_path: Path, most: int, configured: dict[str, int]) -> None:
    """Bounded by the highest value that its channel had when it began, or has now."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: pulses.begin(tx, "pulse_coin", "a", 200))
        for _ in range(2):
            store.transact(lambda tx: pulses.cut(tx, "pulse_note", {}))
            store.transact(lambda tx: pulses.cut(tx, "pulse_coin", configured))
        (item,) = store.transact(open_items)
        assert (item.kind, item.least_cents, item.amount_cents) == ("pulses_unknown", 0, most)
        assert "coin acceptor on pulses was giving pulses on channel a" in item.text
        assert store.credit_cents == 0
        proved(store)


def test_a_burst_that_proves_nothing_is_one_item(tmp_path: Path) -> None:
    """It is under way no more."""
    with opened(tmp_path) as store:
        took(store, UNKNOWN)
        store.transact(lambda tx: pulses.cut(tx, "pulse_coin", MOST))
        (item,) = store.transact(open_items)
        assert (item.amount_cents, store.credit_cents) == (200, 0)
        assert "prove none: 2 on channel a" in item.text
        proved(store)


def test_pulses_in_demo_mode_are_an_item(tmp_path: Path) -> None:
    """No money counts then."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: demo_mode.goes_on(tx, "technician"))
        before = store.credit_cents
        took(store, COIN)
        assert [item.kind for item in store.transact(open_items)] == ["demo_coins"]
        assert store.credit_cents == before
