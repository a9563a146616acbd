"""Money of a payout that is in doubt: out of the credit until hopper or technician have said where it is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.features.copies.clearing import refuse_unless_settled
from controller.hardware import hopper_books
from controller.journal import digests, held_payouts, hoppers, money, payouts
from controller.journal.errors import RefusedError
from controller.journal.held_payouts import DOUBT, REST, held_cents
from controller.journal.open_items import Resolution, open_items
from controller.journal.periods import lifetime
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from drivers.capabilities import PayoutEnd, PayoutOutcome
from tests.rigs.books import opened

SERIAL, VALUE = 815, 100
COUNTED = PayoutOutcome(end=PayoutEnd.STOPPED)


def given_up(store: Store, *, coins: int = 20, booked: int = 2, cents: int = 2050, at: int = 1000) -> int:
    """Give up a hopper that was paying `coins` when it fell silent; return the payout's number."""

    def act(tx: Transaction) -> int:
        hopper_books.counted(tx, SERIAL, at, VALUE)
        money.coins_taken(tx, 1, 1, (50,) * (cents // 50), 0)
        payout = payouts.begin_payout(tx, "hopper", coins * VALUE, VALUE)
        hopper_books.dispensing(tx, SERIAL, 1, at, VALUE)
        for coin in range(1, booked + 1):
            payouts.coin_paid(tx, coin)
        hopper_books.given_up(tx)
        return payout.id

    return store.transact(act)


def items(store: Store) -> list[tuple[str, int | None]]:
    """The open items: kind and amount."""
    return [(item.kind, item.amount_cents) for item in store.transact(open_items)]


def proved(store: Store) -> None:
    """The books hold from the first row to the last."""
    assert audit(store.path, lambda *_: None).failures == []


def test_what_is_in_doubt_is_neither_credit_nor_paid(tmp_path: Path) -> None:
    """20.50 of credit, 2 of 20 coins booked: 18.00 are held, 0.50 is all that can be played or paid."""
    with opened(tmp_path) as store:
        given_up(store)
        assert (store.credit_cents, store.transact(held_cents), items(store)) == (50, 1800, [(DOUBT, 1800)])
        with pytest.raises(RefusedError, match="1850 cents cannot be taken from a credit of 50 cents"):
            store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", 1850))
        with pytest.raises(RefusedError, match=r"First (pay out|resolve)"):
            store.transact(lambda tx: refuse_unless_settled(tx, {}))
        proved(store)


@pytest.mark.parametrize("left", [0, 13, 18])
def test_the_hopper_settles_it_by_its_own_counter(tmp_path: Path, left: int) -> None:
    """Each coin that had left is booked as a coin of that payout, the rest is credit again; nothing stays open."""
    with opened(tmp_path) as store:
        payout = given_up(store)
        for coin in range(3, 3 + left):
            store.transact(lambda tx, coin=coin: held_payouts.coin_left(tx, payout, coin))
            store.transact(lambda tx, coin=coin: held_payouts.coin_left(tx, payout, coin))
            proved(store)
        store.transact(lambda tx: hopper_books.settled(tx, payout, COUNTED))
        figures = store.transact(lifetime)
        assert (store.credit_cents, store.transact(held_cents), items(store)) == (1850 - 100 * left, 0, [])
        assert (figures["hopper_out"], figures["hopper_coins"]) == (200 + 100 * left, 2 + left)
        assert store.transact(lambda tx: hoppers.known(tx, SERIAL)) == 1002 + left
        assert store.transact(lambda tx: hopper_books.counted(tx, SERIAL, 1002 + left, VALUE))
        assert items(store) == []
        proved(store)


def test_a_hopper_that_falls_silent_while_it_settles_leaves_only_the_rest_in_doubt(tmp_path: Path) -> None:
    """Of 18.00 one coin is booked: 17.00 at most had left, and a technician can decide exactly that."""
    with opened(tmp_path) as store:
        payout = given_up(store)
        store.transact(lambda tx: held_payouts.coin_left(tx, payout, 3))
        assert items(store) == [(DOUBT, 1700)]
        proved(store)
        (item,) = store.transact(open_items)
        with pytest.raises(RefusedError, match="is 1700 cents at the most"):
            store.transact(lambda tx: resolve_item(tx, item.id, Resolution.LEFT, "technician", amount_cents=1800))
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.LEFT, "technician", amount_cents=1700))
        assert (store.credit_cents, store.transact(held_cents), items(store)) == (50, 0, [])
        assert store.transact(lifetime)["hopper_out"] == 2000
        proved(store)


def test_coins_beyond_the_order_are_items_when_it_is_settled(tmp_path: Path) -> None:
    """They left the hopper all the same."""
    with opened(tmp_path) as store:
        payout = given_up(store, coins=3, booked=2)
        for coin in (3, 4, 5):
            store.transact(lambda tx, coin=coin: held_payouts.coin_left(tx, payout, coin))
        store.transact(lambda tx: hopper_books.settled(tx, payout, COUNTED))
        assert items(store) == [("hopper_overpaid", VALUE)] * 2
        assert (store.credit_cents, store.transact(held_cents)) == (1750, 0)
        proved(store)


def test_where_others_have_played_meanwhile_the_rest_is_paid_by_hand(tmp_path: Path) -> None:
    """It is proved to be the first player's: an item of exactly that amount, which an attendant may pay."""
    with opened(tmp_path) as store:
        payout = given_up(store)
        store.transact(lambda tx: money.coins_taken(tx, 1, 50, (200,), 0))
        store.transact(lambda tx: held_payouts.coin_left(tx, payout, 3))
        store.transact(lambda tx: hopper_books.settled(tx, payout, COUNTED))
        assert (store.credit_cents, items(store)) == (250, [(REST, 1700)])
        (item,) = store.transact(open_items)
        with pytest.raises(RefusedError, match="is 1700 cents, no less and no more"):
            store.transact(lambda tx: resolve_item(tx, item.id, Resolution.PAID, "attendant", amount_cents=1600))
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.PAID, "attendant", amount_cents=1700))
        figures = store.transact(lifetime)
        assert (store.credit_cents, figures["hopper_out"], figures["hand_pay"], figures["hand_pays"]) == (
            250,
            300,
            1700,
            1,
        )
        assert (store.transact(held_cents), items(store)) == (0, [])
        proved(store)


def test_a_decision_comes_before_a_hopper_that_answers_later(tmp_path: Path) -> None:
    """What the technician has booked is not booked again; what the counter says otherwise is an item of its own."""
    with opened(tmp_path) as store:
        payout = given_up(store)
        (item,) = store.transact(open_items)
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.LEFT, "technician", amount_cents=500))
        assert (store.credit_cents, items(store)) == (1350, [])
        store.transact(lambda tx: held_payouts.coin_left(tx, payout, 3))
        store.transact(lambda tx: hopper_books.settled(tx, payout, COUNTED))
        assert (store.credit_cents, store.transact(lifetime)["hopper_out"]) == (1350, 700)
        assert store.transact(lambda tx: hopper_books.counted(tx, SERIAL, 1009, VALUE))
        assert items(store) == [("hopper_overpaid", 2 * VALUE)]
        proved(store)


def test_a_hopper_that_contradicts_itself_leaves_it_to_the_technician(tmp_path: Path) -> None:
    """Its count is a new beginning; the money stays held until somebody has decided."""
    with opened(tmp_path) as store:
        payout = given_up(store)
        wrong = PayoutOutcome(end=PayoutEnd.UNDECIDED, faults=(("hopper_memory", "it went back"),), recount=True)
        store.transact(lambda tx: hopper_books.settled(tx, payout, wrong))
        assert (store.credit_cents, items(store)) == (50, [(DOUBT, 1800)])
        assert store.transact(lambda tx: hopper_books.counted(tx, SERIAL, 3, VALUE))
        (item,) = store.transact(open_items)
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.KEPT, "technician"))
        assert (store.credit_cents, store.transact(held_cents), items(store)) == (1850, 0, [])
        proved(store)


@pytest.mark.parametrize("passed", [0, 5, 18, 19])
def test_a_hopper_that_is_asked_again_before_it_was_settled_is_settled_first(tmp_path: Path, passed: int) -> None:
    """Its coins since are the held payout's, and beyond those strays; the new payout begins from there."""
    with opened(tmp_path) as store:
        given_up(store)
        store.transact(lambda tx: money.coins_taken(tx, 1, 50, (200,), 0))

        def begin(tx: Transaction) -> None:
            payouts.begin_payout(tx, "hopper", 200, VALUE)
            hopper_books.dispensing(tx, SERIAL, 1, 1002 + passed, VALUE)

        store.transact(begin)
        rest, strays = 1800 - min(passed, 18) * 100, max(0, passed - 18) * 100
        assert sorted(items(store)) == [
            *([("hopper_overpaid", strays)] if strays else []),
            *([(REST, rest)] if rest else []),
        ]
        assert store.transact(lifetime)["hopper_out"] == 200 + min(passed, 18) * 100
        proved(store)


def test_a_hopper_that_was_never_asked_leaves_nothing_in_doubt(tmp_path: Path) -> None:
    """Ended before its first dispense was announced, all of the credit stays."""
    with opened(tmp_path) as store:

        def act(tx: Transaction) -> None:
            money.coins_taken(tx, 1, 1, (200,) * 10, 0)
            payouts.begin_payout(tx, "hopper", 2000, VALUE)
            hopper_books.given_up(tx)

        store.transact(act)
        assert (store.credit_cents, items(store)) == (2000, [])


def test_the_audit_finds_held_money_that_was_changed(tmp_path: Path) -> None:
    """What is held is what the ledger holds apart, and what an open item names."""
    for change in ("UPDATE payouts SET held_cents = 900", "UPDATE payouts SET item = NULL"):
        folder = tmp_path / str(len(change))
        folder.mkdir()
        with opened(folder) as store:
            given_up(store)
        with closing(sqlite3.connect(folder / "journal.sqlite")) as connection, connection:
            connection.execute(change)
            digests.begin(connection)
        (failure,) = audit(folder / "journal.sqlite", lambda *_: None).failures
        assert "cents of payouts are held, the meters show 1800" in failure
