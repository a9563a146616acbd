"""Who acts on the cabinet and from where, for the books: a task that serves somebody stamps all it records."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from controller.journal.actor import Actor
from controller.journal.transaction import Transaction

T = TypeVar("T")

CONSOLE = "console"

WHERE: ContextVar[str] = ContextVar("WHERE", default="")
"""Where the act comes from that the running task serves: `CONSOLE`, or nothing for the cabinet's keys and screen."""

BY: ContextVar[Actor | None] = ContextVar("BY", default=None)
"""Who does what the running task serves; None where a player or the cabinet itself does."""


def stamped(act: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return `act` wrapped so that its ledger rows carry who does it and from where, as the running task has it now.

    Other acts of the same transaction keep their own.
    """
    where, by = WHERE.get(), BY.get()

    def known(tx: Transaction) -> T:
        before = tx.where, tx.by
        tx.where, tx.by = where, by
        try:
            return act(tx)
        finally:
            tx.where, tx.by = before

    return known


@contextmanager
def acting(by: Actor) -> Iterator[None]:
    """Record meanwhile who acts."""
    token = BY.set(by)
    try:
        yield
    finally:
        BY.reset(token)
