"""The journal as the supervisor uses it: one writer thread, one awaited call for each transaction."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context, copy_context
from typing import TypeVar

from controller.journal.hard_meters import Noted
from controller.journal.receipt import Receipt
from controller.journal.store import CopyState, Store
from controller.journal.transaction import Transaction

T = TypeVar("T")

Observer = Callable[[Transaction], Callable[[], None] | None]
"""Sees each transaction before its commit, on the journal's thread, and may write into it.

What it returns is called on the event loop once that transaction is durable, in the order of the transactions.
"""


def _come_round() -> None:
    """Do nothing, on the writer's thread."""


def _with(rider: Callable[[Transaction], None], act: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return `act` followed by `rider` where it owes the hard meters something, whoever acts."""

    def both(tx: Transaction) -> T:
        result = act(tx)
        if tx.owes_pulses:
            Context().run(rider, tx)  # the rows of the meters name no actor
        return result

    return both


def _observed(
    observer: Observer, act: Callable[[Transaction], T]
) -> Callable[[Transaction], tuple[T, Callable[[], None] | None]]:
    """Return `act` followed by `observer`, with the results of both."""

    def both(tx: Transaction) -> tuple[T, Callable[[], None] | None]:
        result = act(tx)
        return result, observer(tx)

    return both


_Done = tuple[T, int, Callable[[], None] | None]
"""What a transaction returned, the credit after it, and what its observer wants to be called."""


def _seen(doing: "asyncio.Future[_Done[T]]") -> None:
    """Call what the observer of a transaction that was committed has returned."""
    if not doing.cancelled() and doing.exception() is None:
        _, _, seen = doing.result()
        if seen is not None:
            seen()


class _Durable(Receipt[T]):
    """What `Journal.commit` returns; nothing else makes one (tests/controller/journal/test_receipts.py)."""

    def __init__(self, result: T) -> None:
        self._result = result

    def __repr__(self) -> str:
        return f"<Receipt {self._result!r}>"

    @property
    def result(self) -> T:
        """What the transaction returned."""
        return self._result


class Journal:
    """The journal as the supervisor uses it: each money event is one awaited call, one transaction, one thread.

    `open_store` is called on that thread, so that nothing else ever touches the file; raises what it raises. Another
    `thread` must do one job after the other.
    """

    def __init__(self, open_store: Callable[[], Store], *, thread: Executor | None = None) -> None:
        self._thread = thread or ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        try:
            self._store = self._thread.submit(open_store).result()
        except BaseException:
            self._thread.shutdown()
            raise
        self.path = self._store.path

        self.credit_cents = self._store.credit_cents
        """The credit meter as of the last durable transaction that has returned to its caller."""

        self.observer: Observer | None = None
        self.rider: Callable[[Transaction], None] | None = None
        """Called in each transaction that owes the hard meters something, after its act; on the journal's thread."""

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Return what `act` returns, once it is durable; raise `JournalError` if nothing was written.

        One that need not be `durable` at once is so within seconds (`Store.transact`, `settle`).

        `credit_cents` changes when this returns, so that the caller can decide what is shown of a win. When the caller
        is cancelled the transaction still completes, and changes the credit. `act` runs in the caller's context.
        """
        doing = asyncio.get_running_loop().run_in_executor(
            self._thread, copy_context().run, self._transact, act, durable
        )
        doing.add_done_callback(_seen)
        try:
            done, credit_cents, _ = await asyncio.shield(doing)
        except asyncio.CancelledError:
            doing.add_done_callback(self._left)
            raise
        self.credit_cents = credit_cents
        return done

    async def commit(self, act: Callable[[Transaction], T]) -> Receipt[T]:
        """Run one transaction as `do` does, and return the proof that it is durable, and all that it has read."""
        result = await self.do(act)
        if self.unsettled:
            await self.settle()
        return _Durable(result)

    def _transact(self, act: Callable[[Transaction], T], durable: bool) -> "_Done[T]":  # noqa: FBT001 - an executor's
        ridden = act if self.rider is None else _with(self.rider, act)
        if self.observer is None:
            done, seen = self._store.transact(ridden, durable=durable), None
        else:
            done, seen = self._store.transact(_observed(self.observer, ridden), durable=durable)
            if seen is not None:
                self._store.settle()  # what an observer reports is durable
        if self._store.is_untidy:
            self._thread.submit(self._store.tidy)  # after the result was handed over
        return done, self._store.credit_cents, seen

    def _left(self, doing: "asyncio.Future[_Done[T]]") -> None:
        if not doing.cancelled() and doing.exception() is None:
            _, self.credit_cents, _ = doing.result()

    async def mend_second_copy(self) -> CopyState:
        """Take a failed second copy up again; raise `JournalError` where it shows that the books are older ones."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._store.mend_second_copy)

    async def settle(self) -> None:
        """Return once everything is durable; raise `JournalError`."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._store.settle)

    @property
    def unsettled(self) -> int:
        """The first transaction that is not durable yet, 0 for none; the next one, or `settle`, makes it durable."""
        return self._store.unsettled

    @property
    def pulses_noted(self) -> Noted | None:
        """The newest note of a batch of pulses."""
        return self._store.pulses_noted

    async def note_pulses(self, noted: Noted) -> None:
        """Note beside the journal how far a batch of pulses has come; raise `JournalError`."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._store.note_pulses, noted)

    async def turns(self) -> None:
        """Return once the writer's thread has run a call; a disk that no longer answers blocks it."""
        await asyncio.get_running_loop().run_in_executor(self._thread, _come_round)

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()
