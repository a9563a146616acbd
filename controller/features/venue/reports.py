"""The venue as the link reports to it: each report takes the receipt of what it says.

A report that precedes its commit therefore fails in mypy. What only asks the venue needs no receipt.
"""

from collections.abc import Mapping, Sequence

import msgspec

from controller.features.venue.calls import Award, Greeting, Json, Offer, PoolValue, Seen, TicketAnswer, Venue
from controller.features.venue.offer_journal import OfferResult
from controller.features.venue.outbox import OutEvent, OutReading, OutRow
from controller.features.venue.pools import AnsweredClaim, Meter, OpenClaim
from controller.features.venue.ticket_journal import Claim, Fact
from controller.journal.receipt import Receipt


class Progress(msgspec.Struct, frozen=True):
    """How far the books are: their epoch, the newest contribution by pool, and the newest event."""

    epoch: int
    seqs: Mapping[int, int]
    event: int


class Reports:
    """The calls of one venue (`Venue`) from a cabinet with books."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def __repr__(self) -> str:
        return f"<Reports to {self._venue!r}>"

    # reports

    async def hello(self, progress: Receipt[Progress], identity: str, info: Json) -> Greeting:
        """Begin a session."""
        books = progress.result
        return await self._venue.hello(books.epoch, books.seqs, books.event, identity, info)

    async def beat(self, session: int, status: Receipt[Json]) -> Sequence[PoolValue]:
        """Report the cabinet's status; return every pool."""
        return await self._venue.beat(session, status.result)

    async def put(self, session: int, meters: Receipt[Sequence[Meter]], epoch: int | None = None) -> None:
        """Send contribution meters of the session's epoch or of an earlier one."""
        await self._venue.put(session, [(meter.pool, meter.seq, meter.cum) for meter in meters.result], epoch)

    async def claim(self, session: int, asked: Receipt[OpenClaim]) -> Award:
        """Request the answer to a claim."""
        claim = asked.result
        return await self._venue.claim(
            session,
            pool=claim.pool,
            epoch=claim.epoch,
            round_id=claim.round_id,
            number=claim.number,
            seq=claim.meter.seq,
            cum=claim.meter.cum,
        )

    async def events(self, session: int, rows: Receipt[Sequence[OutEvent]]) -> int:
        """Send events; return the newest number stored."""
        return await self._venue.events(session, msgspec.to_builtins(rows.result))

    async def meters(self, session: int, rows: Receipt[Sequence[OutReading]]) -> None:
        """Send meter readings."""
        await self._venue.meters(session, msgspec.to_builtins(rows.result))

    async def ledger(self, session: int, rows: Receipt[Sequence[OutRow]]) -> int:
        """Send ledger rows; return the newest row stored."""
        return await self._venue.ledger(session, msgspec.to_builtins(rows.result))

    async def witness(self, session: int, head: Receipt[tuple[int, bytes]]) -> Seen:
        """Return how this head of the ledger compares with what the venue has seen."""
        return await self._venue.witness(session, *head.result)

    async def rebase(self, session: int, accepted: Receipt[tuple[int, bytes, str]]) -> None:
        """Report the head of the ledger from which the venue shall continue, and who has accepted it."""
        await self._venue.rebase(session, *accepted.result)

    async def give_back(self, session: int, claims: Receipt[Sequence[AnsweredClaim]]) -> int:
        """Give back answered claims; return how many were new to the venue."""
        return await self._venue.give_back(session, msgspec.to_builtins(claims.result))

    async def reported(self, session: int, seqs: Receipt[Mapping[int, int]]) -> None:
        """Report that the cabinet has given back everything."""
        await self._venue.reported(session, seqs.result)

    async def offer_result(self, session: int, ended: Receipt[OfferResult]) -> None:
        """Report the result of an offer."""
        result = ended.result
        await self._venue.offer_result(session, result.key.offer, result.state, result.detail)

    async def round(self, session: int, number: int, record: Receipt[Json | None]) -> None:
        """Send a round's record, or None if there is no such round."""
        await self._venue.round(session, number, record.result)

    async def tickets(self, session: int, facts: Receipt[Sequence[Fact]]) -> None:
        """Send facts about tickets."""
        await self._venue.tickets(session, msgspec.to_builtins(facts.result))

    async def ticket_claim(self, session: int, asked: Receipt[Claim], number: str) -> TicketAnswer:
        """Claim a ticket in escrow."""
        return await self._venue.ticket_claim(session, asked.result.epoch, asked.result.claim, number)

    # questions

    async def newest_event(self, session: int) -> int:
        """Return the number of the newest event that the venue has."""
        return await self._venue.events(session, ())

    async def newest_row(self, session: int) -> int:
        """Return the number of the newest ledger row that the venue has."""
        return await self._venue.ledger(session, ())

    async def offers(self, session: int) -> Sequence[Offer]:
        """Return what is offered to this cabinet."""
        return await self._venue.offers(session)

    async def fetch(self, session: int, offer: int, offset: int) -> bytes:
        """Return up to `CHUNK_BYTES` of an offer."""
        return await self._venue.fetch(session, offer, offset)

    async def wanted(self, session: int) -> Sequence[int]:
        """Return the rounds whose records the venue's page has requested."""
        return await self._venue.wanted(session)
