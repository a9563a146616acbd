"""The last step: the remaining faults, and the end of the guide, with a restart if drivers must read a choice."""

from collections.abc import Sequence
from typing import Final

from controller.faults import DOOR_OPEN, explain, place_in_words
from controller.features.doctor.guide.devices import needs_start
from controller.features.doctor.guide_journal import Step, step_done
from controller.journal.actor import Role
from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction
from controller.service.attendant import in_play
from controller.service.page import Job, Line, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.service.shutdown import LEFT
from controller.system.host import Departure

NOTHING_LEFT, STILL = "Nothing stands in the way", "Still to be mended"
END_HERE = "End the guide: turn the key back and shut the door, and the machine is ready"
END_WITH_START = "End the guide: the program starts again with the devices chosen"
ENDED = "The guide has ended: turn the key back and shut the door"
KEY_ALONE = "The technician's key opens this menu without a PIN"
_EXPECTED: Final = frozenset({DOOR_OPEN})
"""Faults that are expected during the set-up."""


def end_lines(machine: ServicedMachine) -> Sequence[Line]:
    """Return the faults that are present, and the row that ends the guide."""
    if busy := in_play(machine):
        return busy
    faults = [fault for fault in machine.conditions.faults if fault.present and fault.code not in _EXPECTED]
    head = Line(STILL, tone="heading") if faults else Line(NOTHING_LEFT, tone="good")
    lines = [Line(explain(fault.code).text, tone="bad", place=place_in_words(fault.place)) for fault in faults]
    if not faults and machine.settings.key_alone(Role.TECHNICIAN):
        lines = [Line(KEY_ALONE, tone="bad")]
    return [head, *lines, Line(END_WITH_START if needs_start(machine) else END_HERE, tone="good", leads=Job(_end))]


async def _end(machine: ServicedMachine, submission: Submission) -> str:
    starts = needs_start(machine)

    def record(tx: Transaction) -> None:
        tx.refuse_in_play()
        step_done(tx, Step.END, submission.who)
        if starts:
            tx.event(Event.DEPARTURE, what=Departure.RESTART, who=submission.who)

    await machine.journal.attempt(record)
    if not starts:
        return ENDED
    machine.host.leave(Departure.RESTART)
    return LEFT
