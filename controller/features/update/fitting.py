"""Verification and updates of the running program: what the menu works with, and the part that runs beside it."""

from collections.abc import Iterator

from controller.features.update.desk import ProgramDesk
from controller.features.update.orders import THIS_MACHINE
from controller.features.update.software_watch import SoftwareWatch, proof_of_this
from controller.features.update.trial_watch import UpdateTrial
from controller.fitting import Cabinet, Task
from controller.service.serviced_machine import ServicedMachine


def add_program(machine: ServicedMachine) -> None:
    """Add the verification and the updates of the program to what the menu works with."""
    journal, conditions, states = machine.journal, machine.conditions, machine.states
    software = SoftwareWatch(journal, states, machine.clock)
    trial = UpdateTrial(journal, conditions, states, machine.clock, machine.host)
    conditions.register(software.active)
    conditions.register(trial.active)
    conditions.on_door_closed(software.door_shut)
    machine.fit(software)
    machine.fit(trial)
    machine.program = ProgramDesk(software, trial, journal.path)


class RunningProgram:
    """Verifies the running program and serves its updates; a source tree has neither."""

    def __init__(self, cabinet: Cabinet) -> None:
        machine, config = cabinet.serviced, cabinet.machine.settings.file_config
        self._cabinet = cabinet
        self._software, self._trial = machine.of(SoftwareWatch), machine.of(UpdateTrial)
        if (proof := proof_of_this(config.display.baked)) is not None:
            self._software.fit(proof)
            self._trial.fit(THIS_MACHINE, cabinet.boot)
        cabinet.communication.hold_until(lambda: self._software.was_proved)
        cabinet.machine.at_start.append(self._software.at_start)

    def tasks(self) -> Iterator[Task]:
        """Yield the tasks of the verification and of the updates."""
        yield Task("software watch", self._software.run())
        yield Task("updates", self._trial.run(self._lacking))

    def _lacking(self) -> tuple[str, ...]:
        display, books = self._cabinet.machine.screen.connected, self._cabinet.books_proved_ms() is not None
        return self._trial.lacking(display=display, books=books)
