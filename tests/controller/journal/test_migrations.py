"""The journal's migrations: in a process of their own, whose errors arrive as what they are (P13)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import schema
from controller.journal.errors import CorruptJournalError, JournalStorageError, MigrationError
from controller.journal.migration_process import set_up
from controller.journal.migrations import migrate
from tests.rigs.hall import Hall, until


def test_a_migration_that_fails_is_named_with_its_cause(tmp_path: Path) -> None:
    """A table that is in its way: the step, SQLite's own error and the traceback arrive, and the file is unchanged."""
    path = tmp_path / "journal.sqlite"
    migrate(path, simulated=True, stop_before="m006_recall")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bet_totals (game TEXT)")
    before = path.read_bytes()
    with pytest.raises(MigrationError, match="m006_recall failed") as raised:
        set_up(path, simulated=True)
    assert raised.value.migration == "m006_recall"
    cause = raised.value.__cause__
    assert isinstance(cause, sqlite3.OperationalError)
    assert (str(cause), cause.sqlite_errorcode) == ("table bet_totals already exists", sqlite3.SQLITE_ERROR)
    assert any("migrations.py" in note for note in cause.__notes__)
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


def test_every_migration_has_its_statements() -> None:
    """None is without a script, and no script is left over."""
    assert schema.SCRIPTS.keys() == set(schema.NAMES)


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
