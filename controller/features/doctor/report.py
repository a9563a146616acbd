"""The whole report, subject by subject."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from controller.configuration.cabinet_toml import Config, ConfigurationError, load
from controller.features.doctor import board, computer, pins
from controller.features.doctor.expected import port_findings
from controller.features.doctor.ports import find_ports
from controller.features.doctor.world import World
from controller.settings.settings import fitted
from controller.settings.unfit_settings import settings_in
from controller.system.findings import Finding, checks_of_features, fine, note, wrong

Check = Callable[[World, Config | None], Iterator[Finding]]

BEFORE_PORTS: Final[tuple[Check, ...]] = (board.board, board.overlays, board.groups, pins.pins, pins.expanders)
AFTER_PORTS: Final[tuple[Check, ...]] = (
    computer.screen,
    computer.sound,
    computer.clock,
    computer.card,
    computer.room,
    computer.units,
)
SUBJECT: Final = "cabinet.toml"


def configuration(world: World, file: Path | None) -> tuple[Config | None, list[Finding]]:
    """Return the configuration in `file`, or None if it is missing or invalid, with the findings about it."""
    if file is None or not world.may_exist(file):
        named = "none" if file is None else f"there is no {file}"
        mend = "copy docs/cabinet.toml to /etc/cabinet/cabinet.toml and change it to your wiring"
        return None, [note(SUBJECT, f"{named}: nothing is compared with it", mend)]
    try:
        config = load(world.path(file))
    except ConfigurationError as error:
        return None, [wrong(SUBJECT, one.text, f"mend it in {file}", key=one.key) for one in error.problems]
    return _in_force(world, config, fine(SUBJECT, f"{file} is in order"))


def _in_force(world: World, config: Config, well: Finding) -> tuple[Config, list[Finding]]:
    """Return a configuration combined with the settings of the service menu, if the books can be read."""
    journal = config.cabinet.journal
    stored = settings_in(world.path(journal))
    if stored is not None:
        return fitted(config, stored).config, [well]
    if not world.may_exist(journal):
        return config, [well]
    unread = f"{journal} cannot be read: what was set in the service menu is not known"
    return config, [well, note(SUBJECT, unread, "run `sudo cabinet doctor`")]


async def report(world: World, file: Path | None) -> list[Finding]:
    """Return all findings about this computer, compared with the configuration in `file`."""
    config, findings = configuration(world, file)
    for check in BEFORE_PORTS:
        findings += check(world, config)
    findings += port_findings(world, config, await find_ports(world, config))
    for check in (*checks_of_features(), *AFTER_PORTS):
        findings += check(world, config)
    return findings
