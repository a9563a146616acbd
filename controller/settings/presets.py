"""Named sets of settings that a technician can apply in C.8."""

from collections.abc import Mapping
from typing import NamedTuple

from controller.configuration.cabinet_toml import Config
from controller.settings.settings import Value, value_at


class Preset(NamedTuple):
    """A preset: its name and its settings."""

    name: str
    values: Mapping[str, Value]


PRESETS = (
    Preset(
        "Street site",
        {
            "limits.credit_cents": 100_000,
            "limits.notes_credit_cents": 20_000,
            "limits.hopper_cents": 20_000,
            "limits.large_win_cents": 120_000,
            "games.autospin": True,
            "games.double_up": True,
            "sound.percent": 80,
            "sound.attract": True,
            "display.brightness_percent": 100,
            "timing.attract_after_ms": 60_000,
            "service.idle_s": 120,
            "service.pin_attempts": 3,
            "service.barred_minutes": 30,
        },
    ),
    Preset(
        "Quiet place",
        {
            "sound.percent": 30,
            "sound.attract": False,
            "display.brightness_percent": 70,
            "timing.attract_after_ms": 300_000,
        },
    ),
    Preset(
        "Test bench",
        {
            "limits.credit_cents": 20_000,
            "limits.notes_credit_cents": 0,
            "limits.hopper_cents": 1_000,
            "limits.large_win_cents": 5_000,
            "games.autospin": True,
            "games.double_up": True,
            "sound.percent": 20,
            "sound.attract": False,
            "display.brightness_percent": 60,
            "timing.attract_after_ms": 600_000,
            "service.idle_s": 900,
            "service.pin_attempts": 10,
            "service.barred_minutes": 5,
        },
    ),
)
"""A bar in the street; a place where it must be quiet; and a test bench, with limits that a few coins reach."""


def in_force(preset: Preset, config: Config) -> bool:
    """Whether all settings of a preset have its values."""
    return all(value_at(config, key) == value for key, value in preset.values.items())
