"""The calls of the venue's protocol (docs/venue-protocol.md), and what may go wrong with one.

VenueError (Exception)
 x UnreachableError        the venue cannot be reached, or has not answered in time
 x FencedError             28000: not enrolled, retired, or a newer session speaks for this cabinet
 x PoolNotOpenError        55000: the pool is recovering or closed
 x ContradictionError      22023: what was said contradicts what the venue has
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from controller.journal.pools import PoolKey

FENCED, NOT_OPEN, CONTRADICTS = "28000", "55000", "22023"
"""The SQLSTATEs that mean something of their own."""

CHUNK_BYTES = 256 * 1024
"""The most bytes of an offer in one answer."""

Json = Mapping[str, Any]


class VenueError(Exception):
    """A call to the venue that has no answer; the text says why."""


class UnreachableError(VenueError):
    """The venue cannot be reached, or has not answered in time: whether it has done what was asked is not known."""


class FencedError(VenueError):
    """The venue does not take calls of this session: another one speaks for this cabinet, or none may."""


class PoolNotOpenError(VenueError):
    """The pool takes no rounds and answers no claims now."""


class ContradictionError(VenueError):
    """The call contradicts what the venue has."""


def error_of(sqlstate: str, text: str) -> VenueError:
    """Return the error that a SQLSTATE means."""
    kinds = {FENCED: FencedError, NOT_OPEN: PoolNotOpenError, CONTRADICTS: ContradictionError}
    return kinds.get(sqlstate, UnreachableError)(text)


class Greeting(NamedTuple):
    """The answer to `hello`; `witness_*` is the highest ledger row that the venue has seen, None for none.

    `report_due`: the venue was set back at some time, and this cabinet has not given back what it may lack.
    """

    epoch: int
    session: int
    fresh: bool
    cabinet: int
    witness_row: int | None
    witness_hash: bytes | None
    site: str = ""
    """The venue's identity: another one at every other venue, the same after a restore."""
    report_due: bool = False


class PoolValue(NamedTuple):
    """A pool as `beat` answers it; amounts are 1/1000 cent, `coin` is the coin value in cents."""

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
        """Which pool it is to the cabinet."""
        return PoolKey(self.game, self.coin)


class Award(NamedTuple):
    """The answer to `claim`."""

    award: int
    hit: int
    seed: int
    dup: bool


class TicketAnswer(NamedTuple):
    """The answer to `ticket_claim`: `held` with the ticket's worth, or why it is worth nothing."""

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
    """A connection to a venue. Each call is one transaction there; every one raises `VenueError`.

    Calls are done in turn, each within a few seconds of its turn. A connection that was lost is made again by the next
    call.
    """

    async def hello(self, epoch: int, seqs: Mapping[int, int], event: int, identity: str, info: Json) -> Greeting:
        """Begin a session; `seqs` are the newest numbers of the epoch's contribution meters by pool."""

    async def beat(self, session: int, status: Json) -> Sequence[PoolValue]:
        """Report the cabinet's status; return every pool."""

    async def locked(self, session: int, whole: bool | None, text: str) -> bool:  # noqa: FBT001 - as the call has it
        """Report a cabinet that cannot use its books; return whether it is believed. A session of 0 is none."""

    async def put(self, session: int, meters: Sequence[tuple[int, int, int]], epoch: int | None = None) -> None:
        """Put contribution meters, each a pool, its number and its sum: of the session's epoch, or an earlier one."""

    async def claim(
        self, session: int, *, pool: int, epoch: int, round_id: int, number: int, seq: int, cum: int
    ) -> Award:
        """Have a claim answered; `epoch` is the round's, and so are `seq` and `cum`."""

    async def events(self, session: int, rows: Sequence[Json]) -> int:
        """Hand over events; return the newest number stored."""

    async def meters(self, session: int, rows: Sequence[Json]) -> None:
        """Hand over meter readings."""

    async def ledger(self, session: int, rows: Sequence[Json]) -> int:
        """Hand over ledger rows; return the newest row stored."""

    async def witness(self, session: int, row: int, digest: bytes) -> Seen:
        """Return how this head of the books compares with what the venue has seen."""

    async def rebase(self, session: int, row: int, digest: bytes, by: str) -> None:
        """Have the venue go on from this row, as a technician has accepted."""

    async def give_back(self, session: int, claims: Sequence[Json]) -> int:
        """Give back answered claims; return how many were new to the venue."""

    async def reported(self, session: int, seqs: Mapping[int, int]) -> None:
        """Say that the cabinet has given back all it has."""

    async def offers(self, session: int) -> Sequence[Offer]:
        """Return what is offered to this cabinet."""

    async def fetch(self, session: int, offer: int, offset: int) -> bytes:
        """Return up to `CHUNK_BYTES` of an offer."""

    async def offer_result(self, session: int, offer: int, state: str, detail: str) -> None:
        """Report what has become of an offer."""

    async def wanted(self, session: int) -> Sequence[int]:
        """Return the rounds whose record the page asks for."""

    async def round(self, session: int, round_id: int, record: Json | None) -> None:
        """Hand over a round's record, None where there is no such round."""

    async def tickets(self, session: int, rows: Sequence[Json]) -> None:
        """Hand over facts about tickets: those that were printed, and what became of those that came in."""

    async def ticket_claim(self, session: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """Ask for a ticket in escrow, under a key of the cabinet's own."""

    async def enrol(self, code: str, identity: str, label: str, program: str) -> Enrolled:
        """Enrol with a one-time code, and keep the credentials; raise `VenueError` where the code is refused."""

    async def close(self) -> None:
        """End the connection; the next call makes another."""
