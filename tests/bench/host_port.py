"""How soon a host is answered while games are played and the hopper pays, and what noise on its line costs.

The host is a thread of this process (`tests/rigs/sas_polling.py`); its own wait for the processor is in each figure.
"""

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure, Progress, quantile, silent, tracked
from tests.rigs.hall import Hall, until
from tests.rigs.sas_host import SasHost, Timing
from tests.rigs.sas_polling import HostThread

ROUNDS = 12
MOST_MS = 20.0
MOST_PERCENT = 2.0
NOISE_S = 10.0
BYTES_A_SECOND = 1_745
"""What a line of 19,200 baud carries."""
POLLS_A_ROUND = 10
METERS = [0x00, 0x01, 0x05, 0x0B, 0x0C, 0xA0, 0xB8]
_TICK = os.sysconf("SC_CLK_TCK")
_TABLE = '\n[host_port]\nport = "{line}"\nlink = "timed"\n[timing]\nundisplayed_show_ms = 2500\n'


def _cpu_s(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def _played(hall: Hall, host: HostThread, progress: Progress) -> None:
    """Play and cash out while the host polls and reads meters."""
    hall.hand.do("note 50")
    until(lambda: hall.books.credit_cents > 0)
    for _ in tracked(range(ROUNDS), progress):
        hall.hand.do("tap spin")
        for _ in range(POLLS_A_ROUND):
            host.do(lambda one: one.read_meters(METERS))
            time.sleep(0.2)
    hall.hand.do("tap collect")
    for _ in range(5 * POLLS_A_ROUND):
        host.do(lambda one: one.read_meters(METERS))
        time.sleep(0.1)


async def _noise(host: SasHost) -> None:
    await host.garbage(random.Random(1).randbytes(int(NOISE_S * BYTES_A_SECOND)))


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Run a simulated cabinet without a display, and a host on a pty."""
    with tempfile.TemporaryDirectory(prefix="h", dir="/tmp") as folder:
        hall = Hall(Path(folder))
        line = hall.run.path / "tty-host"
        with hall.run.configuration.open("a") as configuration:
            configuration.write(_TABLE.format(line=line))
        with hall.devices(), HostThread(line, timing=Timing(answer=2.0)) as host, hall.supervisor() as running:
            host.confirmed(0x17, 60.0)
            time.sleep(5.0)
            before = len(host.host.latencies())
            _played(hall, host, progress)
            taken = [1000 * each for each in host.host.latencies()]
            quiet = _cpu_s(running.pid)
            host.do(lambda _: asyncio.sleep(NOISE_S))
            quiet = _cpu_s(running.pid) - quiet
            noisy, began = _cpu_s(running.pid), time.monotonic()
            host.do(_noise)
            noisy, lasted = _cpu_s(running.pid) - noisy, time.monotonic() - began
    worst = quantile(taken, 0.99)
    yield Figure(
        what="poll of a host to the first byte of its answer, p99",
        measured=worst,
        floor=min(taken),
        unit="ms",
        aim=f"at most {MOST_MS:g} ms",
        met=worst <= MOST_MS,
        notes=f"{len(taken)} answers, {len(taken) - before} of them while games were played and the hopper paid;"
        f" median {statistics.median(taken):.1f}, worst {max(taken):.1f} ms; floor: the fastest",
    )
    percent = 100 * noisy / lasted
    yield Figure(
        what="processor time while a host's line carries noise at line speed",
        measured=percent,
        floor=100 * quiet / NOISE_S,
        unit="% of a core",
        aim=f"at most {MOST_PERCENT:g} % more than without",
        met=percent - 100 * quiet / NOISE_S <= MOST_PERCENT,
        notes=f"{int(NOISE_S * BYTES_A_SECOND)} random bytes in {lasted:.1f} s; floor: the same supervisor while its"
        " host is silent",
    )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
