"""Warnings of `check-config` and of a start about allowed but inadvisable settings."""

from collections.abc import Iterator

from controller.configuration.cabinet_toml import Config
from controller.configuration.cut_wires import unnoticed
from controller.configuration.fields import Problem
from controller.configuration.pins import PULLED_UP


def advice(config: Config) -> Iterator[Problem]:
    """Yield a warning with its remedy for each setting that is allowed but leaves something to chance."""
    if config.cabinet.second_copy_file is None:
        yield Problem("cabinet.second_copy", "is empty; name a file on another medium than the books")
    for wire in unnoticed(config.pins):
        yield Problem(wire.key, "lets a cut wire go unnoticed; wire the switch the other way round")
    if "main" not in config.pins.doors:
        yield Problem("pins.doors.main", "is missing: set-up, tests, settings and the full clear need it open; wire it")
    if "technician" not in config.pins.keys:
        yield Problem("pins.keys.technician", "is missing: nobody opens a technician's pages at the cabinet; wire it")
    lights = {f"pins.buttons.{name}.lamp": button.lamp for name, button in config.pins.buttons.items()}
    lights |= {f"pins.tower.{name}.pin": tier.pin for name, tier in config.pins.tower.items()}
    for key, pin in lights.items():
        if pin in PULLED_UP:
            yield Problem(key, f"is pin {pin}, which the Pi pulls up while it boots: the light is on until then")
