"""The proof that a transaction is durable, which whoever reports its result outside must have."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Receipt(ABC, Generic[T_co]):
    """A transaction that is durable, with all that it has read.

    `Journal.commit` makes the only kind there is. A function that reports a change to a host, a venue, a printer, a
    console or a device takes one in place of the result, so that mypy refuses a report that precedes its commit.
    """

    @property
    @abstractmethod
    def result(self) -> T_co:
        """What the transaction returned."""
