"""The console as a part of the cabinet, including one that is locked from the start."""

from collections.abc import Iterator

from controller.configuration.cabinet_toml import Config
from controller.features.console.link import GROUP, OWNER, ConsoleLink, MachineMenu
from controller.fitting import Cabinet, LockedCabinet, Menu, Task
from controller.system.peers import BOUNDS, Bounds
from drivers.clock import Clock


class Console:
    """The console's socket; it serves the menu, including that of a locked cabinet."""

    def __init__(self, link: ConsoleLink) -> None:
        self._link = link

    def tasks(self) -> Iterator[Task]:
        """Yield the task that serves the socket."""
        yield Task("console", self._link.run(), while_locked=True)


def console(cabinet: Cabinet) -> Console | None:
    """Return the cabinet's console, or None if nobody may use one."""
    link = link_of(
        cabinet.machine.settings.file_config, MachineMenu(cabinet.machine.parts), cabinet.clock, cabinet.bounds
    )
    return None if link is None else Console(link)


def locked_console(cabinet: LockedCabinet) -> Iterator[Task]:
    """Yield the task of the console of a cabinet that is locked from the start."""
    link = link_of(cabinet.config, cabinet.menu, cabinet.clock)
    return iter(()) if link is None else Console(link).tasks()


def link_of(config: Config, menu: Menu, clock: Clock, bounds: Bounds = BOUNDS) -> ConsoleLink | None:
    """Return the configured console's link, or None if there is none."""
    site = config.cabinet
    rights = {"owner": OWNER, "group": GROUP}.get(site.console)
    return None if rights is None else ConsoleLink(site.console_socket, menu, clock, mode=rights, bounds=bounds)
