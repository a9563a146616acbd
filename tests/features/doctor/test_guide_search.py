"""The set-up guide's search on a whole cabinet: ports that are served are left alone, silent drivers rest meanwhile."""

from dataclasses import replace
from pathlib import Path

from controller.features.doctor.ports import PortFound
from controller.features.doctor.set_up import DeviceSearch, find_devices
from drivers.port import Port
from drivers.probe import LineSettings
from drivers.simulated.cctalk.hopper import SimulatedHopper
from tests.rigs.doctored import pi4
from tests.rigs.technician import technician_at


async def test_a_demo_looks_for_nothing(tmp_path: Path) -> None:
    """The computer's own serial ports are none of a demo's."""
    async with technician_at(tmp_path) as technician:
        assert technician.service.machine.of(DeviceSearch).run is None


async def test_a_silent_driver_rests_while_its_port_is_asked(tmp_path: Path) -> None:
    """The hopper's driver, whose device is gone, has its port closed throughout; the others go on serving theirs."""
    async with technician_at(tmp_path) as technician:
        cabinet = technician.cabinet
        supervisor = cabinet.supervisor
        assert supervisor is not None
        cabinet.lines["hopper"].unplug()
        present = supervisor.machine.conditions
        await cabinet.until(lambda: any(fault.place == "hopper" and fault.present for fault in present.faults))
        computer = pi4(tmp_path / "computer")
        asked: list[bool] = []

        def open_port(settings: LineSettings) -> Port:
            asked.append(cabinet.lines["hopper"].port._open)
            return computer.lines[settings.path].port

        hopper = SimulatedHopper()
        port = computer.plug(4, hopper)
        hopper.power(on=True)
        world = replace(computer.world, open_port=open_port)
        found = await find_devices(supervisor.machine, supervisor.resting, lambda: world)
        assert asked
        assert not any(asked)
        (one,) = found
        assert isinstance(one, PortFound)
        assert (one.path, [device.kind for device in one.heard.devices]) == (port, ["Payout"])
        cabinet.lines["hopper"].plug()
        await cabinet.until(lambda: not any(fault.place == "hopper" and fault.present for fault in present.faults))
