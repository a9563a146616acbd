"""A program in a process of its own under callgrind, for instructions.py: `counted.py MARKS WHAT ARGUMENT...`.

`until-signal MODULE ARGUMENT...` runs a module as `python -m` does, counted from the interpreter's first instruction
until SIGUSR1. `rounds`, `frames` and `composed` count so many of them, and nothing of what is made ready before.
"""

import ctypes
import os
import sys


def until_signal(marks: ctypes.CDLL, module: str, *arguments: str) -> None:
    """Run the module; at SIGUSR1 write the count and end at once."""
    import runpy  # noqa: PLC0415 - each kind imports no more than it needs, since that is counted
    import signal  # noqa: PLC0415

    def end(*_: object) -> None:
        marks.count()
        os._exit(0)

    signal.signal(signal.SIGUSR1, end)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def rounds(marks: ctypes.CDLL, folder: str, number: str) -> None:
    """Play that many rounds in a whole supervisor on virtual time, at the lowest bet."""
    import random  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from controller.rounds.draws import seeded_source  # noqa: PLC0415
    from tests.bench.core_cabinet import CoreCabinet  # noqa: PLC0415
    from tests.rigs.virtual_time import run_virtual  # noqa: PLC0415

    async def play() -> None:
        random.seed(1)
        async with CoreCabinet(Path(folder), draws=seeded_source(1), unit_cents=100, show_s=2.5) as cabinet:
            for _ in range(10):
                await cabinet.play_round()
            await cabinet.fund()
            marks.begin()
            for _ in range(int(number)):
                await cabinet.play_round()
            marks.count()
            os._exit(0)

    run_virtual(play())


def frames(marks: ctypes.CDLL, spins: str) -> None:
    """Draw that many of Neptune's spins, 60 frames a second of its own time; print the number of frames."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    from gamekit.beats import ReelsLanded  # noqa: PLC0415
    from tests.ui.rehearsal import Rehearsal, neptune_view  # noqa: PLC0415
    from ui.acts import SpinAct  # noqa: PLC0415

    rehearsal = Rehearsal()
    for world in rehearsal.context.worlds():
        if world.name in {"ui", "neptune"}:
            world.preload()
    rehearsal.view(neptune_view(state="round", controls=("spin",)))
    rehearsal.picture()

    def spin() -> int:
        drawn = 0
        rehearsal.show([ReelsLanded((5, 13, 3, 21, 15))], credit_cents=12_350, win_cents=0)
        while rehearsal.director.performance and isinstance(rehearsal.director.performance.act, SpinAct):
            rehearsal.scene_manager.draw(rehearsal.now)
            rehearsal.wait(1 / 60)
            drawn += 1
        return drawn

    spin()
    marks.begin()
    drawn = sum(spin() for _ in range(int(spins)))
    marks.count()
    sys.stdout.write(f"{drawn}\n")
    sys.stdout.flush()
    os._exit(0)


def composed(marks: ctypes.CDLL, compose: str, number: str) -> None:
    """Draw and present that many frames of Neptune's spin at 1920x1080, by Mesa's OpenGL ES 2 without a monitor."""
    mesa = {"SDL_VIDEODRIVER": "offscreen", "SDL_RENDER_DRIVER": "opengles2", "LP_NUM_THREADS": "1"}
    os.environ.update(mesa | {"SDL_RENDER_BATCHING": "1"})
    from tests.ui.programme import PROGRAMME  # noqa: PLC0415
    from tests.ui.rehearsal import Rehearsal  # noqa: PLC0415
    from ui.screen import Screen  # noqa: PLC0415

    screen = Screen(1.5, window=True, compose=compose)
    rehearsal = Rehearsal(1.5, screen=screen)
    PROGRAMME["spinning"](rehearsal)

    def frames(count: int) -> None:
        for _ in range(count):
            rehearsal.scene_manager.draw(rehearsal.now)
            screen.present()
            rehearsal.wait(1 / 60)

    frames(20)
    marks.begin()
    frames(int(number))
    marks.count()
    os._exit(0)


if __name__ == "__main__":
    _, marks_file, kind, *words = sys.argv
    counted = {"until-signal": until_signal, "rounds": rounds, "frames": frames, "composed": composed}
    counted[kind](ctypes.CDLL(marks_file), *words)
