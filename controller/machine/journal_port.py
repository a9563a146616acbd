"""Transactions of the running machine: some are awaited, posts are recorded soon."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from controller.errors import LockingError
from controller.journal.errors import JournalError, RefusedError
from controller.journal.event_catalogue import EventKind
from controller.journal.journal import Journal
from controller.journal.receipt import Receipt
from controller.journal.transaction import Transaction
from controller.machine.posts import Post, Posts, record_counted
from controller.machine.snapshot import Snapshot, read_snapshot
from controller.system.watchdog import POSTS, TaskMonitor
from drivers.clock import Clock

T = TypeVar("T")

MOST_COMMITS = 50


def _all_done(tx: Transaction, due: Sequence[Post]) -> Snapshot:
    """Run all posts and return the journal's state after them."""
    for post in due:
        post(tx)
    return read_snapshot(tx)


class JournalPort:
    """The journal for the machine and its flows; a journal that fails locks the cabinet for good.

    `lock` is the reason, and `locked` is set with it. `on_lock` is called once with the error, and `on_snapshot` with
    the journal's state after each recorded post.
    """

    def __init__(self, journal: Journal, clock: Clock, task_monitor: TaskMonitor) -> None:
        self.journal = journal
        self.lock: LockingError | None = None
        self.locked = asyncio.Event()
        """Set with `lock`."""
        self.on_lock: Callable[[LockingError], None] = lambda _error: None
        self.on_snapshot: Callable[[Snapshot], None] = lambda _snapshot: None
        self.posts = Posts(clock)
        self.commits_s: deque[float] = deque(maxlen=MOST_COMMITS)
        """Durations of the newest transactions in seconds, from the request until they were durable."""
        self._clock = clock
        self._task_monitor = task_monitor

    @property
    def path(self) -> Path:
        """The journal's file."""
        return self.journal.path

    @property
    def credit_cents(self) -> int:
        """The credit meter."""
        return self.journal.credit_cents

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run one transaction; a journal error or refusal locks the cabinet for good and is raised.

        With `durable=False` it becomes durable within seconds (`Journal.do`).
        """
        return await self._unrefused(self.attempt(act, durable=durable))

    async def attempt(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run a transaction that may be refused: the caller shows `RefusedError`; other errors lock the cabinet."""
        return await self._timed(self.journal.do(act, durable=durable))

    async def commit(self, act: Callable[[Transaction], T]) -> Receipt[T]:
        """Run a transaction that may be refused, like `attempt`; return the proof that it is durable."""
        return await self._timed(self.journal.commit(act))

    async def commit_or_lock(self, act: Callable[[Transaction], T]) -> Receipt[T]:
        """Run one transaction; a refusal locks the cabinet, as in `do`. Return the proof that it is durable."""
        return await self._unrefused(self.commit(act))

    async def _unrefused(self, transaction: Awaitable[T]) -> T:
        try:
            return await transaction
        except RefusedError as error:
            self.lock_up(error)
            raise

    async def _timed(self, transaction: Awaitable[T]) -> T:
        began = self._clock.now()
        try:
            return await transaction
        except RefusedError:
            raise
        except JournalError as error:
            self.lock_up(error)
            raise
        finally:
            self.commits_s.append(self._clock.now() - began)

    def lock_up(self, error: LockingError) -> None:
        """Stop everything and show the reason; only a restart, or free space on a full disk, ends the lock."""
        if self.lock is None:
            self.lock = error
            self.locked.set()
            self.on_lock(error)

    def post(self, act: Post) -> None:
        """Record something soon, in order and in the caller's context; ignored once the cabinet is locked."""
        if self.lock is None:
            context = copy_context()
            self.posts.put(lambda tx: context.run(act, tx))

    def remark(self, event: EventKind, *, place: str = "", by: str = "", **figures: Any) -> None:
        """Record an event that a player or a peer at a socket can cause at any rate.

        It waits for all posts. Events beyond the rate limit are merged into one with the newest figures, for each code
        and for each user that caused it (`by`).
        """
        if self.lock is None:
            remarked = partial(record_counted, event=event, place=place, **figures)
            self.posts.count(f"{event.code} {by}", remarked)

    async def record(self, post: Post) -> None:
        """Run one transaction and apply the journal's state after it."""
        self.on_snapshot(await self.do(lambda tx: _all_done(tx, (post,))))

    async def reload(self) -> None:
        """Read the journal's state again and apply it."""
        self.on_snapshot(await self.do(read_snapshot))

    async def recorded(self) -> Receipt[None]:
        """Record the cabinet's waiting posts; return once those and all earlier ones are durable."""
        due = self.posts.first()
        if due:
            await self._record_all(due)
        return await self.commit(lambda _tx: None)

    async def run_posts(self) -> None:
        """Record posts in order, until cancelled."""
        while True:
            with self._task_monitor.waiting(POSTS):
                due = await self.posts.next()
            await self._record_all(due)

    async def _record_all(self, due: Sequence[Post]) -> None:
        try:
            self.on_snapshot(await self.attempt(lambda tx: _all_done(tx, due)))
        except RefusedError:
            for post in due:  # the refused post locks the cabinet without affecting the others
                await self.record(post)
