"""How long each game's PAR sheet takes on one core, beside a bare loop over all combinations of its stops."""

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, product
from math import prod
from multiprocessing import get_context

from games.maths import load_maths
from games.par import par_sheet
from games.reels import Reels
from tests.bench.figures import Figure, Progress, silent, tracked
from tests.bench.simulation import PAID_REELS

AIM_S = 60
STEPS = 5_000_000


def sheet_s(name: str) -> tuple[float, int]:
    """Return the CPU seconds that the sheet of the game called `name` takes, and how many bets and states it holds."""
    began = time.process_time()
    sheet = par_sheet(load_maths(name))
    return time.process_time() - began, len(sheet.bets)


def loop_s(reels: Reels) -> float:
    """Return the CPU seconds that stepping through all stops of `reels` takes, by the first five million of them."""
    began = time.process_time()
    for _ in islice(product(*map(range, reels.lengths)), STEPS):
        pass
    return (time.process_time() - began) * prod(reels.lengths) / STEPS


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Write each game's sheet once, each in a process of its own, in which nothing has been worked out before."""
    for game, reels in tracked(PAID_REELS, progress):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            seconds, bets = fresh.submit(sheet_s, game.name).result()
        yield Figure(
            what=f"{game.title}, exact PAR sheet, one core",
            measured=seconds,
            floor=loop_s(reels),
            unit="s",
            aim=f"at most {AIM_S} s",
            met=seconds <= AIM_S,
            notes=f"{bets} bets and states; the floor: a bare loop over all {prod(reels.lengths):,} combinations of"
            f" stops, by {STEPS:,} of them",
        )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
