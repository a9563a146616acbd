"""From SIGKILL of the display to the next frame, through the launcher that starts it again, in a whole cabinet."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from controller.features.demo.processes import STEADY_S
from tests.bench.figures import Figure, Progress, silent, tracked
from tests.bench.live_cabinet import LiveCabinet

KILLS = 8
MOST_S = 0.5
NOTE_CENTS = 2_000
_LOW_CENTS = 300
_MID_SPIN_S = 0.4
_FLOOR = "import msgspec, pygame; pygame.Surface((1280, 720))"


def _killed(cabinet: LiveCabinet) -> float:
    """Kill the display and return the seconds to the first frame of the next that shows the same credit and bet."""
    shown = cabinet.figures(cabinet.header)
    display = cabinet.processes["ui"]
    killed = time.monotonic_ns()
    display.kill()
    display.wait()  # it may have presented one more
    back = cabinet.frame_when(cabinet.header, lambda figures: figures == shown, lambda: cabinet.rest(0))
    return (back.ns - killed) / 1e9


def _kill_all(progress: Progress) -> list[float]:
    taken: list[float] = []
    with LiveCabinet(seed=1) as cabinet:
        for number in tracked(range(KILLS), progress):
            if cabinet.hand.books.credit_cents < _LOW_CENTS:
                cabinet.insert_note(NOTE_CENTS)
            cabinet.rest(STEADY_S)  # who dies young is started again after a pause
            if number % 2:
                cabinet.hand.press("spin")
                cabinet.rest(_MID_SPIN_S)
            taken.append(_killed(cabinet))
            cabinet.finish_round()
    return taken


def _bare_start() -> float:
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", _FLOOR], check=True, env=environment, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Kill the display at rest and in mid-spin in turn; a bare Python that loads pygame is the floor."""
    taken = _kill_all(progress)
    median = statistics.median(taken)
    yield Figure(
        what="SIGKILL of the display to its next frame",
        measured=median,
        floor=statistics.median(_bare_start() for _ in range(KILLS)),
        unit="s",
        aim=f"at most {MOST_S:g} s",
        met=max(taken) <= MOST_S,
        notes=f"median of {KILLS}, longest {max(taken):.2f} s; the frame shows the credit and bet of before;"
        " floor: a bare Python that loads pygame",
    )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
