"""Errors of the journal: each stops play and shows its reason on the screen.

JournalError (controller.errors.LockingError)
├── JournalBusyError (BlockingIOError)   another supervisor holds this journal
├── CorruptJournalError (ValueError)     the file is damaged, or its books do not balance
├── NewerJournalError (ValueError)       a newer program wrote it
├── JournalStorageError (OSError)        the disk is full, read-only or failing
├── JournalSetupError (ValueError)       SQLite did not accept a setting that the books rely on
├── MigrationError (RuntimeError)        the file could not be migrated to the newest schema
├── SimulatedJournalError (ValueError)   a demo's journal in a real cabinet, or the reverse
└── RefusedError (ValueError)            a transaction would break a rule of the books (nothing was written)
"""

import os
import sqlite3
from pathlib import Path

import msgspec

from common.error_words import error_reason
from controller.errors import LockingError
from controller.journal.templates import filled


class JournalError(LockingError):
    """The journal cannot be used; `code` names the fault, and the message is meant for people."""

    code = "journal"


class JournalBusyError(JournalError, BlockingIOError):
    """Another supervisor holds this journal."""

    code = "journal_busy"


class CorruptJournalError(JournalError, ValueError):
    """The file is damaged, or its books do not balance."""

    code = "journal_corrupt"


class NewerJournalError(JournalError, ValueError):
    """A newer program wrote this journal."""

    code = "journal_newer"


class JournalStorageError(JournalError, OSError):
    """The disk is full, read-only or failing; `full_at` is a path on the full disk, or None for other errors."""

    code = "journal_storage"

    def __init__(self, message: str, full_at: Path | None = None) -> None:
        super().__init__(message)
        self.full_at = full_at
        if full_at is not None:
            self.code = FULL


ROOM = "free space on its disk, and it goes on by itself"
FULL = "journal_full"
"""The code of a lock that ends by itself once the disk has free space."""
LEAST_ROOM = 4 << 20
"""A disk with less free space than this, in bytes, counts as full: a commit and the shadow of its file may need it."""


def storage_error(
    path: Path,
    trouble: object,
    mend: str = "free space on its disk, or replace it, and restart",
    cannot: str = "cannot be written",
) -> JournalStorageError:
    """Return the error of a file with which something `cannot` be done; for a full disk it asks for free space."""
    full_at = path if _code_of(trouble) == sqlite3.SQLITE_FULL else full_disk(path)
    return JournalStorageError(f"{path} {cannot} ({trouble}): {ROOM if full_at else mend}", full_at)


def full_disk(*paths: Path) -> Path | None:
    """Return the first path whose disk has no free space or no free inode, or None."""
    return next((path for path in paths if _is_full(path)), None)


def _is_full(path: Path) -> bool:
    try:
        at = os.statvfs(path if path.exists() else path.parent)
    except OSError:
        return False
    return at.f_bavail * at.f_frsize < LEAST_ROOM or (at.f_files > 0 and at.f_favail == 0)


class JournalSetupError(JournalError, ValueError):
    """SQLite did not accept a setting that the books rely on, or a foreign file has a name that they need."""

    code = "journal_setup"


class MigrationError(JournalError, RuntimeError):
    """The journal could not be migrated to the newest schema; `migration` names the failed step, if one had begun.

    The file is unchanged.
    """

    code = "journal_setup"

    def __init__(self, message: str, migration: str = "") -> None:
        super().__init__(message)
        self.migration = migration


class SimulatedJournalError(JournalError, ValueError):
    """A demo's journal in a real cabinet, or a real one in a demo."""

    code = "journal_simulated"


class RefusedError(JournalError, ValueError):
    """The transaction would break a rule of the books or of the service menu; nothing was written.

    `template` is the translatable reason. Its `figures` are filled in by name: figures whose names end in `_cents` are
    amounts, and texts are translated too.
    """

    code = "journal_refused"

    def __init__(self, template: str, **figures: str | int) -> None:
        self.template = template
        self.figures = figures
        super().__init__(filled(template, figures))


_CORRUPT_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_STORAGE_CODES = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
}
_BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NO_TEXT = "Could not decode to UTF-8"
"""The sqlite3 module's message for a text that is not valid UTF-8; that error has no code."""

UNREADABLE = (sqlite3.Error, msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""The exceptions that reading a damaged journal may raise: SQLite's own errors, and those of decoding its values."""

NONSENSE = (*UNREADABLE, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""All exceptions that processing its values may raise: a damaged page may return NULL or a number in a column that
never stores one."""


def translated(error: Exception, path: Path) -> JournalError:
    """Return the journal's own error for one of `NONSENSE`; its message names the file and the remedy."""
    if not isinstance(error, sqlite3.Error) or _NO_TEXT in str(error):
        return CorruptJournalError(f"{path} is damaged ({error_reason(error)}): restore it or call a technician")
    if (found := file_error(error, path)) is not None:
        return found
    if _code_of(error) == sqlite3.SQLITE_CONSTRAINT:
        return RefusedError("A rule of the books was broken: {reason}", reason=f"{path}: {error_reason(error)}")
    return JournalStorageError(f"{path}: {error_reason(error)}")


def file_error(error: sqlite3.Error, path: Path) -> JournalError | None:
    """Return the journal's own error if SQLite found the file damaged, not writable or in use, otherwise None."""
    code = _code_of(error)
    if code in _CORRUPT_CODES:
        return CorruptJournalError(
            f"{path} is damaged ({error_reason(error)}); nothing was changed in it: restore it or call a technician"
        )
    if code in _STORAGE_CODES:
        return storage_error(path, error)
    if code in _BUSY_CODES:
        return JournalBusyError(f"{path} is being written by another program: stop it and restart")
    return None


def _code_of(error: object) -> int:
    """Return SQLite's primary result code, or 0 if the error has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
