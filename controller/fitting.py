"""What features run beside the cabinet: built once from it, and served until it ends.

A feature's `feature.py` names the function that builds its part (`Feature.part`), and the one for a cabinet that is
locked from the start (`Feature.locked_part`). The supervisor asks all features, and knows none.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from controller import feature
from controller.books.opening import Archiving
from controller.configuration.cabinet_toml import Config
from controller.errors import LockingError
from controller.hardware.driver_tasks import Resting
from controller.hardware.hardware import Hardware
from controller.hardware.money_listener import MoneyListener
from controller.hardware.outputs import Outputs
from controller.hardware.wires import Wires
from controller.journal.event_catalogue import EventKind
from controller.journal.receipt import Receipt
from controller.machine.communication import Communication
from controller.machine.machine import Machine
from controller.service.menu import ServiceMenu
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

    async def recorded(self) -> Receipt[object] | LockingError:
        """Return the proof that what the page shows is durable, or the lock of books that accept nothing."""

    def record(self, event: EventKind, by: str, /, **figures: str) -> None:
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
    """The cabinet that parts are built from."""

    machine: Machine
    serviced: ServicedMachine
    """The machine as the service menu uses it."""
    hardware: Hardware
    wires: Wires
    clock: Clock
    archiving: Archiving | None
    """What archives the past of its books, None for nothing."""
    bounds: Bounds
    """The limits of what the peers of a socket may send."""
    serve: Callable[[Driver], Coroutine[Any, Any, None]]
    """Keeps a driver of an outside line running while the cabinet may communicate, until it is locked."""
    communication: Communication
    menu: ServiceMenu
    outputs: Outputs
    listener: MoneyListener
    """Books the money that devices report."""
    resting: Resting
    """Stops drivers whose ports others use for a while."""
    boot: str
    """Identifies this start of the computer."""
    books_proved_ms: Callable[[], int | None]
    """Returns when the whole file of the books was proved, None before."""


@dataclass(frozen=True, kw_only=True)
class LockedCabinet:
    """A cabinet that is locked from the start by `error`: its configuration, and the menu on its screen."""

    config: Config
    menu: Menu
    clock: Clock
    error: LockingError
    is_proved: Callable[[], Awaitable[bool]] | None
    """Returns whether the program is as it was signed; None if that is not verified."""


def parts_of(cabinet: Cabinet) -> Iterator[Part]:
    """Yield the parts of all features that have one for this cabinet."""
    for build in feature.imported(lambda one: one.part):
        if (part := build(cabinet)) is not None:
            yield part


def tasks_of_locked(cabinet: LockedCabinet) -> Iterator[Task]:
    """Yield what features run in a cabinet that is locked from the start."""
    for build in feature.imported(lambda one: one.locked_part):
        yield from build(cabinet)
