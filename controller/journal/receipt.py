"""The proof that a transaction is durable; code that reports its result outside must have one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")
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

    @abstractmethod
    def map(self, compose: Callable[[T_co], S]) -> "Receipt[S]":
        """Return the receipt of what `compose` makes of the result: a message, or a part of it."""


def each(receipt: Receipt[Iterable[T]]) -> Iterator[Receipt[T]]:
    """Yield the receipt of each member of the result."""
    for member in receipt.result:
        yield receipt.map(lambda _: member)  # noqa: B023 - called at once
