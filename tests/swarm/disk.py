"""The disk of a life: a commit takes virtual time, and a cut of the power leaves what had been synced."""

import asyncio
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from controller.journal.store import Store
from controller.journal.transaction import Transaction
from tests.rigs.virtual_time import LoopExecutor

T = TypeVar("T")


class DiskWriter(LoopExecutor):
    """The journal's thread on virtual time: a job is done after half of `seconds`, and answered after all of them.

    With 0 it is done and answered where it is handed in.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Hand a job in."""
        answer: Future[T] = Future()

        def job() -> Callable[[], None]:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it is the caller's
                failed = error
                return lambda: answer.set_exception(failed)
            return lambda: answer.set_result(result)

        if not self._seconds:
            job()()
            return answer
        self._jobs.append((answer, job))
        if len(self._jobs) == 1:
            asyncio.get_running_loop().call_later(self._seconds / 2, self._do)
        return answer

    def slow_down(self, seconds: float) -> None:
        """Have commits take so long from now on."""
        self._seconds = seconds

    def stop(self) -> None:
        """Drop what is not done yet, as SIGKILL does; what comes now is done at once."""
        self._seconds = 0.0
        self._jobs.clear()

    def _do(self) -> None:
        if self._jobs:
            _, job = self._jobs[0]
            asyncio.get_running_loop().call_later(self._seconds / 2, self._tell, job())

    def _tell(self, tell: Callable[[], None]) -> None:
        if not self._jobs:
            return
        self._jobs.popleft()
        tell()
        if self._jobs:
            asyncio.get_running_loop().call_later(self._seconds / 2, self._do)


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
def left_as_cut(journal: Path, synced: int | None) -> Iterator[None]:
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
