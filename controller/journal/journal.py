"""The journal as the supervisor uses it: one writer thread, one awaited call for each transaction."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from controller.journal.hard_meters import Noted
from controller.journal.store import Store
from controller.journal.transaction import Transaction

T = TypeVar("T")


def _come_round() -> None:
    """Do nothing, on the writer's thread."""


def _with(rider: Callable[[Transaction], None], act: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return `act` followed by `rider` where it owes the hard meters something."""

    def both(tx: Transaction) -> T:
        result = act(tx)
        if tx.owes_pulses:
            rider(tx)
        return result

    return both


class Journal:
    """The journal as the supervisor uses it: each money event is one awaited call, one transaction, one thread.

    `open_store` is called on that thread, so that nothing else ever touches the file; raises what it raises.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        try:
            self._store = self._thread.submit(open_store).result()
        except BaseException:
            self._thread.shutdown()
            raise
        self.path = self._store.path

        self.credit_cents = self._store.credit_cents
        """The credit meter as of the last durable transaction that has returned to its caller."""

        self.rider: Callable[[Transaction], None] | None = None
        """Called in each transaction that owes the hard meters something, after its act; on the journal's thread."""

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Return what `act` returns, once it is durable; raise `JournalError` if nothing was written.

        One that need not be `durable` at once is so within seconds (`Store.transact`, `settle`).

        `credit_cents` changes when this returns, so that the caller can decide what is shown of a win. When the caller
        is cancelled the transaction still completes, and changes the credit.
        """
        doing = asyncio.get_running_loop().run_in_executor(self._thread, self._transact, act, durable)
        try:
            done, credit_cents = await asyncio.shield(doing)
        except asyncio.CancelledError:
            doing.add_done_callback(self._left)
            raise
        self.credit_cents = credit_cents
        return done

    def _transact(self, act: Callable[[Transaction], T], durable: bool) -> tuple[T, int]:  # noqa: FBT001 - an executor's
        ridden = act if self.rider is None else _with(self.rider, act)
        done = self._store.transact(ridden, durable=durable), self._store.credit_cents
        if self._store.is_untidy:
            self._thread.submit(self._store.tidy)  # after the result was handed over
        return done

    def _left(self, doing: "asyncio.Future[tuple[T, int]]") -> None:
        if not doing.cancelled() and doing.exception() is None:
            _, self.credit_cents = doing.result()

    async def mend_second_copy(self) -> str:
        """Begin a failed second copy again; return why that is not possible, empty where it is."""
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
