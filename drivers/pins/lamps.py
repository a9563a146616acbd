"""The lamps in the panel's buttons."""

from collections.abc import Mapping
from typing import Literal

from drivers.clock import Clock
from drivers.pin_names import Pin
from drivers.pins.flashing import FlashingOutputs
from drivers.pins.header import PinHeader

LampPattern = Literal["off", "on", "blink"]

_HALF_PERIODS_MS = {"blink": 250}


class Lamps(FlashingOutputs):
    """The lamps by button name; `pins` gives each its pin. `blink` is 2 Hz."""

    def __init__(self, pins: Mapping[str, Pin], header: PinHeader, clock: Clock) -> None:
        super().__init__("lamps", pins, header, clock, _HALF_PERIODS_MS)

    def set(self, patterns: Mapping[str, LampPattern]) -> None:
        """Set the patterns; lamps that are not named are off. Raises as `FlashingOutputs.show`."""
        self.show(patterns)
