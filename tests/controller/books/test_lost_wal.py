"""Books that lost their newest rows lock the cabinet; a torn, old or missing mark does not lock whole ones."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.opening import MARK, opened_books
from controller.journal import money
from controller.journal.errors import CorruptJournalError, JournalStorageError
from controller.journal.head import PLACE_BYTES, PLACES, head_file, mark_in, read_mark
from controller.journal.key_value import DEVICE_STATE
from controller.journal.store import Store, read_only
from tests.rigs.books import laid, opened, put_back, rewritten, whole
from tests.rigs.needing import needs_tools

pytestmark = pytest.mark.requirement("P1", "C5")

LOST = "rows are lost"

PLAYED_ON = """
import os, signal, sys
from pathlib import Path
from controller.journal.store import Store
store = Store(Path(sys.argv[1]), lambda: 0, simulated=True)
for number in range(22):
    store.transact(lambda tx: tx.log("service_call", str(number)))
print(store.transact(lambda tx: tx.head[0]), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Store]:
    """Return open books whose newest rows are in the WAL alone."""
    with opened(tmp_path) as store:
        for counter in range(1, 6):
            store.transact(lambda tx: money.coins_taken(tx, 1, counter, (200,), 0))  # noqa: B023 - run at once
        yield store


def cut(store: Store, *without: str) -> Path:
    """Return a copy of the open books as a crash leaves them, without the files that end so."""
    folder = store.path.parent / "cut"
    folder.mkdir()
    for file in store.path.parent.glob(f"{store.path.name}*"):
        if not file.name.endswith((".lock", "-shm", *without)):
            shutil.copy(file, folder / file.name)
    return folder / store.path.name


def rows(path: Path) -> int:
    """Return how many ledger rows a start finds."""
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        return store.transact(lambda tx: tx.head[0])


def test_a_crash_alone_locks_nothing(running: Store) -> None:
    """With all files as they were left every row is there."""
    assert rows(cut(running)) == running.transact(lambda tx: tx.head[0])


def test_a_lost_wal_locks(tmp_path: Path) -> None:
    """One directory entry is gone after a kill: the books open whole, balanced and older, and are not played on."""
    path = laid(tmp_path / "journal.sqlite")
    killed = subprocess.run([sys.executable, "-c", PLAYED_ON, path], check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL
    path.with_name(f"{path.name}-wal").unlink()
    with pytest.raises(CorruptJournalError, match=rf"{LOST}: .* names row {killed.stdout.strip()} "):
        rows(path)
    with closing(sqlite3.connect(path)) as connection:  # nothing was changed: put back, it would be whole
        assert connection.execute("SELECT count(*) FROM ledger").fetchone() == (0,)


def test_a_wal_cut_short_locks(running: Store) -> None:
    """Wherever it ends: a start has all rows, or says that some are lost."""
    path = cut(running)
    wal = path.with_name(f"{path.name}-wal")
    files = {**whole(path), wal: wal.read_bytes()}
    newest, missing, whole_ones = running.transact(lambda tx: tx.head[0]), 0, 0
    for kept in range(0, len(files[wal]), 700):
        put_back({**files, wal: files[wal][:kept]})
        try:
            found = rows(path)
        except CorruptJournalError as error:
            missing += LOST in str(error)
        else:
            assert found == newest
            whole_ones += 1
    assert (missing + whole_ones, missing > 5) == (len(range(0, len(files[wal]), 700)), True)


def test_what_moves_no_row_of_the_ledger_is_not_lost_unseen(running: Store) -> None:
    """A device's counter that was kept by itself counts as well."""
    before = cut(running)
    kept = {file: file.read_bytes() for file in before.parent.iterdir()}
    running.transact(lambda tx: DEVICE_STATE.store(tx, "hopper.7", "100"))
    shutil.copy(head_file(running.path), head_file(before))
    assert before in kept
    with pytest.raises(CorruptJournalError, match=LOST):
        rows(before)


def test_a_mark_that_lags_behind_says_nothing_against_the_books(running: Store) -> None:
    """The power may take the newest marks along, which were not synced: any older one is fine."""
    older = head_file(running.path).read_bytes()
    for counter in range(6, 12):
        running.transact(lambda tx: money.coins_taken(tx, 1, counter, (200,), 0))  # noqa: B023 - run at once
    path = cut(running)
    head_file(path).write_bytes(older)
    assert rows(path) == running.transact(lambda tx: tx.head[0])


@pytest.mark.parametrize("place", range(PLACES))
@pytest.mark.parametrize("kept", [0, 1, 40, 200, 511])
def test_a_torn_mark_locks_nothing(running: Store, place: int, kept: int) -> None:
    """However much of a place was written: the other one holds, and the next mark is written over the torn one."""
    path = cut(running)
    content = bytearray(head_file(path).read_bytes())
    begins, ends = place * PLACE_BYTES + kept, (place + 1) * PLACE_BYTES
    content[begins:ends] = bytes(len(content[begins:ends]))
    head_file(path).write_bytes(content)
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        for counter in (6, 7):
            store.transact(lambda tx: money.coins_taken(tx, 1, counter, (200,), 0))  # noqa: B023 - run at once
        head = store.transact(lambda tx: tx.head[0])
    mark = read_mark(path)
    assert mark is not None
    assert mark.seq == head


def test_one_mark_may_rot_and_the_loss_is_noticed_all_the_same(running: Store) -> None:
    """The mark before the newest already lies beyond what a lost `-wal` leaves."""
    path = cut(running, "-wal")
    content = head_file(path).read_bytes()
    for place in range(PLACES):
        rotten = bytearray(content)
        rotten[place * PLACE_BYTES : (place + 1) * PLACE_BYTES] = bytes(PLACE_BYTES)
        head_file(path).write_bytes(rotten)
        with pytest.raises(CorruptJournalError, match=LOST):
            rows(path)


def test_a_missing_mark_is_reported_once(tmp_path: Path) -> None:
    """Whether rows are missing cannot be known then: the books say so, and another mark is begun."""

    def events() -> int:
        with closing(opened_books(path, tmp_path / "key", lambda: 0, simulated=True)) as store:
            query = "SELECT count(*) FROM events WHERE code = ?"
            return int(store.transact(lambda tx: tx.execute(query, (MARK,)).fetchone()[0]))

    path = laid(tmp_path / "journal.sqlite")
    assert events() == 0
    head_file(path).unlink()
    assert [events(), events()] == [1, 1]
    assert read_mark(path) is not None


def test_other_books_of_the_same_length_are_an_exchange(tmp_path: Path) -> None:
    """Two histories of one cabinet: a mark of the one is none of the other."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: tx.log("service_call", "before"))
    path = tmp_path / "journal.sqlite"
    files = whole(path)
    with opened(tmp_path) as store:
        store.transact(lambda tx: tx.log("service_call", "one"))
    one = whole(path)
    put_back(files)
    with opened(tmp_path) as store:
        store.transact(lambda tx: tx.log("service_call", "other"))
    path.write_bytes(one[path])
    with pytest.raises(CorruptJournalError, match="exchanged or changed"):
        rows(path)


def test_an_edit_whose_digests_fit_is_no_edit_unseen(tmp_path: Path) -> None:
    """The mark names the state of all tables too: who counts no transaction for it is found out."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: DEVICE_STATE.store(tx, "hopper.7", "100"))
    path = tmp_path / "journal.sqlite"
    with rewritten(path) as connection:
        connection.execute("UPDATE device_state SET state = '90'")
    with rewritten(path) as connection:
        connection.execute("UPDATE cabinet SET commits = commits - 2")
    with read_only(path) as connection:
        assert mark_in(connection).commits == 2
    with pytest.raises(CorruptJournalError, match="exchanged or changed"):
        rows(path)


def test_another_cabinets_mark_says_nothing(tmp_path: Path) -> None:
    """Whose the journal is, its key decides."""
    with opened(tmp_path) as store:
        store.transact(lambda tx: tx.log("service_call", "before"))
    other = tmp_path / "other" / "journal.sqlite"
    other.parent.mkdir()
    with closing(Store(other, lambda: 0, simulated=True, create=True)) as store:
        for _ in range(9):
            store.transact(lambda tx: tx.log("service_call", "before"))
    shutil.copy(head_file(other), head_file(tmp_path / "journal.sqlite"))
    assert rows(tmp_path / "journal.sqlite") == 1


def test_a_mark_that_cannot_be_kept_stops_the_books(tmp_path: Path) -> None:
    """What could not be marked is not acknowledged, and nothing is written any more."""
    with opened(tmp_path) as store:
        head_file(store.path).mkdir()
        for _ in range(2):
            with pytest.raises(JournalStorageError, match=r"journal\.sqlite\.head cannot be written"):
                store.transact(lambda tx: tx.log("service_call", "once"))


@needs_tools("strace")
def test_only_the_first_mark_after_a_checkpoint_is_synced(tmp_path: Path) -> None:
    """Each costs a commit nothing but a write; that one is durable, so that a `-wal` that is lost whole is noticed.

    The file itself is synced as it is made.
    """
    path = laid(tmp_path / "journal.sqlite")
    script = """
import sys
from pathlib import Path
from controller.journal.store import Store
store = Store(Path(sys.argv[1]), lambda: 0, simulated=True)
for number in range(1500):
    store.transact(lambda tx: tx.log("service_call", str(number)))
"""
    trace = tmp_path / "trace"
    calls = ["strace", "-f", "-qqq", "-y", "-o", str(trace), "-e", "trace=fdatasync"]
    subprocess.run([*calls, sys.executable, "-c", script, path], check=True)
    files = [line.rpartition(f"{path}")[2].partition(">")[0] for line in trace.read_text().splitlines()]
    synced = Counter(tail for tail in files if tail in ("", "-wal", ".head"))
    assert synced["-wal"] >= 1500
    assert 1 < synced[".head"] <= synced[""] + 2


def test_a_mark_that_was_never_written_by_us_is_none(tmp_path: Path) -> None:
    """Six gigabytes after the places are not read, and bytes that are no text are no mark."""
    path = laid(tmp_path / "journal.sqlite")
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        store.transact(lambda tx: tx.log("service_call", "once"))
    before, head = read_mark(path), head_file(path)
    assert before is not None
    os.truncate(head, 6 << 30)
    assert read_mark(path) == before
    text = b'[1,["\xff",1,1,"",""]]'
    head.write_bytes(f"{zlib.crc32(text):08x} ".encode() + text + b"\n")
    assert read_mark(path) is None
