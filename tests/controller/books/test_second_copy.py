"""The second copy of the books: in step with every acknowledged cent, compared at start, and rebuilt from (C2, C4)."""

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
from controller.books.rebuilding import copy_to_rebuild_from, rebuild
from controller.books.second_copy import Record, SecondCopy, SecondCopyError, read_copy
from controller.journal import demo_mode, money, payouts, rounds
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.journal.generations import ORIGIN, Origin, origin_of
from controller.journal.periods import lifetime
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.store import Store
from controller.keys import identity
from games.play import PoolRule
from tests.rigs.books import laid, put_back, segment, wager, whole
from tests.rigs.logged_events import words_of

POOL, RULE = PoolKey("bewitched", 10), PoolRule(seed_coins=100, growth_per_mille=5)


class Hall:
    """One cabinet's files: journal and key in one folder, the second copy on another medium."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal.sqlite"
        self.key = folder / "journal.sqlite.key"
        self.medium = folder / "medium"
        self.medium.mkdir(parents=True, exist_ok=True)
        self.copy = self.medium / "second-copy"

    def opened(self) -> Store:
        """Open the books as a start does; a cabinet that has a key makes none anew."""
        return opened_books(
            self.journal if self.key.exists() else laid(self.journal),
            self.key,
            lambda: 0,
            simulated=True,
            second_copy=self.copy,
        )

    def own(self) -> identity.Identity:
        """The cabinet's key."""
        own = identity.read_identity(self.key)
        assert own is not None
        return own

    def kept(self) -> Record:
        """What the copy says."""
        kept = read_copy(self.copy)
        assert kept is not None
        return kept

    def lose_journal(self) -> None:
        """The medium of the books is gone, with all that lay on it but the key."""
        for path in self.journal.parent.glob("journal.sqlite*"):
            if path != self.key:
                path.unlink()

    def rebuilt(self, step: Callable[[str], None] = lambda _name: None) -> Path | None:
        """Rebuild the books as a technician does."""
        kept = copy_to_rebuild_from(self.copy, self.own())
        return rebuild(self.journal, kept, self.own(), "the card died", wall_ms=lambda: 0, step=step)


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
    """Whatever came before, credit, meters and pools are back, an open round is void, and the books are proved."""
    with tempfile.TemporaryDirectory() as folder:
        hall = Hall(Path(folder))
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
        pools = store.transact(lambda tx: tx.execute("SELECT * FROM pools").fetchall())
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
    hall = Hall(tmp_path)
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

    hall = Hall(tmp_path)
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
    hall = Hall(tmp_path)
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
    hall = Hall(tmp_path)
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
    hall = Hall(tmp_path)
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
    """Any byte of any whole record changed: it is reported, made anew from the journal, and never rebuilt from."""
    with tempfile.TemporaryDirectory() as folder:
        hall = Hall(Path(folder))
        with closing(hall.opened()) as store:
            earn(store, 2)
        good = bytearray(hall.copy.read_bytes())
        place = data.draw(st.integers(0, len(good) - 2))
        good[place] ^= data.draw(st.integers(1, 255))
        hall.copy.write_bytes(good)
        with pytest.raises(CorruptJournalError):
            copy_to_rebuild_from(hall.copy, hall.own())
        with closing(hall.opened()) as store:
            assert "made anew" in events(store, "second_copy")[-1]
            assert (hall.kept().credit_cents, store.credit_cents) == (400, 400)


def test_books_of_another_cabinet_are_found_by_their_copy(tmp_path: Path) -> None:
    """Either swapped into another cabinet is found at its start, and neither is touched."""
    here, there = Hall(tmp_path / "here"), Hall(tmp_path / "there")
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
    hall = Hall(tmp_path)
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


def test_a_medium_that_fails_does_not_stop_the_books(tmp_path: Path) -> None:
    """Pulled out in play it is reported; put back the copy is begun anew and has every cent."""
    hall = Hall(tmp_path)
    with closing(hall.opened()) as store:
        earn(store, 1)
        store.second_copy.close()  # type: ignore[union-attr]
        os.rename(hall.medium, tmp_path / "pulled")  # noqa: PTH104
        store.second_copy.begin(store._connection)  # type: ignore[union-attr]
        earn(store, 2)
        assert "No such file" in store.mend_second_copy()
        assert store.credit_cents == 600
        os.rename(tmp_path / "pulled", hall.medium)  # noqa: PTH104
        assert hall.kept().credit_cents == 200
        assert store.mend_second_copy() == ""
        assert hall.kept().credit_cents == 600


def test_a_copy_stays_small(tmp_path: Path) -> None:
    """However long the cabinet plays: a file that has grown is begun anew, and says the same."""
    hall = Hall(tmp_path)
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
    hall = Hall(tmp_path)
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
