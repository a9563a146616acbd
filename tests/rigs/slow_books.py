"""Books whose every commit takes time, and what of them is durable: what went out may report that much and no more."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, ClassVar, TypeVar

from controller.journal.store import Store
from controller.journal.transaction import Transaction
from tests.rigs.virtual_time import LoopExecutor

T = TypeVar("T")

Row = Mapping[str, object]
Rows = Mapping[str, tuple[Row, ...]]
"""The rows of each table, by their columns."""
COMMIT_S = 0.05
"""How long a commit takes where the test is about that."""


class SlowWriter(LoopExecutor):
    """The journal's thread on virtual time: a job's work is done `seconds` after its turn has come, then it returns.

    With 0 each is done where it is handed in. Whoever waits for a job hears of it `answer_s` after its work is done.
    """

    def __init__(self) -> None:
        self.seconds = self.answer_s = 0.0
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Do the job when its time has come."""
        done: Future[T] = Future()
        self._jobs.append((done, lambda: fn(*args, **kwargs)))
        if not self.seconds:
            self.hurry()
        elif len(self._jobs) == 1:
            asyncio.get_running_loop().call_later(self.seconds, self._next)
        return done

    def hurry(self) -> None:
        """Do all jobs now, and those that come from now on."""
        self.seconds = 0.0
        while self._jobs:
            self._do()

    def drop(self) -> None:
        """Forget the jobs whose work is not done, as SIGKILL does; those that come now are done at once."""
        self.seconds = self.answer_s = 0.0
        self._jobs.clear()

    def _next(self) -> None:
        if self._jobs:
            self._do()
        if self._jobs:
            asyncio.get_running_loop().call_later(self.seconds, self._next)

    def _do(self) -> None:
        done, job = self._jobs.popleft()
        if not done.set_running_or_notify_cancel():
            return
        try:
            tell = partial(done.set_result, job())
        except BaseException as error:  # noqa: BLE001 - it is the caller's
            tell = partial(done.set_exception, error)
        if self.answer_s:
            asyncio.get_running_loop().call_later(self.answer_s, tell)
        else:
            tell()


class WatchedStore(Store):
    """A store of which `durable` are the rows that a power cut leaves, shared by all stores of a subclass."""

    durable: ClassVar[Rows] = {}
    _seen = -1
    """How many rows had been changed when it was looked last."""

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act`, and look at what is durable."""
        result = super().transact(act, durable=durable)
        self._look()
        return result

    def settle(self) -> None:
        """Settle, and look at what is durable."""
        super().settle()
        self._look()

    def _look(self) -> None:
        changes = self._connection.total_changes
        if not self.unsettled and changes != self._seen:
            self._seen, type(self).durable = changes, self._rows()

    def _rows(self) -> Rows:
        names = self._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {name: self._table(name) for (name,) in names}

    def _table(self, name: str) -> tuple[Row, ...]:
        found = self._connection.execute(f"SELECT * FROM [{name}]")  # noqa: S608 - the books' own names
        columns = [column[0] for column in found.description]
        return tuple(dict(zip(columns, row, strict=True)) for row in found)


def watched() -> type[WatchedStore]:
    """A kind of store of its own, so that two tests do not see each other's rows."""
    return type("Watched", (WatchedStore,), {})


def has(rows: Rows, table: str, **values: object) -> bool:
    """Whether a row of that table has all these values."""
    return any(all(row[name] == value for name, value in values.items()) for row in rows[table])


def changed(before: Rows, after: Rows) -> list[str]:
    """The tables whose rows differ."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
