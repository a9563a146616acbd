"""The journal's file: opened exclusively, with verified pragmas, and written one transaction at a time."""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from common.error_words import error_words
from controller.files.own_files import refuse_foreign_beside
from controller.journal import digests, ledger
from controller.journal.errors import (
    NONSENSE,
    UNREADABLE,
    CorruptJournalError,
    JournalBusyError,
    JournalError,
    JournalSetupError,
    JournalStorageError,
    NewerJournalError,
    RefusedError,
    SimulatedJournalError,
    storage_error,
    translated,
)
from controller.journal.hard_meters import Noted
from controller.journal.head import HeadFile, compare, head_file, mark_in, read_mark, read_noted
from controller.journal.migration_process import set_up
from controller.journal.number_seal import PLAIN, NumberSeal
from controller.journal.reads import cabinet_row
from controller.journal.schema import MIGRATIONS, Migration, applied
from controller.journal.transaction import Transaction

T = TypeVar("T")

_CHANGES_PER_CHECKPOINT = 4_000
"""The number of changed rows between two checkpoints, about four megabytes of WAL."""

PRAGMAS: dict[str, str | int] = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL: the WAL is synced at every commit
    "foreign_keys": 1,
    "cell_size_check": 1,
    "trusted_schema": 0,
    "recursive_triggers": 1,  # without it REPLACE overwrites ledger rows without firing triggers
    "temp_store": 2,  # the digests' temporary triggers are kept in memory
    "wal_autocheckpoint": 0,  # `Store.tidy` checkpoints between transactions
}


def _unwritten(error: OSError, path: Path) -> JournalStorageError:
    return storage_error(path, error.strerror or error, "mend its disk and restart")


def _take_lock(journal: Path) -> int:
    path = f"{journal}.lock"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise storage_error(Path(path), error.strerror, "mend the disk", "cannot be created") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise JournalBusyError(f"{journal} is held by another supervisor: stop it first") from error
    return lock


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock the journal at `path`, which need not exist, against other supervisors; raise `JournalBusyError`."""
    lock = _take_lock(path)
    try:
        yield
    finally:
        os.close(lock)


News = Callable[[Transaction], None]
"""Records something in the books."""


class CopyState(NamedTuple):
    """The state of a second copy: why it is not written (empty if it is), and whether it is missing since the start.

    `news` records the state in the books.
    """

    failed: str = ""
    missing: bool = False
    news: News | None = None


class Follower(Protocol):
    """Writes a second copy of the books, which work without it: a failing medium is not an error."""

    failed: str
    missing: bool

    def take_up(self, connection: sqlite3.Connection) -> News | None:
        """Compare the copy with the books and rewrite it from them; return a function that records the result.

        Raises `JournalError` if the copy proves that newer books exist.
        """

    def follow(self, connection: sqlite3.Connection) -> None:
        """Write the changes of the newest transaction."""

    def close(self) -> None:
        """Close its file."""


class Store:
    """One open journal. Not thread-safe: `Journal` gives it its own thread.

    Opening takes the lock, refuses a newer or damaged file, migrates an older one to the newest schema, verifies every
    pragma, and proves the books from the last anchor. Raises the `JournalError` that describes the problem.
    """

    def __init__(
        self,
        path: Path,
        wall_ms: Callable[[], int],
        *,
        simulated: bool = False,
        create: bool = False,
        pragmas: Mapping[str, str | int] = PRAGMAS,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        self.path = path
        self._migrations = migrations
        self._wall_ms = wall_ms
        self._failed: JournalError | None = None
        self.credit_cents = 0
        self.second_copy: Follower | None = None
        self.numbers: NumberSeal = PLAIN
        """Seals ticket numbers; set by the code that opens the books with their key."""
        self.mark_lost = False
        """Whether the mark beside these books is missing."""
        self._head = HeadFile(path)
        self._tidied = 0
        self._closed = False
        self._synchronous = pragmas["synchronous"]
        self.unsettled = 0
        """The first transaction that is not durable yet, 0 for none; the next durable transaction, or `settle`, makes
        it durable."""
        self.pulses_noted: Noted | None = None
        """The newest note of a batch of pulses, at first the one that the previous supervisor left."""
        self._lock = _take_lock(path)
        try:
            self._connection = self._open(simulated=simulated, create=create, pragmas=pragmas)
        except UNREADABLE as error:
            os.close(self._lock)
            raise translated(error, path) from error
        except BaseException:
            os.close(self._lock)
            raise

    def _open(self, *, simulated: bool, create: bool, pragmas: Mapping[str, str | int]) -> sqlite3.Connection:
        try:
            refuse_foreign_beside(self.path)  # SQLite would overwrite it
        except OSError as error:
            raise JournalSetupError(f"{error_words(error)}: the books of {self.path} need its name") from error
        if not self.path.exists() and not create:
            raise CorruptJournalError(
                f"{self.path} does not exist: mount its disk, or restore it (`cabinet init` is for a new cabinet)"
            )
        known = self._recorded_migrations(create=create)
        names = tuple(migration.name for migration in self._migrations)
        if unknown := [name for name in known if name not in names]:
            raise NewerJournalError(
                f"{self.path} was written by a newer program (it has {unknown[0]}): install that program"
            )
        if known != names:
            if known:  # before the migration recomputes the digests
                with read_only(self.path) as books:
                    digests.prove(books, whole=True)
            set_up(self.path, simulated=simulated, migrations=self._migrations)
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=2.0)
        try:
            self._set_pragmas(connection, pragmas)
            self._refuse_foreign(connection, simulated=simulated)
            self._prove(connection)
            self._compare(connection)
            self._digests = digests.Digests(connection)
            self.credit_cents = cabinet_row(connection).credit_cents
        except BaseException:
            connection.close()
            raise
        return connection

    def _prove(self, connection: sqlite3.Connection) -> None:
        """Prove the live rows and the chain since its last anchor."""
        try:
            ledger.prove_from_anchor(connection)
            digests.prove(connection)
        except JournalError:
            raise
        except NONSENSE as error:
            raise translated(error, self.path) from error

    def _compare(self, connection: sqlite3.Connection) -> None:
        """Prove that the books do not end before their mark."""
        try:
            mark, self.pulses_noted = read_mark(self.path), read_noted(self.path)
        except OSError as error:
            raise JournalStorageError(
                f"{head_file(self.path)} cannot be read ({error.strerror}): mend its disk"
            ) from error
        if mark is not None:
            compare(mark, connection, self.path)
        else:
            self.mark_lost = mark_in(connection).seq > 0

    def _recorded_migrations(self, *, create: bool) -> tuple[str, ...]:
        if not self.path.exists():
            return ()
        try:
            known = self._applied("ro")  # a damaged file must not be written to, so the first look is read-only
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
            known = self._applied("rw")  # the power was cut while the file was created: SQLite rolls that back first
        if not known and not create:
            raise CorruptJournalError(f"{self.path} holds no journal: restore it, or call a technician")
        if not known and self._has_tables():
            raise JournalSetupError(f"{self.path} has tables of another program and stays as it is: name another file")
        return known

    def _has_tables(self) -> bool:
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is not None

    def _applied(self, mode: str) -> tuple[str, ...]:
        with closing(sqlite3.connect(f"file:{self.path}?mode={mode}", uri=True)) as connection:
            return applied(connection)

    def _set_pragmas(self, connection: sqlite3.Connection, pragmas: Mapping[str, str | int]) -> None:
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name}={value}")
            (got,) = connection.execute(f"PRAGMA {name}").fetchone()
            if got != value:
                raise JournalSetupError(f"SQLite answers {name}={got} where the books need {value}: call a technician")

    def _refuse_foreign(self, connection: sqlite3.Connection, *, simulated: bool) -> None:
        is_simulated = cabinet_row(connection).simulated
        if is_simulated and not simulated:
            raise SimulatedJournalError(
                f"{self.path} is a demo's journal: a real cabinet never plays on it; name another file"
            )
        if simulated and not is_simulated:
            raise SimulatedJournalError(f"{self.path} is a real cabinet's journal: a demo never touches it")

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act` in one transaction and return its result once it is durable.

        With `durable=False` it becomes durable with the next durable transaction or with `settle`. Until then it
        survives the end of the program, but a power cut may lose it as a whole. A transaction that `must_be_durable` is
        durable at once all the same.

        Any exception of `act` rolls everything back. After an error of the disk or the file nothing more is written:
        every later call raises the same error.
        """
        if self._failed is not None:
            raise self._failed
        self.tidy()
        try:
            if not durable:
                self._connection.execute("PRAGMA synchronous=NORMAL")
            result, has_moved, must_be_durable = self._committed(act)
        except UNREADABLE as error:
            raise self._remember(translated(error, self.path)) from error
        except CorruptJournalError as error:
            raise self._remember(error) from error
        finally:
            if not durable:
                self._connection.execute(f"PRAGMA synchronous={self._synchronous}")
        if has_moved:
            self._moved(is_synced=durable, must_be_durable=must_be_durable)
        if not self.unsettled and self.second_copy is not None:
            self.second_copy.follow(self._connection)
        return result

    def _moved(self, *, is_synced: bool, must_be_durable: bool) -> None:
        """Sync a commit that must last and was not durable, and write the mark."""
        if is_synced:
            self.unsettled = 0
        else:
            self.unsettled = self.unsettled or self._connection.total_changes
            if must_be_durable:
                self.settle()
        if not self.unsettled:
            self._mark()

    def _committed(self, act: Callable[[Transaction], T]) -> tuple[T, bool, bool]:
        """Run and commit `act`; return its result, whether anything changed, and whether it must last."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            transaction = Transaction(self._connection, self._wall_ms(), self.numbers)
            result = act(transaction)
            credit = transaction.credit_cents
            has_moved = self._digests.save()
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
                self._digests.restore()
            raise
        self._digests.settle()
        self.credit_cents = credit
        return result, has_moved, transaction.must_be_durable

    def settle(self) -> None:
        """Make pending transactions durable, if this store's own commits are synced (`PRAGMAS`)."""
        if not self.unsettled or self._failed is not None:
            return
        try:
            if self._synchronous == PRAGMAS["synchronous"]:
                with self.path.with_name(f"{self.path.name}-wal").open("rb") as wal:
                    os.fdatasync(wal.fileno())
        except OSError as error:
            raise self._remember(_unwritten(error, self.path)) from error
        self.unsettled = 0

    def note_pulses(self, noted: Noted) -> None:
        """Write the progress of a batch of pulses beside the journal; a power cut may lose the newest notes."""
        if self._failed is not None:
            raise self._failed
        try:
            self._head.note(noted)
            self.pulses_noted = noted
        except OSError as error:
            raise self._remember(_unwritten(error, self._head.path)) from error

    def _mark(self) -> None:
        try:
            self._head.follow(self._connection)
        except OSError as error:
            raise self._remember(_unwritten(error, self._head.path)) from error

    @property
    def is_untidy(self) -> bool:
        """Whether a checkpoint is due."""
        return (
            not self._closed
            and self._failed is None
            and self._connection.total_changes - self._tidied >= _CHANGES_PER_CHECKPOINT
        )

    def tidy(self) -> None:
        """Checkpoint the WAL into the journal's own file, if that is due.

        An error is raised by the next transaction.
        """
        if not self.is_untidy:
            return
        self._tidied = self._connection.total_changes
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            self._remember(translated(error, self.path))
        self._head.checkpointed()

    def _remember(self, error: JournalError) -> JournalError:
        if not isinstance(error, RefusedError):
            self._failed = error
        return error

    def follow_with(self, copy: Follower) -> None:
        """Let `copy` write every transaction before it is acknowledged; raise the exceptions of its `take_up`."""
        news = copy.take_up(self._connection)
        self.second_copy = copy
        if news is not None:
            self.transact(news)

    def mend_second_copy(self) -> CopyState:
        """Resume a failed second copy; raise the exceptions of its `take_up`."""
        copy = self.second_copy
        if copy is None:
            return CopyState()
        news = copy.take_up(self._connection) if copy.failed else None
        return CopyState(copy.failed, copy.missing, news)

    def close(self) -> None:
        """Close the files and release the lock."""
        if self.second_copy is not None:
            self.second_copy.close()
        self._closed = True
        self._connection.close()
        self._head.close()
        os.close(self._lock)


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal at `path` read-only, without disturbing a running cabinet and without a checkpoint.

    Raises `sqlite3.Error`, here and in the body. A BEGIN in the body makes all its reads one snapshot.
    """
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)) as connection:
        yield connection


def whole_copy(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the journal that `connection` reads into a new file without a WAL, which any medium can hold."""
    with closing(sqlite3.connect(path)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")


def quick_check(path: Path) -> None:
    """Check the structure of the whole file on a read-only connection; raise `CorruptJournalError` if it fails."""
    try:
        with read_only(path) as connection:
            answers = [answer for (answer,) in connection.execute("PRAGMA quick_check(3)")]
    except sqlite3.Error as error:
        raise translated(error, path) from error
    if answers != ["ok"]:
        raise CorruptJournalError(f"{path} is damaged ({answers[0]}): restore it or call a technician")
