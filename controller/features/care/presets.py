"""Named sets of settings that a technician can apply in C.8."""

from collections.abc import Mapping
from typing import NamedTuple

from controller.configuration.cabinet_toml import Config
from controller.settings.settings import Value, value_at


class Preset(NamedTuple):
    """A preset: its name, its settings, and the code of the jurisdiction whose rules they follow, if they do."""

    name: str
    values: Mapping[str, Value]
    jurisdiction: str = ""


def _rules(
    *,
    least_ms: int,
    hurries: bool,
    autospin: bool,
    double_up: bool,
    stake_cents: int,
    prize_cents: int,
    check_minutes: int,
    rest_minutes: int,
    break_minutes: int,
    loss_limit: str,
) -> Mapping[str, Value]:
    """Return a jurisdiction's fair-play settings; `hurries` covers everything that speeds up or intensifies play."""
    return {
        "games.least_ms": least_ms,
        "games.turbo": hurries,
        "games.stop": hurries,
        "games.buy": hurries,
        "games.autospin": autospin,
        "games.autospin_spins": 1_000 if hurries else 25,
        "games.autospin_loss_limit": not hurries,
        "games.double_up": double_up,
        "games.celebrate_all": hurries,
        "games.largest_stake_cents": stake_cents,
        "games.largest_prize_cents": prize_cents,
        "player.clock": not hurries,
        "player.panel": not hurries,
        "player.reality_check_minutes": check_minutes,
        "player.rest_minutes": rest_minutes,
        "player.break_minutes": break_minutes,
        "player.loss_limit": loss_limit,
    }


JURISDICTIONS = (
    Preset(
        "Rules of the United Kingdom",
        _rules(
            least_ms=2_500,
            hurries=False,
            autospin=False,
            double_up=True,
            stake_cents=200,
            prize_cents=50_000,
            check_minutes=30,
            rest_minutes=0,
            break_minutes=15,
            loss_limit="asked",
        ),
        "uk",
    ),
    Preset(
        "Rules of Germany",
        _rules(
            least_ms=5_000,
            hurries=False,
            autospin=False,
            double_up=False,
            stake_cents=20,
            prize_cents=40_000,
            check_minutes=60,
            rest_minutes=5,
            break_minutes=5,
            loss_limit="required",
        ),
        "de",
    ),
    Preset(
        "Rules of Ontario",
        _rules(
            least_ms=2_500,
            hurries=False,
            autospin=False,
            double_up=False,
            stake_cents=500,
            prize_cents=1_000_000,
            check_minutes=60,
            rest_minutes=0,
            break_minutes=15,
            loss_limit="asked",
        ),
        "ontario",
    ),
    Preset(
        "Rules of New South Wales",
        _rules(
            least_ms=2_500,
            hurries=False,
            autospin=False,
            double_up=True,
            stake_cents=500,
            prize_cents=1_000_000,
            check_minutes=60,
            rest_minutes=0,
            break_minutes=15,
            loss_limit="asked",
        ),
        "nsw",
    ),
    Preset(
        "No jurisdiction's rules",
        _rules(
            least_ms=0,
            hurries=True,
            autospin=True,
            double_up=True,
            stake_cents=0,
            prize_cents=0,
            check_minutes=0,
            rest_minutes=0,
            break_minutes=0,
            loss_limit="none",
        ),
        "none",
    ),
)
"""One choice for each jurisdiction; docs/fair-play.md has the source of each value."""

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
    *JURISDICTIONS,
)
"""All presets: a bar, a quiet place, a test bench with limits of a few coins, and the jurisdictions."""


def in_force(preset: Preset, config: Config) -> bool:
    """Whether all settings of a preset have its values."""
    return all(value_at(config, key) == value for key, value in preset.values.items())
