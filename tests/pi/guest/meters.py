"""Within the emulated machine: counts pulses on lines of gpio-sim until SIGTERM.

`python3 meters.py SIM PIN,PIN,... FILE`: FILE then has, for each pin, its pulses and the shortest and longest of them.
"""

import json
import signal
import sys
import time
from pathlib import Path

ended = False


def end(*_: object) -> None:
    """End the count."""
    global ended  # noqa: PLW0603 - a signal handler has nothing else to write to
    ended = True


def count(sim: Path, pins: list[str]) -> dict[str, dict[str, float]]:
    """Look at the lines until `ended`."""
    files = {pin: (sim / f"sim_gpio{pin}" / "value").open("rb", buffering=0) for pin in pins}
    since: dict[str, float] = {}
    lengths: dict[str, list[float]] = {pin: [] for pin in pins}
    while not ended:
        for pin, file in files.items():
            file.seek(0)
            high, now = file.read().strip() == b"1", time.monotonic()
            if high:
                since.setdefault(pin, now)
            elif pin in since:
                lengths[pin].append((now - since.pop(pin)) * 1000)
        time.sleep(0.002)
    return {
        pin: {"pulses": len(ms), "shortest_ms": min(ms, default=0.0), "longest_ms": max(ms, default=0.0)}
        for pin, ms in lengths.items()
    }


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    Path(sys.argv[3]).write_text(json.dumps(count(Path(sys.argv[1]), sys.argv[2].split(","))), encoding="utf-8")
