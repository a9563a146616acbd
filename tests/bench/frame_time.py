"""How much CPU a frame takes while the reels spin at 1280x720, without the copy to the glass."""

import gc
import statistics
import time

from games.beats import ReelsLanded
from games.play import Step
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.acts import SpinAct

SPINS = 12
STOPS = ((5, 13, 3, 21, 15), (20, 30, 11, 2, 31))


def measure() -> dict[str, float]:
    """Draw a dozen spins frame by frame, as the display does; return `median_ms`, `max_ms` and `frames`."""
    rehearsal = Rehearsal()
    for world in rehearsal.props.worlds():
        world.preload()
    rehearsal.view(neptune_view(state="round", controls=("spin",)))
    rehearsal.picture()
    gc.collect()
    gc.freeze()
    taken: list[float] = []
    for spin in range(SPINS):
        steps: list[Step] = [ReelsLanded(STOPS[spin % len(STOPS)])]
        rehearsal.show(steps, credit_cents=12_350, win_cents=0)
        performance = rehearsal.director.performance
        while performance is not None and isinstance(performance.act, SpinAct):
            started = time.thread_time()
            rehearsal.theatre.draw(rehearsal.now)
            taken.append((time.thread_time() - started) * 1000)
            rehearsal.wait(1 / 60)
    return {"median_ms": statistics.median(taken), "max_ms": max(taken), "frames": float(len(taken))}


if __name__ == "__main__":
    print(measure())  # noqa: T201  the bench's own output
