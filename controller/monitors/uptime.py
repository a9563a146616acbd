"""What the machine does by the clock, whatever is played: the retest after a start, and the count of its minutes."""

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
"""How long after a start every driver has had the time to find its device's faults again (P5)."""

MINUTE_S = 60.0


async def end_retest(journal: JournalPort, conditions: Conditions, clock: Clock) -> None:
    """Clear, some time after the start, the faults that clear by themselves and that no driver has found again.

    It looks again for as long as some wait for a device that could not be asked.
    """
    waiting = True
    while waiting:
        await clock.sleep(RETEST_S)
        if journal.lock is not None:
            return
        await journal.record(clear_unfound)
        waiting = any(not fault.present and explain(fault.code).clears is Clears.ITSELF for fault in conditions.faults)


SETTLE_S = 5.0
"""How long what need not be durable at once waits for a transaction that is."""


async def keep_settled(journal: JournalPort, clock: Clock) -> None:
    """Have what need not be durable at once be so within seconds, where no other transaction takes it along."""
    waiting = 0
    while True:
        await clock.sleep(SETTLE_S)
        if waiting and journal.journal.unsettled == waiting:
            await journal.journal.settle()
        waiting = journal.journal.unsettled


async def count_minutes(journal: JournalPort, clock: Clock) -> None:
    """Count the minutes that the cabinet is powered on, for whatever must not hang on the clock on the wall."""
    while True:
        await clock.sleep(MINUTE_S)
        journal.post(count_powered_minute)


CLOCK_S = 5.0
"""How soon a change of the clock, or of whether it is shown, is seen on the screen."""


async def keep_clock(machine: MachineParts, host: Host, clock: Clock) -> None:
    """Have the screen show the time of day, to the minute, where players are to see it (`[player] clock`)."""
    while True:
        wall_s = clock.now() + host.lead_ms() / 1000
        shown = datetime.fromtimestamp(wall_s).astimezone() if machine.settings.config.player.clock else None
        words = "" if shown is None else f"{shown:%H:%M}"
        if words != machine.play.clock:
            machine.play.clock = words
            machine.states.refresh(while_showing=True)
        await clock.sleep(min(CLOCK_S, 60 - wall_s % 60))


NOTE_S = 360.0
"""How long the end of a note is waited for at the most: somewhat longer than its validator's driver waits."""


async def end_waiting_for_notes(journal: JournalPort, clock: Clock) -> None:
    """Make an open item of a note whose end has not been reported for long, where no validator answers at all."""
    waiting, since = 0, clock.now()
    while True:
        await clock.sleep(MINUTE_S)
        note = await journal.do(money.note_in_hand)
        if note is None or note.state != "stacking" or note.id != waiting:
            waiting, since = 0 if note is None else note.id, clock.now()
        elif clock.now() - since >= NOTE_S:
            await journal.do(lambda tx: money.note_given_up(tx, "its validator has not answered for minutes"))
            await journal.reload()
