"""Opens the books for play: completes pending decisions about them, then proves that they have the right key."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from controller import feature
from controller.books import rotation
from controller.books.copy_records import copy_in_words, read_copy
from controller.books.second_copy import start_second_copy
from controller.journal.errors import CorruptJournalError, JournalError
from controller.journal.event_catalogue import Event
from controller.journal.lost_tickets import hold_printed, seal_numbers
from controller.journal.schema import MIGRATIONS, Migration
from controller.journal.store import PRAGMAS, Store
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.keys.pins import PinFile, settle_pins
from controller.keys.ticket_numbers import TicketNumbers

MARK = "journal_mark"

FIRST = "the first start with a key"
_OTHER_DEMO = "put it back, or begin another demo in another folder"


OpenWith = Callable[[Mapping[str, str | int]], Store]
"""Opens the books with these pragmas."""


class Archiving(Protocol):
    """When the past of books is archived; `failed` is why the newest attempt failed.

    `limit_bytes` is the file size at which archiving is due.
    """

    limit_bytes: int
    failed: str

    def is_due(self, tx: Transaction, journal: Path) -> bool:
        """Whether the file has grown to its limit, and nothing is in progress."""

    def begin(self, path: Path, open_with: OpenWith, pragmas: Mapping[str, str | int]) -> None:
        """Decide the archiving of the closed books at `path`, which `open_with` opens; the next `finish` does it."""


def finish(path: Path, wall_ms: Callable[[], int]) -> bool:
    """Complete a pending decision about the journal at `path`; return whether there was one."""
    return any(end(path, wall_ms) for end in feature.imported(lambda one: one.finish_closed_books)) or rotation.finish(
        path
    )


def _mark_lost(tx: Transaction) -> None:
    """Record that the newest rows may be missing; tickets may have been taken or printed in them."""
    tx.event(Event.JOURNAL_MARK, place=MARK)
    hold_printed(tx, Event.TICKETS_OF_LOST_ROWS)


def _has_content(path: Path) -> bool:
    """Whether the file has any content: a table, or data that SQLite cannot read."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as books:
            return books.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


def _copy_beside(path: Path | None, key: Path) -> str:
    """Return a sentence about the second copy at `path` for books without the right key, or an empty string."""
    try:
        copy = None if path is None else read_copy(path)
        own = identity.read_identity(key)
    except (OSError, JournalError, identity.IdentityError):
        return ""
    if copy is None or (own is not None and copy.cabinet != own.public_key.hex()):
        return ""
    return copy_in_words(path) if own is not None else f"their second copy {path} is there, and needs that key too"


def _bound(store: Store, key: Path, second_copy: Path | None, *, is_demo: bool) -> tuple[identity.Identity, bool]:
    """Call `identity.bound_to`; an error also names the second copy if there is one of this cabinet.

    Nobody adopts a demo's key.
    """
    try:
        return identity.bound_to(store.transact(identity.bond), key)
    except identity.IdentityError as error:
        if is_demo and isinstance(error, identity.UnboundError):
            raise identity.IdentityError(f"{error.found}: {_OTHER_DEMO}") from error
        if not (copy := _copy_beside(second_copy, key)):
            raise
        raise identity.IdentityError(f"{error}; {copy}") from error


def _settle(store: Store) -> None:
    """Bring the files beside the books into line with them."""
    settle_pins(store, PinFile(store.path))
    for settle in feature.imported(lambda one: one.settle):
        settle(store)


def opened_books(
    path: Path,
    key: Path,
    wall_ms: Callable[[], int],
    *,
    simulated: bool = False,
    create: bool = False,
    pragmas: Mapping[str, str | int] = PRAGMAS,
    second_copy: Path | None = None,
    copy_required: bool = False,
    archives: Archiving | None = None,
    who: str = "cabinet",
    reason: str = FIRST,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> Store:
    """Open the journal at `path` and prove that it is bound to the key in the file `key`.

    Books that were never bound get a new key. With `second_copy`, that file is compared with the books and written from
    now on; with `copy_required` it must exist. With `archives`, a journal that has reached its size limit is archived
    first. Raises the exceptions of `Store` and `finish`, `IdentityError`, and `SecondCopyError`.
    """
    finish(path, wall_ms)
    if create and key.exists() and not _has_content(path):
        raise CorruptJournalError(f"{path} is gone or empty, and {key.name} says that it was not: {_OTHER_DEMO}")

    def opened(how: Mapping[str, str | int]) -> Store:
        try:
            return Store(path, wall_ms, simulated=simulated, create=create, pragmas=how, migrations=migrations)
        except CorruptJournalError as error:
            copy = copy_in_words(second_copy)
            if not copy or "cabinet rebuild" in str(error):
                raise
            raise CorruptJournalError(f"{error}; {copy}") from error

    store = opened(pragmas)
    try:
        own, new = _bound(store, key, second_copy, is_demo=create)
        if new:
            store.transact(lambda tx: identity.bind(tx, own, who, reason))
        identity.settled(own, key)
        store.numbers = TicketNumbers(key)
        store.transact(lambda tx: seal_numbers(tx, own.public_key.hex()))
        if store.mark_lost:
            store.transact(_mark_lost)
        _settle(store)
        due = archives is not None and store.transact(lambda tx: archives.is_due(tx, path))
        if second_copy is not None:  # before an archive too: books that lack rows must not be sealed
            start_second_copy(store, second_copy, own.public_key.hex(), is_required=copy_required)
    except BaseException:
        store.close()
        raise
    if archives is None or not due:
        return store
    store.close()
    archives.begin(path, opened, pragmas)
    return opened_books(
        path,
        key,
        wall_ms,
        simulated=simulated,
        pragmas=pragmas,
        second_copy=second_copy,
        copy_required=copy_required,
        migrations=migrations,
    )
