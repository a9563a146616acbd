"""Power cuts at any step of a program: before a transaction is durable, and then before its result is seen."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, TypeVar

from controller.journal.errors import JournalStorageError
from controller.journal.store import Store
from controller.journal.transaction import Transaction

T = TypeVar("T")


class PowerCutError(JournalStorageError):
    """The power is off: nothing more is written."""


class Power:
    """Counts the steps, and is off from the one at which it is cut; None for never."""

    def __init__(self) -> None:
        self.steps = 0
        self.cut_at: int | None = None
        self.is_off = False

    def step(self) -> None:
        """Count a step; raise `cut` where the power is off."""
        self.steps += 1
        if self.cut_at is not None and self.steps >= self.cut_at:
            self.is_off = True
        if self.is_off:
            raise self.cut()

    def cut(self) -> JournalStorageError:
        """Return what a transaction ends with then."""
        return PowerCutError("the power is off")

    def comes_back(self, cut_at: int | None = None) -> None:
        """Switch it on, to be cut again after so many steps."""
        self.steps, self.cut_at, self.is_off = 0, cut_at, False


class CutStore(Store):
    """A store whose transactions are steps of `power`: each may be cut before its commit or after it."""

    power: Power

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act` in one transaction, unless the power is cut."""
        self.power.step()
        result = super().transact(act, durable=durable)
        self.power.step()
        return result


class SyncedStore(Store):
    """A store that knows how much of its write-ahead log a cut of the power leaves: `synced` bytes."""

    synced: ClassVar[int] = 0

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act`."""
        try:
            return super().transact(act, durable=durable)
        finally:
            self._look()

    def settle(self) -> None:
        """Sync what is not."""
        super().settle()
        self._look()

    def _look(self) -> None:
        if not self.unsettled:
            wal = _wal_of(self.path)
            type(self).synced = wal.stat().st_size if wal.exists() else 0


def _wal_of(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}-wal")


@contextmanager
def left_as_cut(journal: Path, synced: int | None = None) -> Iterator[None]:
    """Put the files back as they are now, after the body has closed them in order.

    Of the write-ahead log the first `synced` bytes are left, all of them for None.
    """
    kept = {}
    for name in (journal, _wal_of(journal)):
        if name.exists():
            kept[name] = name.with_name(f"{name.name}.cut")
            shutil.copyfile(name, kept[name])
    yield
    journal.with_name(f"{journal.name}-shm").unlink(missing_ok=True)
    for name, copy in kept.items():
        copy.replace(name)
    if synced is not None and _wal_of(journal) in kept:
        with _wal_of(journal).open("r+b") as wal:
            wal.truncate(min(synced, wal.seek(0, 2)))
