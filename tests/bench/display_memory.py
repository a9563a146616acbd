"""The display's resident memory over an hour through all games, and how long a game that was left takes to open again.

Run as `python -m tests.bench.display_memory MONITOR SECONDS` it is the process that is measured: a whole display with
glass and sounds on virtual time (`tests/bench/display_tour.py`), and the supervisor's end of its socket.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import msgspec

from tests.bench.display_tour import Tour, stops
from tests.bench.figures import ROOT, Figure
from tests.ui.golden import MONITORS

MOST_MIB = {"wide": 320.0, "full_hd": 600.0}
"""The most that may be resident at any moment, by monitor: 1280x720 and 1920x1080."""
HOUR_S = 3600.0
BENCH_S = 900.0
"""What `make bench` plays: each game once, or nearly; the hour is a proof's."""
_FLOOR = "import msgspec, pygame; pygame.Surface((1280, 720)); print(open('/proc/self/status').read())"


class Look(msgspec.Struct, frozen=True):
    """What the process held as a game was left, after so many seconds; `most_mib` is the most until then."""

    game: str
    seconds: float
    resident_mib: float
    most_mib: float
    opened_s: float


def _mib(status: str, name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
    assert found is not None, name
    return int(found[1]) / 1024


def play(monitor: str, lasts_s: float) -> Iterator[Look]:
    """Go round all games for so many seconds of virtual time; look at this process as each is left."""
    shape, scale = MONITORS[monitor]
    with tempfile.TemporaryDirectory(prefix="m") as folder, Tour(Path(folder), scale, shape) as tour:
        begun = tour.now
        for game in stops(tour):
            status = Path("/proc/self/status").read_text()
            seconds = tour.now - begun
            yield Look(game, seconds, _mib(status, "VmRSS"), _mib(status, "VmHWM"), tour.opened_s[game][-1])
            if seconds >= lasts_s:
                return


def played(monitor: str, lasts_s: float) -> list[Look]:
    """Play in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.display_memory", monitor, str(lasts_s)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [msgspec.json.decode(line, type=Look) for line in done.stdout.splitlines() if line.startswith("{")]


def _figure(monitor: str, looks: list[Look], floor: float) -> Figure:
    largest, aim = looks[-1].most_mib, MOST_MIB[monitor]
    width, height = {"wide": (1280, 720), "full_hd": (1920, 1080)}[monitor]
    opened = [look.opened_s for look in looks]
    return Figure(
        what=f"display resident at the most, {width}x{height}, all games in turn",
        measured=largest,
        floor=floor,
        unit="MiB",
        aim=f"at most {aim:g} MiB",
        met=largest <= aim,
        notes=", ".join(f"{look.resident_mib:.0f} after {look.game}" for look in looks[-5:])
        + f"; {looks[-1].seconds / 60:.0f} minutes; a game opens within {max(opened):.2f} s, median"
        f" {statistics.median(opened):.2f} s; floor: a bare Python that loads pygame",
    )


def measure() -> list[Figure]:
    """Play on both monitors."""
    bare = subprocess.run([sys.executable, "-c", _FLOOR], check=True, capture_output=True, text=True)
    floor = _mib(bare.stdout, "VmRSS")
    return [_figure(monitor, played(monitor, BENCH_S), floor) for monitor in MOST_MIB]


if __name__ == "__main__":
    for _look in play(sys.argv[1], float(sys.argv[2])):
        print(msgspec.json.encode(_look).decode(), flush=True)  # noqa: T201 - whoever measures reads it
