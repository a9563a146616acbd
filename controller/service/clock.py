"""U.1: show and set the system clock. No money depends on it; each change is an event."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from controller.journal import event_log
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.search import NEWEST
from controller.journal.transaction import Transaction
from controller.service.events import line_of
from controller.service.page import Entry, Job, Line, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.service.typed_days import DATE, day_entry, read_day
from controller.system.clock_watch import utc_text
from ui.protocol.values import moment

SET = "The clock is set"
_CHANGES = (Event.CLOCK_SET, Event.CLOCK_NOT_SET, Event.CLOCK_JUMPED)
MOST = 12
"""The most changes that the page lists."""


def _clock(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the time that the next journal row would get, and the latest changes."""
    changes = event_log.events_of(tx, [event.code for event in _CHANGES], NEWEST, MOST)
    date = day_entry(DATE, machine.settings.config.cabinet.written_dates)
    time = Entry("time", "Time: hour, minute as 4 digits", "number", limits=(0, 2359), longest=4)
    job = Job(_set_clock, (date, time), question="Set the clock?", confirmations=1)
    return (
        Line("Date and time", moment(tx.at_ms)),
        Line("Time zone", datetime.fromtimestamp(tx.at_ms / 1000).astimezone().tzname() or ""),
        Line("Set the clock", leads=job),
        Line("Changes", tone="heading"),
        *map(line_of, changes),
    )


def _read(date: str, time: str, dates: str) -> int:
    """Return the typed local time in milliseconds; raise `RefusedError` if there is no such time."""
    try:
        at = datetime.strptime(f"{time:0>4}", "%H%M").time()  # noqa: DTZ007 - of the day below
        typed = datetime.combine(read_day(date, dates), at).astimezone()
    except ValueError as error:
        raise RefusedError("There is no date {date} with the time {time}", date=date, time=time) from error
    return int(typed.timestamp() * 1000)


async def _set_clock(machine: ServicedMachine, submission: Submission) -> str:
    """Set the clock. The intent is recorded first: after a power cut each change has its explanation."""
    dates = machine.settings.config.cabinet.written_dates
    wall_ms = _read(submission.typed.get(DATE, ""), submission.typed.get("time", ""), dates)

    def intend(tx: Transaction) -> None:
        before, after = utc_text(tx.at_ms), utc_text(wall_ms)
        tx.event(Event.CLOCK_SET, who=submission.who, before=before, after=after, from_ms=tx.at_ms, to_ms=wall_ms)

    await machine.journal.attempt(intend)
    try:
        await asyncio.to_thread(machine.host.set_clock, wall_ms)
    except RefusedError as error:
        reason = str(error)
        await machine.journal.attempt(lambda tx: tx.event(Event.CLOCK_NOT_SET, reason=reason))
        raise
    machine.clock_watch.settle()
    return SET


PAGES = (Page("U.1", "Clock", _clock, technician=True),)
