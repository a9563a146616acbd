"""The link task: keeps a session with the venue without ever blocking the game.

It reads the books and sends what the venue lacks; each answer is stored in its own transaction. It alone decides
whether a pool may be played for: the last good beat must be recent, the pool open, and no other session may represent
this cabinet.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from common.error_words import error_words
from controller.errors import LockingError
from controller.features.venue.calls import (
    ContradictionError,
    FencedError,
    Greeting,
    Json,
    PoolNotOpenError,
    PoolValue,
    UnreachableError,
    VenueError,
)
from controller.features.venue.events import VenueEvent
from controller.features.venue.handing_over import Books, HandingOver, Outbox
from controller.features.venue.membership import (
    Membership,
    Trouble,
    VenuePool,
    accepted,
    known_pools,
    learn_pools,
    membership,
    set_trouble,
)
from controller.features.venue.outbox import hash_of_row
from controller.features.venue.pools import (
    Answer,
    Meter,
    OpenClaim,
    answer_claim,
    begin_epoch,
    earlier_meters,
    newest_meters,
    open_claims,
)
from controller.features.venue.reports import Progress, Reports
from controller.journal.errors import RefusedError
from controller.journal.key_value import DEVICE_STATE, Stored
from controller.journal.pools import PoolKey
from controller.journal.receipt import Receipt, each
from controller.journal.transaction import Transaction
from drivers.clock import Clock
from drivers.waiting import wait_until

T = TypeVar("T")

BEAT_S = 3.0
"""The interval, in seconds, at which pools are read (games/bewitched/RULES.md, 3.5)."""
CHANGE_S = 1.0
"""The shortest time, in seconds, between two reports of a change; these are sent in addition to the beats."""
FRESH_S = 6.0
"""The greatest age, in seconds, of the last good beat for a new round of a linked pool: two missed beats."""
STEADY_S = 60.0
"""How long a link must hold before its return is recorded: one that comes and goes does not fill the event log."""
_LOST = Stored(DEVICE_STATE, "venue_link_lost", bool)
"""Whether the newest event of the link is its loss."""
TICK_S = 1.0
"""The interval, in seconds, at which the books are searched for unsent data."""
WITNESS_S = 60.0
LONGEST_PAUSE_S = 30.0
UNHEARD = 3
"""How many sessions in a row may end before the venue answers in one, until a technician is needed."""

_log = logging.getLogger(__name__)


class Cabinet(Protocol):
    """The link's interface to the cabinet."""

    @property
    def identity(self) -> str:
        """The cabinet's public key in hexadecimal digits."""

    @property
    def info(self) -> Json:
        """The cabinet's name, number, location and program version."""

    async def status(self) -> Receipt[Json]:
        """Return the status for a beat (docs/venue-protocol.md)."""

    async def changed(self) -> None:
        """Handle a new answer, trouble or pool state."""


@dataclass
class LinkState:
    """What is known of the venue; `pools` and their figures are those of the last good beat."""

    cabinet: int = 0
    epoch: int = 0
    session: int = 0
    """The newest session's number, 0 before the first."""
    trouble: Trouble = Trouble.NONE
    confirmed: bool = False
    """Whether the venue has confirmed the epoch since the start; only then is an answered claim paid."""
    since_ms: int | None = None
    """When the session began, by the cabinet's clock; None without a session."""
    beat_s: float | None = None
    beat_ms: int | None = None
    error: str = ""
    """Why there is no session, as reported by the error."""
    pools: dict[PoolKey, PoolValue] = field(default_factory=dict)
    unsent: int = 0
    """How many tickets, ticket results and claims the venue lacked at the last check."""


class _Work(NamedTuple):
    claims: tuple[OpenClaim, ...]
    meters: tuple[Meter, ...]
    known: Membership | None


def _read_work(tx: Transaction) -> _Work:
    return _Work(open_claims(tx), newest_meters(tx), membership(tx))


def _progress(work: _Work) -> Progress:
    seqs = {meter.pool: meter.seq for meter in work.meters}
    return Progress(0, seqs, 0) if work.known is None else Progress(work.known.epoch, seqs, work.known.events)


def _accepted_head(tx: Transaction) -> tuple[int, bytes, str]:
    """Return the ledger's head, and who has accepted these books."""
    known = membership(tx)
    return (*tx.head, "" if known is None else known.accepted_by)


class Link:
    """The session with the venue, restarted whenever it is lost.

    `jitter` returns 0 to 1, so that cabinets do not reconnect all at once. `side_jobs` are awaited with the session's
    number when nothing else is to be sent; `outboxes` are awaited in every pass.
    """

    def __init__(
        self,
        books: Books,
        venue: Reports,
        clock: Clock,
        cabinet: Cabinet,
        *,
        jitter: Callable[[], float],
        side_jobs: tuple[Callable[[int], Awaitable[None]], ...] = (),
        outboxes: tuple[Outbox, ...] = (),
        count_unsent: Callable[[Transaction], int] = lambda _tx: 0,
    ) -> None:
        self.state = LinkState()
        self._count_unsent = count_unsent
        self.answered = asyncio.Event()
        """Set with each answer to a claim; whoever waits for it clears it."""
        self._books = books
        self._venue = venue
        self._clock = clock
        self._cabinet = cabinet
        self._jitter = jitter
        self._side_jobs = side_jobs
        self._handing_over = HandingOver(books, venue, outboxes)
        self._wake = asyncio.Event()
        self._again = asyncio.Event()
        self._put: dict[int, int] = {}
        self._report_due = False
        self._given_back = False
        self._recovering: bool | None = None
        self._due: dict[str, float] = {}
        self._has_changed = False
        self._reported_s = float("-inf")
        self._is_new = False
        self._unheard = 0
        self._recorded = ""
        self._began_s = 0.0
        self._is_lost = False
        self._steady_s: float | None = None
        """The time of the first beat since the recorded loss, None without one."""

    def __repr__(self) -> str:
        return f"<Link cabinet {self.state.cabinet} epoch {self.state.epoch} {self.state.error or 'connected'}>"

    # called by the machine

    @property
    def handed_over(self) -> tuple[int, Mapping[int, int]]:
        """The newest ledger row that the venue has, and by pool the newest contribution of this epoch."""
        return self._handing_over.row, dict(self._put)

    def closed(self, key: PoolKey) -> str:
        """Return why no new round may be played for a pool, as a code of `controller.faults`, or an empty string."""
        state = self.state
        if state.trouble is not Trouble.NONE:
            return "venue_trouble"
        if state.beat_s is None or self._clock.now() - state.beat_s >= FRESH_S:
            return "venue_unreached"
        pool = state.pools.get(key)
        return "" if pool is not None and pool.state == "open" else "venue_pool_closed"

    def ask_now(self) -> None:
        """Read the books at once, because a claim was stored."""
        self._wake.set()

    def report_soon(self) -> None:
        """Report the status at once, or `CHANGE_S` after the last report: a door, a fault or the lock changed."""
        if self.state.since_ms is not None and not self._has_changed:
            self._has_changed = True
            wait = self._reported_s + CHANGE_S - self._clock.now()
            asyncio.get_running_loop().call_later(max(wait, 0.0), self._wake.set)

    def try_now(self) -> None:
        """End a pause or the wait for a technician, because something was accepted or enrolled."""
        self._again.set()
        self._wake.set()

    def fall_silent(self) -> None:
        """Mark the link as down after the task was cancelled; the last beat no longer counts."""
        self.state.since_ms = self.state.beat_s = None

    # the task

    async def run(self) -> None:
        """Keep a session until cancelled; raise only `LockingError`, when books or key fail.

        Any other failure, such as a refused transaction (nothing was written) or an invalid answer, ends the session.
        It is recorded once, and the session is retried after a pause.
        """
        await self._load()
        missed, self._began_s = 0, self._clock.now()
        while True:
            self.state.beat_s = None if self.state.trouble is Trouble.FENCED else self.state.beat_s
            try:
                await self._session()
                missed = 0
                continue
            except FencedError as error:
                await self._end(error)
                if not self._was_overtaken():
                    await self._fenced()
                    missed = 0
                    continue
            except (ContradictionError, RefusedError) as error:
                await self._record(str(error))
                await self._end(error)
            except VenueError as error:
                await self._end(error)
            except LockingError:
                raise
            except Exception as error:  # noqa: BLE001 - no trouble with the venue is a reason to end the cabinet
                reason = f"{type(error).__name__}: {error_words(error)}"
                if reason != self._recorded:
                    _log.exception("venue: the session has failed")
                await self._record(reason)
                await self._end(error)
            await self._record_loss()
            missed = missed + 1 if self.state.beat_s is None or self._age() > LONGEST_PAUSE_S else 0
            pause = min(2.0**missed, LONGEST_PAUSE_S)
            await self._pause(pause * (0.5 + self._jitter() / 2))

    def _age(self) -> float:
        return self._clock.now() - (self.state.beat_s or 0.0)

    async def _load(self) -> None:
        known, pools, lost = await self._books.do(lambda tx: (membership(tx), known_pools(tx), _LOST.read(tx)))
        self._is_lost = bool(lost)
        if known is not None:
            self.state.cabinet, self.state.epoch, self.state.trouble = known.cabinet, known.epoch, known.trouble
        self._learned = pools
        if self.state.trouble is Trouble.FENCED:
            await self._fenced()

    async def _end(self, error: Exception) -> None:
        """Store and log why the session ended."""
        reason = error_words(error)
        if reason != self.state.error:
            _log.warning("venue: %s", reason)
        self.state.error, self.state.since_ms = reason, None
        await self._cabinet.changed()

    async def _pause(self, seconds: float) -> None:
        self._again.clear()
        await wait_until(self._clock.now() + seconds, self._again, self._clock)

    def _was_overtaken(self) -> bool:
        """Whether a late hello of this same cabinet may have fenced a session that had only just begun."""
        if not self._is_new or self._unheard == UNHEARD:
            return False
        self._unheard += 1
        return True

    async def _fenced(self) -> None:
        """Wait until a technician confirms that this is the right cabinet."""
        self.state.trouble = Trouble.FENCED
        self._again.clear()
        await self._books.do(lambda tx: set_trouble(tx, Trouble.FENCED))
        await self._cabinet.changed()
        await self._again.wait()
        known = await self._books.do(membership)
        self.state.trouble = Trouble.NONE if known is None else known.trouble

    async def _record(self, reason: str) -> None:
        """Record why the venue and these books disagree, once for each reason."""
        if reason != self._recorded:
            with suppress(RefusedError):
                await self._books.do(lambda tx: tx.event(VenueEvent.VENUE_REFUSED, reason=reason))
            self._recorded = reason

    async def _record_loss(self) -> None:
        """Record once that the link is lost: no good beat for so long that pools are closed (J6)."""
        since_s = self._began_s if self.state.beat_s is None else self.state.beat_s
        if self._clock.now() - since_s < FRESH_S:
            return
        self._steady_s = None
        if not self._is_lost:
            reason = self.state.error
            await self._record_link(lambda tx: tx.event(VenueEvent.VENUE_LOST, reason=reason), lost=True)

    async def _record_return(self) -> None:
        """Record that the link is back once it has held for `STEADY_S`, if its loss was recorded."""
        if not self._is_lost:
            return
        now = self._clock.now()
        if self._steady_s is None:
            self._steady_s = now
        elif now - self._steady_s >= STEADY_S:
            await self._record_link(lambda tx: tx.event(VenueEvent.VENUE_BACK), lost=False)

    async def _record_link(self, event: Callable[[Transaction], object], *, lost: bool) -> None:
        """Record an event of the link together with its state; a refused event is tried again at the next occasion."""

        def record(tx: Transaction) -> None:
            event(tx)
            _LOST.write(tx, lost)

        with suppress(RefusedError):
            await self._books.do(record)
            self._is_lost = lost

    def _heard(self) -> None:
        """Note that the venue has answered in this session, so it was not overtaken."""
        if self._is_new:
            self._is_new, self._unheard = False, 0

    # a session

    async def _session(self) -> None:
        """Send hello and serve the session; return if it must begin again at once."""
        self._is_new = False
        work = await self._books.commit(_read_work)
        known = work.result.known
        epoch = 0 if known is None else known.epoch
        greeting = await self._venue.hello(work.map(_progress), self._cabinet.identity, self._cabinet.info)
        if greeting.epoch < epoch:
            raise ContradictionError(f"the venue has answered epoch {greeting.epoch} to epoch {epoch}")
        if known is not None and (known.site, known.cabinet) != (greeting.site, greeting.cabinet):
            self.state.beat_s, self.state.pools = None, {}  # they belong to another venue
        try:
            await self._books.do(lambda tx: begin_epoch(tx, greeting.cabinet, greeting.epoch, greeting.site))
        except RefusedError as error:  # a round of the cabinet's own pools must end first
            raise UnreachableError(str(error)) from error
        self._begin(greeting)
        session = greeting.session
        if await self._of_the_books(session, greeting):
            return
        self._handing_over.begin(await self._venue.newest_row(session))
        await self._handing_over.take_up(session)
        await self._put_earlier(session)
        while True:
            if await self._pass(session):
                return
            await self._rest()

    def _begin(self, greeting: Greeting) -> None:
        state = self.state
        state.cabinet, state.epoch, state.error = greeting.cabinet, greeting.epoch, ""
        state.session = greeting.session
        state.since_ms = self._clock.wall_ms()
        self._is_new = True
        self._has_changed = False
        self._put, self._given_back, self._recovering = {}, False, None
        self._report_due = greeting.report_due
        now = self._clock.now()
        self._due = {"beat": now, "witness": now + WITNESS_S}
        _log.info("venue: cabinet %d, epoch %d, session %d", greeting.cabinet, greeting.epoch, greeting.session)

    async def _of_the_books(self, session: int, greeting: Greeting) -> bool:
        """Compare the books with what the venue has seen; return whether the session must begin again.

        If they differ, this returns only after a technician has accepted the books and the venue continues with them.
        """
        path, row = self._books.path, greeting.witness_row or 0
        books = await self._books.commit(lambda tx: (tx.head, hash_of_row(tx, path, row), membership(tx)))
        head, own, known = books.result
        seen = Trouble.NONE
        if row > head[0]:
            seen = Trouble.BEHIND
        elif row > 0 and own is None:
            seen = Trouble.BESIDE
            await self._record(
                f"ledger row {row}, which it has seen, is in an archive that is not here or not readable"
            )
        elif row > 0 and own != greeting.witness_hash:
            seen = Trouble.BESIDE
        seen = seen or await self._witness(session, books.map(lambda _: head))
        if seen is Trouble.NONE and (known is None or not known.trouble.of_the_books):
            self.state.trouble, self.state.confirmed = Trouble.NONE, True
            await self._cabinet.changed()
            return False
        if seen is not Trouble.NONE:
            await self._books.do(lambda tx: set_trouble(tx, seen))
        await self._until_accepted(session)
        if seen is not Trouble.NONE:
            await self._venue.rebase(session, await self._books.commit(_accepted_head))
        await self._books.do(accepted)
        self.state.trouble = Trouble.NONE
        await self._cabinet.changed()
        return True

    async def _witness(self, session: int, head: Receipt[tuple[int, bytes]]) -> Trouble:
        seen = await self._venue.witness(session, head)
        self._heard()
        return Trouble.NONE if seen == "ok" else Trouble(seen)

    async def _until_accepted(self, session: int) -> None:
        """Send only beats until a technician has accepted these books."""
        while True:
            known = await self._books.do(membership)
            self.state.trouble = Trouble.NONE if known is None else known.trouble
            if known is None or known.accepted_by:
                return
            await self._beat(session)
            await self._pause(BEAT_S)

    async def _rest(self) -> None:
        if not self._handing_over.more:
            await wait_until(self._clock.now() + TICK_S, self._wake, self._clock)
        self._wake.clear()

    async def _pass(self, session: int) -> bool:
        """Do what is due, the most urgent first; return whether the session must begin again."""
        work = await self._books.commit(_read_work)
        self.state.unsent = await self._books.do(self._count_unsent, durable=False)
        for claim in each(work.map(lambda work: work.claims)):
            await self._claim(session, claim)
        # These come before the beat, so that no round begins while the venue accepts no contributions or ledger rows.
        await self._put_meters(session, work.map(lambda work: work.meters))
        await self._handing_over.rows(session)
        if self._is_due("beat", BEAT_S):
            recovered = self._recovering
            await self._beat(session)
            if self._recovering and recovered is False:
                return True  # the venue was restored during this session and may lack what was sent
        elif self._has_changed and self._clock.now() >= self._reported_s + CHANGE_S:
            await self._report(session)
        if self._is_due("witness", WITNESS_S):
            head = await self._books.commit(lambda tx: tx.head)  # read here: the rows just sent are no newer
            trouble = await self._witness(session, head)
            if trouble is not Trouble.NONE:
                await self._books.do(lambda tx: set_trouble(tx, trouble))
                self.state.trouble = trouble
                await self._cabinet.changed()
                return True
        await self._handing_over.step(session)
        await self._recover(session, work)
        if not self._handing_over.more:
            for job in self._side_jobs:
                await job(session)
        return False

    def _is_due(self, what: str, every_s: float) -> bool:
        now = self._clock.now()
        if now < self._due[what]:
            return False
        self._due[what] = now + every_s
        return True

    async def _claim(self, session: int, claim: Receipt[OpenClaim]) -> None:
        """Request a claim's answer and store it; if the pool is not open, the next pass requests it again."""
        try:
            award = await self._venue.claim(session, claim)
        except PoolNotOpenError:
            return
        answer = Answer(award.award, award.hit, award.seed)
        try:
            await self._books.do(lambda tx: answer_claim(tx, claim.result, answer))
        except RefusedError as error:
            raise ContradictionError(str(error)) from error
        self.answered.set()
        await self._cabinet.changed()

    async def _report(self, session: int) -> None:
        """Report the status between two beats; the pools stay as the last beat had them."""
        self._has_changed, self._reported_s = False, self._clock.now()
        await self._venue.beat(session, await self._cabinet.status())
        self._heard()

    async def _beat(self, session: int) -> None:
        self._has_changed = False
        sent, before = self._clock.now(), {key: pool.state for key, pool in self.state.pools.items()}
        pools = await self._venue.beat(session, await self._cabinet.status())
        self._heard()
        learned = tuple(VenuePool(pool.pool, pool.key, pool.rate_per_mille) for pool in pools)
        if learned != self._learned:
            await self._books.do(lambda tx: learn_pools(tx, learned))
            self._learned = learned
        was_missing = self.state.beat_s is None or sent - self.state.beat_s >= FRESH_S
        self.state.pools = {pool.key: pool for pool in pools}
        self.state.beat_s, self.state.beat_ms = sent, self._clock.wall_ms()
        await self._record_return()
        self._recovering = any(pool.state == "recovering" for pool in pools)
        if was_missing or before != {key: pool.state for key, pool in self.state.pools.items()}:
            await self._cabinet.changed()

    async def _put_meters(self, session: int, meters: Receipt[tuple[Meter, ...]]) -> None:
        newer = meters.map(lambda meters: [meter for meter in meters if meter.seq > self._put.get(meter.pool, 0)])
        if newer.result:
            await self._venue.put(session, newer)
            self._put.update({meter.pool: meter.seq for meter in newer.result})

    async def _put_earlier(self, session: int) -> None:
        """Send the final meters of earlier epochs at this venue; a repetition is not counted twice."""
        earlier = await self._books.commit(earlier_meters)
        for final in each(earlier.map(lambda earlier: earlier.items())):
            try:
                await self._venue.put(session, final.map(lambda final: final[1]), final.result[0])
            except ContradictionError as error:  # a person compares them; the current epoch continues
                await self._record(str(error))

    async def _recover(self, session: int, work: Receipt[_Work]) -> None:
        """Give back to a restored venue what it may have lost, then report that everything was given back.

        This also happens long after its pools were opened, because they were opened without this cabinet's data.
        """
        if self._given_back or not (self._report_due or self._recovering):
            return
        if not self._handing_over.is_giving_back:
            await self._handing_over.give_back(session)
        elif not self._handing_over.more:
            await self._venue.reported(session, work.map(lambda _: dict(self._put)))
            self._given_back = True
