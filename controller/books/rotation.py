"""Replaces one journal by another atomically, even if the power fails at any moment.

The successor is prepared beside the journal (`<journal>.new`), complete and durable. Then the journal is sealed: a last
ledger row contains the successor's SHA-256. That commit is the point of no return; before it nothing has changed.
`finish` does the rest at the next start, however often it is interrupted: the sealed journal is renamed, never deleted,
and the successor takes its name. A sealed journal accepts no further row (`ledger_sealed` in the schema).
"""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.files.durable import digest, flush_folder
from controller.files.own_files import JOURNAL, move, refuse_foreign, refuse_foreign_beside
from controller.journal.errors import (
    UNREADABLE,
    CorruptJournalError,
    JournalBusyError,
    JournalError,
    RefusedError,
    translated,
)
from controller.journal.head import MARK as MARK_FILE
from controller.journal.head import TAIL as MARK
from controller.journal.head import head_file, mark_in, write_mark
from controller.journal.ledger import RARE
from controller.journal.schema import SEALED
from controller.journal.store import held, read_only
from controller.journal.transaction import Transaction

WAL_FILES = ("-wal", "-shm")
"""The suffixes of SQLite's files beside a journal."""
_BUSY_S = 5.0

Step = Callable[[str], None]
"""Called with the name of each step before it is done; tests simulate power cuts here."""


def no_step(_name: str) -> None:
    """Do nothing: the default outside tests."""


class Head(NamedTuple):
    """The end of a ledger: the number and hash of its last row, or 0 and an empty hash."""

    seq: int
    hash: str


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """The last row of a sealed journal: why and by whom it was ended, and the SHA-256 of its successor.

    The successor of an archived journal is made from it; in that case `folder` is the folder of archives.
    """

    why: str
    who: str
    reason: str
    successor_sha256: str
    snapshot_sha256: str = ""
    folder: str = ""


def head_of(tx: Transaction) -> Head:
    """Return the end of the ledger."""
    seq, digest = tx.head
    return Head(seq, digest.hex())


def successor_of(path: Path) -> Path:
    """Return the path at which the successor of the journal at `path` is prepared."""
    return path.with_name(path.name + ".new")


def sealed_files(path: Path) -> list[Path]:
    """Return the sealed journals beside the one at `path`, oldest first."""
    return sorted(path.parent.glob(f"{path.name}.sealed-[0-9]*"))


def discard(path: Path) -> None:
    """Remove a successor that no seal names, with the files that SQLite keeps beside it.

    Raises `NotOursError` if a foreign file has its name.
    """
    refuse_foreign(path, JOURNAL, unfinished=True)
    refuse_foreign_beside(path)
    refuse_foreign(head_file(path), MARK_FILE, unfinished=True)
    for tail in ("", "-journal", *WAL_FILES, ".lock", MARK):
        path.with_name(path.name + tail).unlink(missing_ok=True)


def put_aside(journal: Path) -> Path | None:
    """Rename books that cannot be used, and return their new path, or None if they do not exist.

    SQLite's files beside them are renamed too, even if the books are gone, because SQLite would apply them to other
    books.
    """
    tails = ("-journal", *WAL_FILES, MARK, "")
    if not any(journal.with_name(journal.name + tail).exists() for tail in tails):
        return None
    number = 1
    while list(journal.parent.glob(f"{journal.name}.lost-{number:04}*")):
        number += 1
    aside = journal.with_name(f"{journal.name}.lost-{number:04}")
    for tail in tails:
        with suppress(FileNotFoundError):
            journal.with_name(journal.name + tail).rename(aside.with_name(aside.name + tail))
    flush_folder(journal.parent)
    return aside if aside.exists() else None


def left_alone(path: Path) -> None:
    """Move the content of a closed journal into one file; raise `JournalBusyError` while another program reads it."""
    with closing(sqlite3.connect(path, timeout=_BUSY_S)) as connection:
        try:
            connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError as error:
            raise JournalBusyError(f"{path} is being read by another program: end that and try again") from error


def made_whole(path: Path) -> str:
    """Turn a closed journal into one plain durable file, and return its SHA-256.

    Raises `JournalBusyError` while another program reads it.
    """
    left_alone(path)
    for tail in WAL_FILES:
        path.with_name(path.name + tail).unlink(missing_ok=True)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    flush_folder(path.parent)
    return digest(path)


def seal(tx: Transaction, prepared_from: Head, words: Seal) -> None:
    """End the journal in favour of its prepared successor; raise `RefusedError` if it has new rows."""
    if head_of(tx) != prepared_from:
        raise RefusedError("the books moved meanwhile: nothing was changed, try again")
    tx.audit()
    tx.post(SEALED, data=msgspec.to_builtins(words))


@contextmanager
def refused_by_disk() -> Iterator[None]:
    """Turn errors of the disk and of the books into `RefusedError` during a preparation that changes nothing.

    A `JournalError` is raised unchanged.
    """
    try:
        yield
    except JournalError:
        raise
    except OSError as error:
        raise RefusedError("The disk with the books of the machine is full or failing") from error
    except UNREADABLE as error:
        raise RefusedError("The books cannot be read") from error


def seal_of(path: Path) -> Seal | None:
    """Return the seal of the journal at `path`, or None if it is not sealed."""
    with read_only(path) as connection:
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'ledger'").fetchone() is None:
            return None
        row = connection.execute("SELECT kind, data FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None or row[0] != SEALED else msgspec.json.decode(row[1], type=Seal)


def finish(path: Path, step: Step = no_step) -> bool:
    """Put the successor of a sealed journal in its place; return whether there was one.

    Raises `JournalError` and changes nothing if the successor is not the one that the seal names.
    """
    successor = successor_of(path)
    if not path.exists() and not successor.exists():
        return False
    try:
        with held(path):
            return _finish(path, successor, step)
    except UNREADABLE as error:
        raise translated(error, path) from error


def _finish(path: Path, successor: Path, step: Step) -> bool:
    if not path.exists():
        sealed = sealed_files(path)
        if not sealed or (words := seal_of(sealed[-1])) is None:
            return False
        _prove(successor, words)
        _take_place(path, successor, step)
        return True
    if path.stat().st_size == 0 or (words := readable_seal(path)) is None:
        return False
    _prove(successor, words)
    step("before the sealed journal is made one file")
    made_whole(path)
    step("before the sealed journal is renamed")
    renamed = _free_seal(path)
    move(path, renamed)
    flush_folder(path.parent)
    renamed.chmod(0o444)
    _take_place(path, successor, step)
    return True


def _free_seal(path: Path) -> Path:
    """Return the next free name of a sealed journal; the number skips names that exist."""
    number = len(sealed_files(path)) + 1
    while (renamed := path.with_name(f"{path.name}.sealed-{number:04}")).exists():
        number += 1
    return renamed


def readable_seal(path: Path) -> Seal | None:
    """Return the seal of a journal, or None if it has none or cannot be read; opening will report that error."""
    try:
        return seal_of(path)
    except sqlite3.Error:
        return None


def _prove(successor: Path, words: Seal) -> None:
    if not successor.exists() or digest(successor) != words.successor_sha256:
        raise CorruptJournalError(
            f"the journal was sealed for a {words.why}, and {successor} is not what was to follow it: call a technician"
        )


def _take_place(path: Path, successor: Path, step: Step) -> None:
    step("before the mark is the successor's")
    take_place(path, successor, step)
    step("after all")


def take_place(path: Path, successor: Path, step: Step = no_step) -> None:
    """Rename a complete successor, with its mark, to `path`, where no journal exists."""
    with read_only(successor) as connection:
        mark = mark_in(connection)
    write_mark(path, mark)
    step("before the successor is renamed")
    move(successor, path)
    discard(successor)
    flush_folder(path.parent)


def sha256(text: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(text).hexdigest()


CARRIED = "carried_over"
"""The ledger's kind of the row with the meters of lost books, in a journal rebuilt from its second copy."""


def carried(tx: Transaction) -> dict[str, int]:
    """Return the meters that these books took over from lost ones, empty for most books."""
    row = tx.execute(f"SELECT meters FROM ledger WHERE kind = ? AND {RARE}", (CARRIED,)).fetchone()  # noqa: S608 - a literal
    return {} if row is None else msgspec.json.decode(row[0], type=dict[str, int])
