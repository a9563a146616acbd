"""U.6: a signed copy of the journal, verified by `cabinet audit`."""

import sqlite3
import subprocess
import sys
from itertools import islice
from pathlib import Path

from controller.files.bounded import names_in
from controller.journal.errors import RefusedError
from controller.journal.store import whole_copy
from controller.keys.identity import Identity
from controller.media.signed_folder import MANIFEST
from controller.media.snapshots import manifest_of, snapshot, write_onto
from controller.media.sticks import DIFFERS, StickError, is_named

KIND = "backup"
JOURNAL = "journal.sqlite"
"""The file name of the copy in its folder."""
MOST_BACKUPS = 20
"""The most backups of a stick that are offered, newest first."""


def backup(journal: Path, parent: Path, identity: Identity, name: str, now_ms: int) -> Path:
    """Copy the journal into a new signed folder in `parent`, verify the copy, and return the folder.

    Raises `JournalError`, `RefusedError` if the copy is not sound, `StickError` and `IdentityError`.
    """
    with snapshot(journal) as connection:
        manifest = manifest_of(connection, KIND, name, now_ms)
        return write_onto(parent, manifest, identity, made={JOURNAL: lambda path: _proved_copy(connection, path)})


def backups(stick: Path) -> list[Path]:
    """Return the `MOST_BACKUPS` newest backups in a folder, newest first; the restore verifies them.

    A stick that was pulled out or fails has none. At most `controller.files.bounded.MOST_NAMES` names are read.
    """
    try:
        found = [stick / name for name in names_in(stick) if name.startswith(f"cabinet-{KIND}-")]
        whole = (folder for folder in reversed(found) if is_named(folder) and (folder / MANIFEST).is_file())
        return list(islice(whole, MOST_BACKUPS))
    except OSError:
        return []


def _proved_copy(connection: sqlite3.Connection, path: Path) -> None:
    try:
        whole_copy(connection, path)
    except sqlite3.OperationalError as error:
        path.open("ab").close()  # errors of a stick that is gone or protected are raised here
        raise StickError(DIFFERS) from error
    command = [sys.executable, "-m", "controller", "audit", "--alone", str(path)]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:  # noqa: S603 - our own command
        raise RefusedError("The books are not proved: see cabinet audit")
