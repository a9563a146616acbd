"""What each game's PAR sheet costs: seconds of one core, and the most memory that its process held.

The time is set beside a bare loop over five million combinations of stops, the memory beside a bare Python that loads
numpy.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, product
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from gamekit.catalogue import load, names
from gamekit.maths import load_maths
from gamekit.par import par_sheet
from tests.bench.figures import Figure, Progress, silent, tracked

AIM_S = 20
AIM_MB = 200
STEPS = 5_000_000
_FLOOR = "import msgspec, numpy; print(open('/proc/self/status').read())"


class Cost(NamedTuple):
    """The CPU seconds of a sheet, the most that its process held resident in MB, and the bets and states in it."""

    seconds: float
    megabytes: float
    bets: int


def most_mb(status: str) -> float:
    """Return the most that a process held resident, by its `/proc/PID/status`."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    assert found is not None, status
    return int(found[1]) * 1024 / 1e6


def cost(name: str) -> Cost:
    """Write the sheet of the game called `name`; return what that took in this process."""
    began = time.process_time()
    sheet = par_sheet(load_maths(name))
    seconds = time.process_time() - began
    return Cost(seconds, most_mb(Path("/proc/self/status").read_text()), len(sheet.bets))


def floor_mb() -> float:
    """Return what a bare Python holds with the libraries that the sheets need."""
    return most_mb(subprocess.run([sys.executable, "-c", _FLOOR], check=True, capture_output=True, text=True).stdout)


def loop_s() -> float:
    """Return the CPU seconds of a bare loop over the first five million combinations of five reels of 35 stops."""
    began = time.process_time()
    for _ in islice(product(range(35), repeat=5), STEPS):
        pass
    return time.process_time() - began


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Write each game's sheet once, each in a process of its own, in which nothing has been worked out before."""
    floor = floor_mb()
    for game in tracked([load(name) for name in names()], progress):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            taken = fresh.submit(cost, game.name).result()
        yield Figure(
            what=f"{game.title}, exact PAR sheet, one core",
            measured=taken.seconds,
            floor=loop_s(),
            unit="s",
            aim=f"at most {AIM_S} s",
            met=taken.seconds <= AIM_S,
            notes=f"{taken.bets} bets and states; the floor: a bare loop over {STEPS:,} combinations of stops",
        )
        yield Figure(
            what=f"{game.title}, exact PAR sheet, resident at the most",
            measured=taken.megabytes,
            floor=floor,
            unit="MB",
            aim=f"at most {AIM_MB} MB",
            met=taken.megabytes <= AIM_MB,
            notes="the floor: a bare Python that loads msgspec and numpy",
        )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
