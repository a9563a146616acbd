"""Strips of what moves for show alone, ten pictures a second, for a reader's eyes.

`python -m tests.ui.life_strip OUT.png SCREEN [--shape wide] [--first 0] [--frames 12] [--every 0.1] [--box X Y W H]`:
a screen of the programme as it goes on by itself from `first` seconds on, or the box of it, in canvas units.
"""

import argparse

import pygame

from tests.ui.golden import MONITORS, rehearsed

ACROSS = 6


def main() -> None:
    """Draw the strip that the command line asks for."""
    options = argparse.ArgumentParser()
    options.add_argument("out")
    options.add_argument("screen")
    options.add_argument("--shape", choices=MONITORS, default="wide")
    options.add_argument("--first", type=float, default=0.0)
    options.add_argument("--frames", type=int, default=12)
    options.add_argument("--every", type=float, default=0.1)
    options.add_argument("--box", type=int, nargs=4)
    options.add_argument("--across", type=int, default=ACROSS)
    wanted = options.parse_args()
    rehearsal = rehearsed(wanted.screen, wanted.shape)
    rehearsal.now += wanted.first
    frames = []
    for _ in range(wanted.frames):
        picture = rehearsal.picture()
        frames.append(picture.subsurface(wanted.box or picture.get_rect()).copy())
        rehearsal.now += wanted.every
    width, height = frames[0].get_size()
    sheet = pygame.Surface((wanted.across * width, -(-len(frames) // wanted.across) * height))
    for number, frame in enumerate(frames):
        sheet.blit(frame, (number % wanted.across * width, number // wanted.across * height))
    pygame.image.save(sheet, wanted.out)


if __name__ == "__main__":
    main()
