"""What features keep in the journal, as far as transactions of the core concern it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from controller import feature
from controller.journal.carried_rows import Rows
from controller.journal.number_seal import StoredNumber
from controller.journal.open_items import OpenItem, Resolution
from controller.journal.pools import JournalPools, Pools
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction


class TicketClaims(Protocol):
    """A validator's records of inserted tickets; they change in the transaction that moves the money."""

    def end(self, tx: Transaction, number: StoredNumber, state: str) -> None:
        """Record the result of a held ticket: `redeemed`, `released` or `void`."""

    def in_doubt(self, tx: Transaction, number: StoredNumber, item: int) -> None:
        """Keep a held ticket until its open item is resolved."""

    def decided(self, tx: Transaction, item: int, state: str) -> None:
        """Record the result of a held ticket as a person decided for its open item."""


@dataclass(frozen=True, kw_only=True)
class JournalPart:
    """A feature's part in transactions of the core; whatever it has none of is left out."""

    pools: Callable[[Transaction, int | None], Pools | None] | None = None
    """Returns the pools for a new round, or with a round's number those it was begun for; None for the cabinet's own.
    """
    leave_pools: Callable[[Transaction], bool] | None = None
    """Returns to the cabinet's own pools, and says whether it had others; raises `RefusedError` while a round is open.
    """
    collected: Callable[[Transaction], None] | None = None
    """Is called after a collection."""
    decide: Mapping[str, Callable[[Transaction, OpenItem, Resolution], None]] = field(default_factory=dict)
    """Are called with a person's decision about an open item, by its kind."""
    unsettled: Callable[[Reader], Rows] | None = None
    """Returns the rows that a second copy carries into rebuilt books."""
    carried: Callable[[Reader], Rows] | None = None
    """Returns the rows that a full clear carries into the new books."""
    ticket_numbers: tuple[tuple[str, str], ...] = ()
    """The columns with numbers of tickets, each after its table."""
    forget_numbers: Callable[[Transaction], None] | None = None
    """Discards pending reports about tickets whose stored numbers can no longer be decrypted."""
    claims: TicketClaims | None = None
    """The feature's records of inserted tickets."""
    is_handed_over: Callable[[Reader, int], bool] | None = None
    """Whether others may have paid this cabinet's ticket with that id."""
    untold_ends: Callable[[Reader], int] | None = None
    """Returns how many inserted tickets ended without a report to a validator that this cabinet has left."""


@cache
def journal_parts() -> tuple[JournalPart, ...]:
    """Return the parts of all features."""
    return tuple(feature.imported(lambda one: one.journal))


def ticket_claims() -> Iterator[TicketClaims]:
    """Yield the features' records of inserted tickets."""
    return (part.claims for part in journal_parts() if part.claims is not None)


def is_handed_over(tx: Reader, ticket: int) -> bool:
    """Whether others may have paid this cabinet's ticket with that id."""
    return any(part.is_handed_over(tx, ticket) for part in journal_parts() if part.is_handed_over is not None)


def untold_ends(tx: Reader) -> int:
    """Return how many inserted tickets ended without a report to a validator that this cabinet has left."""
    return sum(part.untold_ends(tx) for part in journal_parts() if part.untold_ends is not None)


def carried_rows(tx: Reader) -> Rows:
    """Return the features' rows that a full clear carries into the new books."""
    return _rows(tx, (part.carried for part in journal_parts()))


def unsettled_rows(tx: Reader) -> Rows:
    """Return the features' rows that a second copy carries into rebuilt books."""
    return _rows(tx, (part.unsettled for part in journal_parts()))


def _rows(tx: Reader, reads: Iterable[Callable[[Reader], Rows] | None]) -> Rows:
    return {table: rows for read in reads if read is not None for table, rows in read(tx).items()}


def pools_for_new_round(tx: Transaction) -> Pools:
    """Return the pools that the cabinet plays for now."""
    return _linked_pools(tx, None) or JournalPools(tx)


def pools_of(tx: Transaction, round_id: int) -> Pools:
    """Return the pools that a round was begun for, even if the cabinet plays for others today."""
    return _linked_pools(tx, round_id) or JournalPools(tx)


def _linked_pools(tx: Transaction, round_id: int | None) -> Pools | None:
    found = (part.pools(tx, round_id) for part in journal_parts() if part.pools is not None)
    return next((pools for pools in found if pools is not None), None)


def has_linked_pools(tx: Transaction) -> bool:
    """Whether the cabinet plays for pools that are not its own."""
    return _linked_pools(tx, None) is not None


def leave_linked_pools(tx: Transaction) -> bool:
    """Return to the cabinet's own pools; return whether it had others. Raises `RefusedError` while a round is open."""
    return any(part.leave_pools(tx) for part in journal_parts() if part.leave_pools is not None)
