"""Strips of the poses of symbols, drawn from their sources, for a reader's eyes.

`python -m tests.ui.pose_strip OUT.png WORLD SYMBOL... [--scale 1] [--kinds win land wait] [--across 12]`: the frames of
one animation after another on the world's reel. A win and a wait loop at 12 frames a second, a landing is 24 a second.
"""

import argparse

import numpy as np
import pygame

from ui.bake import worlds
from ui.baking import motion, poses
from ui.baking.parts import KINDS, motions
from ui.baking.pictures import Picture
from ui.baking.sources import rasterise, read


def _surface(picture: Picture) -> pygame.Surface:
    return pygame.image.frombytes(np.ascontiguousarray(picture).tobytes(), (picture.shape[1], picture.shape[0]), "RGBA")


def rows(world: str, symbol: str, scale: float, kinds: list[str]) -> list[list[pygame.Surface]]:
    """Return the frames of each of a symbol's animations on the world's reel."""
    folder = worlds()[world]
    source = read(folder / f"{symbol}.svg")
    glow = folder / f"{symbol}_glow.svg"
    light = rasterise(read(glow), scale) if glow.exists() else None
    if motions(source):
        drawn = poses.frames(source, light, scale)
    else:
        drawn = {"win": motion.win_frames(rasterise(source, scale), light, scale)}
    reel = _surface(rasterise(read(folder / "reel.svg"), scale))
    found = []
    for kind in kinds:
        frames = []
        for picture in drawn.get(kind, []):
            frame = _surface(picture)
            below = pygame.transform.smoothscale(
                reel.subsurface((0, 0, reel.get_width(), frame.get_height())), frame.get_size()
            )
            below.blit(frame, (0, 0))
            frames.append(below)
        found.append(frames)
    return [frames for frames in found if frames]


def main() -> None:
    """Draw the strips that the command line asks for."""
    options = argparse.ArgumentParser()
    options.add_argument("out")
    options.add_argument("world")
    options.add_argument("symbols", nargs="+")
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--kinds", nargs="+", default=list(KINDS))
    options.add_argument("--across", type=int, default=12)
    wanted = options.parse_args()
    strips = [row for symbol in wanted.symbols for row in rows(wanted.world, symbol, wanted.scale, wanted.kinds)]
    lines = [row[first : first + wanted.across] for row in strips for first in range(0, len(row), wanted.across)]
    width, height = lines[0][0].get_size()
    sheet = pygame.Surface((wanted.across * width, len(lines) * height))
    for down, line in enumerate(lines):
        for across, frame in enumerate(line):
            sheet.blit(frame, (across * width, down * height))
    pygame.image.save(sheet, wanted.out)


if __name__ == "__main__":
    main()
