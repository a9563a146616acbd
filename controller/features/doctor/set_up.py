"""What the doctor adds to the cabinet: the guide of a new one's set-up, and the search for devices on its ports."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from controller.faults import UNREACHABLE
from controller.features.doctor.guide_journal import OVERVIEW, begin_guide, next_step, was_begun
from controller.fitting import Cabinet, Part
from controller.hardware.driver_tasks import Resting
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from controller.service.serviced_machine import ServicedMachine, SetUp

if TYPE_CHECKING:
    from controller.features.doctor.ports import PortFound
    from controller.features.doctor.world import World


class Guide(SetUp):
    """The set-up guide, as the gate and the menu use it."""

    def begin(self, tx: Transaction) -> None:
        """Begin the guide."""
        begin_guide(tx)

    def was_begun(self, tx: Transaction) -> bool:
        """Whether the guide was ever begun."""
        return was_begun(tx)

    def page(self, tx: Transaction) -> str:
        """Return the overview's code while the guide is in progress."""
        return "" if next_step(tx) is None else OVERVIEW


class DeviceSearch:
    """The search for devices; `run` is None if there are no real ports."""

    def __init__(self) -> None:
        self.run: Callable[[], Awaitable[Sequence[PortFound]]] | None = None


def add_guide(machine: ServicedMachine) -> None:
    """Add the guide and its search to what the menu works with."""
    machine.set_up = Guide()
    machine.fit(DeviceSearch())


def search(cabinet: Cabinet) -> Part | None:
    """Let the guide search the ports of a cabinet that is not simulated; nothing runs beside it."""
    machine = cabinet.machine
    if not machine.settings.file_config.simulated:
        cabinet.serviced.of(DeviceSearch).run = lambda: find_devices(machine, cabinet.resting)
    return None


async def find_devices(
    machine: Machine, resting: Resting, world: "Callable[[], World] | None" = None
) -> "Sequence[PortFound]":
    """Probe the ports that no device serves; drivers whose devices do not answer rest meanwhile."""
    from controller.features.doctor.ports import KINDS, find_ports  # noqa: PLC0415 - the guide asks, no start does
    from controller.features.doctor.world import real_world  # noqa: PLC0415 - as above

    present = {fault.place for fault in machine.conditions.faults if fault.present and fault.code in UNREACHABLE}
    async with resting.held(present & set(KINDS)):
        return await find_ports((world or real_world)(), machine.settings.fitted)
