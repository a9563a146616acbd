"""Screens composed by SDL's renderer, held against the same composed in memory: how far their pixels are apart.

`python -m tests.ui.composed [NAME ...] [--shape wide] [--scale 1] [--pictures FOLDER]` compares the screens of the
programme whose name begins with one of those, or all, writes what it found as JSON, and keeps both pictures of each
that differs by more than `TOLERANCE`. The environment chooses the renderer: with `SDL_VIDEODRIVER=offscreen` and
`SDL_RENDER_DRIVER=opengles2` it is Mesa's, without a monitor.
"""

import argparse
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import pygame

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, Rehearsal
from ui.draw_context import DrawContext
from ui.gpu_canvas import TOLERANCE, GpuCanvas
from ui.layout import SHAPES
from ui.screen import Screen

STEPS_S = (0.0, 0.2, 0.4)
"""How long is waited before each of the pictures of a screen that are compared."""


class Compared(msgspec.Struct, frozen=True):
    """The largest difference of a channel on each screen, and the most bytes that the textures kept came to."""

    apart: dict[str, int]
    texture_bytes: int


@contextmanager
def composed(shape: str = "wide", scale: float = 1) -> Iterator[tuple[Screen, GpuCanvas]]:
    """Yield a screen whose frames SDL's renderer composes, and its canvas."""
    screen = Screen(scale, layout=SHAPES[shape], window=True, compose="gpu")
    assert isinstance(screen.canvas, GpuCanvas)
    try:
        yield screen, screen.canvas
    finally:
        screen.close()


def apart(one: pygame.Surface, other: pygame.Surface) -> int:
    """Return the largest difference of a channel between two pictures of one size."""
    first, second = (pygame.surfarray.array3d(picture).astype(np.int16) for picture in (one, other))
    return int(np.abs(first - second).max())


def compare(names: Collection[str], shape: str, scale: float, pictures: Path | None = None) -> Compared:
    """Draw screens of the programme both ways."""
    context, found, most = DrawContext(BAKED, scale, SHAPES[shape]), dict.fromkeys(names, 0), 0
    with composed(shape, scale) as (screen, canvas):
        for name in names:
            in_memory, by_gpu = (Rehearsal(scale, shape, context, screen=used) for used in (None, screen))
            for rehearsal in (in_memory, by_gpu):
                PROGRAMME[name](rehearsal)
            for wait_s in STEPS_S:
                for rehearsal in (in_memory, by_gpu):
                    rehearsal.wait(wait_s)
                shown = (in_memory.picture(), by_gpu.picture())
                difference = apart(*shown)
                if difference > max(TOLERANCE, found[name]) and pictures is not None:
                    for how, picture in zip(("memory", "gpu"), shown, strict=True):
                        pygame.image.save(picture, str(pictures / f"{name}_{how}.png"))
                found[name] = max(found[name], difference)
                most = max(most, canvas.textures.bytes)
    return Compared(found, most)


def main() -> None:
    """Compare what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.composed")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--shape", choices=SHAPES, default="wide")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    names = [name for name in PROGRAMME if name.startswith(tuple(arguments.names) or ("",))]
    found = compare(names, arguments.shape, arguments.scale, arguments.pictures)
    sys.stdout.write(f"{msgspec.json.encode(found).decode()}\n")


if __name__ == "__main__":
    main()
