"""How much a frame costs while the reels spin at 1280x720, without the copy to the glass."""

import gc
import os
import statistics
import time

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame

from games.beats import ReelsLanded
from games.play import Step
from tests.bench.figures import Figure, quantile
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.acts import SpinAct
from ui.layout import REELS

SPINS = 12
STOPS = ((5, 13, 3, 21, 15), (20, 30, 11, 2, 31))
MEDIAN_MS = 1.0
LONGEST_MS = 16.0


def _bare_blit(canvas: pygame.Surface) -> float:
    """Return the CPU milliseconds to lay the reels' window once, all of it, with no cell, edge or figure in it."""
    window = pygame.Rect(*map(int, REELS))
    picture = canvas.subsurface(window).copy()
    started = time.thread_time()
    canvas.blit(picture, window.topleft)
    return (time.thread_time() - started) * 1000


def measure() -> list[Figure]:
    """Draw a dozen spins frame by frame, as the display does; a bare blit of the same window follows each frame."""
    rehearsal = Rehearsal()
    for world in rehearsal.props.worlds():
        world.preload()
    rehearsal.view(neptune_view(state="round", controls=("spin",)))
    canvas = rehearsal.picture()
    gc.collect()
    gc.freeze()
    cpu: list[float] = []
    wall: list[float] = []
    floors: list[float] = []
    for spin in range(SPINS):
        steps: list[Step] = [ReelsLanded(STOPS[spin % len(STOPS)])]
        rehearsal.show(steps, credit_cents=12_350, win_cents=0)
        performance = rehearsal.director.performance
        while performance is not None and isinstance(performance.act, SpinAct):
            began, started = time.perf_counter(), time.thread_time()
            rehearsal.theatre.draw(rehearsal.now)
            cpu.append((time.thread_time() - started) * 1000)
            wall.append((time.perf_counter() - began) * 1000)
            floors.append(_bare_blit(canvas))
            rehearsal.wait(1 / 60)
    gc.unfreeze()
    median, longest = statistics.median(cpu), max(cpu)
    return [
        Figure(
            what="frame while spinning at 1280x720, CPU",
            measured=median,
            floor=statistics.median(floors),
            unit="ms",
            aim=f"median at most {MEDIAN_MS:g} ms, none over {LONGEST_MS:g} ms",
            met=median <= MEDIAN_MS and longest <= LONGEST_MS,
            notes=f"{len(cpu)} frames, longest {longest:.1f} ms; wall median {statistics.median(wall):.2f}, p99"
            f" {quantile(wall, 0.99):.2f} ms; floor: a bare blit of the reels' window",
        )
    ]


if __name__ == "__main__":
    print(measure())  # noqa: T201 - its output is what it is for
