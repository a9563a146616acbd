"""The configuration in force: `cabinet.toml` overridden by the settings of the service menu."""

from collections.abc import Callable, Collection

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.faults import ActiveFault
from controller.journal.actor import Role
from controller.session.betting import playable, within_limits
from controller.settings.settings import fitted
from controller.system.network import Interfaces
from drivers.currency import Currency


class SettingsStore:
    """The file's configuration, and the configuration in force.

    `file_config` is the content of `cabinet.toml`; `fitted` is that with the settings of the service menu. It lacks
    games that fail the check at the start or have no bet within the house's largest stake and prize. `config` is in
    force: `fitted` without what hosts have switched off. `tender` is the currency that the devices were started with,
    or None before a start.
    """

    def __init__(self, file_config: Config, interfaces: Interfaces) -> None:
        self.file_config = file_config
        self.config = self.fitted = fitted(file_config, {}).config
        self.restrict: Callable[[Config], Config] = lambda config: config
        """Removes from a configuration what hosts have switched off."""
        self.unfit: dict[str, str] = {}
        """The games that the display cannot show, with the reason; they are not offered until the next start."""
        self.awaited: frozenset[str] = frozenset()
        """The games that are still being baked; each is offered once it is complete (`await_games`)."""
        self.tender: Currency | None = None
        self.calibration: tuple[float, ...] = ()
        """The touch screen's calibration, empty for none (`controller.machine.touch_calibration`)."""
        self.interfaces = interfaces
        self._settings: dict[str, str] | None = None

    def take(self, settings: dict[str, str], calibration: tuple[float, ...]) -> str:
        """Apply settings and calibration; return why the system refused the network settings, or an empty string."""
        self.calibration = calibration
        if settings == self._settings:
            return ""
        first, network = self._settings is None, self.config.network
        self._settings, self.fitted = settings, within_limits(fitted(self.file_config, settings).config)
        self.config = self._in_force()
        if first:
            self.tender = self.config.cabinet.money.tender
        return self.interfaces.obey(self.config.network) if first or self.config.network != network else ""

    def calibrate(self, calibration: tuple[float, ...]) -> None:
        """Use this calibration of the touch screen from now on."""
        self.calibration = calibration

    def reconsider(self) -> bool:
        """Apply the hosts' switches again; return whether that changed the configuration."""
        before, self.config = self.config, self._in_force()
        return self.config != before

    def withdraw(self, game: str, reason: str) -> bool:
        """Stop offering a game that the display cannot show; return whether that is new."""
        if game in self.unfit or game not in self.file_config.games.enabled:
            return False
        self.unfit[game] = reason
        self.reconsider()
        return True

    def await_games(self, games: Collection[str]) -> bool:
        """Offer all games except these; return whether that changed the offer."""
        self.awaited = frozenset(games)
        return self.reconsider()

    def active(self) -> list[ActiveFault]:
        """Return the fault that stops play if the display can show no game at all."""
        return [] if set(self.fitted.games.enabled) - set(self.unfit) else [ActiveFault("games_unfit", "display")]

    def _in_force(self) -> Config:
        """Return the configuration without what hosts have switched off, and without unplayable games.

        These are games that cannot be played or shown. If no game is left, nothing can be played, and a fault says why.
        """
        config = self.restrict(self.fitted)
        left = tuple(name for name in playable(config.games) if name not in self.unfit and name not in self.awaited)
        return msgspec.structs.replace(config, games=config.games.offering(left))

    def key_alone(self, key: Role) -> bool:
        """Whether this key needs no name and no PIN; always true without a technician's key, which could issue one."""
        return self.config.service.key_alone(key) or Role.TECHNICIAN not in self.file_config.pins.keys
