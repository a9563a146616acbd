"""The second copy of the books: in step with every acknowledged cent, compared at start, and rebuilt from."""

import os
import tempfile
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.books.audit import audit
from controller.books.opening import opened_books
from controller.books.second_copy import MissingCopyError, SecondCopy, SecondCopyError, miss_unnamed
from controller.features.copies import clearing
from controller.features.copies.rebuilding import copy_to_rebuild_from
from controller.journal import demo_mode, money, payouts, rounds
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.journal.faults import active_faults, clear_by_key
from controller.journal.generations import ORIGIN, Origin, origin_of
from controller.journal.periods import lifetime
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.store import Store
from gamekit.play import PoolRule
from tests.rigs.books import laid, put_back, segment, wager, whole
from tests.rigs.copied_books import CopiedBooks
from tests.rigs.logged_events import words_of

pytestmark = pytest.mark.requirement("C2", "C4")

POOL, RULE = PoolKey("none", 1), PoolRule(seed_coins=100, growth_per_mille=5)


def earn(store: Store, count: int) -> None:
    """Coins of 2.00 come in, one after the other."""
    for number in range(1, count + 1):
        store.transact(lambda tx: money.coins_taken(tx, 1, number, (200,), 0))  # noqa: B023 - run at once


def events(store: Store, code: str) -> list[str]:
    """The texts of these events."""
    return store.transact(lambda tx: words_of(tx.execute, code))


def proved(path: Path) -> None:
    """The books hold from the first row to the last."""
    assert audit(path, lambda *_: None).failures == []


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("coin"), st.sampled_from([10, 20, 50, 100, 200])),
        st.tuples(st.just("note"), st.sampled_from([500, 2000])),
        st.tuples(st.just("begin"), st.integers(0, 300)),
        st.tuples(st.just("end"), st.integers(0, 300)),
        st.tuples(st.just("pay"), st.just(0)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=12,
)


def act(store: Store, number: int, what: str, figure: int) -> None:
    """Do one thing that moves the books, where it can be done now."""
    is_open = store.transact(lambda tx: tx.execute("SELECT id FROM rounds WHERE state = 'open'").fetchone())
    if what == "coin":
        store.transact(lambda tx: money.coins_taken(tx, 1, number % 255 + 1, (figure,), 0))
    elif what == "note":
        store.transact(lambda tx: money.note_stacking(tx, figure))
        store.transact(lambda tx: money.note_stacked(tx, figure))
        store.transact(money.note_acknowledged)
    elif what == "begin" and not is_open and store.credit_cents >= 100:
        begun = store.transact(lambda tx: rounds.begin(tx, wager(100), "null", segment(figure, ends=False)))
        store.transact(lambda tx: JournalPools(tx).contribute(POOL, RULE, begun, 100))
    elif what == "end" and is_open:
        store.transact(lambda tx: rounds.proceed(tx, is_open[0], segment(figure, ends=True, answer=0)))
    elif what == "pay" and not is_open and store.credit_cents:
        store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", store.credit_cents))
        store.transact(payouts.confirm_hand_pay)


@settings(max_examples=12)
@given(ACTS)
def test_lost_books_are_rebuilt_to_the_last_acknowledged_cent(acts: list[tuple[str, int]]) -> None:
    """Credit, meters and pools are back, an open round is void with its contribution, and the books are proved."""
    with tempfile.TemporaryDirectory() as folder:
        hall = CopiedBooks(Path(folder))
        store = hall.opened()
        for number, (what, figure) in enumerate(acts):
            if what == "restart":
                store.close()
                store = hall.opened()
            else:
                act(store, number, what, figure)
            # The copy is in step after every single transaction.
            assert (hall.kept().credit_cents, hall.kept().meters) == (store.credit_cents, store.transact(lifetime))
        figures, credit = store.transact(lifetime), store.credit_cents
        pools = store.transact(
            lambda tx: tx.execute(
                "SELECT game, coin_value_cents, growth_millicents - (SELECT coalesce(sum(millicents), 0)"
                " FROM contributions JOIN rounds ON id = round_id WHERE state = 'open') FROM pools"
            ).fetchall()
        )
        stake, win = store.transact(
            lambda tx: tx.execute(
                "SELECT coalesce(sum(stake_cents), 0), coalesce(sum(win_cents), 0) FROM rounds WHERE state = 'open'"
            ).fetchone()
        )
        store.close()
        hall.lose_journal()
        with pytest.raises(CorruptJournalError, match="does not exist"):
            hall.opened()
        hall.rebuilt()
        with closing(hall.opened()) as again:
            assert again.credit_cents == credit + stake - win
            found = again.transact(lifetime)
            undone = {"stakes_voided": stake, "wins_voided": win, "games_voided": 1} if stake else {}
            expected = {name: figures.get(name, 0) + undone.get(name, 0) for name in figures | undone}
            assert found == expected
            assert again.transact(lambda tx: tx.execute("SELECT * FROM pools").fetchall()) == pools
        proved(hall.journal)


def test_what_is_rebuilt_names_what_it_follows(tmp_path: Path) -> None:
    """The first row has the chain's head as the copy knew it; the lost journal is kept; the copy goes on."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 3)
    kept = hall.kept()
    hall.journal.write_bytes(b"rot" * 5000)
    with pytest.raises(CorruptJournalError):
        hall.opened()
    aside = hall.rebuilt()
    assert aside is not None
    assert aside.read_bytes() == b"rot" * 5000
    with closing(hall.opened()) as again:
        origin = again.transact(lambda tx: origin_of(tx._connection))
        assert origin is not None
        assert (origin.generation, origin.old_seq, origin.old_hash) == (2, kept.seq, kept.hash)
        assert (again.credit_cents, len(events(again, "rebuilt"))) == (600, 1)
        earn(again, 1)
    assert (hall.kept().credit_cents, hall.kept().generation) == (800, 2)
    proved(hall.journal)


STEPS = 5


@pytest.mark.parametrize("cut", range(STEPS))
def test_a_rebuild_that_is_cut_short_is_done_again(tmp_path: Path, cut: int) -> None:
    """At no step is the copy touched, and no journal lies there that is not whole."""

    class PowerCutError(Exception):
        pass

    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 2)
    hall.journal.write_bytes(b"rot" * 5000)
    before, passed = hall.copy.read_bytes(), 0

    def step(_name: str) -> None:
        nonlocal passed
        if passed == cut:
            raise PowerCutError
        passed += 1

    with pytest.raises(PowerCutError):
        hall.rebuilt(step)
    assert hall.copy.read_bytes() == before
    with pytest.raises(CorruptJournalError):
        hall.opened()
    hall.rebuilt()
    with closing(hall.opened()) as again:
        assert again.credit_cents == 400
    proved(hall.journal)


def test_an_older_journal_is_not_played_on(tmp_path: Path) -> None:
    """A journal that was put back from an earlier day has lost rows: the copy knows, and nothing is overwritten."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
    old = whole(hall.journal)
    with closing(hall.opened()) as store:
        earn(store, 2)
    kept = hall.copy.read_bytes()
    put_back(old)
    with pytest.raises(SecondCopyError, match=r"credit of 200 cents, its second copy .* with 600: rows are lost"):
        hall.opened()
    assert (whole(hall.journal), hall.copy.read_bytes()) == (old, kept)


def test_a_copy_that_is_a_step_behind_is_made_good(tmp_path: Path) -> None:
    """The power went between the journal's commit and the copy: nothing was answered yet, and the journal is right."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
        behind = hall.copy.read_bytes()
        earn(store, 2)
    hall.copy.write_bytes(behind)
    with closing(hall.opened()) as store:
        assert (hall.kept().credit_cents, store.credit_cents) == (600, 600)
        assert events(store, "second_copy") == ["The second copy was begun"]


@pytest.mark.parametrize("torn", [1, 7, 30])
def test_a_record_that_the_power_tore_is_none(tmp_path: Path, torn: int) -> None:
    """It was never acknowledged: the records before it hold."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
        whole = hall.copy.read_bytes()
        earn(store, 1)
        more = hall.copy.read_bytes()
    hall.copy.write_bytes(more[: len(whole) + torn])
    assert hall.kept().credit_cents == 200
    with closing(hall.opened()):
        assert hall.kept().credit_cents == 400


@given(st.data())
@settings(max_examples=20)
def test_a_rotten_copy_is_never_believed(data: st.DataObject) -> None:
    """Any byte of any whole record changed: it is reported, and never rebuilt from.

    It is made anew only where its first record still says that these are not older books.
    """
    with tempfile.TemporaryDirectory() as folder:
        hall = CopiedBooks(Path(folder))
        with closing(hall.opened()) as store:
            earn(store, 2)
        good = bytearray(hall.copy.read_bytes())
        first_ends = good.index(b"\n")
        place = data.draw(st.integers(0, len(good) - 2))
        good[place] ^= data.draw(st.integers(1, 255))
        hall.copy.write_bytes(good)
        with pytest.raises(CorruptJournalError):
            copy_to_rebuild_from(hall.copy, hall.own())
        with closing(hall.opened()) as store:
            assert store.credit_cents == 400
            if place > first_ends:
                assert "made anew" in events(store, "second_copy")[-1]
                assert hall.kept().credit_cents == 400
            else:
                assert len(events(store, "copy_missing")) == 1
                assert hall.copy.read_bytes() == good


def test_books_of_another_cabinet_are_found_by_their_copy(tmp_path: Path) -> None:
    """Either swapped into another cabinet is found at its start, and neither is touched."""
    here, there = CopiedBooks(tmp_path / "here"), CopiedBooks(tmp_path / "there")
    for hall in (here, there):
        hall.opened().close()
    foreign = there.copy.read_bytes()
    here.copy.write_bytes(foreign)
    with pytest.raises(SecondCopyError, match="second copy of another cabinet"):
        here.opened()
    assert here.copy.read_bytes() == foreign
    with pytest.raises(SecondCopyError, match="second copy of another cabinet"):
        copy_to_rebuild_from(here.copy, here.own())


def test_rows_that_differ_are_an_exchange(tmp_path: Path) -> None:
    """Two histories of one cabinet from the same row on: nobody guesses which is the true one."""
    hall = CopiedBooks(tmp_path)
    hall.opened().close()
    files = {**whole(hall.journal), hall.copy: hall.copy.read_bytes()}
    with closing(hall.opened()) as store:
        earn(store, 2)
    one = hall.copy.read_bytes()
    put_back(files)
    with closing(hall.opened()) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (100,), 0))
        store.transact(lambda tx: money.coins_taken(tx, 1, 2, (100,), 0))
    hall.copy.write_bytes(one)
    with pytest.raises(SecondCopyError, match="one of them was exchanged"):
        hall.opened()


def test_a_copy_that_is_named_no_more_is_missed_once(tmp_path: Path) -> None:
    """`cabinet.toml` lost the line: a fault tells the technician, and a copy that is named again is compared first."""
    books = CopiedBooks(tmp_path)
    with closing(books.opened()) as store:
        earn(store, 1)
    for _ in range(2):
        with closing(Store(books.journal, lambda: 0, simulated=True)) as store:
            store.transact(miss_unnamed)
            (fault,) = store.transact(active_faults)
            assert (fault.code, len(events(store, "copy_missing"))) == ("copy_missing", 1)
    with closing(books.opened()) as store:
        assert store.transact(active_faults) == []
        earn(store, 1)
    assert books.kept().credit_cents == 400


def test_books_without_a_copy_miss_none(tmp_path: Path) -> None:
    """What they never had is an event of each start, and no fault."""
    with closing(Store(laid(tmp_path / "journal.sqlite"), lambda: 0, simulated=True)) as store:
        store.transact(miss_unnamed)
        assert store.transact(active_faults) == []


def test_a_medium_that_fails_does_not_stop_the_books(tmp_path: Path) -> None:
    """Pulled out in play it is reported; put back the copy is begun anew and has every cent."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
        os.rename(hall.medium, tmp_path / "pulled")  # noqa: PTH104
        earn(store, 2)
        state = store.mend_second_copy()
        assert "No such file" in state.failed
        assert (state.missing, store.credit_cents) == (False, 600)
        os.rename(tmp_path / "pulled", hall.medium)  # noqa: PTH104
        assert hall.kept().credit_cents == 400  # it was pulled before the last of them
        assert store.mend_second_copy().failed == ""
        assert hall.kept().credit_cents == 600


def test_a_copy_stays_small(tmp_path: Path) -> None:
    """However long the cabinet plays: a file that has grown is begun anew, and says the same."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        store.follow_with(SecondCopy(hall.copy, hall.own().public_key.hex(), largest_bytes=2000))
        sizes = []
        for number in range(60):
            store.transact(lambda tx: money.coins_taken(tx, 1, number + 1, (10,), 0))  # noqa: B023 - run at once
            sizes.append(hall.copy.stat().st_size)
            assert hall.kept().credit_cents == store.credit_cents
        assert max(sizes) <= 2000
        assert any(later < earlier for earlier, later in pairwise(sizes))


def test_free_credits_stay_free_when_the_books_are_rebuilt(tmp_path: Path) -> None:
    """U.9: demo mode ends with a full clear alone; its credits are no money after the books were lost either."""
    hall = CopiedBooks(tmp_path)
    origin = Origin(generation=2, old_seq=0, old_hash="", snapshot_sha256="", who="technician", reason="a demo")
    with closing(hall.opened()) as store:
        store.transact(lambda tx: tx.post(ORIGIN, data=msgspec.to_builtins(origin)))
        store.transact(lambda tx: demo_mode.begin(tx, "technician"))
        store.transact(lambda tx: demo_mode.give(tx, 10_000))
    hall.lose_journal()
    hall.rebuilt()
    with closing(hall.opened()) as store:
        assert store.credit_cents == 10_000
        assert store.transact(demo_mode.is_on)
        with pytest.raises(RefusedError, match="free credits of demo mode"):
            store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", 10_000))
        store.transact(demo_mode.take_back)
        assert store.credit_cents == 0
    proved(hall.journal)


def away(hall: CopiedBooks) -> Path:
    """Pull the copy's medium out: its mount point is there, and empty. Return where the medium is now."""
    pulled = hall.medium.with_name("pulled")
    hall.medium.rename(pulled)
    hall.medium.mkdir()
    return pulled


def put_in(hall: CopiedBooks, pulled: Path) -> None:
    """Put the medium back, over whatever was written at its mount point meanwhile."""
    hall.medium.rename(hall.medium.with_name("left behind"))
    pulled.rename(hall.medium)


def cleared(store: Store) -> None:
    """The technician clears what their key clears."""
    store.transact(lambda tx: clear_by_key(tx, "technician"))


def test_older_books_are_found_when_the_copy_comes_back(tmp_path: Path) -> None:
    """A folder of an earlier day is put in while the copy is away: the start misses it, and it is never overwritten."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
    old = whole(hall.journal)
    with closing(hall.opened()) as store:
        earn(store, 2)
    newest = hall.copy.read_bytes()
    pulled = away(hall)
    put_back(old)
    with closing(hall.opened()) as store:
        assert [fault.code for fault in store.transact(active_faults)] == ["copy_missing"]
        assert "is not there" in events(store, "copy_missing")[0]
        earn(store, 1)
        assert not list(hall.medium.iterdir())
        put_in(hall, pulled)
        with pytest.raises(SecondCopyError, match="one of them was exchanged"):
            store.mend_second_copy()
        assert hall.copy.read_bytes() == newest
    with pytest.raises(SecondCopyError, match="one of them was exchanged"):
        hall.opened()
    assert hall.copy.read_bytes() == newest


def test_a_copy_that_comes_back_behind_the_books_goes_on(tmp_path: Path) -> None:
    """Missed at one start and put back in play: it is in step again, and nobody has to clear anything."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
    pulled = away(hall)
    with closing(hall.opened()) as store:
        earn(store, 2)
        assert store.mend_second_copy().news is None  # it was reported already
        put_in(hall, pulled)
        state = store.mend_second_copy()
        assert (state.failed, state.missing) == ("", False)
        assert state.news is not None
        store.transact(state.news)
        assert store.transact(active_faults) == []
        assert hall.kept().credit_cents == 600


def test_each_start_without_the_copy_is_an_event(tmp_path: Path) -> None:
    """Nobody has to have looked at the first of them."""
    hall = CopiedBooks(tmp_path)
    hall.opened().close()
    away(hall)
    for starts in (1, 2, 3):
        with closing(hall.opened()) as store:
            assert len(events(store, "copy_missing")) == starts


def test_only_a_technician_begins_another_copy(tmp_path: Path) -> None:
    """The old medium is lost for good: after the key an empty one is taken, and not before."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
    away(hall)
    with closing(hall.opened()) as store:
        assert store.mend_second_copy().missing
        assert not hall.copy.exists()
        cleared(store)
        state = store.mend_second_copy()
        assert (state.failed, state.missing) == ("", False)
        assert state.news is not None
        store.transact(state.news)
        assert hall.kept().credit_cents == 200
    with closing(hall.opened()) as store:
        assert store.transact(active_faults) == []


def test_the_technicians_word_brings_no_medium_back(tmp_path: Path) -> None:
    """Where a new copy cannot be begun it is still missing, and reported again."""
    hall = CopiedBooks(tmp_path)
    hall.opened().close()
    hall.medium.rename(tmp_path / "pulled")
    with closing(hall.opened()) as store:
        cleared(store)
        state = store.mend_second_copy()
        assert state.missing
        assert state.news is not None
        store.transact(state.news)
        assert [fault.code for fault in store.transact(active_faults)] == ["copy_missing"]


def test_a_configured_lock_waits_for_the_copy(tmp_path: Path) -> None:
    """With `copy_locks` a start without the copy locks, records why, and says how to go on."""
    hall = CopiedBooks(tmp_path)
    hall.opened().close()
    pulled = away(hall)
    for _ in range(2):
        with pytest.raises(MissingCopyError, match="copy_locks = false"):
            hall.opened(copy_required=True)
    put_in(hall, pulled)
    with closing(hall.opened(copy_required=True)) as store:
        assert len(events(store, "copy_missing")) == 2
        assert store.transact(active_faults) == []


def test_a_copy_at_another_path_waits_for_a_technician_too(tmp_path: Path) -> None:
    """The configuration names another file: older books could come with it."""
    hall = CopiedBooks(tmp_path)
    hall.opened().close()
    hall.copy = hall.medium / "elsewhere"
    with closing(hall.opened()) as store:
        assert not hall.copy.exists()
        cleared(store)
        assert store.mend_second_copy().failed == ""
        assert hall.copy.exists()


def test_an_empty_mount_point_is_no_first_start(tmp_path: Path) -> None:
    """Books that never had a copy begin none where the table of file systems wants a medium that is away."""
    hall = CopiedBooks(tmp_path)
    fstab = tmp_path / "fstab"
    fstab.write_text(f"# the copy\nUUID=1 {str(hall.medium).replace(' ', chr(92) + '040')} ext4 nofail 0 2\n")
    store = opened_books(laid(hall.journal), hall.key, lambda: 0, simulated=True)
    with closing(store):
        own = hall.own().public_key.hex()
        store.follow_with(SecondCopy(hall.copy, own, fstab=fstab))
        state = store.mend_second_copy()
        assert f"nothing is mounted at {hall.medium}" in state.failed
        assert not hall.copy.exists()
        fstab.write_text("UUID=1 /elsewhere ext4 nofail 0 2\n")
        assert store.mend_second_copy().failed == ""
        assert hall.copy.exists()


def test_another_file_under_its_name_is_noticed_at_once(tmp_path: Path) -> None:
    """A medium that is exchanged while the copy is open is not written to unseen: the next transaction finds it."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
        away(hall)
        earn(store, 2)
        assert "No such file" in store.second_copy.failed  # type: ignore[union-attr]
        assert store.mend_second_copy().failed == ""  # these books were in step since the start: another is begun
        assert hall.kept().credit_cents == 600


def test_a_full_clear_remembers_the_copy(tmp_path: Path) -> None:
    """Cleared books have had one too: where it is away at their first start it is missed."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        own = hall.own()
        prepared = clearing.prepare(hall.journal, own, clearing.Order("technician", "sold"), lambda: 0)
        store.transact(lambda tx: clearing.decide(tx, prepared, {}))
    pulled = away(hall)
    with closing(hall.opened()) as store:
        assert len(events(store, "copy_missing")) == 1
        put_in(hall, pulled)
        assert store.mend_second_copy().failed == ""
        assert hall.kept().generation == 2


def test_older_books_that_were_cleared_do_not_outrun_the_copy(tmp_path: Path) -> None:
    """A clear begins a new generation; the copy of the one before is compared with what that one ended with."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()):
        pass
    old = whole(hall.journal)
    with closing(hall.opened()) as store:
        earn(store, 2)
    newest = hall.copy.read_bytes()
    pulled = away(hall)
    put_back(old)
    with closing(hall.opened()) as store:
        own = hall.own()
        prepared = clearing.prepare(hall.journal, own, clearing.Order("technician", "sold"), lambda: 0)
        store.transact(lambda tx: clearing.decide(tx, prepared, {}))
    with closing(hall.opened()) as store:
        put_in(hall, pulled)
        with pytest.raises(SecondCopyError, match="one of them was exchanged"):
            store.mend_second_copy()
        assert hall.copy.read_bytes() == newest


FOREIGN = {
    "empty": b"",
    "a note": b"do not touch",
    "JSON": b'{"seq": 1}',
    "books": b"SQLite format 3\x00" + bytes(100),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("had", [False, True])
def test_nothing_is_overwritten_that_is_no_copy(tmp_path: Path, content: bytes, had: bool) -> None:  # noqa: FBT001 - a case
    """Whatever has the copy's name stays as it is, also after the technician's key; play goes on without a copy."""
    hall = CopiedBooks(tmp_path)
    if had:
        hall.opened().close()
    hall.copy.write_bytes(content)
    with closing(hall.opened()) as store:
        cleared(store)
        state = store.mend_second_copy()
        assert "is no second copy of the books and stays as it is" in state.failed
        assert state.missing is had
        earn(store, 1)
        assert store.credit_cents == 200
    assert hall.copy.read_bytes() == content


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_copy_that_is_a_link_leaves_the_books_whole(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    """A link made after the configuration was read is found by what it leads to."""
    hall = CopiedBooks(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 3)
    hall.copy.unlink()
    link(hall.copy, hall.journal)
    with closing(hall.opened()) as store:
        earn(store, 1)
        assert store.credit_cents == 800
    proved(hall.journal)
