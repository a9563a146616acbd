"""The host ports as a part of the cabinet; a cabinet without a host imports none of the rest."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from controller.fitting import Cabinet, Task

if TYPE_CHECKING:
    from controller.features.sas.ports import HostPorts


class HostLines:
    """The lines to the hosts, each served while the cabinet may speak, and what hosts have locked."""

    def __init__(self, cabinet: Cabinet, ports: "HostPorts") -> None:
        self._serve = cabinet.serve
        self._ports = ports

    def tasks(self) -> Iterator[Task]:
        """Yield a task for each line, and one for the locks."""
        yield Task("host locks", self._ports.run())
        for link in self._ports.links:
            yield Task(link.name, self._serve(link))


def host_lines(cabinet: Cabinet) -> HostLines | None:
    """Return the host ports of a cabinet, None where `cabinet.toml` has none."""
    machine = cabinet.machine
    config = machine.settings.file_config
    if config.host_port is None and config.host_port_2 is None:
        return None
    from controller.features.sas.ports import HostPorts  # noqa: PLC0415 - a cabinet without a host never imports it

    return HostLines(cabinet, HostPorts(machine, machine.clock, cabinet.wires.host_line, cabinet.hardware.hopper))
