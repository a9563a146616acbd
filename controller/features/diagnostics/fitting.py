"""The device tests as a part of the cabinet: the menu's live pages, and the settling of an interrupted hopper test."""

from collections.abc import Iterator

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.dispense import DiagnosticDispense
from controller.features.diagnostics.runner import TestRunner
from controller.fitting import Cabinet, Task


class DeviceTests:
    """The device tests of a cabinet; `dispense` is that of its hopper, None without one."""

    def __init__(self, cabinet: Cabinet) -> None:
        hardware, journal = cabinet.hardware, cabinet.machine.journal
        self.dispense = (
            DiagnosticDispense(journal, cabinet.clock, cabinet.listener, hardware.hopper) if hardware.hopper else None
        )
        self.context = TestContext(cabinet.serviced, hardware, cabinet.outputs, self.dispense)
        cabinet.menu.fit(TestRunner(self.context))

    def tasks(self) -> Iterator[Task]:
        """Yield the task that settles an interrupted dispense."""
        if self.dispense is not None:
            yield Task("cut-off hopper test", self.dispense.run())
