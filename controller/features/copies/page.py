"""U.8 and U.9: full clear and demo mode; demo mode starts right after a full clear and ends with the next one."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from controller.books.rotation import sealed_files
from controller.configuration.cabinet_toml import Config
from controller.configuration.tickets import VENUE, tickets_of
from controller.features.copies import clearing
from controller.features.copies.clearing import Order
from controller.journal import demo_mode, tickets
from controller.journal.generations import ORIGIN, Origin
from controller.journal.ledger import first_of_kind
from controller.journal.parts import untold_ends
from controller.journal.transaction import Transaction
from controller.machine.jackpots import VenueDesk
from controller.media.sticks import sticks
from controller.service.cabinet_key import key_of
from controller.service.doors import MAIN, memory_door, refuse_shut_door
from controller.service.page import Entry, Job, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.system.host import Departure
from ui.protocol.values import moment

REASONS = ("new installation", "another site", "damaged books", "begin or end of demo mode", "test by a technician")
"""The reasons for a full clear: a list, since the panel has no letters."""
NEVER, ON, OFF = "never", "on", "off"
BEGUN, GIVEN, TAKEN = "Demo mode is on", "Free credits were given", "The free credits are taken back"
NO_LOGIC_DOOR = "No logic door is wired: the main door counts as the memory's"
FREE_CENTS = 10_000
"""The free credits of demo mode, in cents each time."""


def meter_units(machine: ServicedMachine) -> Mapping[str, int]:
    """Return the unit of one pulse of each fitted hard meter: cents, or 1 for a game."""
    return units_of(machine.settings.config)


def units_of(config: Config) -> Mapping[str, int]:
    """Return the units of the hard meters in a configuration."""
    pins = config.pins
    return {name: 1 if name == "games" else pins.meter_unit_cents for name in pins.meters}


def _full_clear(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    origin = first_of_kind(tx, ORIGIN)
    found = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
    entries = (Entry("reason", "Why is it cleared?", "choice", REASONS),)
    return (
        Line("Last full clear", NEVER if origin is None else moment(origin.at_ms), tone="heading"),
        *(() if origin is None else (Line("Reason", msgspec.json.decode(origin.data, type=Origin).reason),)),
        *(Line("Kept books", path.name) for path in sealed_files(machine.journal.path)),
        *_tickets_out(tx, machine),
        *((Line(NO_LOGIC_DOOR),) if memory_door(machine) == MAIN else ()),
        *(Line("The snapshot also goes onto the stick {place}", place=stick.name) for stick in found),
        Line(
            "Clear everything and begin anew",
            tone="bad",
            leads=Job(_clear, entries, question="Clear all books of this machine?", confirmations=2),
        ),
    )


def _tickets_out(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return what happens to tickets; those that a venue or a host has stay valid."""
    own, lines = tickets.own_printed(tx), list[Line]()
    figures = {"count": len(own)}
    cents = sum(own.values())
    if tickets_of(machine.settings.config).validated_by == VENUE:
        if own:
            lines.append(
                Line("Printed tickets that the venue has not got: {count}", cents=cents, figures=figures, tone="bad")
            )
        lines.append(Line("The venue must have got all first (U.13); its tickets stay good"))
    elif own:
        lines = [
            Line("Printed tickets that were not redeemed: {count}", cents=cents, figures=figures, tone="bad"),
            Line("After the clear this machine takes them no more: pay them first", tone="bad"),
        ]
    if untold := untold_ends(tx):
        lines.append(Line("Tickets put in here whose end a venue was never told", count=untold, tone="bad"))
        lines.append(Line("Its operator must be told before the clear", tone="bad"))
    return lines


async def _clear(machine: ServicedMachine, submission: Submission) -> str:
    """Clear the cabinet: one transaction decides it; then this supervisor exits and the next one starts."""
    own, units, path = key_of(machine), meter_units(machine), machine.journal.path
    simulated = await machine.journal.attempt(lambda tx: _ready(tx, units, machine.venue))
    order = Order(
        submission.who,
        submission.typed["reason"],
        machine.settings.config.cabinet.name,
        tuple(sticks(machine.settings.config.export.roots, simulated=simulated)),
        submission.by,
    )
    prepared = await asyncio.to_thread(clearing.prepare, path, own, order, machine.clock.wall_ms)

    def decide(tx: Transaction) -> None:
        refuse_shut_door(machine, memory_door(machine))
        clearing.decide(tx, prepared, units, machine.venue)

    await machine.journal.attempt(decide)
    machine.host.leave(Departure.RESTART)
    await asyncio.Event().wait()  # this journal takes no more rows: the process exits here
    return ""


def _ready(tx: Transaction, units: Mapping[str, int], venue: VenueDesk | None) -> bool:
    """Take free credits back, refuse the clear while something is owed, and return whether the books are simulated."""
    if demo_mode.is_on(tx):
        demo_mode.take_back(tx)
    clearing.refuse_unless_settled(tx, units, venue)
    return tx.is_simulated


def _demo(tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
    if not demo_mode.is_on(tx):
        action = MenuTransaction(_begin, question="Take no money until the next full clear?", confirmations=2)
        return (Line("Demo mode", OFF), Line("Begin demo mode", tone="bad", leads=action))
    return (
        Line("Demo mode", ON, tone="bad"),
        Line("Credit", cents=tx.credit_cents),
        Line("Give free credits", cents=FREE_CENTS, leads=MenuTransaction(_give)),
        Line("Take the free credits back", leads=MenuTransaction(_take)),
        Line("End it with a full clear", leads="U.8"),
    )


def _begin(tx: Transaction, submission: Submission) -> str:
    demo_mode.begin(tx, submission.who)
    demo_mode.give(tx, FREE_CENTS)
    return BEGUN


def _give(tx: Transaction, _submission: Submission) -> str:
    tx.refuse_in_play()
    demo_mode.give(tx, FREE_CENTS)
    return GIVEN


def _take(tx: Transaction, _submission: Submission) -> str:
    tx.refuse_in_play()
    demo_mode.take_back(tx)
    return TAKEN


PAGES = (
    Page("U.8", "Full clear", _full_clear, technician=True, memory=True),
    Page("U.9", "Demo mode", _demo, technician=True, door=True),
)
