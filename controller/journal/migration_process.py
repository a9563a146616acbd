"""Runs the migration of a journal in a separate process, and raises here what that process raised."""

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from controller.journal.errors import MigrationError, file_error
from controller.journal.schema import MIGRATIONS, Migration


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """The exception that a migration raised: its class, message, SQLite error code, and traceback.

    `migration` is empty if none had begun, `sqlite_code` is 0 for an exception that is not SQLite's.
    """

    kind: str
    message: str
    migration: str = ""
    sqlite_code: int = 0
    traceback: str = ""


def set_up(
    path: Path,
    *,
    simulated: bool,
    cabinet_id: str = "",
    migrations: Sequence[Migration] = MIGRATIONS,
    python: str = sys.executable,
) -> None:
    """Migrate a journal to the newest schema, which is the last of `migrations`, or create one.

    Raise the `JournalError` that describes a problem of the file or disk, otherwise `MigrationError`. The cause is the
    migration's exception, with its traceback as a note.
    """
    kind = "simulated" if simulated else "real"
    done = subprocess.run(  # noqa: S603 - our own module with our own arguments
        [python, "-m", "controller.journal.migrations", str(path), kind, cabinet_id],
        check=False,
        capture_output=True,
        input=msgspec.json.encode(migrations),
    )
    if done.returncode == 0:
        return
    try:
        failure = msgspec.json.decode(done.stdout, type=Failure)
    except msgspec.DecodeError:  # it did not start, or was killed
        words = done.stderr.decode(errors="replace").strip()
        error = MigrationError(f"{path} could not be set up: the migration ended with exit code {done.returncode}")
        error.add_note(words)
        raise error from None
    cause = _raised(failure)
    if isinstance(cause, sqlite3.Error) and (found := file_error(cause, path)) is not None:
        raise found from cause
    what = f"the migration {failure.migration}" if failure.migration else "setting it up"
    raise MigrationError(f"{path}: {what} failed ({failure.kind}: {failure.message})", failure.migration) from cause


def _raised(failure: Failure) -> Exception:
    """Return the exception of the other process; one that is not SQLite's becomes a `RuntimeError`."""
    cause: Exception = RuntimeError(f"{failure.kind}: {failure.message}")
    if failure.sqlite_code:
        cause = sqlite3.OperationalError(failure.message)
        cause.sqlite_errorcode = failure.sqlite_code
    cause.add_note(failure.traceback)
    return cause
