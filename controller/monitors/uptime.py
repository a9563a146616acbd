"""What the machine does by the clock, whatever is played: the retest after a start, and the count of its minutes."""

from controller.faults import Clears, explain
from controller.journal.faults import clear_unfound
from controller.journal.reads import count_powered_minute
from controller.machine.machine import Machine

RETEST_S = 60.0
"""How long after a start every driver has had the time to find its device's faults again (P5)."""

MINUTE_S = 60.0


async def end_retest(machine: Machine) -> None:
    """Clear, some time after the start, the faults that clear by themselves and that no driver has found again.

    It looks again for as long as some wait for a device that could not be asked.
    """
    waiting = True
    while waiting:
        await machine.clock.sleep(RETEST_S)
        if machine.journal.lock is not None:
            return
        await machine.journal.record(clear_unfound)
        waiting = any(
            not fault.present and explain(fault.code).clears is Clears.ITSELF for fault in machine.conditions.faults
        )


SETTLE_S = 5.0
"""How long what need not be durable at once waits for a transaction that is."""


async def keep_settled(machine: Machine) -> None:
    """Have what need not be durable at once be so within seconds, where no other transaction takes it along."""
    waiting = 0
    while True:
        await machine.clock.sleep(SETTLE_S)
        if waiting and machine.journal.journal.unsettled == waiting:
            await machine.journal.journal.settle()
        waiting = machine.journal.journal.unsettled


async def count_minutes(machine: Machine) -> None:
    """Count the minutes that the cabinet is powered on, for whatever must not hang on the clock on the wall."""
    while True:
        await machine.clock.sleep(MINUTE_S)
        machine.journal.post(count_powered_minute)
