"""Whether the computer is so hot that decorative motion stops."""

from collections.abc import Callable
from pathlib import Path

HOT_C = 75.0
"""The temperature, in °C, from which it is hot; a Raspberry Pi slows its processor down at 80 °C."""
COOL_C = 68.0
ASKED_EVERY_S = 5.0
_SENSOR = Path("/sys/class/thermal/thermal_zone0/temp")


def temperature_c() -> float | None:
    """Return the processor's temperature in °C; None without a sensor."""
    try:
        return int(_SENSOR.read_text("ascii")) / 1000
    except (OSError, ValueError):
        return None


class Heat:
    """Hot from `HOT_C` until it has cooled to `COOL_C`, by a call of `read` every `ASKED_EVERY_S` seconds."""

    def __init__(self, read: Callable[[], float | None] = temperature_c) -> None:
        self._read = read
        self._asked_at = -ASKED_EVERY_S
        self._hot = False

    def hot(self, now: float) -> bool:
        """Return whether it is hot at `now`; without a sensor it is not."""
        if now - self._asked_at >= ASKED_EVERY_S:
            self._asked_at = now
            measured = self._read()
            self._hot = measured is not None and measured >= (COOL_C if self._hot else HOT_C)
        return self._hot
