"""Page U.13, venue: the link's state, its pools, enrolment by a one-time code, and what a technician accepts."""

from collections.abc import Callable, Sequence

from controller.configuration.tickets import VENUE, Tickets, tickets_of
from controller.features.venue.events import VenueEvent
from controller.features.venue.membership import Trouble, accept, membership
from controller.features.venue.offer_journal import offered
from controller.features.venue.pools import open_claims
from controller.features.venue.unsent import unsent
from controller.journal.errors import RefusedError
from controller.journal.pools import MILLI
from controller.journal.transaction import Transaction
from controller.machine.jackpots import VenueDesk
from controller.service.page import Entry, Job, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from gamekit.catalogue import load
from ui.protocol.values import moment

CODE_DIGITS = 20
CONNECTED, NOT_CONNECTED = "connected", "not connected"
BEING_INFORMED = "the venue is being informed"
ACCEPTED, ENROLLED = "It is accepted", "This machine is enrolled"
_TROUBLES = {
    Trouble.FENCED: "Another machine speaks in this one's name",
    Trouble.BEHIND: "The venue has seen newer books than these",
    Trouble.BESIDE: "The venue has seen other books than these",
}
_WAITING = {
    "events": "Events that wait",
    "readings": "Readings of the meters that wait",
    "tickets": "Printed tickets that wait",
    "ends": "Tickets that came in and wait",
}
"""Labels for what waits to be sent to the venue (`controller.features.venue.unsent`); claims have their own line."""
_POOLS = {"open": "open", "recovering": "being restored", "closed": "closed"}


def _venue(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    desk = machine.venue
    if desk is None:
        return (Line("This machine is configured for no venue"),)
    report, known = desk.report(), membership(tx)
    lacks = unsent(tx, new_tickets=tickets_of(machine.settings.config).validated_by == VENUE)
    connected, claims = report.since_ms is not None, len(open_claims(tx))
    lines = [
        Line("The venue is", CONNECTED if connected else NOT_CONNECTED, tone="good" if connected else "bad"),
        Line("Connected since", moment(report.since_ms)) if report.since_ms is not None else None,
        Line("Last good answer", moment(report.beat_ms)) if report.beat_ms is not None else None,
        Line("Why not", detail=report.error, tone="bad") if report.error else None,
        *(
            []
            if known is None
            else [Line("Number at the venue", count=known.cabinet), Line("Epoch", count=known.epoch)]
        ),
        Line("Claims without an answer", count=claims, tone="bad" if claims else "plain"),
        *(
            Line(label, count=count, tone="bad" if count and name != "events" else "plain")
            for name, label in _WAITING.items()
            if (count := getattr(lacks, name)) or name == "events"
        ),
    ]
    found = [line for line in lines if line is not None]
    if known is not None and known.trouble in _TROUBLES:
        yes = MenuTransaction(
            _accepts(desk, tickets_of(machine.settings.config)),
            question="Are these the right machine and the right books?",
            confirmations=2,
        )
        waits = BEING_INFORMED if known.accepted_by else ""
        found += [
            Line(_TROUBLES[known.trouble], waits, tone="bad"),
            Line("Accept these books and this machine", leads=yes),
        ]
    found += [
        Line(
            "{game}, coin value {coin_cents}",
            _POOLS.get(pool.state, pool.state),
            cents=pool.amount // MILLI,
            figures={"game": load(pool.game).title, "coin_cents": pool.coin},
        )
        for pool in report.pools
    ]
    if waiting := offered(tx).proposals:
        found.append(Line("Settings that the venue proposes", count=len(waiting), tone="bad", leads="C.8"))
    entry = Entry("code", "Code of the venue's page", "digits", longest=CODE_DIGITS)
    return (*found, Line("Enrol with a one-time code", leads=Job(_enrols, (entry,))))


def _accepts(desk: VenueDesk, rules: Tickets) -> Callable[[Transaction, Submission], str]:
    """Return the act of accepting; the link notices it at its next check."""

    def do(tx: Transaction, submission: Submission) -> str:
        accept(tx, submission.who, rules)
        desk.look_again()
        return ACCEPTED

    return do


async def _enrols(machine: ServicedMachine, submission: Submission) -> str:
    desk = machine.venue
    if desk is None:
        raise RefusedError("This machine is configured for no venue")
    cabinet = await desk.enrol(submission.typed["code"])
    await machine.journal.attempt(lambda tx: tx.event(VenueEvent.VENUE_ENROLLED, cabinet=cabinet, who=submission.who))
    return ENROLLED


PAGES = (Page("U.13", "Venue", _venue, technician=True),)
