"""The host ports as a part of the cabinet; a cabinet without a host does not import the other modules."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from controller.features.sas.configuration import host_ports
from controller.fitting import Cabinet, Task

if TYPE_CHECKING:
    from controller.features.sas.ports import HostPorts


class HostLines:
    """The host lines, served while the cabinet may communicate, and the hosts' locks."""

    def __init__(self, cabinet: Cabinet, ports: "HostPorts") -> None:
        self._serve = cabinet.serve
        self._ports = ports

    def tasks(self) -> Iterator[Task]:
        """Yield one task for each line and one for the locks."""
        yield Task("host locks", self._ports.run())
        for link in self._ports.links:
            yield Task(link.name, self._serve(link))


def host_lines(cabinet: Cabinet) -> HostLines | None:
    """Return the cabinet's host ports, or None if `cabinet.toml` has none."""
    machine = cabinet.machine
    config = machine.settings.file_config
    if not host_ports(config):
        return None
    from controller.features.sas.ports import HostPorts  # noqa: PLC0415 - a cabinet without a host never imports it

    return HostLines(cabinet, HostPorts(machine, machine.clock, cabinet.wires.host_line, cabinet.hardware.hopper))
