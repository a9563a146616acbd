"""U.10: restart the program, reboot or switch off the computer, always in order."""

from collections.abc import Awaitable, Callable, Sequence

from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.money import note_in_hand
from controller.journal.transaction import Transaction
from controller.service.attendant import in_play
from controller.service.page import Job, Line, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.system.host import Departure

LEFT = "The machine ends in order"
WAYS = {
    Departure.RESTART: "Start the program again",
    Departure.REBOOT: "Restart the computer",
    Departure.POWER_OFF: "Switch the computer off",
}


def _ways(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    if busy := in_play(machine):
        return busy
    return [
        Line(words, tone="bad", leads=Job(_depart(way), question="End the program now?", confirmations=2))
        for way, words in WAYS.items()
    ]


def _depart(way: Departure) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    async def leave(machine: ServicedMachine, submission: Submission) -> str:
        def record(tx: Transaction) -> None:
            tx.refuse_in_play()
            if note_in_hand(tx) is not None:
                raise RefusedError("A note is being taken: wait for its end")
            tx.event(Event.DEPARTURE, what=way, who=submission.who)

        await machine.journal.attempt(record)
        machine.host.leave(way)
        return LEFT

    return leave


PAGES = (Page("U.10", "Restart, reboot, power off", _ways, technician=True),)
