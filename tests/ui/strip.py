"""A strip of frames: one of the programme's screens in motion, for a reader's eyes.

`python -m tests.ui.strip OUT.png SCREEN [--from S] [--seconds S] [--rate N] [--across N] [--shape wide] [--zoom 0.25]
[--box LEFT TOP WIDTH HEIGHT]` draws the screen, then on from `from` seconds after it, `rate` pictures a second.
"""

import argparse

import pygame

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, Rehearsal
from ui.draw_context import DrawContext
from ui.layout import SHAPES


def strip(
    rehearsal: Rehearsal,
    pictures: int,
    *,
    rate: float = 10,
    across: int = 8,
    zoom: float = 0.22,
    box: pygame.Rect | None = None,
) -> pygame.Surface:
    """Return `pictures` of what `rehearsal` shows from now on, `rate` a second, `across` of them in a row."""
    area = box or rehearsal.screen.canvas.get_rect()
    width, height = round(area.width * zoom), round(area.height * zoom)
    sheet = pygame.Surface((across * width, -(-pictures // across) * height))
    for number in range(pictures):
        frame = pygame.transform.smoothscale(rehearsal.picture().subsurface(area), (width, height))
        sheet.blit(frame, (number % across * width, number // across * height))
        rehearsal.wait(1 / rate)
    return sheet


def main() -> None:
    """Draw the strip that the command line asks for."""
    options = argparse.ArgumentParser()
    options.add_argument("out")
    options.add_argument("screen", choices=sorted(PROGRAMME))
    options.add_argument("--from", dest="begins", type=float, default=0.0)
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--rate", type=float, default=10.0)
    options.add_argument("--across", type=int, default=5)
    options.add_argument("--shape", default="wide")
    options.add_argument("--zoom", type=float, default=0.25)
    options.add_argument("--box", type=int, nargs=4)
    wanted = options.parse_args()
    rehearsal = Rehearsal(1, wanted.shape, DrawContext(BAKED, 1, SHAPES[wanted.shape]))
    PROGRAMME[wanted.screen](rehearsal)
    rehearsal.wait(wanted.begins)
    box = pygame.Rect(wanted.box) if wanted.box else None
    pictures = round(wanted.seconds * wanted.rate)
    sheet = strip(rehearsal, pictures, rate=wanted.rate, across=wanted.across, zoom=wanted.zoom, box=box)
    pygame.image.save(sheet, wanted.out)


if __name__ == "__main__":
    main()
