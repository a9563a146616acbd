"""Books with money in, a round and a hand-pay, and their full clear."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from controller.books.opening import opened_books
from controller.books.rotation import successor_of
from controller.features.copies import clearing
from controller.features.copies.clearing import Order, Prepared, decide, prepare
from controller.journal import money, payouts, rounds
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.identity import Identity
from tests.rigs.books import give_pulses, laid, segment, wager
from tests.rigs.people import set_up_person

UNITS = {"coin_in": 10, "drop": 10, "games": 1}


def opened(folder: Path) -> Store:
    """Open the books in `folder` as a start does."""
    path = folder / "journal.sqlite"
    if not successor_of(path).exists():
        laid(path)
    return opened_books(path, folder / "journal.sqlite.key", lambda: 0, simulated=True)


def key(folder: Path) -> Identity:
    """The key of the cabinet in `folder`."""
    own = identity.read_identity(folder / "journal.sqlite.key")
    assert own is not None
    return own


def played(folder: Path) -> Store:
    """Books in which money came in, was played for and was paid out, with nothing owed to anybody."""
    store = opened(folder)
    set_up_person(store)
    store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200, 200), 0))
    store.transact(lambda tx: rounds.begin(tx, wager(100), "null", segment(0, ends=True)))
    store.transact(paid_by_hand)
    for _ in range(60):
        store.transact(
            lambda tx: give_pulses(tx, {**UNITS, "hand_pay": 10, "coin_out": 10}, ["coin_in", "drop", "games"])
        )
    return store


def paid_by_hand(tx: Transaction) -> None:
    """Pay the whole credit by hand."""
    payouts.begin_payout(tx, "hand_pay", tx.credit_cents)
    payouts.confirm_hand_pay(tx)


def cleared(folder: Path, step: Callable[[str], None] = clearing.no_step, *, sticks: tuple[Path, ...] = ()) -> Prepared:
    """Clear the books in `folder` up to the restart."""
    order = Order("technician", "new installation", "Cabinet 1", sticks)
    with closing(opened(folder)) as store:
        prepared = prepare(store.path, key(folder), order, lambda: 0, step)
        step("before the seal")
        store.transact(lambda tx: decide(tx, prepared, UNITS))
        step("after the seal")
    return prepared
