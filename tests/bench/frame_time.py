"""How much a frame costs at 1280x720, without the copy to the glass: while the reels spin, and in every scene.

`python -m tests.bench.frame_time` prints each scene; `make bench` keeps that report in `build/bench/frame_time.md`.
"""

import gc
import os
import random
import statistics
import time
from collections.abc import Iterator

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import msgspec
import pygame

from gamekit.beats import ReelsLanded
from gamekit.play import Step
from tests.bench.figures import KEPT, ROOT, Figure, Progress, quantile, silent, tracked
from tests.rigs.views import changed
from tests.ui.contact_sheet import groups
from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, GAMES, Rehearsal, neptune_view
from ui.acts import SpinAct
from ui.draw_context import DrawContext
from ui.frame_budget import SHARE_S
from ui.layout import WIDE
from ui.running_order import RunningOrder
from ui.scene_manager import SceneManager
from ui.stage import Stage

SPINS = 12
STOPS = ((5, 13, 3, 21, 15), (20, 30, 11, 2, 31))
MEDIAN_MS = 1.0
SCENE_MEDIAN_MS = 1.5
LONGEST_MS = 16.0
SCENE_S = 2.5
MOMENT_S = 30.0
"""A card and a moment are over by then."""
REPORT = KEPT / "frame_time.md"


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What drawing one scene cost, in milliseconds, from the very first call on, when nothing of it had been decoded.

    `first` is the CPU of the dearest call before its first picture, `frames` that of each frame from then on. `opens`
    is how long that first picture took to come, `stall` the longest call, both by the clock on the wall.
    """

    name: str
    first: float
    frames: tuple[float, ...]
    opens: float
    stall: float

    @property
    def median(self) -> float:
        """The median of the frames."""
        return statistics.median(self.frames)

    @property
    def longest(self) -> float:
        """The longest of all calls."""
        return max(self.first, *self.frames)


def _bare_blit(canvas: pygame.Surface) -> float:
    """Return the CPU milliseconds to lay the reels' window once, all of it, with no cell, edge or figure in it."""
    window = pygame.Rect(*map(int, WIDE.reels))
    picture = canvas.subsurface(window).copy()
    started = time.thread_time()
    canvas.blit(picture, window.topleft)
    return (time.thread_time() - started) * 1000


def spinning() -> Figure:
    """Draw a dozen spins frame by frame, as the display does; a bare blit of the same window follows each frame."""
    rehearsal = Rehearsal()
    for world in rehearsal.context.worlds():
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
            rehearsal.scene_manager.draw(rehearsal.now)
            cpu.append((time.thread_time() - started) * 1000)
            wall.append((time.perf_counter() - began) * 1000)
            floors.append(_bare_blit(canvas))
            rehearsal.wait(1 / 60)
    gc.unfreeze()
    median, longest = statistics.median(cpu), max(cpu)
    return Figure(
        what="frame while spinning at 1280x720, CPU",
        measured=median,
        floor=statistics.median(floors),
        unit="ms",
        aim=f"median at most {MEDIAN_MS:g} ms, none over {LONGEST_MS:g} ms",
        met=median <= MEDIAN_MS and longest <= LONGEST_MS,
        notes=f"{len(cpu)} frames, longest {longest:.1f} ms; wall median {statistics.median(wall):.2f}, p99"
        f" {quantile(wall, 0.99):.2f} ms; floor: a bare blit of the reels' window",
    )


def scene(name: str) -> Scene:
    """Open the programme's screen `name` as a display that has just started, and draw `SCENE_S` seconds of it.

    Each frame is drawn, whether or not the screen asks for it.
    """
    context = DrawContext(BAKED, 1)
    rehearsal = Rehearsal(context=context)
    PROGRAMME[name](rehearsal)
    stage = Stage(rehearsal.screen.canvas, rehearsal.screen.scale)
    rehearsal.scene_manager = SceneManager(stage, rehearsal.director, context, share_s=SHARE_S, clock=time.thread_time)
    gc.collect()
    gc.freeze()  # as the display does
    opening: list[float] = []
    frames: list[float] = []
    stall = 0.0
    born, opens, until = time.perf_counter(), 0.0, rehearsal.now + SCENE_S
    while rehearsal.now < until:
        began, started = time.perf_counter(), time.thread_time()
        rehearsal.scene_manager.draw(rehearsal.now)
        (frames if opens else opening).append((time.thread_time() - started) * 1000)
        stall = max(stall, time.perf_counter() - began)
        if rehearsal.scene_manager.frame_complete:
            opens = opens or time.perf_counter() - born
            rehearsal.wait(1 / 60)
    gc.unfreeze()
    return Scene(name=name, first=max(opening), frames=tuple(frames), opens=opens * 1000, stall=stall * 1000)


def moment(game: str) -> Scene:
    """Show a game's card in attract and then a moment of it, 30 frames a second, from a display that has just started.

    Each frame of the moment counts, those of its wipes too; `first` is the dearest of the card's.
    """
    context = DrawContext(BAKED, 1)
    rehearsal = Rehearsal(context=context)
    stage = Stage(rehearsal.screen.canvas, rehearsal.screen.scale)
    manager = SceneManager(
        stage,
        rehearsal.director,
        context,
        share_s=SHARE_S,
        clock=time.thread_time,
        order=RunningOrder(random.Random(1)),
    )
    rehearsal.scene_manager = manager
    PROGRAMME["attract"](rehearsal)
    rehearsal.view(changed(rehearsal.director.view, games=(game,)))
    gc.collect()
    gc.freeze()
    card: list[float] = []
    frames: list[float] = []
    stall, opens, until = 0.0, 0.0, rehearsal.now + 2 * MOMENT_S
    while rehearsal.now < until and (manager.game or not frames):
        began, started = time.perf_counter(), time.thread_time()
        manager.draw(rehearsal.now)
        (frames if manager.game else card).append((time.thread_time() - started) * 1000)
        stall = max(stall, time.perf_counter() - began)
        if manager.frame_complete:
            rehearsal.now += 1 / 30
            for _ in range(5):
                manager.prepare()
    gc.unfreeze()
    return Scene(name=f"moment of {game}", first=max(card), frames=tuple(frames), opens=opens, stall=stall * 1000)


def moments() -> list[Scene]:
    """Show a moment of each game."""
    return [moment(game) for game in GAMES]


def scenes() -> dict[str, list[Scene]]:
    """Draw every screen of the programme; return what each cost, by the game that it belongs to."""
    return {group: [scene(name) for name in names] for group, names in groups().items()}


def report(found: dict[str, list[Scene]]) -> str:
    """Return a table of every scene, the most expensive of each game first."""
    lines = [
        "| scene | frames | median ms | p99 ms | longest ms | before the first | first seen at | longest wall |",
        f"|{' --- |' * 8}",
    ]
    for group in found.values():
        lines += [
            f"| {each.name} | {len(each.frames)} | {each.median:.2f} | {quantile(each.frames, 0.99):.2f}"
            f" | {max(each.frames):.1f} | {each.first:.1f} | {each.opens:.0f} | {each.stall:.0f} |"
            for each in sorted(group, key=lambda each: -each.median)
        ]
    return "\n".join(lines) + "\n"


def _figure(group: str, found: list[Scene], floor: float) -> Figure:
    dearest, longest = max(found, key=lambda each: each.median), max(found, key=lambda each: each.longest)
    over = [each.name for each in found if each.median > SCENE_MEDIAN_MS or each.longest > LONGEST_MS]
    return Figure(
        what=f"frame of each scene at 1280x720, CPU: {group.replace('_', ' ')}",
        measured=dearest.median,
        floor=floor,
        unit="ms",
        aim=f"each median at most {SCENE_MEDIAN_MS:g} ms, none over {LONGEST_MS:g} ms",
        met=not over,
        notes=f"{len(found)} scenes from cold; median of the dearest, {dearest.name}; longest frame, the first ones"
        f" too, {longest.longest:.1f} ms in {longest.name}{'; over: ' + ', '.join(over) if over else ''};"
        f" all in {REPORT.relative_to(ROOT)}",
    )


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Draw spins, then every scene; keep the report of each scene."""
    first = spinning()
    yield first
    found: dict[str, list[Scene]] = {}
    programme = groups()
    steps = tracked([(group, name) for group, names in programme.items() for name in names], progress)
    for group, name in steps:
        found.setdefault(group, []).append(scene(name))
        if len(found[group]) == len(programme[group]):
            yield _figure(group, found[group], first.floor)
    found["attract's moments"] = moments()
    yield _figure("attract's moments", found["attract's moments"], first.floor)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(report(found), "utf-8")


if __name__ == "__main__":
    print(report(scenes() | {"attract": moments()}))  # noqa: T201 - its output is what it is for
