"""The full clear of the books: what it refuses, what it keeps, and that a power cut leaves it done or not done."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.books.rotation import finish, seal_of, sealed_files, successor_of
from controller.features.copies.clearing import Order, decide, prepare
from controller.features.sas import queue as host_queue
from controller.features.sas import tickets as host_tickets
from controller.features.sas import transfers as host_transfers
from controller.features.sas.rows import host_rows
from controller.files.durable import digest
from controller.journal import demo_mode, money, payouts, rounds
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.generations import Origin, origin_of
from controller.journal.open_items import add_item
from controller.journal.periods import lifetime
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.media.signed_folder import MANIFEST, verify_folder
from controller.media.sticks import StickError
from tests.features.sas.transfers import transfer
from tests.rigs.books import CUT, segment, wager
from tests.rigs.cleared_books import UNITS, cleared, key, opened, paid_by_hand, played
from tests.rigs.paths import ROOT

pytestmark = pytest.mark.sampled(2)


@pytest.mark.requirement("C9", "C10")
def test_a_full_clear_begins_anew_and_keeps_all_that_was(tmp_path: Path) -> None:
    """A new journal of the same cabinet names snapshot and old chain; the old one is kept whole and proved."""
    with closing(played(tmp_path)) as store:
        before = store.transact(lifetime)
        cabinet = store.transact(lambda tx: tx.execute("SELECT cabinet_id FROM cabinet").fetchone())
    prepared = cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        assert store.credit_cents == 0
        assert store.transact(lifetime) == {}
        assert store.transact(lambda tx: tx.execute("SELECT * FROM people").fetchall()) == []
        assert store.transact(lambda tx: tx.execute("SELECT cabinet_id FROM cabinet").fetchone()) == cabinet
    (kept,) = sealed_files(tmp_path / "journal.sqlite")
    proof = audit(kept, lambda *_: None)
    assert proof.meters == before
    assert all("no game" in failure for failure in proof.failures)  # these rounds are of no particular game
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as connection:
        origin = origin_of(connection)
        bound = connection.execute("SELECT count(*) FROM ledger WHERE kind = 'identity'").fetchone()
    assert origin == Origin(
        generation=2,
        old_seq=prepared.head.seq,
        old_hash=prepared.head.hash,
        snapshot_sha256=digest(prepared.snapshot / MANIFEST),
        who="technician",
        reason="new installation",
    )
    assert bound == (1,)
    snapshot = verify_folder(prepared.snapshot, key(tmp_path).public_key)
    assert (snapshot.kind, snapshot.seq, snapshot.head) == ("snapshot", prepared.head.seq, prepared.head.hash)
    assert {"meters.csv", "pools.csv"} <= {file.name for file in snapshot.files}
    words = seal_of(kept)
    assert words is not None
    assert (words.why, words.reason, words.snapshot_sha256) == (
        "full clear",
        "new installation",
        origin.snapshot_sha256,
    )


def test_what_hosts_have_not_read_outlasts_a_clear(tmp_path: Path) -> None:
    """Exceptions, the transfer that is not closed and the history before it: none is made a second time."""
    with closing(played(tmp_path)) as store:
        for name, kind, into in (("A1", 0x00, True), ("A2", 0x80, False)):
            asked = transfer(name, kind)
            store.transact(lambda tx: host_transfers.move(tx, "host_port", asked, into=into))  # noqa: B023 - run at once
            if into:
                store.transact(lambda tx: host_transfers.close(tx, "host_port"))
        store.transact(lambda tx: host_queue.queue(tx, "host_port", 0x69, priority=True))
        store.transact(lambda tx: host_tickets.begin(tx, "host_port", "37" + "1" * 16))
        store.transact(lambda tx: host_tickets.give_up(tx, "host_port", 0x88))
        before = store.transact(host_rows)
    cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        assert store.transact(host_rows) == before
        newest = store.transact(lambda tx: host_transfers.newest(tx, "host_port"))
        assert newest is not None
        assert (newest.transaction_id, newest.closed) == ("A2", False)
        assert [each.code for each in store.transact(lambda tx: host_queue.waiting(tx, "host_port"))] == [0x69]
        store.transact(lambda tx: host_transfers.close(tx, "host_port"))
        for name in ("A1", "A2"):
            with pytest.raises(RefusedError):
                store.transact(lambda tx: host_transfers.move(tx, "host_port", transfer(name, 0), into=True))  # noqa: B023
        store.transact(lambda tx: tx.prove())


def test_a_second_clear_follows_the_first(tmp_path: Path) -> None:
    """Each journal of a cabinet is kept under a number of its own."""
    played(tmp_path).close()
    for generation in (2, 3):
        cleared(tmp_path)
        opened(tmp_path).close()
        with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as connection:
            origin = origin_of(connection)
        assert origin is not None
        assert origin.generation == generation
    assert [path.suffix for path in sealed_files(tmp_path / "journal.sqlite")] == [".sealed-0001", ".sealed-0002"]


def test_no_sealed_journal_is_overwritten_by_the_next(tmp_path: Path) -> None:
    """The first was taken away: the next clear takes a number that is free."""
    played(tmp_path).close()
    for _ in range(2):
        cleared(tmp_path)
        opened(tmp_path).close()
    first, second = sealed_files(tmp_path / "journal.sqlite")
    before = second.read_bytes()
    first.unlink()
    cleared(tmp_path)
    opened(tmp_path).close()
    assert second.read_bytes() == before
    assert [path.suffix for path in sealed_files(tmp_path / "journal.sqlite")] == [".sealed-0002", ".sealed-0003"]


def credit(tx: Transaction) -> None:
    money.coins_taken(tx, 1, 2, (200,), 0)


def open_round(tx: Transaction) -> None:
    credit(tx)
    rounds.begin(tx, wager(200), "null", segment(0, ends=False))


def open_payout(tx: Transaction) -> None:
    credit(tx)
    payouts.begin_payout(tx, "hand_pay", 200)


def note(tx: Transaction) -> None:
    money.note_stacking(tx, 500)


def item(tx: Transaction) -> None:
    add_item(tx, "note_unknown", 500, Event.NOTE_UNEXPECTED)


def hopper_test(tx: Transaction) -> None:
    hopper_diagnostic.begin(tx, 3, 100)


def pulses(tx: Transaction) -> None:
    credit(tx)
    paid_by_hand(tx)


@pytest.mark.parametrize(
    ("owe", "words"),
    [
        (credit, "pay out the credit of 200 cents"),
        (open_round, "round is in progress"),
        (open_payout, "payout is in progress"),
        (note, "note that is on its way"),
        (item, r"open items \(A.8\): 1"),
        (hopper_test, r"hopper's test put back \(T.10\)"),
        (pulses, "hard meters have got the pulses"),
    ],
)
def test_what_is_owed_comes_first(tmp_path: Path, owe: Callable[[Transaction], None], words: str) -> None:
    """The words say what is in the way, and nothing has happened to the books."""
    with closing(played(tmp_path)) as store:
        store.transact(owe)
    with pytest.raises(RefusedError, match=words):
        cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        assert store.transact(lifetime)["stakes"] >= 100
    assert sealed_files(tmp_path / "journal.sqlite") == []


def test_books_that_moved_meanwhile_are_not_sealed(tmp_path: Path) -> None:
    """What the snapshot holds is what the journal ended with."""
    with closing(played(tmp_path)) as store:
        prepared = prepare(store.path, key(tmp_path), Order("technician", "test"), lambda: 0)
        store.transact(lambda tx: tx.log("door_open", "main"))
        with pytest.raises(RefusedError, match="the books moved meanwhile"):
            store.transact(lambda tx: decide(tx, prepared, UNITS))


def test_a_sealed_journal_takes_no_row_more(tmp_path: Path) -> None:
    """Nothing slips in between the seal and the new journal."""
    played(tmp_path).close()
    prepared = cleared(tmp_path)
    path = tmp_path / "journal.sqlite"
    with closing(Store(path, lambda: 0, simulated=True)) as store, pytest.raises(RefusedError, match="are sealed"):
        store.transact(lambda tx: tx.log("coin", "late"))
    assert seal_of(path) == prepared.words


@pytest.mark.requirement("M10")
def test_lifetime_meters_are_reset_in_no_other_way(tmp_path: Path) -> None:
    """The schema refuses whoever tries, whatever the statement."""
    with closing(played(tmp_path)) as store:
        for statement in (
            "UPDATE meters SET value = 0",
            "DELETE FROM meters",
            "REPLACE INTO meters (name, value) VALUES ('stakes', 0)",
            "INSERT OR REPLACE INTO meters (name, value) SELECT name, 0 FROM meters",
            "DELETE FROM ledger",
            "REPLACE INTO ledger SELECT * FROM ledger WHERE seq = 1",
            "UPDATE meters SET name = 'other' WHERE name = 'stakes'",
        ):
            with pytest.raises(RefusedError, match=r"keeps its name|never|append-only|removed|gap"):
                store.transact(lambda tx: tx.execute(statement).rowcount)  # noqa: B023 - run at once
        assert store.transact(lifetime)["stakes"] == 100


def test_the_snapshot_goes_onto_the_stick_too(tmp_path: Path) -> None:
    """A stick that fails stops the clear before it has begun."""
    played(tmp_path).close()
    with pytest.raises(StickError, match="pulled out"):
        cleared(tmp_path, sticks=(tmp_path / "gone",))
    assert not successor_of(tmp_path / "journal.sqlite").exists()
    (tmp_path / "stick").mkdir()
    prepared = cleared(tmp_path, sticks=(tmp_path / "stick",))
    (copy,) = (tmp_path / "stick").iterdir()
    assert (copy / MANIFEST).read_bytes() == (prepared.snapshot / MANIFEST).read_bytes()
    verify_folder(copy, key(tmp_path).public_key)


def test_a_successor_that_was_changed_takes_no_place(tmp_path: Path) -> None:
    """The seal names it; another one locks the cabinet with plain words, and the sealed books stay."""
    played(tmp_path).close()
    cleared(tmp_path)
    with successor_of(tmp_path / "journal.sqlite").open("ab") as file:
        file.write(b"more")
    with pytest.raises(CorruptJournalError, match="sealed for a full clear"):
        opened(tmp_path)
    assert seal_of(tmp_path / "journal.sqlite") is not None


CLEARING = """
import sys
from pathlib import Path
from controller.books.rotation import finish
from tests.rigs.books import cut_at
from tests.rigs.cleared_books import cleared
step = cut_at(int(sys.argv[2]))
folder = Path(sys.argv[1])
cleared(folder, step)
finish(folder / "journal.sqlite", step)
"""
NOT_DONE, DONE = 6, 11
"""So many steps lie before the seal, and in all."""


@pytest.mark.requirement("C8")
@pytest.mark.parametrize("cut", range(1, DONE + 1))
def test_a_power_cut_leaves_a_clear_done_or_not_done(tmp_path: Path, cut: int) -> None:
    """At each step the process dies at once; what starts next has the old books whole or the new ones."""
    played(tmp_path).close()
    root = ROOT
    died = subprocess.run(
        [sys.executable, "-c", CLEARING, tmp_path, str(cut)], cwd=root, capture_output=True, text=True, check=False
    )
    assert died.returncode == CUT, died.stderr
    with closing(opened(tmp_path)) as store:
        stakes = store.transact(lifetime).get("stakes", 0)
    assert stakes == (100 if cut <= NOT_DONE - 1 else 0), died.stdout
    assert len(sealed_files(tmp_path / "journal.sqlite")) == (0 if stakes else 1)
    assert not finish(tmp_path / "journal.sqlite")
    if stakes:  # a clear that was cut short is done whole the next time
        cleared(tmp_path)
        with closing(opened(tmp_path)) as store:
            assert store.transact(lifetime) == {}


def test_the_steps_are_all_there_are(tmp_path: Path) -> None:
    """The proof above cuts before each step of a clear and after the last."""
    played(tmp_path).close()
    steps: list[str] = []
    cleared(tmp_path, steps.append)
    finish(tmp_path / "journal.sqlite", steps.append)
    assert (steps.index("after the seal"), len(steps)) == (NOT_DONE - 1, DONE)


def test_demo_mode_needs_no_pulses_before_a_clear(tmp_path: Path) -> None:
    """U.9: its pulses are owed to nobody."""
    played(tmp_path).close()
    cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: demo_mode.begin(tx, "technician"))
        store.transact(lambda tx: demo_mode.give(tx, 1000))
        store.transact(lambda tx: rounds.begin(tx, wager(100), "null", segment(0, ends=True)))
        store.transact(demo_mode.take_back)
    cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        assert not store.transact(demo_mode.is_on)
