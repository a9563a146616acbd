"""The supervisor's resident memory over a hundred thousand rounds on virtual time.

Run as `python -m tests.bench.memory FOLDER ROUNDS...` it is the process that is measured: the whole supervisor with
its journal, pins, hard meters and display socket, and none of the libraries that only tools need.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.rounds.draws import seeded_source
from tests.bench.core_cabinet import CoreCabinet
from tests.bench.figures import ROOT, Figure, Progress, silent
from tests.rigs.virtual_time import run_virtual

LOOKS = (10_000, 50_000, 100_000)
OFTEN = 2_000
"""How many rounds lie between two lines of progress."""
MOST_MIB = 64.0
FLAT_MIB = 2.0
"""What the resident memory may differ between the first look and the last: SQLite's page cache and the allocator."""

UNIT_CENTS = 100_000
"""A pulse of the money meters means this much, so that the games meter, one pulse a round, sets the pace."""

SHOW_S = 2.5
"""The usual shortest time of a play (requirements.md G6): lamps flash, meters pulse and watches wait meanwhile."""

FORBIDDEN = ("numpy", "pygame", "sqlite_utils", "click", "rich", "resvg_py", "hypothesis", "pytest")
_FLOOR = "import asyncio, gpiozero, hashlib, msgspec, serial, sqlite3, tomllib; print(open('/proc/self/statm').read())"
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Look(msgspec.Struct, frozen=True):
    """What the process holds after so many rounds."""

    rounds: int
    resident_mib: float
    files: int
    loaded: tuple[str, ...]
    """Those of `FORBIDDEN` that were imported."""


def look(rounds: int) -> Look:
    """Look at this process."""
    loaded = tuple(name for name in FORBIDDEN if name in sys.modules)
    return Look(rounds, _mib(Path("/proc/self/statm").read_text()), len(list(Path("/proc/self/fd").iterdir())), loaded)


def _mib(statm: str) -> float:
    return int(statm.split()[1]) * _PAGE / 2**20


async def play(folder: Path, looks: tuple[int, ...]) -> list[Look]:
    """Play as many rounds as the last of `looks` says; return what was held at each of them."""
    seen: list[Look] = []
    async with CoreCabinet(folder, draws=seeded_source(1), unit_cents=UNIT_CENTS, show_s=SHOW_S) as cabinet:
        for number in range(1, looks[-1] + 1):
            await cabinet.play_round()
            if number in looks:
                seen.append(look(number))
            if number in looks or number % OFTEN == 0:
                print(msgspec.json.encode(look(number)).decode(), flush=True)  # noqa: T201 - whoever measures reads it
    return seen


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Play in a process of its own, with the journal in memory where there is a file system for that."""
    looks: list[Look] = []
    memory = Path("/dev/shm")  # noqa: S108 - a measurement's own folder inside, gone afterwards
    with tempfile.TemporaryDirectory(prefix="m", dir=memory if memory.is_dir() else None) as folder:
        command = [sys.executable, "-m", "tests.bench.memory", folder, *map(str, LOOKS)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as playing:
            for line in playing.stdout or ():
                seen = msgspec.json.decode(line, type=Look)
                if seen.rounds in LOOKS:
                    looks.append(seen)
                progress(seen.rounds, LOOKS[-1])
    if playing.returncode:
        raise subprocess.CalledProcessError(playing.returncode, command)
    bare = subprocess.run([sys.executable, "-c", _FLOOR], check=True, capture_output=True, text=True)
    largest = max(look.resident_mib for look in looks)
    grown = looks[-1].resident_mib - looks[0].resident_mib
    loaded = looks[-1].loaded
    yield Figure(
        what=f"supervisor resident after {looks[-1].rounds:,} rounds",
        measured=largest,
        floor=_mib(bare.stdout),
        unit="MiB",
        aim=f"at most {MOST_MIB:g} MiB, flat",
        met=largest <= MOST_MIB and grown <= FLAT_MIB and not loaded and looks[-1].files <= looks[0].files,
        notes=", ".join(f"{look.resident_mib:.1f} at {look.rounds:,}" for look in looks)
        + f"; {looks[-1].files} open files; floor: a bare Python with the same libraries"
        + (f"; loaded: {', '.join(loaded)}" if loaded else ""),
    )


if __name__ == "__main__":
    run_virtual(play(Path(sys.argv[1]), tuple(map(int, sys.argv[2:]))))
