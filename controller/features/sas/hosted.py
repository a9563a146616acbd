"""What a port's answers are computed from: the machine's parts, the journal's figures and the port's settings."""

from typing import NamedTuple, Protocol

from controller.configuration.cabinet_toml import Config
from controller.configuration.tickets import tickets_of
from controller.features.sas.configuration import HostPort
from controller.features.sas.figures import Figures
from controller.features.sas.observer import Observed, Observer
from controller.machine.key_switches import KeySwitches
from controller.machine.view import MachineParts
from controller.system.clock_watch import ClockWatch
from controller.system.host import Host
from drivers.capabilities import Level
from drivers.clock import Clock


class FilledHopper(Protocol):
    """The hopper as hosts see it."""

    @property
    def level(self) -> Level:
        """The hopper's level."""

    @property
    def ready(self) -> bool:
        """Whether the hopper answers."""

    @property
    def coin_value_cents(self) -> int:
        """The value of one coin in cents."""


class Hosted(NamedTuple):
    """One port's view of the cabinet; `name` is its table in `cabinet.toml`."""

    name: str
    settings: HostPort
    parts: MachineParts
    keys: KeySwitches
    observer: Observer
    clock: Clock
    clock_watch: ClockWatch
    computer: Host
    hopper: FilledHopper | None

    @property
    def address(self) -> int:
        """The cabinet's address on the line."""
        return self.settings.address

    @property
    def now(self) -> Observed:
        """The journal's state for hosts."""
        return self.observer.now

    @property
    def figures(self) -> Figures:
        """The journal's figures."""
        return self.observer.now.figures

    @property
    def config(self) -> Config:
        """The current configuration."""
        return self.parts.settings.config

    @property
    def validates(self) -> bool:
        """Whether this host validates the cabinet's tickets."""
        return tickets_of(self.config).validated_by == self.name

    def may(self, what: str) -> bool:
        """Whether this host has the permission `what`."""
        return what in self.settings.may

    def to_credits(self, cents: int) -> int:
        """Return an amount in credits of the accounting denomination."""
        return cents // self.settings.denomination_cents
