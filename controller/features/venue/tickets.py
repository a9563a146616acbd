"""Tickets validated by the venue: inserted tickets are claimed there, and printed ones are sent to it.

A ticket's number is chosen by the cabinet. A ticket in escrow is claimed under a key that is stored durably first; the
order to stack it is durable before the validator gets it. Without an answer in time the ticket is returned and the
venue is informed, whether or not it has answered by then. Nothing here blocks the game.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from common.error_words import error_words
from controller.configuration.tickets import Tickets as Rules
from controller.features.venue import ticket_journal as venue_tickets
from controller.features.venue.calls import PoolNotOpenError, VenueError
from controller.features.venue.link import FRESH_S, LinkState
from controller.features.venue.reports import Reports
from controller.features.venue.ticket_journal import HELD
from controller.journal.receipt import Receipt
from controller.journal.tickets import DIGITS, Ticket
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from controller.machine.tickets import Tickets
from drivers.clock import Clock

DECISION_S: Final = 4.0
"""Seconds that the venue has to decide about a ticket in escrow; a validator returns it by itself after a while."""
SILENT, RECOVERING, FOREIGN = "venue_silent", "venue_recovering", "ticket_foreign"
"""Why a ticket is not accepted: codes of `event_words`."""

_log = logging.getLogger(__name__)


class PastTickets:
    """Tickets of a venue that does not validate this cabinet's tickets any more; `hand_over` sends their results.

    A restored venue gets them again. No other tickets are sent.
    """

    def __init__(self, journal: JournalPort, venue: Reports) -> None:
        self._journal = journal
        self._venue = venue
        self._begun = False

    def __repr__(self) -> str:
        return f"<PastTickets {'begun' if self._begun else 'new'}>"

    async def hand_over(self, session: int) -> bool:
        """Send one batch of what the venue lacks; return whether there may be more."""
        if not self._begun:
            await self._journal.do(venue_tickets.give_up_all)
            self._begun = True
        facts = await self._journal.commit_or_lock(lambda tx: venue_tickets.hand_over(tx, new=False))
        return await _send(self._journal, self._venue, session, facts)


class VenueTickets:
    """One venue's tickets, a `controller.machine.tickets.Validator`; `hand_over` is an outbox of the link."""

    def __init__(
        self,
        journal: JournalPort,
        taking: Tickets,
        venue: Reports,
        clock: Clock,
        *,
        state: Callable[[], LinkState],
        room_cents: Callable[[], int],
        rules: Callable[[], Rules],
    ) -> None:
        self._journal = journal
        self._taking = taking
        self._venue = venue
        self._clock = clock
        self._state = state
        self._room_cents = room_cents
        self._rules = rules
        self._handing = asyncio.Lock()
        self._begun = False
        self._offered = False
        """Whether everything in these books was sent in this run, or its attempt is recorded."""

    def __repr__(self) -> str:
        return f"<VenueTickets {'linked' if self.linked else 'alone'}>"

    @property
    def linked(self) -> bool:
        """Whether the venue has answered recently in this session."""
        state = self._state()
        fresh = state.beat_s is not None and self._clock.now() - state.beat_s < FRESH_S
        return fresh and state.since_ms is not None and not state.trouble

    @property
    def prints(self) -> bool:
        """Whether tickets are printed at the moment; without the venue only if the configuration allows it."""
        return self._rules().offline_prints or self.linked

    @property
    def lines(self) -> tuple[str, ...]:
        """Empty: the venue has no lines of its own."""
        return ()

    async def number(self, cents: int) -> Receipt[Ticket] | str:
        """Return the begun ticket of the current payout, with a number chosen by the cabinet."""
        del cents

        def act(tx: Transaction) -> Ticket:
            ticket = self._taking.begin_own(tx)
            venue_tickets.for_venue(tx, ticket)
            return ticket

        return await self._journal.commit_or_lock(act)

    async def in_escrow(self, number: str) -> str:
        """Claim a ticket at the venue; return why it is rejected, or an empty string to stack it."""
        await self._begin()
        if len(number) != DIGITS:
            return FOREIGN
        if not self.linked:
            return await self._alone(number)
        asked = await self._journal.commit_or_lock(lambda tx: venue_tickets.ask(tx, number))
        claim = asked.result
        if isinstance(claim, str):
            return claim
        refused = SILENT
        try:
            async with asyncio.timeout(DECISION_S):
                session = self._state().session
                await self.hand_over(session)  # so that the venue knows a ticket that was just printed
                answer = await self._venue.ticket_claim(session, asked.map(lambda _: claim), number)
            if answer.answer == HELD and answer.cents:
                cents, room = answer.cents, self._room_cents()
                return await self._journal.do(lambda tx: venue_tickets.granted(tx, claim, cents, room))
            refused = f"ticket_{answer.answer}"
        except PoolNotOpenError:
            refused = RECOVERING
        except (VenueError, TimeoutError) as error:
            _log.warning("venue: no answer about a ticket: %s", error_words(error))
        except asyncio.CancelledError:
            self._journal.post(lambda tx: venue_tickets.give_up(tx, claim))
            raise
        await self._journal.do(lambda tx: venue_tickets.give_up(tx, claim))
        return refused

    async def _alone(self, number: str) -> str:
        """Accept a ticket of this cabinet that no venue has; the books must be the ones that the venue has seen.

        An older copy of the books may list tickets as new that were handed over since. So the books are trusted only
        after the venue has confirmed them in this run, and only for tickets printed since everything was handed over.
        """
        state, most = self._state(), self._rules().offline_cents
        if not (state.confirmed and self._offered) or state.trouble:
            return venue_tickets.ALONE
        room = self._room_cents()
        return await self._journal.do(lambda tx: venue_tickets.take_alone(tx, number, most_cents=most, room_cents=room))

    async def hand_over(self, session: int) -> bool:
        """Send one batch of what the venue lacks; return whether there may be more."""
        async with self._handing:
            await self._begin()
            facts = await self._journal.commit_or_lock(venue_tickets.hand_over)
            self._offered = self._offered or len(facts.result) < venue_tickets.BATCH
            return await _send(self._journal, self._venue, session, facts)

    async def _begin(self) -> None:
        """Prepare the tickets once after a start."""
        if not self._begun:
            await self._journal.do(venue_tickets.begin)
            self._begun = True


async def _send(
    journal: JournalPort, venue: Reports, session: int, facts: Receipt[Sequence[venue_tickets.Fact]]
) -> bool:
    """Send a batch of facts, and record that the venue has them; return whether there may be more."""
    if facts.result:
        await venue.tickets(session, facts)
        await journal.do(lambda tx: venue_tickets.stored(tx, facts.result), durable=False)
    return len(facts.result) >= venue_tickets.BATCH
