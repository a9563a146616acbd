"""From the start of the supervisor's process to a cabinet that can be played, with a short and a long journal.

Also with archives behind the journal, and for the one start that archives a long one first.

Playable means that the service manager has got READY, that the panel is lit for an idle game, and that a
display has got the recovered state, with the credit of the books.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from types import TracebackType
from typing import Self

from controller.features.archive import archiving
from controller.features.demo.books import Books
from controller.features.demo.launcher import Plan
from controller.features.demo.processes import end, spawn
from controller.features.demo.scripted_player import is_idle
from controller.features.demo.settings import RunDirectory
from controller.journal.store import Store
from drivers.simulated.front_client import FrontClient
from tests.bench.figures import ROOT, Figure, Progress, silent, tracked
from tests.bench.journals import journal_of
from tests.bench.live_cabinet import BAKED
from tests.rigs.display_client import DisplayClient

SHORT, LONG = 1_000, 100_000
STARTS = 11
ARCHIVES = 5
ARCHIVING_STARTS = 3
_SMALLEST = "\n[storage]\njournal_mb = 16\n"
MOST_S = 1.5
MOST_ARCHIVING_S = 5.0
GROWTH_S = 0.1
"""What the medians may differ by: the noise of so many starts."""

_PATIENCE_S = 30.0
_LOOK_S = 0.005
_FLOOR = "import asyncio, gpiozero.pins.mock, hashlib, msgspec, serial, sqlite3, tomllib"


class Site:
    """Simulated devices in a run directory with a copy of a journal of `rounds`; a context manager.

    It was archived `archives` times; with `grown` it has reached its limit, so that the next start archives it.
    """

    def __init__(self, rounds: int, *, archives: int = 0, grown: bool = False) -> None:
        self.run = RunDirectory.made(None)
        shutil.copy(journal_of(rounds), self.run.journal)
        for _ in range(archives):
            with closing(Store(self.run.journal, _now_ms, simulated=True)) as store:
                store.transact(lambda tx: archiving.decide(tx, self.run.journal.parent / "archive", "a benchmark"))
            archiving.finish(self.run.journal, _now_ms)
        self.run.write_configuration(BAKED)
        if grown:
            with self.run.configuration.open("a", encoding="utf-8") as file:
                file.write(_SMALLEST)
        self.plan = Plan(run=self.run, baked=BAKED)
        self.front = FrontClient(self.run.hardware_socket)
        self.credit_cents = Books(self.run.journal).credit_cents

    def __enter__(self) -> Self:
        self._devices = spawn(self.plan.hardware(), self.run.log("hardware"))
        while not self.run.hardware_socket.exists():
            time.sleep(_LOOK_S)
        self.front.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.front.close()
        end(self._devices)
        shutil.rmtree(self.run.path)

    def start(self) -> float:
        """Start the supervisor, return the seconds until it could be played, and end it in order."""
        address = self.run.path / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(address))
            manager.settimeout(_PATIENCE_S)
            environment = {**os.environ, "NOTIFY_SOCKET": str(address)}
            began = time.monotonic()
            process = subprocess.Popen(self.plan.supervisor(), env=environment, cwd=ROOT)
            try:
                while manager.recv(1024) != b"READY=1":
                    pass
                self.front.wait_until(is_idle, _PATIENCE_S)
                display = DisplayClient(self.run.display_socket)
                while not display.snapshots:
                    display.serve(_LOOK_S)
                taken = time.monotonic() - began
                display.close()
            finally:
                end(process)
        address.unlink()
        if (display.state, display.credit_cents) != ("idle", self.credit_cents):
            raise RuntimeError(
                f"{display.state} with {display.credit_cents} cents came back, not idle with {self.credit_cents}"
            )
        self.front.wait_until(lambda seen: not any(seen.lamps.values()), _PATIENCE_S)
        return taken


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _bare_start() -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", _FLOOR], check=True)
    return time.monotonic() - began


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Start on the short and the long journal in turn, and as often a bare Python with the same libraries."""
    short, long, followed, bare = [], [], [], []
    for size in (SHORT, LONG):
        journal_of(size, progress)  # which takes minutes the first time
    with Site(SHORT) as new, Site(LONG) as old, Site(LONG, archives=ARCHIVES) as archived:
        for _ in tracked(range(STARTS), progress):
            short.append(new.start())
            long.append(old.start())
            followed.append(archived.start())
            bare.append(_bare_start())
    floor = statistics.median(bare)
    behind = f"{LONG:,} rounds in {ARCHIVES} archives"
    for rounds, taken in ((f"{SHORT:,} rounds", short), (f"{LONG:,} rounds", long), (behind, followed)):
        median = statistics.median(taken)
        grown = median - statistics.median(short)
        yield Figure(
            what=f"supervisor start to playable, {rounds}",
            measured=median,
            floor=floor,
            unit="s",
            aim=f"at most {MOST_S:g} s" + ("" if taken is short else ", not growing with the journal"),
            met=median <= MOST_S and grown <= GROWTH_S,
            notes=f"median of {STARTS}, longest {max(taken):.2f} s; floor: a bare Python with the same libraries",
        )
    yield _archiving(floor, progress)


def _archiving(floor: float, progress: Progress) -> Figure:
    """Start where the journal is archived first, which is once in many weeks."""
    taken = []
    for _ in tracked(range(ARCHIVING_STARTS), progress):
        with Site(LONG, grown=True) as grown:
            taken.append(grown.start())
            if not list((grown.run.journal.parent / "archive").iterdir()):
                raise RuntimeError("the start archived nothing")
    return Figure(
        what=f"supervisor start to playable, archiving {LONG:,} rounds first",
        measured=statistics.median(taken),
        floor=floor,
        unit="s",
        aim=f"at most {MOST_ARCHIVING_S:g} s",
        met=statistics.median(taken) <= MOST_ARCHIVING_S,
        notes=f"median of {ARCHIVING_STARTS}, longest {max(taken):.2f} s; the same floor",
    )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
