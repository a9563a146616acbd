"""The computer's temperature, from its kernel."""

from pathlib import Path
from typing import Final

ZONE: Final = Path("/sys/class/thermal/thermal_zone0/temp")
"""The processor's own sensor on a Raspberry Pi, in thousandths of a degree."""
HOTTEST_C: Final = 80.0
"""The temperature from which a Raspberry Pi throttles itself."""


def temperature_c(zone: Path = ZONE) -> float | None:
    """Return the temperature in degrees Celsius, or None without a readable sensor."""
    try:
        return int(zone.read_text("ascii")) / 1000
    except (OSError, ValueError):
        return None
