"""Tasks by the clock, independent of play: the retest after a start, the powered-on minutes, and others."""

from datetime import datetime

from controller.faults import Clears, explain
from controller.journal import money
from controller.journal.faults import clear_unfound
from controller.journal.reads import count_powered_minute
from controller.machine.conditions import Conditions
from controller.machine.journal_port import JournalPort
from controller.machine.view import MachineParts
from controller.system.host import Host
from drivers.clock import Clock

RETEST_S = 60.0
"""The time after a start within which every driver has found its device's faults again (P5)."""

MINUTE_S = 60.0


async def end_retest(journal: JournalPort, conditions: Conditions, clock: Clock) -> None:
    """Clear, some time after the start, the self-clearing faults that no driver has found again.

    It repeats while faults wait for a device that has not answered yet.
    """
    waiting = True
    while waiting:
        await clock.sleep(RETEST_S)
        if journal.lock is not None:
            return
        await journal.record(clear_unfound)
        waiting = any(not fault.present and explain(fault.code).clears is Clears.ITSELF for fault in conditions.faults)


SETTLE_S = 5.0
"""How long deferred writes wait for a durable transaction, in seconds."""


async def keep_settled(journal: JournalPort, clock: Clock) -> None:
    """Commit deferred writes within seconds, if no other transaction makes them durable."""
    waiting = 0
    while True:
        await clock.sleep(SETTLE_S)
        if waiting and journal.journal.unsettled == waiting:
            await journal.journal.settle()
        waiting = journal.journal.unsettled


async def count_minutes(journal: JournalPort, clock: Clock) -> None:
    """Count the minutes that the cabinet is powered on, for timers that must not depend on the wall clock."""
    while True:
        await clock.sleep(MINUTE_S)
        journal.post(count_powered_minute)


CLOCK_S = 5.0
"""The maximum delay in seconds until a change of the clock, or of its setting, is seen on the screen."""


async def keep_clock(machine: MachineParts, host: Host, clock: Clock) -> None:
    """Show the time of day on the screen, to the minute, if it is configured (`[player] clock`)."""
    while True:
        wall_s = clock.now() + host.lead_ms() / 1000
        shown = datetime.fromtimestamp(wall_s).astimezone() if machine.settings.config.player.clock else None
        words = "" if shown is None else f"{shown:%H:%M}"
        if words != machine.play.clock:
            machine.play.clock = words
            machine.states.refresh(while_showing=True)
        await clock.sleep(min(CLOCK_S, 60 - wall_s % 60))


NOTE_S = 360.0
"""The maximum wait for the end of a note, somewhat longer than its validator's driver waits."""


async def end_waiting_for_notes(journal: JournalPort, clock: Clock) -> None:
    """Open an item for a note whose end has not been reported for long, if no validator answers at all."""
    waiting, since = 0, clock.now()
    while True:
        await clock.sleep(MINUTE_S)
        note = await journal.do(money.note_in_hand)
        if note is None or note.state != "stacking" or note.id != waiting:
            waiting, since = 0 if note is None else note.id, clock.now()
        elif clock.now() - since >= NOTE_S:
            await journal.do(lambda tx: money.note_given_up(tx, "its validator has not answered for minutes"))
            await journal.reload()
