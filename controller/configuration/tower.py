"""The patterns of the tower light's two to four tiers, by condition of the cabinet (requirements.md D11, D12).

`[tower]` of `cabinet.toml` changes the defaults here.
"""

from typing import Annotated

import msgspec

from common.bounds import entries
from drivers.pins.tower_light import LightPattern
from drivers.wiring import TIERS


class Tiers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The pattern of each tier under one condition; an omitted tier shows that of a weaker condition."""

    top: LightPattern | None = None
    upper: LightPattern | None = None
    lower: LightPattern | None = None
    bottom: LightPattern | None = None


class Tower(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[tower]`: the pattern of each condition, the strongest first.

    Each tier shows the pattern of the first active condition that names it.
    """

    locked: Tiers = Tiers(top="fast", upper="off", lower="off", bottom="off")
    """The cabinet is locked."""
    door: Tiers = Tiers(top="fast", lower="fast")
    """A door is open."""
    fault: Tiers = Tiers(top="fast", upper="fast")
    """A fault stops play."""
    jackpot: Tiers = Tiers(top="medium", upper="medium", lower="medium", bottom="medium")
    """A large win waits, or a jackpot was won and no stake has followed."""
    hand_pay: Tiers = Tiers(top="slow", bottom="slow")
    """An attendant must pay."""
    out_of_service: Tiers = Tiers(top="slow", bottom="off")
    """The cabinet is out of service."""
    service_call: Tiers = Tiers(top="on", upper="on")
    """The player has called."""
    opened: Tiers = Tiers(bottom="slow")
    """A door was open, and no stake has followed."""
    booting: Tiers = Tiers(bottom="off")
    """The supervisor starts."""
    denominations: Annotated[dict[str, Tiers], entries("coin value in cents")] = {}
    """The cabinet is ready, by the chosen coin value in cents, such as `5 = { bottom = "off", lower = "on" }`."""
    idle: Tiers = Tiers(bottom="on")
    """Always."""


def shown(tower: Tower, holding: frozenset[str], coin_value_cents: int) -> dict[str, LightPattern]:
    """Return the pattern of each tier under these active conditions."""
    patterns: dict[str, LightPattern] = {}
    for condition in Tower.__struct_fields__:
        if condition == "denominations":
            row = tower.denominations.get(str(coin_value_cents), Tiers())
        elif condition == "idle" or condition in holding:
            row = getattr(tower, condition)
        else:
            continue
        for tier in TIERS:
            pattern = getattr(row, tier)
            if pattern is not None:
                patterns.setdefault(tier, pattern)
    return patterns
