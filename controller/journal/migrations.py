"""Brings a journal to the newest schema, with sqlite-utils.

`python -m controller.journal.migrations FILE simulated|real [CABINET_ID]` is a process of its own, which
`controller.journal.migration_process` starts: the supervisor never imports this module, and so neither sqlite-utils nor
the numpy that comes with it where that is installed. What it raises it writes to stdout as a `Failure`.
"""

import secrets
import sqlite3
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
from sqlite_utils import Database, Migrations

from common.error_words import error_words
from controller.journal import digests
from controller.journal.migration_process import Failure
from controller.journal.schema import NAMES, PAGE_BYTES, PEOPLE_MIGRATION, SCRIPTS, SET


def migrate(path: Path, *, simulated: bool, cabinet_id: str = "", stop_before: str | None = None) -> None:
    """Bring the journal at `path` to the newest schema, creating it where there is none.

    A new one gets that `cabinet_id`, one of its own where that is empty. With `stop_before` it is left at the schema
    before that migration, as an older program has it. Raises `sqlite3.Error`, whose note names the migration.
    """
    migrations = Migrations(SET)
    for name in NAMES:
        migrations(name=name)(_migration(name, int(simulated), cabinet_id))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size={PAGE_BYTES}")  # of a new file only
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        db = Database(connection, execute_plugins=False)
        with db.atomic():  # all of them at once, with the digests of what they have made
            migrations.apply(db, stop_before=stop_before)
            if digests.exist(connection):
                digests.begin(connection)


def _migration(name: str, simulated: int, cabinet_id: str) -> Callable[[Database], None]:
    """Return the migration of that name."""

    def run(db: Database) -> None:
        try:
            # executescript would commit the migration's own transaction, so each statement runs by itself
            for statement in _statements(SCRIPTS[name]):
                db.execute(statement)
            if name == NAMES[0]:
                db.execute(
                    "INSERT INTO cabinet (id, cabinet_id, simulated, credit_cents) VALUES (1, ?, ?, 0)",
                    (cabinet_id or secrets.token_hex(8), simulated),
                )
            elif name == PEOPLE_MIGRATION and not db.table("pins").count:
                db.execute("DROP TABLE pins")  # one with a digest in it is for `controller.keys.pins.settle_pins`
        except sqlite3.Error as error:
            error.add_note(name)
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
    return statements


def main(path: str, kind: str, cabinet_id: str = "") -> int:
    """Migrate, and return the exit code; what was raised is written to stdout."""
    try:
        migrate(Path(path), simulated=kind == "simulated", cabinet_id=cabinet_id)
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
