"""Named sets of settings: a technician takes one of them in C.8, and goes on from there."""

from collections.abc import Mapping
from typing import NamedTuple

from controller.configuration.cabinet_toml import Config
from controller.settings.settings import Value, value_at


class Preset(NamedTuple):
    """One set: what it is called, and what it sets."""

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
"""A bar in the street; one where nobody should hear it; and a bench, on which limits are reached with a few coins."""


def in_force(preset: Preset, config: Config) -> bool:
    """Whether all that a preset sets is in force."""
    return all(value_at(config, key) == value for key, value in preset.values.items())
