"""How many rounds of each game the production code plays per second and core, beside a loop that only draws stops."""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from games import bewitched, mona_lisa_jewels, mystery_elves, neptune, witch_feature
from games.bewitched.strips import REELS as BEWITCHED
from games.chunks import simulate
from games.mona_lisa_jewels.strips import REELS as MONA_LISA
from games.mystery_elves.strips import REELS as ELVES
from games.neptune.strips import REELS as NEPTUNE
from games.play import Game
from games.reels import Reels
from games.simulate import seeded_draw
from games.witch_feature.strips import PAID_WINDOWS as WITCH
from tests.bench.figures import Figure, Progress, silent, tracked

PAID_REELS: tuple[tuple[Game, Reels], ...] = (
    (neptune.GAME, NEPTUNE),
    (bewitched.GAME, BEWITCHED),
    (mona_lisa_jewels.GAME, MONA_LISA),
    (witch_feature.GAME, WITCH),
    (mystery_elves.GAME, ELVES),
)
"""Each game and the reels of its paid spin."""

ROUNDS = 50_000
REPEATS = 5
AIM = 100_000


def _per_second(work: Callable[[], object]) -> float:
    """CPU time of this thread, so that a busy machine does not count against the code."""
    began = time.thread_time()
    work()
    return ROUNDS / (time.thread_time() - began)


def _measure(game: Game, reels: Reels) -> Figure:
    """Play fifty thousand rounds of the highest bet and draw as many sets of stops, in turn."""
    draw = seeded_draw(random.Random(1))
    stake = game.stakes()[-1]
    played, drawn = [], []

    def only_draw() -> None:
        for _ in range(ROUNDS):
            reels.spin(draw)

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
        f" that draws {len(reels.strips)} stops and plays nothing",
    )


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Measure each game."""
    for game, reels in tracked(PAID_REELS, progress):
        yield _measure(game, reels)


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
