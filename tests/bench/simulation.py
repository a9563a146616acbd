"""How many Neptune rounds the production code plays per second and core, beside a loop that only draws the stops."""

import random
import statistics
import time
from collections.abc import Callable

from games.neptune import GAME
from games.neptune.strips import REELS
from games.simulate import seeded_draw, simulate
from tests.bench.figures import Figure

ROUNDS = 50_000
REPEATS = 7
AIM = 100_000


def _per_second(work: Callable[[], object]) -> float:
    """CPU time of this thread, so that a busy machine does not count against the code."""
    began = time.thread_time()
    work()
    return ROUNDS / (time.thread_time() - began)


def measure() -> list[Figure]:
    """Play fifty thousand rounds at fifteen lines and draw as many sets of stops, in turn."""
    draw = seeded_draw(random.Random(1))
    stake = GAME.stakes()[-1]
    played, drawn = [], []

    def only_draw() -> None:
        for _ in range(ROUNDS):
            REELS.spin(draw)

    simulate(GAME.name, stake, 1, seed=1, jobs=1)  # what is loaded only once
    for _ in range(REPEATS):
        played.append(_per_second(lambda: simulate(GAME.name, stake, ROUNDS, seed=1, jobs=1)))
        drawn.append(_per_second(only_draw))
    measured = statistics.median(played)
    return [
        Figure(
            what=f"Neptune rounds per second and core, {stake.lines} lines",
            measured=measured,
            floor=statistics.median(drawn),
            unit="/s",
            aim=f"{AIM:,} /s",
            met=measured >= AIM,
            notes=f"median of {REPEATS} times {ROUNDS:,}, fastest {max(played):,.0f}; the ceiling: a loop that draws"
            f" {len(REELS.strips)} stops and plays nothing",
        )
    ]


if __name__ == "__main__":
    print(measure())  # noqa: T201 - its output is what it is for
