"""What the service menu does to the books: open items resolved, periods closed, PINs."""

from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.journal import demo_mode, money, payouts
from controller.journal.credits import give_service_credit, void_credits
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.open_items import Resolution, add_item, open_items
from controller.journal.periods import close_period, lifetime, periods, since_collection
from controller.journal.refills import MOST_COINS, in_hopper_cents, refill_hopper
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.service.attendant import WHAT
from drivers.capabilities import CoinWay
from tests.rigs.books import opened
from tests.rigs.logged_events import words_of

pytestmark = pytest.mark.requirement("M7", "M10", "S1")

WHO = "attendant"


def lost_note(store: Store, cents: int = 2000) -> int:
    """A note of which nobody knows where it went; return its item."""

    def lose(tx: Transaction) -> int:
        money.note_stacking(tx, cents)
        money.note_unknown(tx, "the line was cut")
        return open_items(tx)[-1].id

    return store.transact(lose)


def proved(store: Store) -> None:
    """The books hold from the first row to the last."""
    assert audit(store.path, lambda *_: None).failures == []


def test_a_swallowed_note_is_paid_by_hand_once(tmp_path: Path) -> None:
    """What was found in the machine comes in and is paid out; the credit does not move, and nothing is paid twice."""
    with opened(tmp_path) as store:
        item = lost_note(store)
        store.transact(lambda tx: resolve_item(tx, item, Resolution.PAID, WHO, amount_cents=2000))
        figures = store.transact(lifetime)
        assert (store.credit_cents, figures["found_in"], figures["hand_pay"]) == (0, 2000, 2000)
        with pytest.raises(RefusedError, match=f"Item {item} is not open"):
            store.transact(lambda tx: resolve_item(tx, item, Resolution.PAID, WHO, amount_cents=2000))
        assert store.transact(open_items) == []
        proved(store)


def test_coins_that_had_left_are_no_credit_any_more(tmp_path: Path) -> None:
    """Of a held payout, what had left the hopper is no longer the player's credit; the rest is it again."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,) * 5, 0))
        store.transact(lambda tx: payouts.begin_payout(tx, "hopper", 1000, 200))
        store.transact(lambda tx: payouts.end_hopper_payout(tx, "undecided", "no reply"))
        (item,) = store.transact(open_items)
        assert (store.credit_cents, item.kind, item.amount_cents) == (0, "payout_held", 1000)
        with pytest.raises(RefusedError, match="coins of 200 cents, which never are 500 cents"):
            store.transact(lambda tx: resolve_item(tx, item.id, Resolution.LEFT, WHO, amount_cents=500))
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.LEFT, WHO, amount_cents=600))
        assert store.credit_cents == 400
        figures = store.transact(lifetime)
        assert (figures["hopper_out"], figures["hopper_coins"]) == (600, 3)
        proved(store)


@pytest.mark.parametrize(
    ("way", "amount_cents", "reason", "words"),
    [
        (Resolution.PAID, 0, "", "Item 1 needs an amount"),
        (Resolution.PAID, 2001, "", "Item 1 is 2000 cents at the most"),
        (Resolution.LEFT, 2000, "", "Item 1 cannot be resolved in this way"),
        (Resolution.VOID, 0, "", "cannot be voided without a reason"),
    ],
)
def test_a_resolution_that_makes_no_sense_changes_nothing(
    tmp_path: Path, way: Resolution, amount_cents: int, reason: str, words: str
) -> None:
    """The reason names the item and what it needs; the item stays open."""
    with opened(tmp_path) as store:
        item = lost_note(store)
        with pytest.raises(RefusedError, match=words):
            store.transact(lambda tx: resolve_item(tx, item, way, WHO, amount_cents=amount_cents, reason=reason))
        assert [left.id for left in store.transact(open_items)] == [item]
        proved(store)


@pytest.mark.parametrize(("way", "reason"), [(Resolution.RETURNED, ""), (Resolution.VOID, "found on the floor")])
def test_what_was_not_owed_moves_no_meter_of_money(tmp_path: Path, way: Resolution, reason: str) -> None:
    """The event says who decided, how and why."""
    with opened(tmp_path) as store:
        item = lost_note(store)
        before = store.transact(lifetime)
        store.transact(lambda tx: resolve_item(tx, item, way, WHO, reason=reason))
        assert store.transact(lifetime) == before
        (text,) = store.transact(lambda tx: words_of(tx.execute, "open_item_resolved"))
        because = f" ({reason})" if reason else ""
        assert text == f"Open item {item}: {way}, says the {WHO}{because}"
        proved(store)


@pytest.mark.parametrize("way", [Resolution.LEFT, Resolution.PAID])
def test_no_item_is_paid_while_a_payout_is_open(tmp_path: Path, way: Resolution) -> None:
    """What it would take off the credit has been ordered from the hopper already."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,) * 5, 0))
        kind = "payout_undecided" if way is Resolution.LEFT else "note_unknown"
        store.transact(lambda tx: add_item(tx, kind, 200, Event.NOTE_UNEXPECTED))
        store.transact(lambda tx: payouts.begin_payout(tx, "hopper", 1000, 200))
        with pytest.raises(RefusedError, match="A payout is in progress"):
            store.transact(lambda tx: resolve_item(tx, 1, way, WHO, amount_cents=200))
        assert store.credit_cents == 1000


def test_every_kind_of_item_can_be_resolved(tmp_path: Path) -> None:
    """No item is a dead end: those that the books open today all have their ways."""
    kinds = (
        "coins_lost",
        "coins_recount",
        "demo_coins",
        "note_unknown",
        "note_unexpected",
        "pulses_unknown",
        "payout_undecided",
        "hopper_overpaid",
        "hopper_recount",
        "note_returned_after_credit",
    )
    with opened(tmp_path) as store:
        for kind in kinds:
            store.transact(lambda tx: add_item(tx, kind, 200, Event.NOTE_UNEXPECTED))  # noqa: B023 - run at once
        for item in store.transact(open_items):
            assert Resolution.VOID in item.ways
            assert item.kind in WHAT
            store.transact(lambda tx: resolve_item(tx, item.id, Resolution.VOID, WHO, reason="checked"))  # noqa: B023
        assert store.transact(open_items) == []


@pytest.mark.requirement("M10")
def test_a_collection_begins_a_period_and_no_meter_falls(tmp_path: Path) -> None:
    """Lifetime meters go on; the closed period keeps what it counted."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200, 200), 0))
        before = store.transact(lifetime)
        closed = store.transact(lambda tx: close_period(tx, "technician"))
        assert (closed.number, closed.who, closed.meters["coins_in"]) == (1, "technician", 400)
        assert store.transact(lifetime) == {**before, "collections": 1}
        assert set(store.transact(since_collection).values()) == {0}
        store.transact(lambda tx: money.coins_taken(tx, 1, 2, (100,), 0))
        assert store.transact(since_collection)["coins_in"] == 100
        store.transact(lambda tx: close_period(tx, "technician"))
        assert [period.meters["coins_in"] for period in store.transact(lambda tx: periods(tx, 5))] == [100, 400]
        proved(store)


def test_no_hopper_holds_so_many_coins(tmp_path: Path) -> None:
    """A slip of the finger is refused, and nothing is metered."""
    with opened(tmp_path) as store:
        for coins in (0, MOST_COINS + 1):
            with pytest.raises(RefusedError, match=f"not {coins}"):
                store.transact(lambda tx: refill_hopper(tx, coins, 100, WHO))  # noqa: B023 - run at once
        assert "hopper_refill" not in store.transact(lifetime)


def test_what_the_hopper_holds_is_known_from_its_first_refill_on(tmp_path: Path) -> None:
    """Put in, fallen in and paid out; nothing is said where more came out than was ever counted in."""
    with opened(tmp_path) as store:
        assert store.transact(in_hopper_cents) is None
        store.transact(lambda tx: refill_hopper(tx, 5, 200, WHO))
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200, 200), 0, ways=(CoinWay.HOPPER, CoinWay.CASH_BOX)))
        assert store.transact(in_hopper_cents) == 1200
        proved(store)


@pytest.mark.parametrize(("given", "reason"), [(199, "checked"), (200, "")])
def test_credit_is_voided_whole_and_for_a_reason(tmp_path: Path, given: int, reason: str) -> None:
    """Another amount than the one that was on the screen, or no reason, voids nothing."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,), 0))
        with pytest.raises(RefusedError):
            store.transact(lambda tx: void_credits(tx, given, WHO, reason))
        assert store.credit_cents == 200


def test_demo_mode_keeps_to_its_own_credits(tmp_path: Path) -> None:
    """No service credit among free ones, and nothing of theirs on the meter of voided credit (U.9)."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: tx.post(demo_mode.KIND))
        store.transact(lambda tx: demo_mode.give(tx, 500))
        with pytest.raises(RefusedError, match="free credits"):
            store.transact(lambda tx: give_service_credit(tx, 100, WHO, most_cents=1000, limit_cents=1000))
        with pytest.raises(RefusedError, match="free credits"):
            store.transact(lambda tx: void_credits(tx, 500, WHO, "checked"))
        assert store.credit_cents == 500
