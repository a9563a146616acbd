"""Who acts on the cabinet and from where, as each task records it in the ledger rows it writes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from controller.journal.actor import Actor
from controller.journal.transaction import Transaction

T = TypeVar("T")

CONSOLE = "console"

ORIGIN: ContextVar[str] = ContextVar("ORIGIN", default="")
"""Where the running task's commands come from: `CONSOLE`, or empty for the cabinet's own keys and screen."""

BY: ContextVar[Actor | None] = ContextVar("BY", default=None)
"""Who the running task acts for; None for a player and for the cabinet itself."""


def stamped(act: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return `act` wrapped so that its ledger rows carry the running task's actor and origin.

    They are those of the moment of this call, and only for this act of the transaction.
    """
    origin, by = ORIGIN.get(), BY.get()

    def with_origin(tx: Transaction) -> T:
        before = tx.origin, tx.by
        tx.origin, tx.by = origin, by
        try:
            return act(tx)
        finally:
            tx.origin, tx.by = before

    return with_origin


@contextmanager
def acting(by: Actor) -> Iterator[None]:
    """Act for `by` in the running task."""
    token = BY.set(by)
    try:
        yield
    finally:
        BY.reset(token)
