"""A venue in memory, written from docs/venue-protocol.md: the other half of the link's property tests.

It is no database, and no proof of one: the same tests run on a real PostgreSQL too. A `Wire` to it loses calls and
answers, and hands calls over twice.
"""

import copy
import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controller.features.venue.calls import (
    Award,
    ContradictionError,
    Enrolled,
    FencedError,
    Greeting,
    Offer,
    PoolNotOpenError,
    PoolValue,
    Seen,
    TicketAnswer,
    UnreachableError,
)
from controller.journal.pools import MILLI
from tests.rigs.model_tickets import ModelTickets


@dataclass
class Pool:
    """One linked pool."""

    game: str
    coin: int
    seed: int
    rate: int
    base: int = 0
    hits: int = 0
    state: str = "open"


@dataclass
class Cabinet:
    """What the venue has of one cabinet."""

    epoch: int = 0
    session: int = 0
    identity: str = ""
    retired: bool = False
    events: dict[tuple[int, int], Any] = field(default_factory=dict)
    readings: dict[tuple[int, int], Any] = field(default_factory=dict)
    chain: dict[int, bytes] = field(default_factory=dict)
    histories: list[dict[int, bytes]] = field(default_factory=list)
    status: Any = None
    reported: bool = False
    report_due: bool = False
    begun_from: int | None = None
    records: dict[int, Any] = field(default_factory=dict)
    results: list[tuple[int, str, str]] = field(default_factory=list)


class ModelVenue:
    """A venue with pools, cabinets, meters and claims; `back_up` and `restore` are those of its machine."""

    def __init__(self, pools: Mapping[int, Pool]) -> None:
        self.pools = dict(pools)
        self.cabinets: dict[int, Cabinet] = {}
        self.meters: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.claims: dict[tuple[int, int, int, int], tuple[int, int, int, int]] = {}
        self.late: dict[tuple[int, int, int, int], tuple[int, int, int, int]] = {}
        self.offered: dict[int, tuple[str, str, bytes]] = {}
        self.piece = 300
        self.wanted: set[int] = set()
        self.codes: dict[str, int] = {}
        self.ticket_books = ModelTickets()

    def back_up(self) -> dict[str, Any]:
        """Return a copy of everything."""
        return copy.deepcopy(self.__dict__)

    def restore(self, backup: Mapping[str, Any]) -> None:
        """Put an older copy back: all pools recover."""
        self.__dict__.update(copy.deepcopy(dict(backup)))
        self.ticket_books.recovering = True
        for pool in self.pools.values():
            pool.state = "recovering"
        for cabinet in self.cabinets.values():
            cabinet.reported, cabinet.report_due = False, True

    def open(self, written_off: Container[int] = ()) -> None:
        """Open the pools, as the operator does once every cabinet has reported or was written off."""
        assert all(each.reported or each.retired or me in written_off for me, each in self.cabinets.items())
        self.ticket_books.recovering = False
        for pool in self.pools.values():
            pool.state = "open"

    def value(self, pool: int) -> int:
        """Return what a pool is worth."""
        total = sum(cum for (of, _, _), (_, cum) in self.meters.items() if of == pool)
        return self.pools[pool].seed + total - self.pools[pool].base

    def audit(self) -> None:
        """Check the venue's own invariants."""
        for number, pool in self.pools.items():
            mine = [claim for claim in self.claims.values() if claim[0] == number]
            assert pool.base == sum(award - seed for _, award, _, seed in mine)
            assert sorted(hit for _, _, hit, _ in mine) == list(range(1, len(mine) + 1))
            assert pool.hits == len(mine)
            assert all(award >= seed for _, award, _, seed in mine)

    # the calls

    def hello(self, me: int, epoch: int, seqs: Mapping[int, int], event: int, identity: str, _info: object) -> Greeting:
        """Begin a session, in a new epoch where the venue has seen more than the cabinet remembers."""
        cabinet = self._enrolled(me)
        if epoch > cabinet.epoch > 0 and identity == cabinet.identity:  # the venue is older than the cabinet
            cabinet.epoch = epoch
            for pool in self.pools.values():
                pool.state = "recovering"
        recovers = any(pool.state == "recovering" for pool in self.pools.values())
        again = cabinet.begun_from == epoch and identity == cabinet.identity and not recovers
        new = not again and (
            cabinet.epoch == 0
            or epoch != cabinet.epoch
            or identity != cabinet.identity
            or any(
                seq > seqs.get(pool, 0) for (pool, of, at), (seq, _) in self.meters.items() if (of, at) == (me, epoch)
            )
            or max((seq for at, seq in cabinet.events if at == epoch), default=0) > event
        )
        if new:
            cabinet.epoch = max(cabinet.epoch, epoch) + 1
        fresh = new or again
        cabinet.begun_from = epoch if fresh else None
        cabinet.session += 1
        cabinet.identity = identity
        newest = max(cabinet.chain, default=None)
        return Greeting(
            cabinet.epoch,
            cabinet.session,
            fresh,
            me,
            newest,
            None if newest is None else cabinet.chain[newest],
            report_due=cabinet.report_due,
        )

    def beat(self, me: int, session: int, status: object) -> list[PoolValue]:
        """Keep the status; return every pool."""
        self._me(me, session).status = status
        return [
            PoolValue(
                number,
                pool.game,
                pool.coin,
                self.value(number),
                pool.hits,
                pool.state,
                pool.seed,
                pool.coin * MILLI,
                pool.rate,
            )
            for number, pool in self.pools.items()
        ]

    def locked(self, me: int, session: int, whole: bool | None, text: str) -> bool:  # noqa: FBT001 - as the call has it
        """Keep it as the status; with a session it must be the newest."""
        cabinet = self._me(me, session) if session else self._enrolled(me)
        cabinet.status = {"state": "locked", "lock": text, "books": {"whole": whole}}
        return True

    def put(self, me: int, session: int, meters: Sequence[tuple[int, int, int]], epoch: int | None = None) -> None:
        """Take what is newer than what is there, in the present epoch or an earlier one."""
        present = self._me(me, session).epoch
        epoch = present if epoch is None else epoch
        if epoch > present:
            raise ContradictionError("epoch ahead of venue")
        for pool, seq, cum in meters:
            had_seq, had_cum = self.meters.get((pool, me, epoch), (0, 0))
            if seq > had_seq and cum >= had_cum:
                self.meters[pool, me, epoch] = seq, cum

    def claim(
        self, me: int, session: int, *, pool: int, epoch: int, round_id: int, number: int, seq: int, cum: int
    ) -> Award:
        """Answer a claim exactly once."""
        cabinet = self._me(me, session)
        if epoch > cabinet.epoch:
            raise ContradictionError("epoch ahead of venue")
        key = (me, epoch, round_id, number)
        linked = self.pools[pool]
        known = self.claims.get(key) or self.late.get(key)
        if known is None:
            if linked.state != "open":
                raise PoolNotOpenError(linked.state)
            self.put(me, session, [(pool, seq, cum)], epoch)
            unit = linked.coin * MILLI
            award = self.value(pool) // unit * unit
            linked.hits += 1
            linked.base += award - linked.seed
            self.claims[key] = pool, award, linked.hits, linked.seed
            return Award(award, linked.hits, linked.seed, dup=False)
        _, award, hit, seed = known
        return Award(award, hit, seed, dup=True)

    def events(self, me: int, session: int, rows: Sequence[Mapping[str, Any]]) -> int:
        """Store events that follow each other."""
        cabinet = self._me(me, session)
        newest = max((seq for at, seq in cabinet.events if at == cabinet.epoch), default=0)
        for row in rows:
            if row["seq"] > newest + 1:
                raise ContradictionError(f"gap before event {row['seq']}")
            cabinet.events.setdefault((cabinet.epoch, row["seq"]), row)
            newest = max(newest, row["seq"])
        return newest

    def meters_read(self, me: int, session: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store readings."""
        cabinet = self._me(me, session)
        for row in rows:
            cabinet.readings.setdefault((cabinet.epoch, row["seq"]), row)

    def ledger(self, me: int, session: int, rows: Sequence[Mapping[str, Any]]) -> int:
        """Store ledger rows that follow each other, each with the hash that it must have."""
        chain = self._me(me, session).chain
        for row in rows:
            number, digest = row["row"], bytes.fromhex(row["hash"])
            before = chain.get(number - 1, bytes(32) if number == 1 else None)
            if before is None or hashlib.sha256(before + bytes.fromhex(row["body"])).digest() != digest:
                raise ContradictionError(f"row {number} does not follow")
            if chain.setdefault(number, digest) != digest:
                raise ContradictionError(f"row {number} is another one")
        return max(chain, default=0)

    def witness(self, me: int, session: int, row: int, digest: bytes) -> Seen:
        """Compare a head of the books with the chain."""
        chain = self._me(me, session).chain
        if chain.get(row, digest) != digest:
            return "beside"
        return "behind" if row < max(chain, default=0) else "ok"

    def rebase(self, me: int, session: int, row: int, digest: bytes, _by: str) -> None:
        """Keep the chain so far as a history, and go on from this row in a new epoch."""
        cabinet = self._me(me, session)
        cabinet.histories.append(cabinet.chain)
        cabinet.chain = {number: each for number, each in cabinet.chain.items() if number < row}
        cabinet.chain[row] = digest
        cabinet.identity = ""  # the next hello begins a new epoch

    def give_back(self, me: int, session: int, claims: Sequence[Mapping[str, Any]]) -> int:
        """Take claims that were answered before the venue was restored."""
        self._me(me, session)
        new = 0
        for claim in claims:
            pool, key = self.pools[claim["pool"]], (me, claim["epoch"], claim["round"], claim["number"])
            if key in self.claims or key in self.late:
                continue
            answered = claim["pool"], claim["award"], claim["hit"], claim["seed"]
            if pool.state != "recovering":
                self.late[key] = answered
                continue
            self.claims[key] = answered
            pool.base += claim["award"] - claim["seed"]
            pool.hits = max(pool.hits, claim["hit"])
            new += 1
        return new

    def reported(self, me: int, session: int, _seqs: Mapping[int, int]) -> None:
        """The cabinet has given back all it has."""
        cabinet = self._me(me, session)
        cabinet.reported, cabinet.report_due = True, False

    def offers(self, me: int, session: int) -> list[Offer]:
        """Return what is offered and has no result yet."""
        done = {offer for offer, state, _ in self._me(me, session).results if state != "taken"}
        return [
            Offer(number, kind, name, len(content), hashlib.sha256(content).digest())
            for number, (kind, name, content) in self.offered.items()
            if number not in done
        ]

    def fetch(self, me: int, session: int, offer: int, offset: int) -> bytes:
        """Return a part of an offer; small ones, so that several are needed."""
        self._me(me, session)
        if offer not in self.offered:
            raise ContradictionError(f"offer {offer} is not offered to cabinet {me}")
        return self.offered[offer][2][offset : offset + self.piece]

    def offer_result(self, me: int, session: int, offer: int, state: str, detail: str) -> None:
        """Keep the result."""
        self._me(me, session).results.append((offer, state, detail))

    def wanted_rounds(self, me: int, session: int) -> list[int]:
        """Return the rounds that the page asks for and has not got."""
        return sorted(self.wanted - self._me(me, session).records.keys())

    def round(self, me: int, session: int, round_id: int, record: object) -> None:
        """Keep a round's record."""
        self._me(me, session).records[round_id] = record

    def tickets(self, me: int, session: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take facts about tickets."""
        self._me(me, session)
        self.ticket_books.take(me, rows)

    def ticket_claim(self, me: int, session: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """Answer for a ticket in escrow."""
        if epoch > self._me(me, session).epoch:
            raise ContradictionError("epoch ahead of venue")
        return self.ticket_books.claim(me, epoch, claim, number)

    def _enrolled(self, me: int) -> Cabinet:
        cabinet = self.cabinets.get(me)
        if cabinet is None or cabinet.retired:
            raise FencedError("not enrolled")
        return cabinet

    def _me(self, me: int, session: int) -> Cabinet:
        cabinet = self._enrolled(me)
        if session != cabinet.session:
            raise FencedError("a newer session speaks for this cabinet")
        cabinet.begun_from = None
        return cabinet


class Wire:
    """A cabinet's connection to a `ModelVenue`; `fate` decides for each call what becomes of it.

    `ok` does it, `cut` loses the call, `lost` does it and loses the answer, `twice` does it twice.
    """

    def __init__(self, venue: ModelVenue, me: int = 7, fate: Callable[[str], str] = lambda _name: "ok") -> None:
        self.venue = venue
        self.me = me
        self.fate = fate
        self.called: list[str] = []

    async def _do(self, name: str, *arguments: Any, method: str = "", **named: Any) -> Any:
        self.called.append(name)
        fate = self.fate(name)
        if fate == "cut":
            raise UnreachableError("the line is cut")
        call = getattr(self.venue, method or name)
        answer = call(self.me, *arguments, **named)
        if fate == "twice":
            answer = call(self.me, *arguments, **named)
        if fate == "lost":
            raise UnreachableError("the answer was lost")
        return answer

    async def hello(self, epoch: int, seqs: Mapping[int, int], event: int, identity: str, info: object) -> Greeting:
        """`Venue.hello`."""
        greeting: Greeting = await self._do("hello", epoch, seqs, event, identity, info)
        return greeting

    async def beat(self, session: int, status: object) -> Sequence[PoolValue]:
        """`Venue.beat`."""
        pools: list[PoolValue] = await self._do("beat", session, status)
        return pools

    async def locked(self, session: int, whole: bool | None, text: str) -> bool:  # noqa: FBT001 - as the call has it
        """`Venue.locked`."""
        return bool(await self._do("locked", session, whole, text))

    async def put(self, session: int, meters: Sequence[tuple[int, int, int]], epoch: int | None = None) -> None:
        """`Venue.put`."""
        await self._do("put", session, meters, epoch)

    async def claim(self, session: int, **named: int) -> Award:
        """`Venue.claim`."""
        award: Award = await self._do("claim", session, **named)
        return award

    async def events(self, session: int, rows: Sequence[Mapping[str, Any]]) -> int:
        """`Venue.events`."""
        newest: int = await self._do("events", session, rows)
        return newest

    async def meters(self, session: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """`Venue.meters`."""
        await self._do("meters", session, rows, method="meters_read")

    async def ledger(self, session: int, rows: Sequence[Mapping[str, Any]]) -> int:
        """`Venue.ledger`."""
        newest: int = await self._do("ledger", session, rows)
        return newest

    async def witness(self, session: int, row: int, digest: bytes) -> Seen:
        """`Venue.witness`."""
        seen: Seen = await self._do("witness", session, row, digest)
        return seen

    async def rebase(self, session: int, row: int, digest: bytes, by: str) -> None:
        """`Venue.rebase`."""
        await self._do("rebase", session, row, digest, by)

    async def give_back(self, session: int, claims: Sequence[Mapping[str, Any]]) -> int:
        """`Venue.give_back`."""
        new: int = await self._do("give_back", session, claims)
        return new

    async def reported(self, session: int, seqs: Mapping[int, int]) -> None:
        """`Venue.reported`."""
        await self._do("reported", session, seqs)

    async def offers(self, session: int) -> Sequence[Offer]:
        """`Venue.offers`."""
        offers: list[Offer] = await self._do("offers", session)
        return offers

    async def fetch(self, session: int, offer: int, offset: int) -> bytes:
        """`Venue.fetch`."""
        chunk: bytes = await self._do("fetch", session, offer, offset)
        return chunk

    async def offer_result(self, session: int, offer: int, state: str, detail: str) -> None:
        """`Venue.offer_result`."""
        await self._do("offer_result", session, offer, state, detail)

    async def wanted(self, session: int) -> Sequence[int]:
        """`Venue.wanted`."""
        rounds: list[int] = await self._do("wanted", session, method="wanted_rounds")
        return rounds

    async def round(self, session: int, round_id: int, record: object) -> None:
        """`Venue.round`."""
        await self._do("round", session, round_id, record)

    async def tickets(self, session: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """`Venue.tickets`."""
        await self._do("tickets", session, rows)

    async def ticket_claim(self, session: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """`Venue.ticket_claim`."""
        answer: TicketAnswer = await self._do("ticket_claim", session, epoch, claim, number)
        return answer

    async def enrol(self, code: str, identity: str, label: str, program: str) -> Enrolled:
        """`Venue.enrol`."""
        del identity, label, program
        number = self.venue.codes.pop(code, None)
        if number is None:
            raise FencedError("the code is wrong, used or expired")
        self.venue.cabinets.setdefault(number, Cabinet())
        self.me = number
        return Enrolled(number, f"cab_{number}")

    async def close(self) -> None:
        """Nothing to end."""
