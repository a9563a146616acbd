"""The patterns of the tower light's two to four tiers, by condition of the cabinet (requirements.md D11, D12).

`[tower]` of `cabinet.toml` changes the defaults here.
"""

import msgspec

from drivers.pins.tower_light import LightPattern
from drivers.wiring import TIERS


class Tiers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The pattern of each tier under one condition; an omitted tier shows that of a weaker condition."""

    top: LightPattern | None = None
    upper: LightPattern | None = None
    lower: LightPattern | None = None
    bottom: LightPattern | None = None


class Tower(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[tower]`: the patterns of every condition, the strongest condition first.

    This order is the priority: each tier shows the pattern of the first active condition that names it. `idle` is
    always active; `denominations` are idle patterns by the chosen coin value in cents.
    """

    locked: Tiers = Tiers(top="fast", upper="off", lower="off", bottom="off")
    door: Tiers = Tiers(top="fast", lower="fast")
    fault: Tiers = Tiers(top="fast", upper="fast")
    jackpot: Tiers = Tiers(top="medium", upper="medium", lower="medium", bottom="medium")
    hand_pay: Tiers = Tiers(top="slow", bottom="slow")
    out_of_service: Tiers = Tiers(top="slow", bottom="off")
    service_call: Tiers = Tiers(top="on", upper="on")
    opened: Tiers = Tiers(bottom="slow")
    booting: Tiers = Tiers(bottom="off")
    denominations: dict[str, Tiers] = {}
    idle: Tiers = Tiers(bottom="on")


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
