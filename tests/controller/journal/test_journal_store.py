"""What the journal refuses, and that a refusal changes nothing (design page, section 5)."""

import asyncio
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import ledger, schema
from controller.journal.errors import (
    CorruptJournalError,
    JournalBusyError,
    JournalSetupError,
    JournalStorageError,
    NewerJournalError,
    SimulatedJournalError,
)
from controller.journal.journal import Journal
from controller.journal.store import PRAGMAS, Store, quick_check
from tests.rigs.books import laid, opened
from tests.rigs.needing import needs_tools
from tests.rigs.own_mounts import own_mounts


def coin(store: Store, cents: int = 100) -> None:
    store.transact(lambda tx: tx.post("coin", credit=cents, meters={"coins_in": cents}))


def contents(path: Path) -> bytes:
    return path.read_bytes()


def test_a_new_journal_takes_money_and_keeps_it(tmp_path: Path) -> None:
    """What was credited is there after the file is opened again."""
    with opened(tmp_path) as store:
        coin(store)
    with opened(tmp_path, create=False) as store:
        assert store.credit_cents == 100


def test_every_setting_is_read_back(tmp_path: Path) -> None:
    """The open connection really has the pragmas that the books rely on."""
    with opened(tmp_path) as store:
        got = {name: store._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in PRAGMAS}
    assert got == PRAGMAS


def test_a_setting_that_sqlite_did_not_take_is_refused(tmp_path: Path) -> None:
    """Where SQLite reads a pragma back with another value, the journal is not opened."""
    asked = {**PRAGMAS, "journal_mode": "stone"}
    with pytest.raises(JournalSetupError, match="journal_mode=wal where the books need stone"):
        Store(tmp_path / "journal.sqlite", lambda: 0, simulated=True, create=True, pragmas=asked)


def test_a_missing_journal_is_not_silently_a_new_one(tmp_path: Path) -> None:
    """Never a silent zero: a file that is not there stops the cabinet."""
    with pytest.raises(CorruptJournalError, match="does not exist"), opened(tmp_path, create=False):
        pass


def test_an_empty_file_is_not_silently_a_new_journal(tmp_path: Path) -> None:
    """Never a silent zero: a file that lost its contents stops the cabinet and stays as it is."""
    path = tmp_path / "journal.sqlite"
    path.touch()
    with pytest.raises(CorruptJournalError, match="holds no journal"), opened(tmp_path, create=False):
        pass
    assert contents(path) == b""


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    """A damaged header is refused in words that name the file, and not a byte is changed."""
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(CorruptJournalError, match=r"journal\.sqlite is damaged"), opened(tmp_path):
        pass
    assert contents(path) == b"not a database" * 100


def test_a_newer_schema_is_refused_and_kept(tmp_path: Path) -> None:
    """A journal with a migration that this program does not know is left alone."""
    with opened(tmp_path):
        pass
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, 'm999_future', '')",
            (schema.SET,),
        )
    before = contents(path)
    with pytest.raises(NewerJournalError, match="m999_future"), opened(tmp_path):
        pass
    assert contents(path) == before


@needs_tools("strace")
def test_what_need_not_be_durable_at_once_is_synced_with_the_next_or_when_asked(tmp_path: Path) -> None:
    """It costs no sync of its own, survives a kill, and is durable at once where it appends to the ledger."""
    path = laid(tmp_path / "journal.sqlite")
    script = """
import os, signal, sys
from pathlib import Path
from controller.journal.key_value import SETTINGS
from controller.journal.store import Store
store = Store(Path(sys.argv[1]), lambda: 0, simulated=True)
def step(name, act):
    act()
    os.write(1, f"{name} {store.unsettled > 0}".encode())
store.transact(lambda tx: tx.log("service_call", "first"))
step("waits", lambda: store.transact(lambda tx: SETTINGS.store(tx, "one", "1"), durable=False))
step("waits on", lambda: store.transact(lambda tx: SETTINGS.store(tx, "two", "2"), durable=False))
step("is taken along", lambda: store.transact(lambda tx: SETTINGS.store(tx, "three", "3")))
step("waits again", lambda: store.transact(lambda tx: SETTINGS.store(tx, "four", "4"), durable=False))
step("is settled", store.settle)
step("lasts", lambda: store.transact(lambda tx: tx.log("service_call", "second"), durable=False))
step("is left", lambda: store.transact(lambda tx: SETTINGS.store(tx, "five", "5"), durable=False))
os.kill(os.getpid(), signal.SIGKILL)
"""
    trace = tmp_path / "trace"
    calls = ["strace", "-f", "-qqq", "-y", "-s", "64", "-o", str(trace), "-e", "trace=fdatasync,write"]
    subprocess.run([*calls, sys.executable, "-c", script, path], check=False, stdout=subprocess.DEVNULL)
    synced: list[tuple[str, int]] = []
    syncs = 0
    for line in trace.read_text().splitlines():
        if "fdatasync" in line and "-wal" in line:
            syncs += 1
        elif said := re.search(r'"([a-z ]+) (True|False)', line):
            synced.append((f"{said[1]} {said[2]}", syncs))
            syncs = 0
    assert synced[0][0] == "waits True"
    assert synced[1:] == [
        ("waits on True", 0),
        ("is taken along False", 1),
        ("waits again True", 0),
        ("is settled False", 1),
        ("lasts False", 1),
        ("is left True", 0),
    ]
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        names = store.transact(lambda tx: tx.execute("SELECT name FROM settings ORDER BY name").fetchall())
        assert {name for (name,) in names} >= {"one", "two", "three", "four", "five"}


def test_only_one_supervisor_holds_a_journal(tmp_path: Path) -> None:
    """A second one is refused while the first lives, and let in after it."""
    with opened(tmp_path), pytest.raises(JournalBusyError, match="another supervisor"), opened(tmp_path):
        pass
    with opened(tmp_path) as store:
        assert store.credit_cents == 0


def test_a_demos_journal_stays_a_demos(tmp_path: Path) -> None:
    """A simulated journal is refused by a real cabinet and the reverse."""
    with opened(tmp_path):
        pass
    with pytest.raises(SimulatedJournalError, match="demo's journal"):
        Store(tmp_path / "journal.sqlite", lambda: 0)
    Store(tmp_path / "real.sqlite", lambda: 0, create=True).close()
    with pytest.raises(SimulatedJournalError, match="real cabinet"):
        Store(tmp_path / "real.sqlite", lambda: 0, simulated=True)


@pytest.mark.parametrize("table", schema.APPEND_ONLY_TABLES)
@pytest.mark.parametrize("verb", ["UPDATE {} SET rowid = rowid", "DELETE FROM {}"])
def test_what_is_written_for_ever_cannot_be_changed(tmp_path: Path, table: str, verb: str) -> None:
    """Append-only tables refuse UPDATE and DELETE."""
    if table == "segments":
        verb = verb.replace("rowid = rowid", "number = number")
    with opened(tmp_path) as store:
        store.transact(lambda tx: tx.log("test", "an event"))
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as connection:
        insert_into(connection, table)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(verb.format(table))


def insert_into(connection: sqlite3.Connection, table: str) -> None:
    if table == "anchors":
        connection.execute("INSERT INTO anchors SELECT seq, hash, 0, '{}' FROM ledger")
    elif table == "segments":
        connection.execute(
            "INSERT INTO segments VALUES (1, 0, NULL, '[]', 0, 0, zeroblob(32), 0)",
        )
    elif table == "anchor_signatures":
        connection.execute("INSERT INTO anchor_signatures VALUES (1, zeroblob(32), zeroblob(64))")
    elif table == "setting_changes":
        connection.execute("INSERT INTO setting_changes VALUES (1, 'a', 'b', 'c', 'd')")
    elif table == "periods":
        connection.execute("INSERT INTO periods VALUES (1, 0, 1, 'a', '{}')")


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        ("UPDATE ledger SET credit_delta = 999 WHERE seq = 2", "otherwise"),
        ("UPDATE ledger SET data = '{\"x\":1}' WHERE seq = 2", "does not match its hash"),
        ("UPDATE ledger SET hash = zeroblob(32) WHERE seq = 3", "does not match its hash"),
        ("DELETE FROM ledger WHERE seq = 2", "row 2 is missing"),
        ("UPDATE meters SET value = value + 1 WHERE name = 'coins_in'", "meter coins_in"),
        ("UPDATE cabinet SET credit_cents = 1000000", "credit meter shows 1000000"),
    ],
)
def test_tampering_is_found_at_start(tmp_path: Path, tamper: str, words: str) -> None:
    """Whatever is changed behind the program's back, the next start names it and does not play."""
    with opened(tmp_path) as store:
        for _ in range(3):
            coin(store)
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(tamper)
    with pytest.raises(CorruptJournalError, match=words), opened(tmp_path):
        pass


def test_what_a_start_proves_is_bounded(tmp_path: Path) -> None:
    """However long the ledger, a start reads fewer rows than lie between two anchors."""
    with opened(tmp_path) as store:
        for _ in range(5):
            store.transact(lambda tx: [tx.post("coin", credit=1, meters={"coins_in": 1}) for _ in range(500)])
        chain = ledger.from_last_anchor(store._connection)
        assert chain.seq == 2500 // ledger.ANCHOR_EVERY * ledger.ANCHOR_EVERY
        chain.follow(store._connection)
        ledger.agree(store._connection, chain)


def test_a_torn_page_is_found_by_the_check_of_the_whole_file(tmp_path: Path) -> None:
    """`quick_check` on a read-only connection finds damage that a start does not read."""
    with opened(tmp_path) as store:
        for _ in range(3):
            store.transact(lambda tx: [tx.post("coin", credit=1, meters={"coins_in": 1}) for _ in range(2000)])
    path = tmp_path / "journal.sqlite"
    quick_check(path)
    damaged = bytearray(contents(path))
    middle = len(damaged) // 2 // 4096 * 4096
    damaged[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(damaged)
    with pytest.raises(CorruptJournalError, match="is damaged"):
        quick_check(path)


IN_A_SMALL_ROOM = """
import sys
from pathlib import Path
from controller.journal.errors import JournalStorageError
from controller.journal.store import Store
store = Store(Path(sys.argv[1]), lambda: 0, simulated=True)
taken = 0
try:
    while True:
        store.transact(lambda tx: tx.post("coin", credit=1, meters={"coins_in": 1}, data={"x": "x" * 4000}))
        taken += 1
except JournalStorageError as error:
    print(taken, type(error).__name__)
try:
    store.transact(lambda tx: tx.post("coin", credit=1, meters={"coins_in": 1}))
except JournalStorageError:
    print("still refused")
"""
READ_ONLY = """
import sys
from pathlib import Path
from controller.journal.errors import JournalError
from controller.journal.store import Store
try:
    Store(Path(sys.argv[1]), lambda: 0, simulated=True)
except JournalError as error:
    print(type(error).__name__, error)
"""


def in_own_mounts(script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script that may mount what it likes, seen by nobody else."""
    return subprocess.run([*own_mounts(), "sh", "-ec", script], check=True, capture_output=True, text=True)


@pytest.mark.processes
def test_a_full_disk_stops_play_and_loses_nothing(tmp_path: Path) -> None:
    """On a disk that fills up, every acknowledged coin is kept and the first refused one locks the journal."""
    with opened(tmp_path) as store:
        coin(store)
    room = tmp_path / "room"
    room.mkdir()
    done = in_own_mounts(
        f"mount -t tmpfs -o size=600k none {room}; cp {tmp_path}/journal.sqlite {room}/;"
        f"{sys.executable} -c '{IN_A_SMALL_ROOM}' {room}/journal.sqlite;"
        f"cp {room}/journal.sqlite* {tmp_path}/"
    )
    first, second = done.stdout.splitlines()
    taken, kind = first.split()
    assert (kind, second) == ("JournalStorageError", "still refused")
    with opened(tmp_path, create=False) as store:
        assert store.credit_cents == 100 + int(taken)


@pytest.mark.processes
def test_a_read_only_disk_is_refused_in_plain_words(tmp_path: Path) -> None:
    """A disk that was remounted read-only is named, with what to do."""
    with opened(tmp_path) as store:
        coin(store)
    before = contents(tmp_path / "journal.sqlite")
    done = in_own_mounts(
        f"mount --bind {tmp_path} {tmp_path}; mount -o remount,ro,bind {tmp_path};"
        f"{sys.executable} -c '{READ_ONLY}' {tmp_path}/journal.sqlite"
    )
    assert done.stdout.startswith(JournalStorageError.__name__)
    assert "mend the disk" in done.stdout or "replace it" in done.stdout
    assert contents(tmp_path / "journal.sqlite") == before


def test_the_credit_moves_with_the_answer_to_whoever_asked(tmp_path: Path) -> None:
    """A win is durable before the flow gets it, and must not be on the credit before the flow can hide it."""

    async def scene() -> None:
        journal = Journal(lambda: Store(laid(tmp_path / "journal.sqlite"), lambda: 0, simulated=True))
        for left, credit in ((False, 200), (True, 400)):
            asked = asyncio.ensure_future(journal.do(lambda tx: tx.post("coin", credit=200, meters={"coins_in": 200})))
            await asyncio.sleep(0)
            journal._thread.submit(lambda: None).result()  # the transaction is durable, and its caller does not know
            assert journal.credit_cents == credit - 200
            if left:
                asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
            await journal.turns()
            assert journal.credit_cents == credit
        journal.close()

    asyncio.run(scene())
