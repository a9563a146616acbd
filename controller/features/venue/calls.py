"""The calls of the venue's protocol (docs/venue-protocol.md) and their errors.

All errors derive from `VenueError`:

- UnreachableError: the venue cannot be reached or did not answer in time
- FencedError (28000): not enrolled, retired, or a newer session represents this cabinet
- PoolNotOpenError (55000): the pool is recovering or closed
- ContradictionError (22023): the call contradicts the venue's data
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from controller.journal.pools import PoolKey

FENCED, NOT_OPEN, CONTRADICTS = "28000", "55000", "22023"
"""The SQLSTATEs with a meaning of their own."""

CHUNK_BYTES = 256 * 1024
"""The most bytes of an offer in one answer."""

Json = Mapping[str, Any]


class VenueError(Exception):
    """A call to the venue failed; the text says why."""


class UnreachableError(VenueError):
    """The venue cannot be reached or did not answer in time; whether it carried out the call is unknown."""


class FencedError(VenueError):
    """The venue refuses calls of this session: a newer session represents this cabinet, or none is allowed."""


class PoolNotOpenError(VenueError):
    """The pool currently accepts no rounds and answers no claims."""


class ContradictionError(VenueError):
    """The call contradicts the venue's data."""


def error_of(sqlstate: str, text: str) -> VenueError:
    """Return the error for a SQLSTATE."""
    kinds = {FENCED: FencedError, NOT_OPEN: PoolNotOpenError, CONTRADICTS: ContradictionError}
    return kinds.get(sqlstate, UnreachableError)(text)


class Greeting(NamedTuple):
    """The answer to `hello`; `witness_*` is the highest ledger row that the venue has seen, None if it has seen none.

    `report_due` is true if the venue was restored at some time and this cabinet has not yet given back what may be
    missing there.
    """

    epoch: int
    session: int
    fresh: bool
    cabinet: int
    witness_row: int | None
    witness_hash: bytes | None
    site: str = ""
    """The venue's identity: unique to each venue, and unchanged by a restore."""
    report_due: bool = False


class PoolValue(NamedTuple):
    """A pool in the answer to `beat`; amounts are in 1/1000 cent, `coin` is the coin value in cents."""

    pool: int
    game: str
    coin: int
    amount: int
    hits: int
    state: str
    seed: int
    unit: int
    rate_per_mille: int

    @property
    def key(self) -> PoolKey:
        """The pool's key in the cabinet."""
        return PoolKey(self.game, self.coin)


class Award(NamedTuple):
    """The answer to `claim`."""

    award: int
    hit: int
    seed: int
    dup: bool


class TicketAnswer(NamedTuple):
    """The answer to `ticket_claim`: `held` with the ticket's value, or the reason why it has none."""

    answer: str
    cents: int | None


class Offer(NamedTuple):
    """Something that the venue offers: a signed update (`bundle`) or a template of settings."""

    offer: int
    kind: str
    name: str
    size: int
    sha256: bytes


class Enrolled(NamedTuple):
    """The answer to `enrol`."""

    cabinet: int
    role: str


Seen = Literal["ok", "behind", "beside"]


class Venue(Protocol):
    """A connection to a venue. Each call is one transaction there and may raise `VenueError`.

    Calls run one after another, each limited to a few seconds from its start. After a lost connection the next call
    connects again.
    """

    async def hello(self, epoch: int, seqs: Mapping[int, int], event: int, identity: str, info: Json) -> Greeting:
        """Begin a session; `seqs` are the newest sequence numbers of the epoch's contribution meters by pool."""

    async def beat(self, session: int, status: Json) -> Sequence[PoolValue]:
        """Report the cabinet's status; return every pool."""

    async def locked(self, session: int, whole: bool | None, text: str) -> bool:  # noqa: FBT001 - as the call has it
        """Report a cabinet that cannot use its books; return whether the venue believes it. Session 0 means none."""

    async def put(self, session: int, meters: Sequence[tuple[int, int, int]], epoch: int | None = None) -> None:
        """Send contribution meters as (pool, sequence number, sum), of the session's epoch or an earlier one."""

    async def claim(
        self, session: int, *, pool: int, epoch: int, round_id: int, number: int, seq: int, cum: int
    ) -> Award:
        """Request the answer to a claim; `epoch`, `seq` and `cum` are those of the round's epoch."""

    async def events(self, session: int, rows: Sequence[Json]) -> int:
        """Send events; return the newest number stored."""

    async def meters(self, session: int, rows: Sequence[Json]) -> None:
        """Send meter readings."""

    async def ledger(self, session: int, rows: Sequence[Json]) -> int:
        """Send ledger rows; return the newest row stored."""

    async def witness(self, session: int, row: int, digest: bytes) -> Seen:
        """Return how this head of the ledger compares with what the venue has seen."""

    async def rebase(self, session: int, row: int, digest: bytes, by: str) -> None:
        """Tell the venue to continue from this row, as a technician has accepted."""

    async def give_back(self, session: int, claims: Sequence[Json]) -> int:
        """Give back answered claims; return how many were new to the venue."""

    async def reported(self, session: int, seqs: Mapping[int, int]) -> None:
        """Report that the cabinet has given back everything."""

    async def offers(self, session: int) -> Sequence[Offer]:
        """Return what is offered to this cabinet."""

    async def fetch(self, session: int, offer: int, offset: int) -> bytes:
        """Return up to `CHUNK_BYTES` of an offer."""

    async def offer_result(self, session: int, offer: int, state: str, detail: str) -> None:
        """Report the result of an offer."""

    async def wanted(self, session: int) -> Sequence[int]:
        """Return the rounds whose records the venue's page has requested."""

    async def round(self, session: int, round_id: int, record: Json | None) -> None:
        """Send a round's record, or None if there is no such round."""

    async def tickets(self, session: int, rows: Sequence[Json]) -> None:
        """Send facts about tickets: printed tickets, and the results of inserted ones."""

    async def ticket_claim(self, session: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """Claim a ticket in escrow under a key chosen by the cabinet."""

    async def enrol(self, code: str, identity: str, label: str, program: str) -> Enrolled:
        """Enrol with a one-time code and store the credentials; raise `VenueError` if the code is refused."""

    async def close(self) -> None:
        """Close the connection; the next call connects again."""
