"""What noise costs a host port whose every byte has the wake-up bit: a line of the wrong speed or parity."""

import asyncio
import os
import random
import time
import tty
from collections.abc import Iterator, Sequence

from drivers.clock import LoopClock
from drivers.sas.frames import Poll
from drivers.sas.line import BAUD, TimedLine
from drivers.sas.link import Link, Pending, Reply
from drivers.sas.reader import WAKE
from drivers.serial_port import SerialPort
from tests.bench.figures import Figure, Progress, silent, tracked

NOISE_S = 10.0
STEP_S = 0.0005
BYTES_A_SECOND = 1_745
"""What a line of 19,200 baud carries."""
MOST_PERCENT = 2.0
ADDRESS, ANOTHER = 0x01, 0x85


class MarkedLine(TimedLine):
    """A pty whose bytes all come as if they had the wake-up bit."""

    by_time = False

    async def read(self, timeout: float) -> Sequence[int]:  # noqa: ASYNC109  (the seam's own signature)
        """Return the bytes that have arrived, marked."""
        return [byte | WAKE for byte in await super().read(timeout)]


class Nobody:
    """A machine that answers no long poll."""

    real_time = False

    def pending(self) -> Pending | None:
        """Return that nothing waits."""

    async def acknowledged(self, exception: Pending) -> None:
        """Nothing is reported."""

    async def answer(self, poll: Poll) -> Reply | None:
        """Return silence."""

    async def broadcast(self, poll: Poll) -> None:
        """Nothing is taken."""

    def failed(self, poll: Poll, error: Exception) -> None:
        """Raise it."""
        raise AssertionError(f"{poll} failed") from error

    def link(self, *, up: bool, why: str) -> None:
        """Nobody cares."""


def _say(end: int, noise: bytes) -> None:
    """Write noise as fast as the line carries it."""
    began, said = time.monotonic(), 0
    while (now := time.monotonic()) - began < NOISE_S:
        due = int((now - began) * BYTES_A_SECOND)
        os.write(end, bytes(noise[at % len(noise)] for at in range(said, due)))
        said = due
        time.sleep(STEP_S)


async def _percent(noise: bytes) -> float:
    """Return what the link's thread uses of a core meanwhile."""
    end, line_end = os.openpty()
    tty.setraw(line_end)
    os.set_blocking(end, False)
    loop = asyncio.get_running_loop()
    loop.add_reader(end, lambda: os.read(end, 4096))
    line = MarkedLine(SerialPort(os.ttyname(line_end), baud=BAUD))
    running = asyncio.create_task(Link("host_port", ADDRESS, line, LoopClock(), Nobody()).run())
    used, began = time.thread_time(), time.monotonic()
    await asyncio.to_thread(_say, end, noise)
    used, lasted = time.thread_time() - used, time.monotonic() - began
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    loop.remove_reader(end)
    os.close(end)
    os.close(line_end)
    return 100 * used / lasted


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Run a link alone on a pty, and write three kinds of noise on it."""
    kinds = {
        "random": random.Random(1).randbytes(4096),
        "another's address": bytes((ANOTHER,)),
        "its own": bytes((ADDRESS,)),
    }
    percents = {kind: asyncio.run(_percent(kinds[kind])) for kind in tracked(list(kinds), progress)}
    worst = max(percents.values())
    yield Figure(
        what="processor time of a host's line while every byte of noise at line speed has the wake-up bit",
        measured=worst,
        floor=min(percents.values()),
        unit="% of a core",
        aim=f"at most {MOST_PERCENT:g} %",
        met=worst <= MOST_PERCENT,
        notes=", ".join(f"{kind} {percent:.1f} %" for kind, percent in percents.items()),
    )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
