"""The journal's migrations: in a process of their own, whose errors arrive as what they are."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.journal import digests, ledger, money, schema
from controller.journal.errors import CorruptJournalError, JournalStorageError, MigrationError, NewerJournalError
from controller.journal.migration_process import set_up
from controller.journal.store import Store, read_only
from tests.rigs.books import laid, opened, rewritten
from tests.rigs.edits import edit
from tests.rigs.hall import Hall, until
from tests.rigs.later_schema import LATER

pytestmark = pytest.mark.requirement("P13")


def test_a_later_schema_takes_over_what_is_there(tmp_path: Path) -> None:
    """Its tables, triggers and columns are added, rows stay, and the digests and the audit cover the new ones."""
    path = tmp_path / "journal.sqlite"
    with opened(tmp_path) as store:
        store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200,), 0))
        store.transact(lambda tx: tx.execute("INSERT INTO memories VALUES ('neptune', '1x1x1', '7')").rowcount)
        before = store.transact(lambda tx: tx.execute("SELECT * FROM memories").fetchall())
        credit = store.credit_cents
    with closing(Store(path, lambda: 0, simulated=True, migrations=LATER)) as store:
        assert store.credit_cents == credit
        store.transact(lambda tx: tx.execute("INSERT INTO remarks (text) VALUES ('a second one')").rowcount)
        store.transact(lambda tx: money.coins_taken(tx, 1, 2, (100,), 0))
        assert store.transact(lambda tx: tx.execute("SELECT * FROM memories").fetchall()) == before != []
        assert store.transact(lambda tx: tx.execute("SELECT text FROM remarks ORDER BY id").fetchall()) == [
            (f"credit {credit}",),
            ("a second one",),
        ]
    with read_only(path) as connection:
        assert schema.applied(connection) == tuple(migration.name for migration in LATER)
        assert digests.differing(connection, whole=True) == []
        ledger.prove_from_anchor(connection)
    edit(path, "UPDATE remarks SET text = 'another'")
    with pytest.raises(CorruptJournalError, match="something else than this program: remarks"):
        Store(path, lambda: 0, simulated=True, migrations=LATER)


def test_a_later_schema_is_refused_by_the_program_before_it(tmp_path: Path) -> None:
    """Forward only: the program before it refuses the file in words and leaves it as it is; the audit too."""
    path = laid(tmp_path / "journal.sqlite")
    Store(path, lambda: 0, simulated=True, migrations=LATER).close()
    before = path.read_bytes()
    with pytest.raises(NewerJournalError, match="written by a newer program"):
        Store(path, lambda: 0, simulated=True)
    with pytest.raises(NewerJournalError, match="m900_remarks"):
        audit(path, lambda *_: None)
    assert path.read_bytes() == before


def test_a_new_journal_has_the_newest_schema_at_once(tmp_path: Path) -> None:
    """Made by the later program, it is what an upgrade would have made of it."""
    made, upgraded = tmp_path / "made.sqlite", laid(tmp_path / "upgraded.sqlite")
    for path in (made, upgraded):
        Store(path, lambda: 0, simulated=True, create=True, migrations=LATER).close()
    assert _tables(made) == _tables(upgraded)


def _tables(path: Path) -> list[tuple[str, str]]:
    with read_only(path) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


def test_a_migration_that_fails_is_named_with_its_cause(tmp_path: Path) -> None:
    """A table that is in its way: the step, SQLite's own error and the traceback arrive, and the file is unchanged."""
    path = laid(tmp_path / "journal.sqlite")
    with rewritten(path) as connection:
        connection.execute("CREATE TABLE memories_by_bet (game TEXT)")
    before = path.read_bytes()
    with pytest.raises(MigrationError, match="m901_memories_by_bet failed") as raised:
        Store(path, lambda: 0, simulated=True, migrations=LATER)
    assert raised.value.migration == "m901_memories_by_bet"
    cause = raised.value.__cause__
    assert isinstance(cause, sqlite3.OperationalError)
    assert (str(cause), cause.sqlite_errorcode) == ("table memories_by_bet already exists", sqlite3.SQLITE_ERROR)
    assert any("migrations.py" in note for note in cause.__notes__)
    assert path.read_bytes() == before


def test_a_last_statement_without_its_end_fails_the_migration(tmp_path: Path) -> None:
    """It is not left out: a guard that is missing without a word would be missing for good."""
    path = laid(tmp_path / "journal.sqlite")
    before = path.read_bytes()
    guard = "CREATE TRIGGER late BEFORE DELETE ON faults BEGIN SELECT RAISE(ABORT, 'no'); END"
    with pytest.raises(MigrationError, match="m902_late failed") as raised:
        Store(path, lambda: 0, simulated=True, migrations=(*LATER, schema.Migration("m902_late", guard)))
    assert "unfinished statement" in str(raised.value.__cause__)
    assert path.read_bytes() == before


def test_a_file_that_is_no_journal_is_damaged(tmp_path: Path) -> None:
    """As when it is opened: the error says so, and names SQLite's."""
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"no database" * 1_000)
    with pytest.raises(CorruptJournalError, match="is damaged") as raised:
        set_up(path, simulated=True)
    assert isinstance(raised.value.__cause__, sqlite3.Error)


def test_a_disk_that_is_not_there_is_a_matter_of_storage(tmp_path: Path) -> None:
    """The folder of the journal does not exist."""
    with pytest.raises(JournalStorageError, match="cannot be written") as raised:
        set_up(tmp_path / "nowhere" / "journal.sqlite", simulated=True)
    cause = raised.value.__cause__
    assert isinstance(cause, sqlite3.OperationalError)
    assert cause.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN


def test_a_migration_that_is_killed_says_how_it_ended(tmp_path: Path) -> None:
    """As by the kernel when memory runs out: it reports nothing itself."""
    killed = tmp_path / "python"
    killed.write_text("#!/bin/sh\necho 'out of memory' >&2\nkill -KILL $$\n")
    killed.chmod(0o755)
    with pytest.raises(MigrationError, match="exit code -9") as raised:
        set_up(tmp_path / "journal.sqlite", simulated=True, python=str(killed))
    assert raised.value.__notes__ == ["out of memory"]


def test_a_new_journal_is_made_of_what_stays(tmp_path: Path) -> None:
    """Each thing of the first schema is written once, in its final form."""
    (first,) = schema.MIGRATIONS
    assert re.findall(r"\b(?:ALTER|DROP|RENAME)\b", first.script) == []
    path = laid(tmp_path / "journal.sqlite")
    names = re.findall(r"CREATE (?:UNIQUE )?(?:TABLE|INDEX|TRIGGER|VIEW) (\w+)", first.script)
    assert sorted(names) == [name for name, sql in _tables(path) if sql and "_sqlite_migrations" not in sql]


def test_a_running_supervisor_has_not_imported_sqlite_utils(tmp_path: Path) -> None:
    """Nor numpy: it makes its journal, serves and stops, and each module that it ever imports is in its log."""
    hall = Hall(tmp_path)
    with hall.devices(), hall.supervisor(PYTHONPROFILEIMPORTTIME="1") as running:
        until(lambda: hall.books.rows("SELECT 1 FROM events WHERE code = 'power_up'") != [])
        running.terminate()
        running.wait()
    log = hall.run.log("controller.supervisor").read_text("utf-8")
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in log.splitlines() if "import time" in line}
    assert {"controller", "sqlite3"} <= imported
    assert imported.isdisjoint({"sqlite_utils", "numpy", "pygame", "click"})
