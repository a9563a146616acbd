"""How many rounds of each game the production code plays per second and core, beside a loop that only draws stops."""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from gamekit.catalogue import load, names
from gamekit.chunks import simulate
from gamekit.play import Game
from gamekit.simulate import seeded_draw
from tests.bench.figures import Figure, Progress, silent, tracked

ROUNDS = 50_000
REPEATS = 5
AIM = 100_000


def _per_second(work: Callable[[], object]) -> float:
    """CPU time of this thread, so that a busy machine does not count against the code."""
    began = time.thread_time()
    work()
    return ROUNDS / (time.thread_time() - began)


def stops_of(game: Game) -> list[int]:
    """Return how many stops each reel of the paid spin has: a round draws them first, from left to right."""
    bounds: list[int] = []

    def recorded(bound: int, /) -> int:
        bounds.append(bound)
        return 0

    next(game.play(game.stakes()[-1], recorded, None))
    return bounds[: game.reels]


def _measure(game: Game) -> Figure:
    """Play fifty thousand rounds of the highest bet and draw as many sets of stops, in turn."""
    draw = seeded_draw(random.Random(1))
    stake = game.stakes()[-1]
    stops = stops_of(game)
    played, drawn = [], []

    def only_draw() -> None:
        for _ in range(ROUNDS):
            tuple(map(draw, stops))

    simulate(game.name, stake, 1, seed=1, jobs=1)  # what is loaded only once
    for _ in range(REPEATS):
        played.append(_per_second(lambda: simulate(game.name, stake, ROUNDS, seed=1, jobs=1)))
        drawn.append(_per_second(only_draw))
    measured = statistics.median(played)
    return Figure(
        what=f"{game.title} rounds per second and core, {stake.lines} lines",
        measured=measured,
        floor=statistics.median(drawn),
        unit="/s",
        aim=f"{AIM:,} /s",
        met=measured >= AIM,
        notes=f"median of {REPEATS} times {ROUNDS:,}, fastest {max(played):,.0f}; the ceiling: a loop"
        f" that draws {len(stops)} stops and plays nothing",
    )


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Measure each game."""
    for name in tracked(names(), progress):
        yield _measure(load(name))


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
