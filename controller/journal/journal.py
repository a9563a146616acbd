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

S = TypeVar("S")
T = TypeVar("T")

Observer = Callable[[Transaction], Callable[[], None] | None]
"""Called with each transaction before its commit, on the journal's thread; it may write into the transaction. The
callback that it returns is called on the event loop once the transaction is durable, in the order of the transactions.
"""


def _come_round() -> None:
    """Do nothing, on the writer's thread."""


def _with(rider: Callable[[Transaction], None], act: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return a function that runs `act`, then `rider` if the transaction owes pulses to the hard meters."""

    def both(tx: Transaction) -> T:
        result = act(tx)
        if tx.owes_pulses:
            Context().run(rider, tx)  # rows of the meters name no actor
        return result

    return both


def _observed(
    observer: Observer, act: Callable[[Transaction], T]
) -> Callable[[Transaction], tuple[T, Callable[[], None] | None]]:
    """Return a function that runs `act`, then `observer`, and returns the results of both."""

    def both(tx: Transaction) -> tuple[T, Callable[[], None] | None]:
        result = act(tx)
        return result, observer(tx)

    return both


_Done = tuple[T, int, Callable[[], None] | None]
"""The result of a transaction, the credit after it, and the callback of its observer."""


def _seen(doing: "asyncio.Future[_Done[T]]") -> None:
    """Call the observer's callback after its transaction was committed."""
    if not doing.cancelled() and doing.exception() is None:
        _, _, seen = doing.result()
        if seen is not None:
            seen()


class _Durable(Receipt[T]):
    """The receipt that `Journal.commit` returns; only another receipt is made otherwise, by `map`."""

    def __init__(self, result: T) -> None:
        self._result = result

    def __repr__(self) -> str:
        return f"<Receipt {self._result!r}>"

    @property
    def result(self) -> T:
        """The transaction's result."""
        return self._result

    def map(self, compose: Callable[[T], S]) -> Receipt[S]:
        """Return the receipt of what `compose` makes of the result."""
        return _Durable(compose(self._result))


class Journal:
    """The journal as the supervisor uses it: each money event is one awaited call and one transaction on one thread.

    `open_store` is called on that thread, so that nothing else ever touches the file; its exceptions are raised here. A
    `thread` that is passed in must run its jobs one after the other.
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
        """The credit as of the last transaction that has returned to its caller."""

        self.observer: Observer | None = None
        self.rider: Callable[[Transaction], None] | None = None
        """Called after each transaction's act if the transaction owes pulses to the hard meters; runs on the journal's
        thread."""

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act` in a transaction and return its result once it is durable; raise `JournalError` on failure.

        After an error nothing is written. With `durable=False` the transaction becomes durable within seconds
        (`Store.transact`, `settle`). `credit_cents` changes when this returns, so that the caller can decide how much
        of a win is shown. If the caller is cancelled, the transaction still completes and changes the credit. `act`
        runs in the caller's context.
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
        """Run one transaction like `do`; the receipt proves that it and everything it has read are durable."""
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
                self._store.settle()  # everything that an observer reports must be durable
        if self._store.is_untidy:
            self._thread.submit(self._store.tidy)  # runs after the result is handed over
        return done, self._store.credit_cents, seen

    def _left(self, doing: "asyncio.Future[_Done[T]]") -> None:
        if not doing.cancelled() and doing.exception() is None:
            _, self.credit_cents, _ = doing.result()

    async def mend_second_copy(self) -> CopyState:
        """Resume a failed second copy; raise `JournalError` if it shows that newer books exist."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._store.mend_second_copy)

    async def settle(self) -> None:
        """Return once everything is durable; raise `JournalError`."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._store.settle)

    @property
    def unsettled(self) -> int:
        """The first transaction that is not durable yet, 0 for none; `settle` makes it durable."""
        return self._store.unsettled

    @property
    def pulses_noted(self) -> Noted | None:
        """The newest note of a batch of pulses."""
        return self._store.pulses_noted

    async def note_pulses(self, noted: Noted) -> None:
        """Write the progress of a batch of pulses beside the journal; raise `JournalError`."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._store.note_pulses, noted)

    async def turns(self) -> None:
        """Return once the writer's thread has run a call; it blocks while the disk does not answer."""
        await asyncio.get_running_loop().run_in_executor(self._thread, _come_round)

    def close(self) -> None:
        """Finish pending writes and close the file."""
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()
