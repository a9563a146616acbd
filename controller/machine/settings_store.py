"""The configuration in force: `cabinet.toml` with the settings of the service menu over it."""

from collections.abc import Callable

from controller.configuration.cabinet_toml import Config
from controller.journal.actor import Role
from controller.session.betting import within_limits
from controller.settings.settings import fitted
from controller.system.network import Interfaces
from drivers.currency import Currency


class SettingsStore:
    """`file_config` is what `cabinet.toml` says, `fitted` is that with the settings of the service menu.

    Games without a bet within the house's largest stake and prize are not in it. `config` is what is in force: `fitted`
    without what hosts have switched off.

    `tender` is the currency that the devices were started with, None before a start.
    """

    def __init__(self, file_config: Config, interfaces: Interfaces) -> None:
        self.file_config = self.config = self.fitted = file_config
        self.restrict: Callable[[Config], Config] = lambda config: config
        """Takes out of a configuration what hosts have switched off."""
        self.tender: Currency | None = None
        self.calibration: tuple[float, ...] = ()
        """The touch screen's map, empty for none (`controller.machine.touch_calibration`)."""
        self.interfaces = interfaces
        self._settings: dict[str, str] | None = None

    def take(self, settings: dict[str, str], calibration: tuple[float, ...]) -> str:
        """Apply settings and map; return why the system refused the network settings, empty where it did not."""
        self.calibration = calibration
        if settings == self._settings:
            return ""
        first, network = self._settings is None, self.config.network
        self._settings, self.fitted = settings, within_limits(fitted(self.file_config, settings).config)
        self.config = self.restrict(self.fitted)
        if first:
            self.tender = self.config.cabinet.money.tender
        return self.interfaces.obey(self.config.network) if first or self.config.network != network else ""

    def calibrate(self, calibration: tuple[float, ...]) -> None:
        """Use this map of the touch screen from now on."""
        self.calibration = calibration

    def reconsider(self) -> bool:
        """Take out again what hosts have switched off; return whether that has changed the configuration."""
        before, self.config = self.config, self.restrict(self.fitted)
        return self.config != before

    def key_alone(self, key: Role) -> bool:
        """Whether that key needs no name and no PIN; always so without a technician's key, who could issue one."""
        return self.config.service.key_alone(key) or Role.TECHNICIAN not in self.file_config.pins.keys
