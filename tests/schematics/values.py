"""The parts of the circuits in docs/wiring.md, and what follows from their values.

A data sheet's figures are named with it; the page cites where they can be read.
"""

from math import log
from typing import NamedTuple

LOGIC_V = (3.2, 3.4)
"""A GPIO's high level under a load of microamperes, lowest and highest: 3.3 V, 3 % either way."""
RISE_V = 2.36
"""Highest rising threshold of a 74HC14 at 3.3 V, between its 1.5 V at 2.0 V and 3.15 V at 4.5 V."""
FALL_V = (0.61, 1.47)
"""Falling threshold of a 74HC14 at 3.3 V, between 0.3 to 0.9 V at 2.0 V and 0.9 to 2.0 V at 4.5 V."""
LEAK_A = 1e-6
"""Highest input current of a 74HC14, into or out of it."""
CLAMP_V = 0.4
"""A BAT85's forward voltage at a few milliamperes."""


class TimeLimit(NamedTuple):
    """The time limit of one hard meter: `series_ohms`, `farads`, then a clamp and `bleed_ohms` to ground."""

    series_ohms: float = 1_000.0
    farads: float = 4.7e-6
    bleed_ohms: float = 100_000.0
    farads_off: float = 0.1
    ohms_off: float = 0.01

    @property
    def shortest_s(self) -> float:
        """How long a coil stays under current at the least: every part at its worst, right after another pulse."""
        start, leak = LOGIC_V[0] - CLAMP_V, LEAK_A * self.bleed_ohms
        lasts = self.farads * (1 - self.farads_off) * self.bleed_ohms * (1 - self.ohms_off)
        return lasts * log((start + leak) / (FALL_V[1] + leak))

    @property
    def longest_s(self) -> float:
        """How long a coil stays under current at the most: every part at its worst, after a long rest."""
        start, leak = LOGIC_V[1], LEAK_A * self.bleed_ohms
        lasts = self.farads * (1 + self.farads_off) * self.bleed_ohms * (1 + self.ohms_off)
        return lasts * log((start - leak) / (FALL_V[0] - leak))

    @property
    def ready_s(self) -> float:
        """The gap after which the capacitor is discharged to 2 %."""
        return 4 * self.farads * (1 + self.farads_off) * self.series_ohms

    @property
    def surge_a(self) -> float:
        """The highest current that a pin gives or takes."""
        return LOGIC_V[1] / self.series_ohms


METER_LIMIT = TimeLimit()

LAMP_V = 12.0
LAMP_LED_V = 3.0
LAMP_OHMS = 390.0
LAMP_A = (LAMP_V - LAMP_LED_V) / LAMP_OHMS
"""A lit button with one white LED behind 390 Ω."""

ULN_ON_V = 1.1
"""A ULN2803A's output at 100 mA, highest."""
ULN_STRONG_V = 1.6
"""The same at 350 mA."""
ULN_K_PER_W = 55.0
ULN_JUNCTION_C = 125.0


METER_A = TIER_A = 0.1
"""Assumed: no public page has them; 12 V divided by the coil's resistance."""
LOCKOUT_A = 0.25


def array_watts(weak_a: float, strong_a: float = 0.0) -> float:
    """Return what a ULN2803A turns into heat: `weak_a` through outputs of up to 0.1 A each, `strong_a` up to 0.35 A."""
    return weak_a * ULN_ON_V + strong_a * ULN_STRONG_V


def array_watts_allowed(ambient_c: float) -> float:
    """Return what a ULN2803A may turn into heat at that temperature of the air around it."""
    return (ULN_JUNCTION_C - ambient_c) / ULN_K_PER_W


CCTALK_PULL_UP_OHMS = 10_000.0
CCTALK_BASE_OHMS = 4_700.0
CCTALK_RECEIVE_OHMS = 22_000.0

SUPPLY_V = 12.0
LED_V = 1.2
"""Forward voltage of an opto-coupler's LED (PC817)."""
DISTANT_OHMS = 1_000.0
"""In series with that LED where a distant contact carries 12 V."""
FILTER_OHMS, FILTER_FARADS = 330.0, 100e-9
"""Between a contact and its pin."""
PULSE_PULL_UP_OHMS = 4_700.0
"""From a pulse acceptor's pin to 3.3 V."""
PHOTO_BASE_OHMS, PHOTO_PULL_UP_OHMS = 4_700.0, 2_200.0
"""An adapter's transistor into a photo-coupler's LED, and the pull-up of what the other one sends."""
