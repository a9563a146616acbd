"""The machine as the service menu works with it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from controller.configuration.cabinet_toml import Config
from controller.features.update.software_watch import SoftwareWatch
from controller.features.update.trial_watch import UpdateTrial
from controller.journal.actor import Actor, Role
from controller.journal.people import Person
from controller.keys.pins import PinFile
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.jackpots import VenueDesk
from controller.machine.journal_port import JournalPort
from controller.machine.key_switches import KeySwitches
from controller.machine.ports import Screen
from controller.machine.settings_store import SettingsStore
from controller.machine.state_machine import StateMachine
from controller.system.clock_watch import ClockWatch
from controller.system.host import Host
from controller.system.watchdog import TaskMonitor
from drivers.clock import Clock

if TYPE_CHECKING:
    from controller.features.doctor.ports import PortFound


T = TypeVar("T")


class StaffCards(Protocol):
    """Identifies people by their cards (requirements.md S1)."""

    def taken_at(self, key: Role) -> bool:
        """Whether cards are accepted while that key is turned."""

    def needed_at(self, key: Role) -> bool:
        """Whether a PIN alone is not enough at that key."""

    async def owner_of(self, number: str, key: Role) -> Person:
        """Record a presented card and return its owner; raise `RefusedError` if it is not accepted at that key."""


@dataclass
class ServicedMachine:
    """The parts that the menu's pages read and change."""

    journal: JournalPort
    settings: SettingsStore
    conditions: Conditions
    play: GameState
    states: StateMachine
    keys: KeySwitches
    screen: Screen
    clock: Clock
    host: Host
    pins: PinFile
    clock_watch: ClockWatch
    task_monitor: TaskMonitor
    software: SoftwareWatch
    update_trial: UpdateTrial
    cards: StaffCards | None = None
    """Identifies people by their cards, None without that feature."""
    venue: VenueDesk | None = None
    """The link to the venue, None for a cabinet without one."""
    survey: Callable[[], Awaitable[Sequence["PortFound"]]] | None = None
    """Probes the serial ports and returns which device answers on each; None if there are no real ports."""
    give_note_up: Callable[[], None] | None = None
    """Lets the validator stop waiting for the result of the current note; None without a validator."""
    started_with: Config | None = None
    """The configuration that the drivers were started with, None without drivers."""
    actor: Actor | None = None
    """The person who uses the menu, None while unknown."""
    thermometer: Callable[[], float | None] = lambda: None
    """Returns the computer's temperature in °C, or None if it cannot be read."""
    _fitted: dict[type, object] = field(default_factory=dict)

    def fit(self, equipment: object) -> None:
        """Add what a feature's pages work with; it is found by its class."""
        self._fitted[type(equipment)] = equipment

    def fitted(self, kind: type[T]) -> T | None:
        """Return what was fitted of that class, or None."""
        found = self._fitted.get(kind)
        return found if isinstance(found, kind) else None
