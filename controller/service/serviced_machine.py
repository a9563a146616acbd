"""The machine as the service menu works with it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from controller.configuration.cabinet_toml import Config
from controller.journal.actor import Actor, Role
from controller.journal.people import Person
from controller.journal.transaction import Transaction
from controller.keys.pins import PinFile
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.jackpots import VenueDesk
from controller.machine.journal_port import JournalPort
from controller.machine.key_switches import KeySwitches
from controller.machine.ports import Screen
from controller.machine.program import Program
from controller.machine.settings_store import SettingsStore
from controller.machine.state_machine import StateMachine
from controller.system.clock_watch import ClockWatch
from controller.system.host import Host
from controller.system.watchdog import TaskMonitor
from drivers.clock import Clock

T = TypeVar("T")


class SetUp:
    """Guides the set-up of a new cabinet; this one guides nobody."""

    def begin(self, tx: Transaction) -> None:
        """Begin the set-up, unless it was begun before."""

    def was_begun(self, tx: Transaction) -> bool:  # noqa: ARG002 - a feature's guide reads it there
        """Whether the set-up was ever begun."""
        return False

    def page(self, tx: Transaction) -> str:  # noqa: ARG002 - as above
        """Return the code of the page with which the technician's menu opens, empty unless a set-up is in progress."""
        return ""


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
    program: Program | None = None
    """Verifies and updates the running program, None without that feature."""
    cards: StaffCards | None = None
    """Identifies people by their cards, None without that feature."""
    venue: VenueDesk | None = None
    """The link to the venue, None for a cabinet without one."""
    set_up: SetUp = field(default_factory=SetUp)
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

    def of(self, kind: type[T]) -> T:
        """Return what was fitted of that class; raise `LookupError` if nothing was."""
        found = self.fitted(kind)
        if found is None:
            raise LookupError(kind.__name__)
        return found
