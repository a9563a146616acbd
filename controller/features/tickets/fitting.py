"""The ticket desk as a part of the cabinet, and the clerk who prints slips for attendants."""

from collections.abc import Iterator

from controller.features.tickets.attendant_slips import SlipClerk
from controller.features.tickets.desk import Desk
from controller.fitting import Cabinet, Task
from controller.keys.ticket_numbers import TicketNumbers
from controller.machine.machine import Machine


def fit_desk(machine: Machine) -> None:
    """Let a machine pay by tickets, and take them."""
    desk = Desk(machine, TicketNumbers(machine.settings.file_config.cabinet.key_file).of)
    machine.tickets.desk = desk
    machine.conditions.register(desk.active)


class TicketPart:
    """The desk, and with a printer the clerk."""

    def __init__(self, cabinet: Cabinet) -> None:
        machine, printer = cabinet.machine, cabinet.hardware.ticket_printer
        fit_desk(machine)
        self.clerk = None if printer is None else SlipClerk(machine.journal, machine.settings, printer, cabinet.clock)
        if self.clerk is not None:
            cabinet.serviced.fit(self.clerk)

    def tasks(self) -> Iterator[Task]:
        """Yield the task that prints slips by itself."""
        if self.clerk is not None:
            yield Task("slips", self.clerk.run())
