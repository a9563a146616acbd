"""The proof that a transaction is durable; code that reports its result outside must have one."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Receipt(ABC, Generic[T_co]):
    """A durable transaction, including everything it has read.

    Only `Journal.commit` creates one. A function that reports a change to a host, a venue, a printer, a console or a
    device takes a receipt instead of the result, so that mypy rejects a report that precedes its commit.
    """

    @property
    @abstractmethod
    def result(self) -> T_co:
        """The transaction's result."""
