"""How many rounds of each game its kernel plays per second and core, beside a compiled loop of the same draws.

The loop draws what production draws in `RECORDED` rounds, bound for bound, from the same generator, and plays nothing.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from gamekit.kernels.compiled import compiled
from gamekit.kernels.finding import kernel_of
from gamekit.kernels.generator import Source, draw_below, source_of
from gamekit.maths import load_maths
from gamekit.simulate import play_rounds, seeded_draw
from tests.bench.figures import Figure, Progress, silent, tracked
from tests.rigs.game_folders import having_kernels

RECORDED = 20_000
ROUNDS = 1_000_000
REPEATS = 5
AIMS = {"neptune": 2_000_000}
AIM = 1_000_000


@compiled
def _only_draw(source: Source, bounds: npt.NDArray[np.int64], bits: npt.NDArray[np.int64], times: int) -> int:
    drawn = 0
    for _ in range(times):
        for place in range(bounds.size):
            drawn += draw_below(source, bounds[place], bits[place])
    return drawn


def _bounds(name: str) -> list[int]:
    """Return the bounds that production draws below."""
    maths = load_maths(name)
    known: list[int] = []
    below = seeded_draw(random.Random(1))

    def recorded(bound: int, /) -> int:
        known.append(bound)
        return below(bound)

    play_rounds(maths, maths.stakes[-1], recorded, RECORDED)
    return known


def _per_second(rounds: int, work: Callable[[], object]) -> float:
    """CPU time of this thread, so that a busy machine does not count against the code."""
    began = time.thread_time()
    work()
    return rounds / (time.thread_time() - began)


def _measure(name: str) -> Figure:
    """Play a million rounds of the highest bet, and make the draws of as many, in turn."""
    maths = load_maths(name)
    kernel, stake = kernel_of(name), maths.stakes[-1]
    bounds = _bounds(name)
    below = np.array(bounds, dtype=np.int64), np.array([bound.bit_length() for bound in bounds], dtype=np.int64)
    source = source_of(random.Random(1))
    times = ROUNDS // RECORDED
    kernel.play(stake, random.Random(1), 1)  # compiled once
    _only_draw(source, *below, 1)
    played, drawn = [], []
    for _ in range(REPEATS):
        played.append(_per_second(ROUNDS, lambda: kernel.play(stake, random.Random(1), ROUNDS)))
        drawn.append(_per_second(ROUNDS, lambda: _only_draw(source, *below, times)))
    measured, floor = statistics.median(played), statistics.median(drawn)
    aim = AIMS.get(name, AIM)
    return Figure(
        what=f"{maths.game.title} rounds per second and core, its kernel",
        measured=measured,
        floor=floor,
        unit="/s",
        aim=f"{aim:,} /s, and half of the ceiling",
        met=measured >= max(aim, floor / 2),
        notes=f"median of {REPEATS} times {ROUNDS:,}, fastest {max(played):,.0f}; the ceiling: a compiled loop of the"
        f" same {len(bounds) / RECORDED:.1f} draws a round",
    )


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Measure each game that has a kernel."""
    for name in tracked(having_kernels(), progress):
        yield _measure(name)


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
