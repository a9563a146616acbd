"""The tower light on top of the cabinet: tiers, each off, on, or flashing (requirements.md D11, D12)."""

from collections.abc import Mapping
from typing import Literal

from drivers.clock import Clock
from drivers.pins.flashing import FlashingOutputs
from drivers.pins.header import PinHeader
from drivers.wiring import Tier

LightPattern = Literal["off", "on", "slow", "medium", "fast"]
"""The five states of a tier (D11)."""

_HALF_PERIODS_MS = {"slow": 500, "medium": 300, "fast": 200}


class TowerLight(FlashingOutputs):
    """The tiers by name, as wired. `slow` is one flash a second, `medium` five in three seconds, `fast` two and a half.

    No standard in force defines these rates; they are three distinguishable rates below the limit in `flashing`.
    """

    def __init__(self, tiers: Mapping[str, Tier], header: PinHeader, clock: Clock) -> None:
        pins = {name: tier.pin for name, tier in tiers.items()}
        super().__init__("tower_light", pins, header, clock, _HALF_PERIODS_MS)

    def set(self, patterns: Mapping[str, LightPattern]) -> None:
        """Set the patterns of the fitted tiers; tiers that are not named are off. Raises as `show`."""
        self.show({tier: pattern for tier, pattern in patterns.items() if tier in self.fitted})
