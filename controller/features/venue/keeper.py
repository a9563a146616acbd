"""The venue's jackpots for a machine: runs the link and reports this cabinet's state to it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from common.error_words import error_words
from controller.configuration.cabinet_toml import Site
from controller.configuration.tickets import VENUE, tickets_of
from controller.errors import LockingError
from controller.faults import ActiveFault
from controller.features.venue.calls import Venue, VenueError
from controller.features.venue.events import VenueEvent
from controller.features.venue.handing_over import keep_readings
from controller.features.venue.link import Link
from controller.features.venue.lock_report import report_lock
from controller.features.venue.membership import Trouble, is_joined
from controller.features.venue.offers import Offers
from controller.features.venue.pools import newest_meters
from controller.features.venue.reports import Reports
from controller.features.venue.status import Watches, status_of
from controller.features.venue.tickets import PastTickets, VenueTickets
from controller.features.venue.unsent import unsent
from controller.features.venue.wanted_rounds import WantedRounds
from controller.journal.errors import RefusedError
from controller.journal.pools import PoolKey
from controller.journal.receipt import Receipt
from controller.journal.transaction import Transaction
from controller.machine.communication import Gate, Open
from controller.machine.jackpots import PoolReport, VenueReport
from controller.machine.ports import Input
from controller.machine.program import Program
from controller.machine.tickets import Tickets
from controller.machine.view import MachineParts
from drivers.clock import Clock
from drivers.waiting import run_unless

_SOON_S = 0.5
_LONGEST_PAUSE_S = 30.0

_log = logging.getLogger(__name__)


class VenueKeeper:
    """Provides linked jackpots to a machine; `run` is its task. With `tickets`, the venue also validates tickets."""

    def __init__(
        self,
        machine: MachineParts,
        venue: Venue,
        clock: Clock,
        *,
        site: Site,
        identity: Callable[[], str],
        jitter: Callable[[], float],
        listen: Callable[[], Awaitable[None]] | None = None,
        watches: Watches | None = None,
        program: Program | None = None,
        tickets: Tickets | None = None,
        gate: Gate | None = None,
    ) -> None:
        self._watches = watches or Watches()
        self._listen = listen
        self._gate = gate or Open()
        self._machine = machine
        self._clock = clock
        self._site = site
        self._identity = identity
        self.venue = venue
        self._reports = reports = Reports(venue)
        rounds = WantedRounds(machine.journal.journal, reports, clock)
        self.offers = Offers(machine, reports, clock, program)
        self.tickets = None if tickets is None else self._validating(tickets)
        self.link = Link(
            machine.journal.journal,
            reports,
            clock,
            self,
            jitter=jitter,
            side_jobs=(rounds.send, self.offers.exchange),
            outboxes=((self.tickets or PastTickets(machine.journal, reports)).hand_over,),
            count_unsent=lambda tx: unsent(tx, new_tickets=self.tickets is not None).money,
        )
        machine.conditions.on_change(self.link.report_soon)

    def __repr__(self) -> str:
        return f"<VenueKeeper {self.link!r}>"

    def _validating(self, tickets: Tickets) -> VenueTickets:
        """Set the venue as the validator of these tickets, and return it."""
        machine = self._machine
        validator = VenueTickets(
            machine.journal,
            tickets,
            self._reports,
            self._clock,
            state=lambda: self.link.state,
            room_cents=lambda: machine.settings.config.limits.credit_cents,
            rules=lambda: tickets_of(machine.settings.config),
        )
        tickets.validator = validator
        return validator

    async def listen(self) -> None:
        """Listen for the link's process until cancelled; retry if the socket cannot be created."""
        if self._listen is not None:
            await self._kept("link's socket", self._listen)

    async def enrol(self, code: str) -> int:
        """Enrol with a one-time code and connect; return the cabinet's number at the venue. Raise `RefusedError`."""
        if not self._gate.is_open:
            raise RefusedError("The program of this machine is not proved: it says nothing to the venue")
        info = self.info
        try:
            enrolled = await self.venue.enrol(code, self.identity, str(info["name"]), str(info["program"]))
        except VenueError as error:
            raise RefusedError("The venue refuses: {reason}", reason=str(error)) from error
        self.link.try_now()
        return enrolled.cabinet

    def report(self) -> VenueReport:
        """Return the link's state."""
        state = self.link.state
        pools = sorted(state.pools.values(), key=lambda pool: pool.pool)
        shown = tuple(PoolReport(pool.game, pool.coin, pool.amount, pool.state) for pool in pools)
        row, put = self.link.handed_over if state.since_ms is not None and not state.trouble else (0, {})
        return VenueReport(state.since_ms, state.beat_ms, state.error, shown, row, put)

    def refuse_unless_handed_over(self, tx: Transaction) -> None:
        """Raise `RefusedError` unless the venue has every row, the newest contributions, and all that is sent apart.

        Of a cabinet that has not joined it must have the tickets alone.
        """
        report = self.report()
        lacks_meters = any(meter.seq > report.put.get(meter.pool, 0) for meter in newest_meters(tx))
        lacks_books = is_joined(tx) and (report.row < tx.head[0] or lacks_meters)
        new_tickets = tickets_of(self._machine.settings.config).validated_by == VENUE
        if lacks_books or any(unsent(tx, new_tickets=new_tickets)):
            raise RefusedError("First let the venue get all that it lacks of this machine (U.13)")

    def look_again(self) -> None:
        """Check soon, after the commit, what a technician has accepted."""
        asyncio.get_running_loop().call_later(_SOON_S, self.link.try_now)

    def tasks(self) -> Sequence[tuple[str, Coroutine[Any, Any, None]]]:
        """Return the background tasks with their names; each raises `LockingError` if books or key fail."""
        tasks = (("venue link", self.run), ("venue readings", self.read_meters), ("venue offers", self.offers.run))
        return [(name, self._kept(name, task)) for name, task in tasks]

    async def _kept(self, name: str, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task and restart it after a failure; only an error that locks the books ends the cabinet."""
        pause = 1.0
        while True:
            try:
                await task()
            except RefusedError as error:  # nothing was written
                reason = str(error)
            except LockingError:
                raise
            except Exception as error:  # noqa: BLE001 - no trouble with the venue is a reason to end the cabinet
                _log.exception("%s has failed", name)
                reason = f"{type(error).__name__}: {error_words(error)}"
            else:
                return
            reason = f"{name}: {reason}"
            if pause == 1.0:
                with suppress(RefusedError):
                    await self._machine.journal.do(lambda tx: tx.event(VenueEvent.VENUE_REFUSED, reason=reason))  # noqa: B023
            await self._clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def run(self) -> None:
        """Run the link until cancelled while the cabinet may communicate; once it is locked, report only the lock."""
        await self._machine.states.up.wait()
        await self._gate.while_open(self._speak)

    async def _speak(self) -> None:
        journal = self._machine.journal
        try:
            await run_unless(journal.locked, self._linked())
            if journal.lock is not None:
                await report_lock(self.venue, self._clock, journal.lock, self.link.state.session)
        finally:
            self.link.fall_silent()
            await self.venue.close()

    async def _linked(self) -> None:
        try:
            await self.link.run()
        except LockingError as error:
            self._machine.journal.lock_up(error)

    async def read_meters(self) -> None:
        """Store meter readings when they are due, until cancelled; raise `JournalError` if the books fail."""
        await self._machine.states.up.wait()
        await keep_readings(self._machine.journal.journal, self._clock)

    # called by the jackpots

    @property
    def confirmed(self) -> bool:
        """Whether an answered claim may be paid."""
        return self.link.state.confirmed and self.link.state.trouble is Trouble.NONE

    @property
    def amounts(self) -> Mapping[PoolKey, int]:
        """The value of each pool at the last good beat, in 1/1000 cent."""
        return {key: pool.amount for key, pool in self.link.state.pools.items()}

    def closed(self, key: PoolKey) -> str:
        """Return the message code of why no new round may be played for a pool, or an empty string if one may."""
        return self.link.closed(key)

    def active(self) -> list[ActiveFault]:
        """Return the fault, with its place, that follows from the venue's view of this cabinet."""
        match self.link.state.trouble:
            case Trouble.NONE:
                return []
            case Trouble.FENCED:
                return [ActiveFault("venue_fenced", "")]
        return [ActiveFault("venue_books", "")]

    def ask_now(self) -> None:
        """Request the answers to stored claims at once."""
        self.link.ask_now()

    # called by the link

    @property
    def identity(self) -> str:
        """The cabinet's public key in hexadecimal digits."""
        return self._identity()

    @property
    def info(self) -> Mapping[str, Any]:
        """The cabinet's name, number, location and program version."""
        site = self._site
        return {"name": site.name, "number": site.number, "location": site.location, "program": version("cabinet")}

    async def changed(self) -> None:
        """Reload the journal, update the service menu, and wake a flow that may be waiting."""
        await self._machine.journal.reload()
        self._machine.conditions.service.look()
        self._machine.states.take(Input("wake"))

    async def status(self) -> Receipt[Mapping[str, Any]]:
        """Return the status for a beat (docs/venue-protocol.md), once its door and key changes are recorded."""
        status = status_of(self._machine, self._site, self._watches, self._clock.wall_ms())
        recorded = await self._machine.journal.recorded()
        unsent = {"unsent": self.link.state.unsent} if self.link.state.unsent else {}
        return recorded.map(lambda _: {**status, **unsent})
