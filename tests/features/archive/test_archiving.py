"""The archive of a journal's past: what is taken over and proved, and that a power cut leaves it done or not done."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from controller.books.audit import STRETCH, audit, prove_archives
from controller.books.opening import opened_books
from controller.books.proof import Proof
from controller.books.rotation import seal_of, sealed_files
from controller.books.second_copy import SecondCopyError
from controller.features.archive.archiving import Archiving, decide, finish
from controller.features.archive.carry_over import PARTLY, RETENTION, WHOLE, Retention
from controller.features.copies import clearing, restoring
from controller.features.copies.backups import backup
from controller.features.copies.clearing import Order
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.files.durable import digest
from controller.journal import event_log, money, payouts, rounds
from controller.journal.accounts import account
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import CorruptJournalError, JournalStorageError, RefusedError
from controller.journal.ledger import ANCHOR_EVERY
from controller.journal.open_items import Resolution, open_items
from controller.journal.periods import lifetime
from controller.journal.resolutions import resolve_item
from controller.journal.schema import NAMES
from controller.journal.store import read_only
from controller.journal.totals import games_since
from controller.journal.transaction import Transaction
from controller.keys import identity
from tests.rigs.archived_books import archived, known, lived, opened, path_in, wall_ms
from tests.rigs.books import CUT, laid, put_back, rewritten, segment, wager, whole
from tests.rigs.needing import skip
from tests.rigs.paths import ROOT

pytestmark = pytest.mark.sampled(2)

FOLDED = {"bet_totals_folded", "day_totals_folded", "win_sizes_folded", "totals_until"}
"""The tables behind the views of the totals: an archive folds into them what came since the last fold."""
"""The exit code of a process whose power was cut."""
UNITS = {"coin_in": 10, "coin_out": 10, "drop": 10, "hand_pay": 10, "games": 1}


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    """All rows of a table, in order."""
    with read_only(path) as connection:
        keys = [name for name, key in connection.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)) if key]
        return connection.execute(f"SELECT * FROM {table} ORDER BY {', '.join(keys) or 'rowid'}").fetchall()  # noqa: S608 - the schema's names


def tables_of(path: Path) -> set[str]:
    """The tables of a journal."""
    with read_only(path) as connection:
        sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        return {name for (name,) in connection.execute(sql)}


def proof_of(path: Path, *folders: Path, whole: bool = False) -> Proof:
    """Prove a journal and what lies behind it."""
    proof = audit(path, lambda *_: None)
    prove_archives(path, proof, folders, whole=(lambda *_: None) if whole else None)
    return proof


def test_every_table_is_taken_over_or_said_to_stay_behind_in_part(tmp_path: Path) -> None:
    """A table that is added to the schema must be given a place in `carrying`."""
    laid(path_in(tmp_path))
    assert tables_of(path_in(tmp_path)) == WHOLE | PARTLY.keys()


def test_short_books_are_the_same_table_by_table(tmp_path: Path) -> None:
    """Nothing is left behind of books that hold no more than is kept: every row of every table is there, as it was."""
    lived(tmp_path)
    names = tables_of(path_in(tmp_path)) - FOLDED | {"bet_totals", "day_totals", "win_sizes"}
    before = {table: rows(path_in(tmp_path), table) for table in names}
    rare = {"anchors", "anchor_signatures", "archives", "contributions", "claims", "tickets"}
    rare |= {name for name in names if name.startswith(("host", "venue"))}  # of cabinets with a host, or in a venue
    assert all(before[table] for table in before.keys() - rare)
    archived(tmp_path)
    after = {table: rows(path_in(tmp_path), table) for table in names}
    seal, event = after["ledger"][-2:]
    assert after.pop("ledger")[:-2] == before.pop("ledger")
    assert (seal[2], event[2]) == ("sealed", "event")
    assert after.pop("events")[:-1] == before.pop("events")
    assert [row[0] for row in after.pop("archives")] == [seal[0]]
    assert [row[0] for row in after.pop("anchors")] == [seal[0]]
    before.pop("archives"), before.pop("anchors")
    newest = {row for row in after.pop("newest_events") if row[0] != "books_archived"}
    assert newest == set(before.pop("newest_events"))
    (then,), (now,) = before.pop("cabinet"), after.pop("cabinet")
    assert now[:-2] == then[:-2]  # the last columns are the digests of all tables, and the count of transactions
    assert after == before


def test_the_schema_goes_along(tmp_path: Path) -> None:
    """Tables, indexes and triggers are the same, so that every rule of the books goes on holding."""
    lived(tmp_path)
    sql = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    with read_only(path_in(tmp_path)) as connection:
        before = connection.execute(sql).fetchall()
    archived(tmp_path)
    with read_only(path_in(tmp_path)) as connection:
        assert connection.execute(sql).fetchall() == before
    with closing(opened(tmp_path)) as store, pytest.raises(RefusedError, match="append-only"):
        store.transact(lambda tx: tx.execute("DELETE FROM ledger").rowcount)


def test_the_books_are_proved_before_and_after_and_through(tmp_path: Path) -> None:
    """The journal, its archive, and that the one ends with the row that the other begins with."""
    lived(tmp_path)
    whole = proof_of(path_in(tmp_path))
    archived(tmp_path)
    proof = proof_of(path_in(tmp_path), whole=True)
    assert (whole.failures, proof.failures) == ([], [])
    assert (proof.meters, proof.credit_cents, proof.rounds) == (whole.meters, whole.credit_cents, whole.rounds)
    assert [words.split(":")[0] for words in proof.behind] == ["books-0001-0001.sqlite"]
    (archive,) = known(tmp_path)
    file = archive.found(path_in(tmp_path))
    assert file is not None
    assert file.stat().st_mode & 0o222 == 0
    assert audit(file, lambda *_: None).failures == []


def test_a_long_past_is_left_behind_and_a_long_recall_stays(tmp_path: Path) -> None:
    """Of many rounds the newest thousand stay, their accounts unchanged; the ledger before them is in the archive."""
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,), 0))
        for number in range(1_300):
            cents = 100 if number % 3 else 0
            store.transact(lambda tx: rounds.begin(tx, wager(100), "null", segment(100 + cents, ends=True)))  # noqa: B023
            if cents:
                store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", 100))
                store.transact(payouts.confirm_hand_pay)
        accounts = store.transact(lambda tx: [account(tx, number) for number in range(301, 1_301)])
        before = store.transact(lambda tx: (lifetime(tx), tx.credit_cents, games_since(tx, "identity", "")))
        count = store.transact(lambda tx: tx.head[0])
    archived(tmp_path)
    assert len(rows(path_in(tmp_path), "ledger")) < count
    with closing(opened(tmp_path)) as store:
        assert store.transact(lambda tx: [account(tx, number) for number in range(301, 1_301)]) == accounts
        assert store.transact(lambda tx: (lifetime(tx), tx.credit_cents, games_since(tx, "identity", ""))) == before
        with pytest.raises(RefusedError, match="no round 300"):
            store.transact(lambda tx: account(tx, 300))
        assert store.transact(lambda tx: tx.head[0]) == count + 2
        assert store.transact(lambda tx: rounds.begin(tx, wager(100), "null", segment(0, ends=True))) == 1_301
    proof = audit(path_in(tmp_path), lambda *_: None)
    assert all("no game" in failure for failure in proof.failures)  # these rounds are of no particular game
    assert (len(proof.failures), proof.unlike) == (1_001, 1_001)


def test_ten_thousand_events_stay_in_the_log(tmp_path: Path) -> None:
    """And of each code the newest ones, however old they are."""

    def happened(tx: Transaction) -> None:
        for number in range(RETENTION.events + 500):
            tx.log("service_call", str(number))

    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(happened)
        newest = store.transact(lambda tx: event_log.events(tx, 2**62, RETENTION.events))
        codes = store.transact(event_log.codes)
    archived(tmp_path)
    with closing(opened(tmp_path)) as store:
        after = store.transact(lambda tx: event_log.events(tx, 2**62, RETENTION.events + 1))
        assert after[1:] == newest  # the newest is about the archive
        assert store.transact(event_log.codes) == sorted([*codes, "books_archived"])
        count = store.transact(lambda tx: tx.execute("SELECT count(*) FROM events").fetchone())
    assert count[0] < RETENTION.events + 200


def test_a_start_proves_from_the_archive_on(tmp_path: Path) -> None:
    """The chain goes on from the row that sealed the archive, past the next anchors, and so does its audit."""
    lived(tmp_path)
    for _ in range(3):
        with closing(opened(tmp_path)) as store:
            for counter in range(2, ANCHOR_EVERY // 2):
                store.transact(lambda tx: money.coins_taken(tx, 1, counter, (100,), 0))  # noqa: B023 - run at once
        archived(tmp_path)
    assert [archive.name[-11:-7] for archive in known(tmp_path)] == ["0001", "0002", "0003"]
    proof = proof_of(path_in(tmp_path), whole=True)
    assert (proof.failures, len(proof.behind)) == ([], 3)
    opened(tmp_path).close()


def test_only_a_journal_that_has_grown_is_archived_at_a_start(tmp_path: Path) -> None:
    """From its limit on, once: what follows is small again."""
    lived(tmp_path)
    size = path_in(tmp_path).stat().st_size
    opened(tmp_path, archives_at=size + 1).close()
    assert known(tmp_path) == []
    with closing(opened(tmp_path, archives_at=size)) as store:
        credit = store.credit_cents
    assert len(known(tmp_path)) == 1
    with closing(opened(tmp_path)) as store:
        assert store.credit_cents == credit


def open_round(tx: Transaction) -> None:
    rounds.begin(tx, wager(100), "null", segment(0, ends=False))


def open_payout(tx: Transaction) -> None:
    payouts.begin_payout(tx, "hand_pay", 100)


def note(tx: Transaction) -> None:
    money.note_stacking(tx, 500)


def hopper_test(tx: Transaction) -> None:
    hopper_diagnostic.begin(tx, 3, 100)


@pytest.mark.parametrize("begin", [open_round, open_payout, note, hopper_test])
def test_nothing_under_way_is_cut_in_two(tmp_path: Path, begin: Callable[[Transaction], None]) -> None:
    """A start that finds a round, payout, note or hopper test open plays on, and archives another time."""
    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(begin)
    opened(tmp_path, archives_at=1).close()
    assert known(tmp_path) == []
    assert seal_of(path_in(tmp_path)) is None


def test_a_folder_that_takes_no_archive_is_no_reason_not_to_play(tmp_path: Path) -> None:
    """The reason is reported, and nothing was sealed."""
    lived(tmp_path)
    (tmp_path / "archive").write_bytes(b"in the way")
    limit = Archiving(1, fewest_rows=0)
    opened_books(path_in(tmp_path), tmp_path / "key", wall_ms, simulated=True, archives=limit).close()
    assert "archive" in limit.failed
    assert seal_of(path_in(tmp_path)) is None


def test_a_program_that_reads_the_books_is_waited_for(tmp_path: Path) -> None:
    """`cabinet audit` at the moment of a start: nothing is sealed that could not be finished, and play goes on."""
    lived(tmp_path)
    limit = Archiving(1, fewest_rows=0)
    with read_only(path_in(tmp_path)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM ledger").fetchone()
        opened_books(path_in(tmp_path), tmp_path / "key", wall_ms, simulated=True, archives=limit).close()
        assert "is being read by another program" in limit.failed
    assert seal_of(path_in(tmp_path)) is None
    opened(tmp_path, archives_at=1).close()
    assert len(known(tmp_path)) == 1


class Reader:
    """A clock at whose `at`-th look another program begins to read the books at `path`, if it is let, and goes on."""

    def __init__(self, path: Path, at: int) -> None:
        self._path = path
        self._left = at
        self._reading: sqlite3.Connection | None = None

    @property
    def came(self) -> bool:
        """Whether its moment was there."""
        return self._left <= 0

    def wall_ms(self) -> int:
        """Return the time."""
        self._left -= 1
        if self._left == 0:
            self._reading = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, isolation_level=None, timeout=0)
            with suppress(sqlite3.OperationalError):
                self._reading.execute("BEGIN")
                self._reading.execute("SELECT count(*) FROM ledger").fetchone()
        return wall_ms()

    def close(self) -> None:
        """Let go."""
        if self._reading is not None:
            self._reading.close()


def test_a_program_that_begins_to_read_the_books_at_any_moment_keeps_no_start_from_play(tmp_path: Path) -> None:
    """It is noticed before the seal, or kept out until that is durable, or reads on while the archive is made."""
    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        before = store.transact(lambda tx: (lifetime(tx), tx.credit_cents))
    made = []
    for at in range(1, 20):
        folder = tmp_path / str(at)
        folder.mkdir()
        for name in ("journal.sqlite", "key"):
            shutil.copy(tmp_path / name, folder / name)
        limit = Archiving(1, fewest_rows=0)
        with closing(Reader(path_in(folder), at)) as reader:
            how = {"simulated": True, "archives": limit, "second_copy": folder / "copy"}
            with closing(opened_books(path_in(folder), folder / "key", reader.wall_ms, **how)) as store:
                assert store.transact(lambda tx: (lifetime(tx), tx.credit_cents)) == before
            made.append(len(known(folder)))
            assert made[-1] == (limit.failed == "")
        if not reader.came:
            break
    else:
        pytest.fail("the clock is looked at again and again")
    assert set(made) == {0, 1}


def test_books_that_lack_rows_are_not_archived(tmp_path: Path) -> None:
    """A journal that fell behind its second copy locks before anything is sealed in it."""
    lived(tmp_path)
    before, copy = whole(path_in(tmp_path)), tmp_path / "copy"
    with closing(opened(tmp_path, second_copy=copy)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 9, (200,), 0))
    put_back(before)
    with pytest.raises(SecondCopyError, match="rows are lost"):
        opened(tmp_path, archives_at=1, second_copy=copy)
    assert seal_of(path_in(tmp_path)) is None


def test_what_was_decided_and_cannot_be_finished_locks_with_its_reason(tmp_path: Path) -> None:
    """Each start tries again, and the one that can goes on; nothing is lost meanwhile."""
    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        before = store.transact(lifetime)
    in_the_way = tmp_path / "journal.sqlite.new"
    in_the_way.mkdir()
    for _ in range(2):
        with pytest.raises(JournalStorageError, match="could not be archived"):
            opened(tmp_path, archives_at=1)
    in_the_way.rmdir()
    with closing(opened(tmp_path)) as store:
        assert store.transact(lifetime) == before
    assert len(known(tmp_path)) == 1


def test_an_archive_may_lie_on_another_medium(tmp_path: Path) -> None:
    """`[storage] archive` names the folder; one that is gone by the time of the next start is replaced."""
    lived(tmp_path)
    elsewhere = tmp_path / "usb"
    limit = Archiving(1, elsewhere, fewest_rows=0)
    opened_books(path_in(tmp_path), tmp_path / "key", wall_ms, simulated=True, archives=limit).close()
    assert [path.name for path in elsewhere.iterdir()] == ["books-0001-0001.sqlite"]
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: decide(tx, tmp_path / "gone" / "for good", "a test"))
    opened(tmp_path).close()
    assert [path.name for path in (tmp_path / "archive").iterdir()] == ["books-0001-0002.sqlite"]
    assert proof_of(path_in(tmp_path)).failures == []


@pytest.fixture
def medium(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than the journal's."""
    places = ("/dev/shm", "/var/tmp")  # noqa: S108  # one of them lies elsewhere than the tests' own folder
    others = [place for place in places if Path(place).stat().st_dev != tmp_path.stat().st_dev]
    if not others:
        skip("this machine has one file system only", "mount a tmpfs at /dev/shm")
    with tempfile.TemporaryDirectory(dir=others[0], prefix="archives") as name:
        yield Path(name)


def test_a_medium_that_does_not_take_the_archive_keeps_no_start_from_play(tmp_path: Path, medium: Path) -> None:
    """What fails or fills up while it is written: the archive lies beside the journal then."""
    lived(tmp_path)
    (medium / "books-0001-0001.sqlite.part").mkdir()  # in the way
    archived(tmp_path, into=medium)
    assert [path.name for path in (tmp_path / "archive").iterdir()] == ["books-0001-0001.sqlite"]
    assert [archive.folder for archive in known(tmp_path)] == [str(tmp_path / "archive")]
    assert proof_of(path_in(tmp_path)).failures == []


def test_an_archive_that_is_missing_or_changed_is_named(tmp_path: Path) -> None:
    """A file that is gone, one that was altered, and one that was exchanged for another."""
    lived(tmp_path)
    archived(tmp_path)
    archived(tmp_path)
    first, second = sorted((tmp_path / "archive").iterdir())
    aside = tmp_path / "aside"
    aside.mkdir()
    first.rename(aside / first.name)
    (failure,) = proof_of(path_in(tmp_path)).failures
    assert failure.startswith("books-0001-0001.sqlite (rows to ")
    assert proof_of(path_in(tmp_path), aside).failures == []
    second.chmod(0o644)
    with closing(sqlite3.connect(second)) as connection, connection:
        connection.execute("UPDATE memories SET memory = '2'")
    (failure,) = proof_of(path_in(tmp_path), aside).failures
    assert "books-0001-0002.sqlite is not the archive that the ledger names" in failure


def test_rows_that_were_taken_over_cannot_be_changed_unseen(tmp_path: Path) -> None:
    """The recall's rows are those of the archive, or the audit says so."""
    lived(tmp_path)
    archived(tmp_path)
    with closing(sqlite3.connect(path_in(tmp_path))) as connection, connection:
        connection.execute("DROP TRIGGER ledger_no_update")
        connection.execute("UPDATE ledger SET at_ms = 1 WHERE kind = 'note'")
    assert any(
        "are not those that books-0001-0001.sqlite holds" in failure for failure in proof_of(path_in(tmp_path)).failures
    )


@pytest.mark.parametrize("change", ["sha256 = '{sha256}'", "left_notes_cents = 5", "size = 7", "name = 'books-1-9'"])
def test_the_list_of_archives_is_what_the_ledger_says_of_each(tmp_path: Path, change: str) -> None:
    """An older archive that was exchanged is found, even where the list was altered with it."""
    lived(tmp_path)
    archived(tmp_path)
    archived(tmp_path)
    first = tmp_path / "archive" / "books-0001-0001.sqlite"
    first.chmod(0o644)
    with closing(sqlite3.connect(first)) as connection, connection:
        connection.execute("UPDATE memories SET memory = '2'")
    with closing(sqlite3.connect(path_in(tmp_path))) as connection, connection:
        connection.execute("DROP TRIGGER archives_stay")
        words = change.format(sha256=digest(first))
        connection.execute(f"UPDATE archives SET {words} WHERE seq = (SELECT min(seq) FROM archives)")  # noqa: S608
    failures = proof_of(path_in(tmp_path)).failures
    assert any("the ledger and the list of archives disagree about books-" in words for words in failures)


def test_what_the_ledger_says_of_each_archive_stays(tmp_path: Path) -> None:
    """However little else does."""
    lived(tmp_path)
    for _ in range(4):
        archived(tmp_path, retained=Retention(rounds=1, events=1, of_each=1, stretch=1))
    assert (len(known(tmp_path)), proof_of(path_in(tmp_path)).failures) == (4, [])


def test_an_audit_comes_up_for_breath_within_a_long_ledger(tmp_path: Path) -> None:
    """The proof of an archive rests between stretches of rows, so that it never holds a core for long."""

    def happened(tx: Transaction) -> None:
        for number in range(2 * STRETCH):
            tx.log("service_call", str(number))

    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(happened)
        rows_there = store.transact(lambda tx: tx.head[0])
    progress: list[tuple[str, int, int]] = []
    assert audit(path_in(tmp_path), lambda *words: progress.append(words)).failures == []
    done = [done for what, done, _ in progress if what == "ledger"]
    assert (done[0], done[-1]) == (0, rows_there)
    assert max(later - before for before, later in pairwise(done)) <= STRETCH


def test_a_sealed_journal_takes_no_row_more(tmp_path: Path) -> None:
    """Nothing slips in between the seal and what follows it."""
    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: decide(tx, tmp_path / "archive", "a test"))
        with pytest.raises(RefusedError, match="are sealed"):
            store.transact(lambda tx: tx.log("coin", "late"))


def test_books_from_before_an_archive_get_a_number_of_their_own(tmp_path: Path) -> None:
    """After a way back over an upgrade an archive of the same number is there already: it is kept."""
    lived(tmp_path)
    before = whole(path_in(tmp_path))
    archived(tmp_path)
    put_back(before)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: tx.log("other", "another past"))
    archived(tmp_path)
    archived(tmp_path)
    assert [path.name for path in sorted((tmp_path / "archive").iterdir())] == [
        f"books-0001-000{number}.sqlite" for number in (1, 2, 3)
    ]
    assert [archive.number for archive in known(tmp_path)] == [2, 3]
    assert proof_of(path_in(tmp_path), whole=True).failures == []


ARCHIVING = """
import sys
from pathlib import Path
from tests.rigs.books import cut_at
from tests.rigs.archived_books import archived
step = cut_at(int(sys.argv[2]))
archived(Path(sys.argv[1]), step)
"""
NOT_DONE, DONE = 2, 9
"""So many steps lie before the seal is durable, and in all."""


@pytest.mark.parametrize("cut", range(1, DONE + 1))
def test_a_power_cut_leaves_an_archive_done_or_not_done(tmp_path: Path, cut: int) -> None:
    """At each step the process dies at once; what starts next has the old books, or the new ones and the archive."""
    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        before = store.transact(lambda tx: (lifetime(tx), tx.credit_cents))
    root = ROOT
    died = subprocess.run(
        [sys.executable, "-c", ARCHIVING, tmp_path, str(cut)], cwd=root, capture_output=True, text=True, check=False
    )
    assert died.returncode == CUT, died.stderr
    with closing(opened(tmp_path)) as store:
        assert store.transact(lambda tx: (lifetime(tx), tx.credit_cents)) == before
    assert len(known(tmp_path)) == (0 if cut < NOT_DONE else 1), died.stdout
    assert not finish(path_in(tmp_path), wall_ms)
    assert list(tmp_path.glob("journal.sqlite.new*")) == []
    proof = proof_of(path_in(tmp_path), whole=True)
    assert (proof.failures, len(proof.behind)) == ([], len(known(tmp_path)))
    archived(tmp_path)
    assert len(list((tmp_path / "archive").iterdir())) == len(known(tmp_path))


def test_the_steps_are_all_there_are(tmp_path: Path) -> None:
    """The proof above cuts before each step of archiving and after the last."""
    lived(tmp_path)
    steps: list[str] = []
    archived(tmp_path, steps.append)
    assert (steps.index("after the seal") + 1, len(steps)) == (NOT_DONE, DONE)


def test_a_successor_that_lacks_rows_takes_no_place(tmp_path: Path) -> None:
    """What cannot be made whole leaves the sealed journal where it is, with the reason, and is tried at each start."""
    lived(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: tx.execute("CREATE TABLE later (seq INTEGER REFERENCES ledger (seq))").rowcount)
        store.transact(lambda tx: tx.execute("PRAGMA defer_foreign_keys = ON").rowcount)
    with rewritten(path_in(tmp_path)) as connection:
        connection.execute("INSERT INTO later VALUES (999)")
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: decide(tx, tmp_path / "archive", "a test"))
    with pytest.raises(CorruptJournalError, match="lacks rows that its later refer to"):
        opened(tmp_path)
    assert seal_of(path_in(tmp_path)) is not None


def test_the_second_copy_goes_on(tmp_path: Path) -> None:
    """One in step, and one that was away for longer than the journal reaches back, follow the books after it."""
    lived(tmp_path)
    copy = tmp_path / "copy"
    opened(tmp_path, second_copy=copy).close()
    old = copy.read_bytes()
    archived(tmp_path)
    opened(tmp_path, second_copy=copy).close()
    with closing(opened(tmp_path)) as store:
        for counter in range(2, 300):
            store.transact(lambda tx: money.coins_taken(tx, 1, counter, (100,), 0))  # noqa: B023 - run at once
    archived(tmp_path)
    copy.write_bytes(old)
    with closing(opened(tmp_path, second_copy=copy)) as store:
        assert store.second_copy is not None
        assert store.second_copy.failed == ""


def test_a_key_of_another_cabinet_opens_no_archived_books(tmp_path: Path) -> None:
    """The bond goes along."""
    lived(tmp_path)
    archived(tmp_path)
    (tmp_path / "key").unlink()
    with pytest.raises(identity.IdentityError, match="is missing"):
        opened(tmp_path)


def backed_up(folder: Path) -> Path:
    """Back up the books in `folder`; return the backup."""
    own = identity.read_identity(folder / "key")
    assert own is not None
    (folder / "copies").mkdir(exist_ok=True)
    return backup(path_in(folder), folder / "copies", own, "", wall_ms())


def restored_after_loss(folder: Path, copy: Path, archived_in: Path | None = None) -> None:
    """Lose the journal, and restore that backup in its place."""
    own = identity.read_identity(folder / "key")
    assert own is not None
    path_in(folder).unlink(missing_ok=True)
    restoring.restore_lost(path_in(folder), copy, own, "technician", wall_ms, units=UNITS, archives=archived_in)


def test_a_backup_from_before_an_archive_is_older_than_what_the_archive_counted(tmp_path: Path) -> None:
    """U.6: the archive beside a lost journal proves that more was counted; one that counted nothing is no way back."""
    lived(tmp_path)
    older = backed_up(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 9, (200,), 0))
    newer = backed_up(tmp_path)
    archived(tmp_path)
    with pytest.raises(RefusedError, match="is older than what the machine has counted since"):
        restored_after_loss(tmp_path, older)
    assert not path_in(tmp_path).exists()
    restored_after_loss(tmp_path, newer)
    assert proof_of(path_in(tmp_path)).failures == []


def test_a_restore_never_goes_behind_an_archive_that_lies_elsewhere(tmp_path: Path) -> None:
    """U.6: archives are looked for where `[storage] archive` says, and where the backup itself knows some."""
    lived(tmp_path)
    elsewhere, older = tmp_path / "usb", backed_up(tmp_path)
    archived(tmp_path, into=elsewhere)
    between = backed_up(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 9, (200,), 0))
    archived(tmp_path, into=elsewhere)
    newest = backed_up(tmp_path)
    for backup_of, folder in ((older, elsewhere), (between, elsewhere), (between, None)):
        with pytest.raises(RefusedError, match="is older than what the machine has counted since"):
            restored_after_loss(tmp_path, backup_of, folder)
        assert not path_in(tmp_path).exists()
    restored_after_loss(tmp_path, newest, elsewhere)
    assert proof_of(path_in(tmp_path), whole=True).failures == []


def test_nothing_is_restored_in_place_of_lost_books_while_the_archives_are_away(tmp_path: Path) -> None:
    """What was counted cannot be known without them: their folder is named, with what to do."""
    lived(tmp_path)
    away, backup_of = tmp_path / "usb", backed_up(tmp_path)
    with pytest.raises(JournalStorageError, match=r"usb is not there: .* \[storage\] archive"):
        restored_after_loss(tmp_path, backup_of, away)
    assert not path_in(tmp_path).exists()
    away.mkdir()
    restored_after_loss(tmp_path, backup_of, away)


def test_a_backup_of_books_that_follow_an_archive_is_restored(tmp_path: Path) -> None:
    """It brings the list of archives along, is proved with them, and is archived under the next number."""
    lived(tmp_path)
    archived(tmp_path)
    copy = backed_up(tmp_path)
    archived(tmp_path)
    restored_after_loss(tmp_path, copy)
    assert (proof_of(path_in(tmp_path), whole=True).failures, len(known(tmp_path))) == ([], 1)
    archived(tmp_path)
    assert [archive.name for archive in known(tmp_path)] == ["books-0001-0001.sqlite", "books-0002-0002.sqlite"]
    assert proof_of(path_in(tmp_path), whole=True).failures == []


def left_beside(folder: Path) -> None:
    """Lose the journal in `folder`, but not what SQLite kept beside it when the power went."""
    with closing(opened(folder)):
        path = path_in(folder)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE memories SET memory = '3'")
        wal = path.with_name("journal.sqlite-wal").read_bytes()
    assert wal
    path.with_name("journal.sqlite-wal").write_bytes(wal)
    path.unlink()


def test_what_lost_books_left_beside_them_is_none_of_the_restored_ones(tmp_path: Path) -> None:
    """A log of writes without its journal is put aside, never played into the backup that takes the journal's place."""
    lived(tmp_path)
    copy = backed_up(tmp_path)
    left_beside(tmp_path)
    restored_after_loss(tmp_path, copy)
    opened(tmp_path).close()
    assert proof_of(path_in(tmp_path)).failures == []
    assert rows(path_in(tmp_path), "memories") == [("witch", "x", "1")]
    lost = ["journal.sqlite.lost-0001-wal", "journal.sqlite.lost-0001.head"]
    assert sorted(file.name for file in tmp_path.glob("*.lost-*")) == lost


@pytest.mark.requirement("C4")
def test_what_lost_books_left_beside_them_is_none_of_the_rebuilt_ones(tmp_path: Path) -> None:
    """Nor into the journal that is made from the second copy."""
    lived(tmp_path)
    copy = tmp_path / "copy"
    opened(tmp_path, second_copy=copy).close()
    left_beside(tmp_path)
    own = identity.read_identity(tmp_path / "key")
    assert own is not None
    kept = copy_to_rebuild_from(copy, own)
    assert rebuild(path_in(tmp_path), kept, own, "lost", wall_ms=wall_ms) is None
    with closing(opened(tmp_path, second_copy=copy)) as store:
        assert store.credit_cents == kept.credit_cents
    assert proof_of(path_in(tmp_path)).failures == []
    assert rows(path_in(tmp_path), "memories") == []


@pytest.mark.requirement("C4")
def test_a_lost_journal_that_follows_an_archive_is_rebuilt_from_its_second_copy(tmp_path: Path) -> None:
    """To the last acknowledged cent; the archives stay, of books that it is no more."""
    lived(tmp_path)
    archived(tmp_path)
    copy = tmp_path / "copy"
    with closing(opened(tmp_path, second_copy=copy)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 9, (200,), 0))
        credit, meters = store.credit_cents, store.transact(lifetime)
    own = identity.read_identity(tmp_path / "key")
    assert own is not None
    path_in(tmp_path).write_bytes(b"rot" * 10_000)
    rebuild(path_in(tmp_path), copy_to_rebuild_from(copy, own), own, "rot", wall_ms=wall_ms)
    with closing(opened(tmp_path, second_copy=copy)) as store:
        assert (store.credit_cents, store.transact(lifetime)) == (credit, meters)
    archived(tmp_path)
    assert [archive.name for archive in known(tmp_path)] == ["books-0002-0001.sqlite"]
    assert proof_of(path_in(tmp_path), whole=True).failures == []


@pytest.mark.requirement("C9")
def test_books_that_follow_an_archive_are_cleared_like_any(tmp_path: Path) -> None:
    """Sealed and kept with the archives behind them; a backup from before both is refused once money came."""
    lived(tmp_path)
    own = identity.read_identity(tmp_path / "key")
    assert own is not None
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: payouts.begin_payout(tx, "hand_pay", tx.credit_cents))
        store.transact(payouts.confirm_hand_pay)
        for item in store.transact(open_items):
            store.transact(lambda tx: resolve_item(tx, item.id, Resolution.VOID, "technician", reason="so"))  # noqa: B023
    before = backed_up(tmp_path)
    archived(tmp_path)
    with closing(opened(tmp_path)) as store:
        ready = clearing.prepare(store.path, own, Order("technician", "test"), wall_ms)
        store.transact(lambda tx: clearing.decide(tx, ready, {}))
    with closing(opened(tmp_path)) as store:
        assert store.transact(lifetime) == {}
    (sealed,) = sealed_files(path_in(tmp_path))
    assert proof_of(sealed, whole=True).failures == []
    assert known(tmp_path) == []
    with closing(opened(tmp_path)) as store:
        prepared = restoring.prepare(store.path, before, own, "technician", wall_ms)
        store.transact(lambda tx: restoring.decide(tx, prepared))
    opened(tmp_path).close()
    assert proof_of(path_in(tmp_path)).failures == []


@pytest.mark.requirement("S5")
def test_the_way_back_over_an_upgrade_counts_what_moved_since_even_where_it_was_archived(tmp_path: Path) -> None:
    """The older program's copy is put back only where no money moved, however much went into archives since."""
    tool = ROOT / "systemd" / "journal_copies.py"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, tool, *words], capture_output=True, text=True, check=False)

    lived(tmp_path)
    with rewritten(path_in(tmp_path)) as connection:
        connection.execute("UPDATE _sqlite_migrations SET name = 'm000_older'")
    assert run("keep", str(path_in(tmp_path)), "before-2").returncode == 0
    with rewritten(path_in(tmp_path)) as connection:
        connection.execute("UPDATE _sqlite_migrations SET name = ?", NAMES)
    archived(tmp_path)
    older = ["restore", str(path_in(tmp_path)), "--known", "m000_older"]
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 9, (200,), 0))
    archived(tmp_path)
    refused = run(*older)
    assert (refused.returncode, "entries of money or games were made" in refused.stderr) == (1, True)
    assert run(*older, "--accept-loss").returncode == 0
