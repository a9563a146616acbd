"""The disk of a life's books: it becomes full, has only its reserve left, or fails to sync, and is well again."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final, TypeVar

from controller.journal.errors import JournalStorageError, translated
from controller.journal.transaction import Transaction
from controller.monitors.storage import Room
from tests.rigs.power_cuts import SyncedStore

T = TypeVar("T")

WELL, FULL, RESERVE, SYNC = "well", "full", "reserve", "sync"
FREE: Final = {WELL: 1 << 33, FULL: 0, RESERVE: 8 << 20, SYNC: 1 << 33}
"""The free bytes of the disk in each of its states; the cabinet's reserve is more than `RESERVE`'s."""
TROUBLES: Final = (FULL, FULL, RESERVE, SYNC)


class Disk:
    """The state of the disk, one of `FREE`."""

    def __init__(self) -> None:
        self.state = WELL

    def room(self) -> Room:
        """Return its free space."""
        return Room(FREE[self.state], read_only=False)


class DiskStore(SyncedStore):
    """A store on `disk`: a full one takes no change, and where its sync fails, what was written may be there or not."""

    disk: ClassVar[Disk]

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act`; one that changes nothing needs no room and no sync."""
        before = self._connection.total_changes

        def written(tx: Transaction) -> T:
            result = act(tx)
            if self.disk.state == FULL and self._connection.total_changes != before:
                raise _error(sqlite3.SQLITE_FULL, "database or disk is full")
            return result

        return super().transact(written, durable=durable)

    def _moved(self, *, is_synced: bool, must_be_durable: bool) -> None:
        if is_synced and self.disk.state == SYNC:
            self.unsettled = self.unsettled or self._connection.total_changes
            raise self._remember(self._unsynced())
        super()._moved(is_synced=is_synced, must_be_durable=must_be_durable)

    def settle(self) -> None:
        """Sync what is not, if the disk does."""
        if self.unsettled and self.disk.state == SYNC and self._failed is None:
            raise self._remember(self._unsynced())
        super().settle()

    def _unsynced(self) -> JournalStorageError:
        error = translated(_error(sqlite3.SQLITE_IOERR, "disk I/O error"), Path(self.path))
        assert isinstance(error, JournalStorageError)
        return error


def _error(code: int, words: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error
