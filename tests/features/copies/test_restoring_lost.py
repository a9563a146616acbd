"""A backup in place of lost books: what devices did after it is credited by nobody, and given by nobody twice."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.rotation import no_step
from controller.books.second_copy import SecondCopyError
from controller.features.copies.backups import backup
from controller.journal import money, rounds
from controller.journal.diagnostics import coin_diagnostic, hopper_diagnostic
from controller.journal.errors import RefusedError
from controller.journal.hard_meters import begin_batch
from controller.journal.open_items import OpenItem, open_items
from controller.journal.transaction import Transaction
from controller.keys import identity
from tests.rigs.books import give_pulses, segment, wager
from tests.rigs.cleared_books import UNITS, played
from tests.rigs.cleared_books import cleared as clear_books
from tests.rigs.copied_books import CopiedBooks
from tests.rigs.restored_books import bound, copied, decided, lost_and_restored
from tests.rigs.technician import WARM_S
from tests.rigs.virtual_cabinet import VirtualCabinet, takes_coins

Act = Callable[[Transaction], object]


def backed_up(folder: Path, *, unfinished: Callable[[Transaction], object] = lambda _tx: None) -> Path:
    """Have a backup made of the books in `folder` after `unfinished` has been begun in them."""
    with closing(bound(folder)) as store:
        store.transact(unfinished)
    own = identity.read_identity(folder / "journal.sqlite.key")
    assert own is not None
    return backup(folder / "journal.sqlite", folder, own, "", 0)


def items_in(folder: Path) -> list[OpenItem]:
    """The open items of the books in `folder`."""
    with closing(bound(folder)) as store:
        return store.transact(open_items)


@pytest.mark.parametrize("mains", [False, True])
@pytest.mark.parametrize("coins", [0, 2, 9])
async def test_coins_after_the_backup_are_an_open_item_and_no_credit(tmp_path: Path, coins: int, mains: bool) -> None:  # noqa: FBT001 - a parameter
    """The acceptor still has them in its memory, or forgot them with its power: they were credited before the loss."""
    with closing(bound(tmp_path)):
        pass

    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    await cabinet.until(lambda: takes_coins(cabinet))
    assert cabinet.coins.insert(200)
    await cabinet.until(lambda: cabinet.credit == 200)
    await cabinet.kill()
    copy = backed_up(tmp_path)
    await cabinet.start()
    await cabinet.until(lambda: takes_coins(cabinet))
    for number in range(coins):
        assert cabinet.coins.insert(100)
        await cabinet.until(lambda: cabinet.credit == 200 + 100 * (number + 1))  # noqa: B023 - awaited at once
    await cabinet.kill()
    if mains:
        cabinet.mains(on=False)
    lost_and_restored(tmp_path, copy)
    supervisor = await cabinet.start()
    await cabinet.until(lambda: takes_coins(cabinet))
    items = await supervisor.machine.journal.do(open_items)
    assert (cabinet.credit, [item.kind for item in items]) == (200, ["coins_recount"] if coins or mains else [])
    assert cabinet.coins.insert(50)
    await cabinet.until(lambda: cabinet.credit == 250)
    assert len(await supervisor.machine.journal.do(open_items)) == len(items)
    await cabinet.kill()


async def test_coins_that_left_the_hopper_after_the_backup_are_an_open_item(tmp_path: Path) -> None:
    """Its lifetime counter is ahead of the books: nothing is taken off or given, and the cabinet tilts."""
    with closing(bound(tmp_path)):
        pass

    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(WARM_S)
    await cabinet.insert_note(500)
    await cabinet.kill()
    copy = backed_up(tmp_path)
    await cabinet.start()
    await asyncio.sleep(WARM_S)
    await cabinet.tap("collect")
    await cabinet.until(lambda: cabinet.tray_cents == 500 and cabinet.credit == 0)
    await cabinet.kill()
    lost_and_restored(tmp_path, copy)
    supervisor = await cabinet.start()
    await cabinet.until(lambda: bool(supervisor.machine.conditions.open_items))
    (item,) = await supervisor.machine.journal.do(open_items)
    assert (item.kind, item.amount_cents, cabinet.credit) == ("hopper_overpaid", 500, 500)
    await cabinet.kill()


def test_a_note_on_its_way_in_the_backup_credits_no_later_one(tmp_path: Path) -> None:
    """The backup waits for a note that came to its end since: a later one of that value is not taken for it."""
    copy = backed_up(tmp_path, unfinished=lambda tx: money.note_stacking(tx, 2000))
    lost_and_restored(tmp_path, copy)
    assert [(item.kind, item.amount_cents) for item in items_in(tmp_path)] == [("note_unknown", 2000)]
    with closing(bound(tmp_path)) as store:
        store.transact(lambda tx: money.note_stacked(tx, 2000))
        assert store.credit_cents == 0
        assert len(store.transact(open_items)) == 2


def credited(tx: Transaction) -> None:
    """A note that was credited, and that the validator has not gone on from."""
    money.note_stacking(tx, 2000)
    money.note_stacked(tx, 2000)


def unasked(tx: Transaction) -> None:
    """A note that was not ordered to be stacked, and that the validator has not gone on from."""
    money.note_stacked(tx, 2000)


@pytest.mark.parametrize(("unfinished", "credit", "items"), [(credited, 2000, 0), (unasked, 0, 1)])
def test_a_note_that_the_validator_repeats_is_reported_though_the_backup_has_another(
    tmp_path: Path, unfinished: Callable[[Transaction], None], credit: int, items: int
) -> None:
    """Which note a vend valid is about that comes after the restore, nobody knows: neither swallowed nor credited."""
    copy = backed_up(tmp_path, unfinished=unfinished)
    lost_and_restored(tmp_path, copy)
    with closing(bound(tmp_path)) as store:
        assert (store.credit_cents, len(store.transact(open_items))) == (credit, items)
        store.transact(lambda tx: money.note_stacked(tx, 5000))
        store.transact(lambda tx: money.note_stacked(tx, 5000))
        assert (store.credit_cents, len(store.transact(open_items))) == (credit, items + 1)


@pytest.mark.requirement("M11")
def test_pulses_that_the_backup_owes_are_given_by_nobody_twice(tmp_path: Path) -> None:
    """The hard meters got them after the backup, or not: they count as given and doubtful, the rest is owed."""
    copy = backed_up(tmp_path, unfinished=lambda tx: money.coins_taken(tx, 1, 3, (200, 100, 5), 0))
    lost_and_restored(tmp_path, copy)
    with closing(bound(tmp_path)) as store:
        sql = "SELECT name, owed, given, given_units, doubtful FROM hard_meters WHERE given OR owed ORDER BY name"
        rows = store.transact(lambda tx: tx.execute(sql).fetchall())
        assert rows == [("drop", 5, 30, 300, 30)]
        assert store.transact(lambda tx: begin_batch(tx, UNITS, list(UNITS))) is None


@pytest.mark.requirement("M12")
def test_a_test_of_the_acceptor_in_the_backup_takes_no_coin(tmp_path: Path) -> None:
    """The test in the backup is long over: coins after the restore are credited."""
    copy = backed_up(
        tmp_path, unfinished=lambda tx: (money.coins_taken(tx, 1, 3, (), 0), coin_diagnostic.take_for(tx, 1, "T.8"))
    )
    lost_and_restored(tmp_path, copy)
    with closing(bound(tmp_path)) as store:
        assert store.transact(lambda tx: (coin_diagnostic.running(tx, 1), money.coin_counter(tx, 1))) == ("", None)


def note(tx: Transaction) -> None:
    """A note that came into escrow."""
    money.note_stacking(tx, 2000)


def bet(tx: Transaction) -> None:
    """A round that waits for its player, with the whole credit staked."""
    money.coins_taken(tx, 1, 2, (200,), 0)
    rounds.begin(tx, wager(200), "null", segment(0, ends=False))


def dispense(tx: Transaction) -> None:
    """A test of the hopper."""
    hopper_diagnostic.begin(tx, 3, 100)


UNFINISHED: dict[str, tuple[Act, Act]] = {
    "a note": (note, lambda tx: money.note_returned(tx, "it was given back")),
    "a round": (bet, lambda tx: rounds.proceed(tx, 2, segment(0, ends=True, answer=1))),
    "a test": (dispense, lambda tx: hopper_diagnostic.end(tx, "it was empty")),
}


@pytest.mark.parametrize("what", sorted(UNFINISHED))
def test_a_cleared_cabinet_takes_no_backup_of_something_unfinished(tmp_path: Path, what: str) -> None:
    """It ended without money after the backup: begun anew from there it could end otherwise."""
    begin, end = UNFINISHED[what]
    with closing(played(tmp_path)) as store:
        store.transact(begin)
    copy = copied(tmp_path)
    with closing(bound(tmp_path)) as store:
        store.transact(end)
        for _ in range(60):
            store.transact(lambda tx: give_pulses(tx, UNITS))
    clear_books(tmp_path)
    with pytest.raises(RefusedError, match="during a game, a payment or a test"):
        decided(tmp_path, copy, no_step)


@pytest.mark.parametrize("later", [0, 2])
def test_a_copy_that_is_newer_than_the_restored_backup_is_not_overwritten(tmp_path: Path, later: int) -> None:
    """What came after the backup is in the second copy alone: the start refuses, and a rebuild has every cent."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,), 0))
    backed_up = copied(tmp_path)
    with closing(hall.opened()) as store:
        for number in range(later):
            store.transact(lambda tx, at=2 + number: money.coins_taken(tx, 1, at, (200,), 0))
    newest = hall.copy.read_bytes()
    lost_and_restored(tmp_path, backed_up)
    if later:
        with pytest.raises(SecondCopyError, match="cabinet rebuild"):
            hall.opened()
        assert hall.copy.read_bytes() == newest
        hall.rebuilt()
    with closing(hall.opened()) as store:
        assert store.credit_cents == 200 + 200 * later
