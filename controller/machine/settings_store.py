"""The configuration in force: `cabinet.toml` with the settings of the service menu over it."""

from controller.configuration.cabinet_toml import Config
from controller.journal.actor import Role
from controller.settings.settings import fitted
from controller.system.network import Interfaces
from drivers.currency import Currency


class SettingsStore:
    """`file_config` is what `cabinet.toml` says; `config` is that with the settings of the service menu.

    `tender` is the currency that the devices were started with, None before a start.
    """

    def __init__(self, file_config: Config, interfaces: Interfaces) -> None:
        self.file_config = self.config = file_config
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
        self._settings, self.config = settings, fitted(self.file_config, settings).config
        if first:
            self.tender = self.config.cabinet.money.tender
        return self.interfaces.obey(self.config.network) if first or self.config.network != network else ""

    def key_alone(self, key: Role) -> bool:
        """Whether that key needs no name and no PIN; always so without a technician's key, who could issue one."""
        return self.config.service.key_alone(key) or Role.TECHNICIAN not in self.file_config.pins.keys
