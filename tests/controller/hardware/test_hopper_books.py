"""What a hopper's words mean in the books: coins that leave it unordered, and how its payouts end."""

from pathlib import Path

import pytest

from controller.faults import known_faults
from controller.hardware import hopper_books
from controller.journal import money, payouts
from controller.journal.faults import active_faults
from controller.journal.hoppers import MOST_STRAYS
from controller.journal.open_items import open_items
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from drivers.capabilities import PayoutEnd, PayoutOutcome
from drivers.cctalk.hopper import ENDED_WELL_CLEARS, LEVEL_FAULTS, WATCHED
from drivers.cctalk.hopper_status import Flag
from drivers.cctalk.hopper_wire import LIFETIME_SPAN
from tests.rigs.books import opened

SERIAL, OTHER, VALUE = 815, 99, 100


def test_the_catalogue_has_every_fault_of_a_hopper() -> None:
    """Each fault of the driver has its words, its class and what it stops; one with a live bit is not momentary."""
    reported = {flag.code for flag in Flag if flag.code} | LEVEL_FAULTS.keys() | ENDED_WELL_CLEARS | WATCHED
    assert reported - known_faults().keys() == set()
    assert [code for code in WATCHED if known_faults()[code].momentary] == []


def count(store: Store, lifetime: int, serial: int = SERIAL) -> bool:
    """Have the books take a hopper's lifetime count."""
    return store.transact(lambda tx: hopper_books.counted(tx, serial, lifetime, VALUE))


def items(store: Store) -> list[tuple[str, int | None]]:
    """The open items: kind and amount."""
    return [(item.kind, item.amount_cents) for item in store.transact(open_items)]


def faults(store: Store) -> list[tuple[str, bool]]:
    """The faults in the journal, and whether their cause is present."""
    return [(fault.code, fault.present) for fault in store.transact(active_faults)]


def begin(store: Store, coins: int, lifetime: int) -> None:
    """Put money in, begin its payout and announce a dispense."""

    def act(tx: Transaction) -> None:
        money.note_stacking(tx, coins * VALUE)
        money.note_stacked(tx, coins * VALUE)
        money.note_acknowledged(tx)
        payouts.begin_payout(tx, "hopper", coins * VALUE, VALUE)
        hopper_books.dispensing(tx, SERIAL, 0, lifetime, VALUE)

    store.transact(act)


def pay(store: Store, *coins: int) -> None:
    """Book these coins of the payout."""
    for coin in coins:
        store.transact(lambda tx, coin=coin: payouts.coin_paid(tx, coin))


def end(store: Store, outcome: PayoutOutcome) -> None:
    """Write the payout's end."""
    store.transact(lambda tx: hopper_books.ended(tx, outcome))


def test_the_first_count_of_a_hopper_is_a_beginning(tmp_path: Path) -> None:
    """What it paid before it was fitted is nobody's business here; the same count again is no news."""
    with opened(tmp_path) as store:
        assert count(store, 12_345)
        assert count(store, 12_345)
        assert count(store, 7, OTHER)
        assert (items(store), faults(store)) == ([], [])


@pytest.mark.parametrize(("before", "after"), [(12_345, 12_348), (LIFETIME_SPAN - 1, 2)])
def test_coins_between_two_counts_are_an_item_and_a_tilt(tmp_path: Path, before: int, after: int) -> None:
    """Three coins left unordered, over the counter's end too: their value is one item, and the attendant may clear."""
    with opened(tmp_path) as store:
        count(store, before)
        count(store, after)
        assert (items(store), faults(store)) == ([("hopper_overpaid", 3 * VALUE)], [("hopper_runaway", False)])
        count(store, after)
        assert len(items(store)) == 1


@pytest.mark.parametrize("after", [999, 1000 + MOST_STRAYS + 1])
def test_a_counter_that_counts_no_coins_is_an_item_without_an_amount(tmp_path: Path, after: int) -> None:
    """It went back, or further than any hopper holds: nobody guesses how many coins that means."""
    with opened(tmp_path) as store:
        count(store, 1000)
        count(store, after)
        assert (items(store), faults(store)) == ([("hopper_recount", None)], [("hopper_memory", False)])
        assert count(store, after)
        assert len(items(store)) == 1


def test_an_announced_payouts_coins_are_not_strays(tmp_path: Path) -> None:
    """While its hopper has a payout to finish nothing is compared; booked coins move the count along."""
    with opened(tmp_path) as store:
        count(store, 1000)
        begin(store, 3, 1000)
        assert not count(store, 1003)
        assert count(store, 50, OTHER)
        pay(store, 1, 2, 3)
        end(store, PayoutOutcome(end=PayoutEnd.DONE))
        assert count(store, 1003)
        assert (items(store), faults(store)) == ([], [])


def test_coins_that_left_before_the_announcement_are_strays(tmp_path: Path) -> None:
    """The announcement compares, too: from then on coins belong to the payout."""
    with opened(tmp_path) as store:
        count(store, 1000)
        begin(store, 3, 1002)
        assert items(store) == [("hopper_overpaid", 2 * VALUE)]
        pay(store, 1, 2, 3, 4)
        end(store, PayoutOutcome(end=PayoutEnd.DONE))
        assert items(store) == [("hopper_overpaid", 2 * VALUE), ("hopper_overpaid", VALUE)]
        assert count(store, 1006)
        assert len(items(store)) == 2


@pytest.mark.parametrize(("booked", "kind", "amount"), [(1, "payout_held", 2 * VALUE), (3, "payout_undecided", None)])
def test_an_undecided_payout_is_one_item(tmp_path: Path, booked: int, kind: str, amount: int | None) -> None:
    """Of what was not counted, or of no amount where all was; a recount begins anew, so that it is one item only."""
    with opened(tmp_path) as store:
        count(store, 1000)
        begin(store, 3, 1000)
        pay(store, *range(1, booked + 1))
        outcome = PayoutOutcome(end=PayoutEnd.UNDECIDED, faults=(("hopper_memory", "it went back"),), recount=True)
        end(store, outcome)
        assert (items(store), faults(store)) == ([(kind, amount)], [("hopper_memory", True)])
        assert count(store, 5)
        assert len(items(store)) == 1


def test_a_payout_that_was_given_up_is_settled_before_its_coins_are_strays(tmp_path: Path) -> None:
    """Ended by the attendant while the hopper was away: its counter is compared once its own coins are booked."""
    with opened(tmp_path) as store:
        count(store, 1000)
        begin(store, 3, 1000)
        store.transact(hopper_books.given_up)
        assert not count(store, 1002)
        assert items(store) == [("payout_held", 3 * VALUE)]
        begin(store, 1, 1002)
        pay(store, 1)
        end(store, PayoutOutcome(end=PayoutEnd.DONE))
        assert count(store, 1003)
        assert items(store) == [("payout_rest", VALUE)]
