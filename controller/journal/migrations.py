"""Migrates a journal to the newest schema, with sqlite-utils.

`python -m controller.journal.migrations FILE simulated|real [CABINET_ID]` runs as a separate process, started by
`controller.journal.migration_process`. The supervisor never imports this module, and so neither sqlite-utils nor numpy,
which sqlite-utils imports if it is installed. The process reads the migrations from stdin as JSON and writes an
exception to stdout as a `Failure`.
"""

import re
import secrets
import sqlite3
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from sqlite_utils import Database, Migrations

from common.error_words import error_words
from controller.journal import digests
from controller.journal.migration_process import Failure
from controller.journal.schema import MIGRATIONS, PAGE_BYTES, SET, Migration, applied


def migrate(path: Path, *, simulated: bool, cabinet_id: str = "", migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Migrate the journal at `path` to the newest schema, creating it if it does not exist.

    A new journal gets `cabinet_id`, or a random one if that is empty. `migrations` lists all migrations in order; the
    first creates the schema of a new journal. Raises `sqlite3.Error` with a note that names the migration.
    """
    steps = Migrations(SET)
    for migration in migrations:
        steps(name=migration.name)(_step(migration))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size={PAGE_BYTES}")  # takes effect only in a new file
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        db = Database(connection, execute_plugins=False)
        with db.atomic():  # one transaction for all steps and the digests of the resulting tables
            is_new = not applied(connection)
            steps.apply(db)
            if is_new:
                db.execute(
                    "INSERT INTO cabinet (id, cabinet_id, simulated, credit_cents) VALUES (1, ?, ?, 0)",
                    (cabinet_id or secrets.token_hex(8), int(simulated)),
                )
            digests.begin(connection)


def _step(migration: Migration) -> Callable[[Database], None]:
    def run(db: Database) -> None:
        try:
            # executescript would commit the migration's own transaction, so each statement runs by itself
            for statement in _statements(migration.script):
                db.execute(statement)
        except sqlite3.Error as error:
            error.add_note(migration.name)
            raise

    return run


def _statements(script: str) -> list[str]:
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    if rest := re.sub(r"--.*", "", pending).strip():
        raise sqlite3.ProgrammingError(f"unfinished statement: {rest[:80]}")
    return statements


def main(path: str, kind: str, cabinet_id: str = "") -> int:
    """Migrate and return the exit code; an exception is written to stdout."""
    try:
        migrations = msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[Migration, ...])
        migrate(Path(path), simulated=kind == "simulated", cabinet_id=cabinet_id, migrations=migrations)
    except Exception as error:  # noqa: BLE001 - the process that has started this one raises it
        failure = Failure(
            kind=type(error).__name__,
            message=error_words(error),
            migration="".join(getattr(error, "__notes__", [])),
            sqlite_code=getattr(error, "sqlite_errorcode", 0),
            traceback=traceback.format_exc(),
        )
        sys.stdout.buffer.write(msgspec.json.encode(failure))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
