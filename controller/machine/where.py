"""From where somebody acts on the cabinet, for the books: a task that serves a console's press tells all it does."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

from controller.journal.transaction import Transaction

T = TypeVar("T")

CONSOLE = "console"

WHERE: ContextVar[str] = ContextVar("WHERE", default="")
"""Where the act comes from that the running task serves: `CONSOLE`, or nothing for the cabinet's keys and screen."""


def acting_from(where: str, act: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
    """Return `act` wrapped so that its ledger rows say `where` it comes from, if not from the cabinet."""

    def placed(tx: Transaction) -> T:
        tx.where = where
        return act(tx)

    return placed if where else act
