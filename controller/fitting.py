"""What features run beside the cabinet: built once from it, and served until it ends.

A feature's `feature.py` names the function that builds its part (`Feature.part`), and the one for a cabinet that is
locked from the start (`Feature.locked_part`). The supervisor asks all features, and knows none.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from controller import feature
from controller.books.opening import Archiving
from controller.configuration.cabinet_toml import Config
from controller.hardware.hardware import Hardware
from controller.hardware.wires import Wires
from controller.journal.event_catalogue import Event
from controller.machine.machine import Machine
from controller.service.serviced_machine import ServicedMachine
from controller.system.peers import Bounds
from drivers.capabilities import Driver
from drivers.clock import Clock
from ui.protocol.messages import ServicePage
from ui.protocol.values import Money


class Menu(Protocol):
    """The service menu as a console uses it: the machine's, or that of a locked cabinet."""

    @property
    def turn(self) -> int:
        """The number of the current page."""

    @property
    def page(self) -> ServicePage | None:
        """The page, None while the menu is closed."""

    @property
    def live(self) -> frozenset[str]:
        """The live controls of the page."""

    @property
    def locked(self) -> str:
        """Why the cabinet is locked, empty if it is not."""

    @property
    def money(self) -> Money:
        """The format of amounts."""

    def press(self, control: str, origin: str) -> asyncio.Event | None:
        """Take a press; the event is set once it has been handled."""

    def record(self, event: Event, by: str, /, **figures: str) -> None:
        """Record an event, if the journal can be written; repeated ones `by` the same user may be counted."""


class Task(NamedTuple):
    """Something that runs beside the cabinet: its name, the work, and whether a locked cabinet has it too."""

    name: str
    work: Coroutine[Any, Any, None]
    while_locked: bool = False


class Part(Protocol):
    """What a feature has built for this cabinet."""

    def tasks(self) -> Iterable[Task]:
        """Return what is to run from the start of service on; called once."""
        ...


@dataclass(frozen=True, kw_only=True)
class Cabinet:
    """The cabinet that parts are built from.

    `archiving` is what archives the past of its books, None for nothing. `serve` keeps a driver of an outside line
    running while the cabinet may communicate, until it is locked. `bounds` limit what the peers of a socket may send.
    `serviced` is the machine as the service menu uses it.
    """

    machine: Machine
    serviced: ServicedMachine
    hardware: Hardware
    wires: Wires
    clock: Clock
    archiving: Archiving | None
    bounds: Bounds
    serve: Callable[[Driver], Coroutine[Any, Any, None]]


@dataclass(frozen=True, kw_only=True)
class LockedCabinet:
    """A cabinet that is locked from the start: its configuration, and the menu on its screen."""

    config: Config
    menu: Menu
    clock: Clock


def parts_of(cabinet: Cabinet) -> Iterator[Part]:
    """Yield the parts of all features that have one for this cabinet."""
    for build in feature.each(lambda one: one.part):
        if (part := build(cabinet)) is not None:
            yield part


def tasks_of_locked(cabinet: LockedCabinet) -> Iterator[Task]:
    """Yield what features run in a cabinet that is locked from the start."""
    for build in feature.each(lambda one: one.locked_part):
        yield from build(cabinet)
