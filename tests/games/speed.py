"""How fast the production play runs on one core, beside the floor of its draws alone, and how long a PAR takes."""

import random
import time

from games.maths import load_maths
from games.neptune.maths import MATHS
from games.neptune.strips import REELS
from games.par import par_sheet
from games.simulate import play_rounds, seeded_draw

_ROUNDS = 200_000


def measure() -> dict[str, float]:
    """Return rounds per second and core at fifteen lines, spins per second of a loop that only draws, and PAR seconds.

    CPU time of this process, so that a busy machine does not count against the code.
    """
    draw = seeded_draw(random.Random(1))  # a measurement must be repeatable
    started = time.process_time()
    play_rounds(MATHS, MATHS.stakes[-1], draw, _ROUNDS)
    played = time.process_time() - started
    started = time.process_time()
    for _ in range(_ROUNDS):
        REELS.spin(draw)
    drawn = time.process_time() - started
    started = time.process_time()
    par_sheet(load_maths("neptune"))
    return {
        "neptune_rounds_per_second": _ROUNDS / played,
        "floor_draws_only_per_second": _ROUNDS / drawn,
        "neptune_par_seconds": time.process_time() - started,
    }


if __name__ == "__main__":
    for name, figure in measure().items():
        print(f"{name}: {figure:,.1f}")  # noqa: T201  # its output is what it is for
