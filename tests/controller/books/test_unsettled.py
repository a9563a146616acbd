"""What devices had in hand, and what was an open item, when the books were lost: a rebuild holds it for a person."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.journal import hoppers, money, payouts, rounds
from controller.journal.open_items import OpenItem, Resolution, open_items
from controller.journal.periods import meter
from controller.journal.pools import HITS, PAID, VOID_HITS, VOID_PAID, JournalPools, PoolKey, meter_of
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from games.bewitched.pays import POOL
from tests.rigs.books import segment, wager
from tests.rigs.copied_books import CopiedBooks

EVENTS = ((1, 1), (2, 1), (3, 1), (4, 1), (5, 1))


def rebuilt(folder: Path, *acts: Callable[[Transaction], object]) -> Store:
    """Books in which that was done, lost and made again from their second copy."""
    books = CopiedBooks(folder)
    with closing(books.opened()) as store:
        for act in acts:
            store.transact(act)
    books.lose_journal()
    books.rebuilt()
    assert audit(books.journal, lambda *_: None).failures == []
    return books.opened()


def items(store: Store) -> list[OpenItem]:
    """What is open."""
    return store.transact(open_items)


def coins(tx: Transaction) -> None:
    """Five coins of 2.00, and the acceptor's buffer that they are in."""
    money.coins_taken(tx, 1, 5, (200,) * 5, events=EVENTS, boot="b1")


@pytest.mark.parametrize(("ticket", "kind"), [(None, "note_unknown"), ("012345678901234567", "ticket_unknown")])
def test_a_note_that_was_being_stacked_is_an_open_item(tmp_path: Path, ticket: str | None, kind: str) -> None:
    """It is in the box or not: what the machine was when its card died, nobody knows."""
    number = None if ticket is None else ticket.encode()

    def stacking(tx: Transaction) -> None:
        money.note_stacking(tx, 1000, None if number is None else tx.numbers.sealed(number.decode()))

    with closing(rebuilt(tmp_path, stacking)) as store:
        (item,) = items(store)
        assert (item.kind, item.least_cents, item.amount_cents, store.credit_cents) == (kind, 0, 1000, 0)
        assert item.text.endswith("the books were lost")
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.PAID, "technician", amount_cents=1000))
        assert items(store) == []


def test_a_note_whose_end_is_reported_after_all_is_one_item(tmp_path: Path) -> None:
    """The validator says only now that it lies in the box."""
    with closing(rebuilt(tmp_path, lambda tx: money.note_stacking(tx, 1000))) as store:
        store.transact(lambda tx: money.note_stacked(tx, None))
        assert [item.kind for item in items(store)] == ["note_unknown"]


def test_a_note_that_is_credited_opens_nothing(tmp_path: Path) -> None:
    """The copy has its credit."""
    with closing(
        rebuilt(tmp_path, lambda tx: money.note_stacking(tx, 1000), lambda tx: money.note_stacked(tx, 1000))
    ) as store:
        assert (items(store), store.credit_cents) == ([], 1000)


def test_coins_that_were_leaving_the_hopper_are_held(tmp_path: Path) -> None:
    """Of five coins one was counted: the other four may lie in the tray, so they are neither played nor paid."""
    with closing(
        rebuilt(
            tmp_path,
            coins,
            lambda tx: payouts.begin_payout(tx, "hopper", 1000, 200),
            lambda tx: payouts.dispensing(tx, 815, 0, 7000),
            lambda tx: payouts.coin_paid(tx, 1),
        )
    ) as store:
        (item,) = items(store)
        assert (item.kind, item.least_cents, item.amount_cents, store.credit_cents) == ("payout_held", 0, 800, 0)
        store.transact(lambda tx: resolve_item(tx, item.id, Resolution.LEFT, "technician", amount_cents=400))
        assert (items(store), store.credit_cents) == ([], 400)


def test_a_payout_of_which_no_coin_was_ordered_is_credit(tmp_path: Path) -> None:
    """Nothing can have left before the first order."""
    with closing(rebuilt(tmp_path, coins, lambda tx: payouts.begin_payout(tx, "hopper", 1000, 200))) as store:
        assert (items(store), store.credit_cents) == ([], 1000)


def test_open_items_stay_open(tmp_path: Path) -> None:
    """With their bounds, their words and what may be decided of them, held money among them."""

    def lose(tx: Transaction) -> None:
        money.note_stacking(tx, 2000)
        money.note_given_up(tx, "six minutes")

    def hold(tx: Transaction) -> None:
        payouts.begin_payout(tx, "hopper", 1000, 200)
        payouts.dispensing(tx, 815, 0, 7000)
        payouts.end_hopper_payout(tx, "undecided", "away", settles=True)

    before: list[OpenItem] = []
    with closing(rebuilt(tmp_path, coins, lose, hold, lambda tx: before.extend(open_items(tx)))) as store:
        assert [item.kind for item in before] == ["note_unknown", "payout_held"]
        assert items(store) == before
        for way, cents in ((Resolution.PAID, 2000), (Resolution.KEPT, 0)):
            store.transact(lambda tx: resolve_item(tx, items_of(tx, way).id, way, "technician", amount_cents=cents))  # noqa: B023 - run at once
        assert (items(store), store.credit_cents) == ([], 1000)


def items_of(tx: Transaction, way: Resolution) -> OpenItem:
    """The open item of which that may be decided."""
    return next(item for item in open_items(tx) if way in item.ways)


@pytest.mark.parametrize(("now", "found"), [(5, []), (6, ["coins_recount"]), (0, ["coins_recount"])])
def test_an_acceptor_that_counted_on_is_noticed(tmp_path: Path, now: int, found: list[str]) -> None:
    """A coin that fell when there were no books, or a reset that hides one."""
    with closing(rebuilt(tmp_path, coins)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, now, (), events=EVENTS, boot="b2"))
        assert [item.kind for item in items(store)] == found


@pytest.mark.parametrize(("now", "found"), [(7000, []), (7002, ["hopper_overpaid"])])
def test_a_hopper_that_counted_on_is_noticed(tmp_path: Path, now: int, found: list[str]) -> None:
    """Its lifetime count goes along."""
    with closing(rebuilt(tmp_path, lambda tx: hoppers.counted(tx, 815, 7000, 200))) as store:
        store.transact(lambda tx: hoppers.counted(tx, 815, now, 200))
        assert [item.kind for item in items(store)] == found


def test_an_open_round_that_claimed_a_jackpot_gives_it_back(tmp_path: Path) -> None:
    """The pool has what was fed before that round, and its hit counts as void: no cent is left behind."""
    key = PoolKey(wager(1).game, wager(1).bet.coin_value_cents)

    def fed(tx: Transaction) -> None:
        tx.post("coin", credit=10_000, meters={"coins_in": 10_000})
        number = rounds.begin(tx, wager(1), "null", segment(1, ends=True))
        JournalPools(tx).contribute(key, POOL, number, 1_000_000)
        assert JournalPools(tx).value(key, POOL) == 2_000_000 + 5_000_000

    def claimed(tx: Transaction) -> None:
        number = rounds.begin(tx, wager(1), "null", segment(1, ends=False))
        JournalPools(tx).contribute(key, POOL, number, 1_000)
        assert JournalPools(tx).claim(key, POOL, number, 1) == 7_005

    with closing(rebuilt(tmp_path, fed, claimed)) as store:
        names = [meter_of(key, name) for name in (HITS, VOID_HITS, PAID, VOID_PAID)]
        assert store.transact(lambda tx: [meter(tx, name) for name in names]) == [1, 1, 7_005, 7_005]
        assert store.transact(lambda tx: JournalPools(tx).value(key, POOL)) == 2_000_000 + 5_000_000
